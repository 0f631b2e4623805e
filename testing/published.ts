import { startForge as start } from './index.ts';
import type { Forge, ForgeOptions } from './model.ts';

// `quire/testing` of the published package.

export type { Forge, ForgeOptions };

/**
 * Starts a real forge on a free port of 127.0.0.1, with throwaway data. It differs from a server in one setting: password
 * hashing is cheap.
 *
 * @throws Error that says what is wrong with an option
 */
export function startForge(options: ForgeOptions = {}): Promise<Forge> {
  return start(options);
}
