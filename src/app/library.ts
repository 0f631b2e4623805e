import { knownSettings, readConfig } from './config.ts';
import { startServer as start } from './serve.ts';

// `quire` of the published package: a server in the process of another program.

/** Settings by their names in the configuration file. The environment has the others. */
export type Settings = Readonly<Record<string, string>>;

/** A running server. */
export interface Server extends AsyncDisposable {
  /** address that it listens on */
  readonly url: string;
  /** Stops accepting requests, waits for the running ones and closes everything. */
  stop(): Promise<void>;
}

/**
 * Starts a server and returns when it accepts requests. The first start creates the site administrator, and prints the
 * password unless the setting `adminPassword` gives one.
 *
 * @throws Error that says what is wrong with a setting
 */
export async function startServer(settings: Settings = {}): Promise<Server> {
  const { url, stop } = await start(readConfig(knownSettings(settings)));
  return { url, stop, [Symbol.asyncDispose]: stop };
}
