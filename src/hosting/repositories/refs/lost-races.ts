import { ForgeError } from '../../../base/core/failure.ts';
import { REPOSITORY_LIMITS } from '../limits.ts';

/** Returned by an attempt that another writer has overtaken: the attempt has written nothing. */
export const LOST_RACE = Symbol('lost race');

/**
 * Attempts a change until no other writer overtakes it.
 *
 * @param busy message for a change that loses `REPOSITORY_LIMITS.lostRacesMax` races
 * @param attempt starts anew from the present state, and returns `LOST_RACE` if another writer has replaced that
 * @throws ForgeError `busy`; any error of `attempt`
 */
export async function untilNoRaceIsLost<T>(
  busy: string,
  attempt: () => Promise<T | typeof LOST_RACE>,
): Promise<T> {
  for (let count = 1; count <= REPOSITORY_LIMITS.lostRacesMax; count += 1) {
    const result = await attempt();
    if (result !== LOST_RACE) return result;
  }
  throw new ForgeError({ kind: 'busy', what: busy, retryAfterSeconds: 1 });
}
