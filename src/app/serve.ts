import { join } from 'node:path';
import { armFault } from '../base/core/faults.ts';
import { keepCompiledCode } from '../base/core/native/compiled-code.ts';
import { IdleMemory } from '../base/core/native/idle-memory.ts';
import { SealError } from '../base/core/sealing.ts';
import type { Followers } from '../base/events/followers.ts';
import { SOCKET, SOCKET_PATH_BYTES_MAX } from '../code/ssh/bridge/frames.ts';
import type { RunningSsh } from '../code/ssh/server/start.ts';
import type { App, SshAddress } from '../http/app.ts';
import { createAdministrator, uselessAdministratorSettings } from './administrator.ts';
import { createForge, type Engines, openEngines } from './compose.ts';
import { type Config, ConfigError } from './config.ts';
import { lockDataFolder, openDataFolder } from './data-folder.ts';
import type { Services } from './features.ts';
import { requireUsable } from './object-store.ts';
import { print } from './print.ts';
import { followersOf } from './subscriptions.ts';

/** How long a stopping server waits for running requests. */
const STOP_WAIT_MS = 30_000;

export interface RunningForge {
  /** `http://HOST:PORT` of the socket that the server listens on */
  readonly url: string;
  /** undefined: there is no own SSH server */
  readonly ssh: RunningSsh | undefined;
  readonly app: App;
  readonly services: Services;
  readonly followers: Followers;
  readonly engines: Engines;
  /** whether this start created the site administrator */
  readonly isFirstStart: boolean;
  /** Stops accepting requests, waits for the running ones and closes everything. */
  stop(): Promise<void>;
}

/**
 * Starts a server and returns when it accepts requests. The first start creates the site administrator, and prints the
 * password if it generates one.
 *
 * @throws ConfigError, and the errors of `openEngines`
 */
export async function startServer(config: Config): Promise<RunningForge> {
  if (config.fault !== null) armFault(config.fault.point, config.fault.pass);
  requireUsableAddress(config);
  openDataFolder(config.dataFolder);
  const unlock = lockDataFolder(config.dataFolder);
  const undo: (() => unknown)[] = [unlock];
  try {
    // Port 0 becomes a port number only when the server listens, so the addresses in responses are filled in below.
    const addresses = {
      baseUrl: config.baseUrl ?? '',
      apiRoot: `${config.baseUrl}/api/v1`,
      ssh: undefined as SshAddress | undefined,
    };
    const engines = await openEngines(config, { ownsFolder: true, addresses });
    undo.unshift(() => engines.close());
    await requireUsable(engines.objects, config.objects);
    const { app, services } = await createForge(config, engines, addresses);
    undo.unshift(() => Promise.all([closeWhenIdle(app, services), services.jobs.stop()]));
    const url = await listen(app, config);
    addresses.baseUrl = config.baseUrl ?? publicAddress(config, url);
    addresses.apiRoot = `${addresses.baseUrl}/api/v1`;
    const ssh = await startSsh(app, services, config);
    if (ssh !== undefined) undo.unshift(() => ssh.stop());
    const bridge = await startSshBridge(app, services, config);
    if (bridge !== undefined) undo.unshift(() => bridge.stop());
    addresses.ssh = sshAddress(config, ssh?.port, addresses.baseUrl);
    // Only now, because a start that fails on a port in use must change nothing.
    const followers = followersOf(services);
    await followers.register();
    const isFirstStart = await createAdministrator(services.accounts, config);
    await services.auditLog.recordSettings(config.shownSettings);
    services.jobs.start({ log: app.log });
    // What an ended process has left. It never fails, and requests need not wait for it.
    void engines.git.upkeep.moveFreshToFiles();
    followers.start({ log: app.log });
    undo.unshift(() => followers.stop());
    const stop = async () => {
      for (const step of undo.splice(0)) await step();
    };
    return { url, ssh, app, services, followers, engines, isFirstStart, stop };
  } catch (error) {
    for (const step of undo.splice(0)) await step();
    throw error;
  }
}

/** Archives are stored after their responses, which `app.close` waits for. */
async function closeWhenIdle(app: App, services: Services): Promise<void> {
  await app.close();
  await services.archives.idle();
}

async function listen(app: App, config: Config): Promise<string> {
  try {
    await app.listen({ port: config.port, host: config.host, backlog: 1024 });
  } catch (error) {
    throw new ConfigError(whyNotListening(error, config));
  }
  const address = app.server.address();
  if (address === null || typeof address === 'string')
    throw new Error('the server does not listen on a port');
  return `http://${hostInUrl(config.host)}:${address.port}`;
}

