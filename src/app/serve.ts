import { armFault } from '../core/faults.ts';
import type { App } from '../http/app.ts';
import { createForge, type Engines, openEngines, type Services } from './compose.ts';
import { type Config, ConfigError } from './config.ts';
import { lockDataFolder, openDataFolder } from './data-folder.ts';

/** In-flight requests get this long to finish when the server is told to stop. */
const STOP_WAIT_MS = 30_000;

export interface RunningForge {
  /** `http://HOST:PORT`, as listened on */
  readonly url: string;
  readonly app: App;
  readonly services: Services;
  readonly engines: Engines;
  /** The first administrator's password, where one was generated in this start. */
  readonly generatedPassword: string | null;
  /** Stops taking requests, lets those in flight finish and closes everything. */
  stop(): Promise<void>;
}

/**
 * Starts a server and returns when it takes requests.
 *
 * @throws ConfigError, and whatever the engines say: one line each for the operator
 */
export async function startServer(config: Config): Promise<RunningForge> {
  if (config.fault !== null) armFault(config.fault.point, config.fault.pass);
  requireUsableAddress(config);
  openDataFolder(config.dataFolder);
  const unlock = lockDataFolder(config.dataFolder);
  const undo: (() => unknown)[] = [unlock];
  try {
    const engines = await openEngines(config);
    undo.unshift(() => engines.close());
    // The port is known only once it is taken, and the addresses that answers name follow from it.
    const addresses = { baseUrl: config.baseUrl ?? '', apiRoot: `${config.baseUrl}/api/v1` };
    const { app, services } = await createForge(config, engines, addresses);
    const administrator = await services.accounts.ensureFirstAdministrator({
      name: config.adminName,
      ...(config.adminPassword === null ? {} : { password: config.adminPassword }),
    });
    undo.unshift(() => Promise.all([app.close(), services.jobs.stop()]));
    const url = await listen(app, config);
    addresses.baseUrl = config.baseUrl ?? publicAddress(config, url);
    addresses.apiRoot = `${addresses.baseUrl}/api/v1`;
    services.jobs.start({ log: app.log });
    const stop = async () => {
      for (const step of undo.splice(0)) await step();
    };
    return { url, app, services, engines, generatedPassword: administrator?.generatedPassword ?? null, stop };
  } catch (error) {
    for (const step of undo.splice(0)) await step();
    throw error;
  }
}

async function listen(app: App, config: Config): Promise<string> {
  try {
    await app.listen({ port: config.port, host: config.host, backlog: 1024 });
  } catch (error) {
    throw new ConfigError(whyNotListening(error, config));
  }
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return `http://${hostInUrl(config.host)}:${address.port}`;
}

function whyNotListening(error: unknown, { host, port }: Config): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return `port ${port} on ${host} is in use: stop what listens there, or choose another --port`;
  if (code === 'EACCES') return `port ${port} on ${host} may not be listened on by this user`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return `${host} is no address of this machine`;
  return `cannot listen on ${host}:${port}: ${message}`;
}

function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** An address for links where no base URL is set: a server that listens everywhere is at least reached from here. */
function publicAddress(config: Config, url: string): string {
  const isEverywhere = config.host === '0.0.0.0' || config.host === '::';
  return isEverywhere ? `http://localhost:${new URL(url).port}` : url;
}

function requireUsableAddress(config: Config): void {
  if (config.host === '') throw new ConfigError('the host to listen on is empty');
}

/** What an operator should know who starts a server like this. */
export function warningsFor(config: Pick<Config, 'host' | 'baseUrl'>): readonly string[] {
  if (isLoopback(config.host) || config.baseUrl !== null) return [];
  return [
    `listening on ${config.host} without --base-url: links and clone addresses will not work elsewhere`,
  ];
}

/** Whether only this machine can reach the server. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}

/** `quire serve`: runs until it is told to stop. */
export async function serve(config: Config): Promise<void> {
  const forge = await startServer(config);
  const print = (line: string) => process.stdout.write(`${line}\n`);
  for (const warning of warningsFor(config)) print(`warning: ${warning}`);
  if (forge.generatedPassword !== null) {
    print(`made the site administrator ${config.adminName} with the password ${forge.generatedPassword}`);
    print('write it down: it is not shown again');
  }
  // Whoever reads that it is ready may stop it at once.
  const stopped = stopSignal();
  print(`ready ${forge.url}`);
  await stopped;
  const deadline = setTimeout(() => {
    process.stderr.write('requests were still running after 30 seconds: stopped without them\n');
    process.exit(1);
  }, STOP_WAIT_MS);
  deadline.unref();
  await forge.stop();
}

/** Waits for SIGTERM or SIGINT. A second one ends the process at once. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}
