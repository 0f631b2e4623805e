import { startLasting } from './lasting.ts';
import type { Forge, ForgeClock, ForgeOptions, Seed } from './model.ts';
import { startThrowaway } from './throwaway.ts';

// `quire/testing` of the published package.

export type { Forge, ForgeClock, ForgeOptions, Seed };

/**
 * Starts a real forge on a free port of 127.0.0.1, with throwaway data. It differs from a server in three things: password
 * hashing is cheap, `reset` brings back its first state, and `clock` moves its time.
 *
 * @throws Error that says what is wrong with an option
 */
export function startForge(options: ForgeOptions = {}): Promise<Forge> {
  const hasLastingData = options.dataFolder !== undefined || options.databaseUrl !== undefined;
  return hasLastingData ? startLasting(options) : startThrowaway(options);
}