/** @returns undefined unless the settings want the own SSH server */
async function startSsh(
  app: App,
  services: Services,
  { host, ssh: { port } }: Config,
): Promise<RunningSsh | undefined> {
  if (port === null) return undefined;
  const { startSshServer } = await import('../code/ssh/server/start.ts');
  try {
    return await startSshServer({ ...services, log: app.log }, { port, host });
  } catch (error) {
    if (error instanceof SealError) throw new ConfigError(error.message);
    throw new ConfigError(whyNotListening(error, { host, port, flag: '--ssh-port' }));
  }
}

/** @returns undefined unless the settings let the system's OpenSSH serve this server */
async function startSshBridge(app: App, services: Services, { dataFolder, ssh: { hasSocket } }: Config) {
  if (!hasSocket) return undefined;
  const path = join(dataFolder, SOCKET);
  if (Buffer.byteLength(path) > SOCKET_PATH_BYTES_MAX)
    throw new ConfigError(`the path ${path} is too long for a socket: choose a shorter --data`);
  const { startBridge } = await import('../code/ssh/bridge/start.ts');
  try {
    return await startBridge({ ...services, log: app.log }, path);
  } catch (error) {
    throw new ConfigError(`cannot listen on ${path}: ${(error as Error).message}`);
  }
}

/** Returns what the addresses of repositories over SSH name. */
function sshAddress({ ssh }: Config, port: number | undefined, baseUrl: string): SshAddress | undefined {
  if (ssh.address !== null) return ssh.address;
  return port === undefined ? undefined : { host: new URL(baseUrl).hostname, port };
}

function whyNotListening(
  error: unknown,
  { host, port, flag = '--port' }: Pick<Config, 'host' | 'port'> & { readonly flag?: string },
): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return `port ${port} on ${host} is in use: stop what listens there, or choose another ${flag}`;
  if (code === 'EACCES')
    return `this user may not listen on port ${port} of ${host}: choose a ${flag} above 1023`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `${host} is not an address of this machine: choose another --host`;
  return `cannot listen on ${host}:${port}: ${message}`;
}

function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Address in links if no base URL is set. For a server that listens on all addresses, it works on this machine. */
function publicAddress(config: Config, url: string): string {
  const isEverywhere = config.host === '0.0.0.0' || config.host === '::';
  return isEverywhere ? `http://localhost:${new URL(url).port}` : url;
}

function requireUsableAddress(config: Config): void {
  if (config.host === '') throw new ConfigError('the host to listen on is empty: set --host');
}

/** Warnings about settings that work but are likely mistakes. */
export function warningsFor(config: Pick<Config, 'host' | 'baseUrl' | 'trustedProxies'>): readonly string[] {
  if (isLoopback(config.host)) return [];
  const listening = `listening on ${config.host} without`;
  const warnings: string[] = [];
  if (config.baseUrl === null)
    warnings.push(
      `${listening} --base-url: links and clone addresses will not work on other machines, and requests for a name of this machine are rejected unless --allowed-hosts lists it`,
    );
  if (config.trustedProxies.length === 0)
    warnings.push(
      `${listening} --trusted-proxies: behind a proxy, all clients would count as one and share its limits`,
    );
  return warnings;
}

/** Whether only this machine can reach the server. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}

/** Within this time, a second signal is the first one again: npm passes on what the terminal also sends to the server. */
const SAME_SIGNAL_MS = 500;

/** Runs a server until the process receives SIGTERM or SIGINT. */
export async function serve(config: Config): Promise<void> {
  const forge = await startServer(config);
  for (const warning of warningsFor(config)) print(`warning: ${warning}`);
  // A process that reads "ready" may send the signal at once, so listen for it first.
  const stopped = stopSignal();
  if (forge.ssh !== undefined) print(`SSH at ${hostInUrl(config.host)}:${forge.ssh.port}`);
  print(`ready ${forge.url}`);
  // The next start takes half the CPU with it.
  keepCompiledCode();
  // Comparing a password takes long, so it must not delay the start.
  const useless = forge.isFirstStart
    ? []
    : await uselessAdministratorSettings(forge.services.accounts, config);
  for (const warning of useless) print(`warning: ${warning}`);
  const idleMemory = new IdleMemory(forge.app.log);
  idleMemory.start();
  await stopped;
  idleMemory.stop();
  const deadline = setTimeout(() => {
    process.stderr.write(`stopped with requests still running after ${STOP_WAIT_MS / 1000} seconds\n`);
    process.exit(1);
  }, STOP_WAIT_MS);
  deadline.unref();
  await forge.stop();
}

/** Waits for SIGTERM or SIGINT. A later one ends the process at once. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const signals = ['SIGTERM', 'SIGINT'] as const;
    const stop = () => {
      resolve();
      const forget = () => {
        for (const signal of signals) process.off(signal, stop);
      };
      setTimeout(forget, SAME_SIGNAL_MS).unref();
    };
    for (const signal of signals) process.on(signal, stop);
  });
}
