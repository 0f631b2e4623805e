import type { Seed } from '../src/app/throwaway/seed/model.ts';

export type { Seed };

/** How a forge differs from the default. */
export interface ForgeOptions {
  /** the world to start with, or the path of a file with it: `docs/testing.md`. Only for throwaway data. */
  readonly seed?: Seed | string;
  /** an empty PostgreSQL database to use instead of the embedded one; `stop` does not clean it up */
  readonly databaseUrl?: string;
  /** folder for the data, which remains after `stop`; the default is a temporary folder that `stop` removes */
  readonly dataFolder?: string;
  /** level of the log on standard error; `silent` by default */
  readonly logLevel?: string;
  /** start of all links; the address of the forge by default */
  readonly baseUrl?: string;
  readonly trustedProxies?: readonly string[];
  /** other settings, by their names in the configuration file */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A user of the seed. */
export interface SeededUser {
  readonly password: string;
  /** by the names that they have in the seed */
  readonly tokens: Readonly<Record<string, string>>;
}

/** The time of the forge, which is the time of all forges in this process. */
export interface ForgeClock {
  now(): Date;
  set(time: Date | string): Promise<void>;
  /**
   * Moves the time, and runs the jobs that become due.
   *
   * @param duration seconds, or such as `90s`, `30m`, `12h` or `7d`
   */
  advance(duration: number | string): Promise<void>;
  /** Stops the time. */
  freeze(): Promise<void>;
  unfreeze(): Promise<void>;
}

/** A running forge. */
export interface Forge extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** `${url}/api/v1` */
  readonly apiRoot: string;
  /** a site administrator with a token for all scopes */
  readonly admin: { readonly name: string; readonly password: string; readonly token: string };
  /** the users of the seed, by name */
  readonly users: Readonly<Record<string, SeededUser>>;
  /** the current one: with throwaway data, a reset makes a new one */
  readonly dataFolder: string;
  readonly clock: ForgeClock;
  /**
   * Brings back the world right after the seed, with all ids and counters, in a few milliseconds. Requests that are running
   * end in the old world.
   *
   * @throws Error if the forge has a `dataFolder` or a `databaseUrl`
   */
  reset(): Promise<void>;
  stop(): Promise<void>;
}
