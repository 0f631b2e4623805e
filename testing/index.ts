import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Flags, readConfig } from '../src/app/config.ts';
import { type RunningForge, startServer } from '../src/app/serve.ts';

export interface ForgeOptions {
  /** PostgreSQL to use instead of an embedded database; it should be empty, and is left as it is */
  readonly databaseUrl?: string;
  /** folder to keep the data in, kept when the forge stops; a throwaway one otherwise */
  readonly dataFolder?: string;
  /** what goes to standard error: `silent` unless told otherwise */
  readonly logLevel?: string;
  /** address the forge gives in links; its own otherwise */
  readonly baseUrl?: string;
  readonly trustedProxies?: readonly string[];
  /** what an operator may set besides, by the names of the configuration file */
  readonly settings?: Flags;
}

export interface Forge extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** `${url}/api/v1` */
  readonly apiRoot: string;
  /** a site administrator with a token for everything */
  readonly admin: { readonly name: string; readonly password: string; readonly token: string };
  readonly dataFolder: string;
  /** what is running, for those who look behind the wire */
  readonly running: RunningForge;
  stop(): Promise<void>;
}

/**
 * Starts a real forge on a free port of this machine, for as long as a test wants it.
 *
 * @throws what `quire serve` would say in the same place
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
      ...options.settings,
    },
    { QUIRE_ADMIN_PASSWORD: password },
  );
  const running = await startServer(config);
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
  if (admin === undefined) throw new Error('the forge has no administrator');
  const name = `testing-${randomBytes(4).toString('hex')}`;
  const made = await tokens.createFor(admin, { name, scopes: ['all'] });
  return made.token;
}
