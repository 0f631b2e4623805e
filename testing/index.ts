import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { knownSettings, readConfig } from '../src/app/config.ts';
import { type RunningForge, startServer } from '../src/app/serve.ts';
import { TEST_PASSWORD_COST } from '../src/app/throwaway/config.ts';
import type { PostgresConnections } from '../src/base/database/postgres-connections.ts';
import type { ResolveHost } from '../src/base/outbound/model.ts';
import type { Forge as PublishedForge, ForgeOptions as PublishedOptions } from './model.ts';

export interface ForgeOptions extends PublishedOptions {
  /** returns the addresses of other servers; by default the resolver of the machine does */
  readonly resolveHost?: ResolveHost;
  /** makes the connections to the database of `databaseUrl`; by default the driver does */
  readonly databaseConnections?: PostgresConnections;
  /** where the process ends, as in `QUIRE_FAULT`; by default nowhere */
  readonly fault?: string | undefined;
}

export interface Forge extends Omit<PublishedForge, 'users' | 'clock' | 'reset'> {
  /** the running server, for tests that check more than responses */
  readonly running: RunningForge;
}

/**
 * Starts a real forge on a free port of 127.0.0.1. It differs from a server in one setting: password hashing is cheap.
 *
 * @throws the same errors as `quire serve`
 */
export async function startForge(options: ForgeOptions = {}): Promise<Forge> {
  const dataFolder = options.dataFolder ?? (await mkdtemp(join(tmpdir(), 'quire-forge-')));
  const password = randomBytes(12).toString('hex');
  const config = readConfig(
    {
      port: '0',
      host: '127.0.0.1',
      data: dataFolder,
      adminName: 'root',
      databaseUrl: options.databaseUrl ?? '',
      logLevel: options.logLevel ?? 'silent',
      baseUrl: options.baseUrl ?? '',
      trustedProxies: options.trustedProxies?.join(',') ?? '',
      ...knownSettings(options.settings ?? {}),
    },
    { QUIRE_ADMIN_PASSWORD: password, QUIRE_FAULT: options.fault },
  );
  const running = await startServer({
    ...config,
    resolveHost: options.resolveHost,
    databaseConnections: options.databaseConnections,
    passwordHashing: { ...config.passwordHashing, cost: TEST_PASSWORD_COST },
  });
  const token = await adminToken(running);
  const stop = async () => {
    await running.stop();
    if (options.dataFolder === undefined) await rm(dataFolder, { recursive: true, force: true });
  };
  return {
    url: running.url,
    apiRoot: `${running.url}/api/v1`,
    admin: { name: 'root', password, token },
    dataFolder,
    running,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function adminToken({ services }: RunningForge): Promise<string> {
  const { accounts, tokens } = services;
  const admin = await accounts.findByName('root');
  if (admin === undefined) throw new Error('the forge has no account root');
  const name = `testing-${randomBytes(4).toString('hex')}`;
  const made = await tokens.createFor(admin, { name, scopes: ['all'] });
  return made.token;
}
