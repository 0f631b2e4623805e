import type { Viewer } from '../../../api/access/viewer.ts';
import { conflict } from '../../../base/core/failure.ts';
import type { Tx } from '../../../base/database/database.ts';
import type { RefUpdate } from '../../../git/interface/refs.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import type { WriteSession } from '../../../git/interface/writes.ts';
import { LOST_RACE, untilNoRaceIsLost } from './lost-races.ts';
import type { PushFacts } from './push-rules.ts';
import { type Pushes, type PushResult, WHY_REJECTED } from './pushes.ts';

/** A change of refs that a call of the API asks for: all of them or none. */
export interface RefsWrite<T> extends PushFacts {
  readonly pusher: Viewer;
  /**
   * Decides what moves, from the repository as it is in this session. Runs again if one of the refs has moved
   * meanwhile.
   */
  build(session: WriteSession): Promise<BuiltRefs<T>>;
}

export interface BuiltRefs<T> {
  readonly updates: readonly RefUpdate[];
  readonly result: T;
  /** Writes rows and events of this change, in the transaction that moves the refs. */
  readonly afterRules?: (tx: Tx) => Promise<void>;
}

/**
 * Creates, moves or deletes refs for a call of the API. Changes of files go through `BranchWriter` instead, which makes
 * writers of one branch take turns.
 *
 * @throws ForgeError as `Pushes.push`, the denial of a rule, `conflict` for a name that conflicts with another ref,
 *   `busy` if the refs keep moving
 */
export function changeRefs<T>(
  { git, pushes }: { git: Pick<GitStorage, 'writes'>; pushes: Pushes },
  { build, ...push }: RefsWrite<T>,
): Promise<T> {
  return untilNoRaceIsLost('these refs keep changing: try again', async () => {
    await using session = await git.writes.begin(push.repository.id);
    const { result, ...change } = await build(session);
    const results = await pushes.push(session, { ...push, ...change, atomic: true });
    return hasLostRace(results) ? LOST_RACE : result;
  });
}

/**
 * Whether a change of refs was rejected because another writer was faster.
 *
 * @throws ForgeError the denial of a rule, `conflict`
 */
export function hasLostRace(results: readonly PushResult[]): boolean {
  for (const result of results) {
    if (result.outcome === 'denied') throw result.denial;
    if (result.outcome === 'rejected' && result.cause === 'name-conflict') {
      throw conflict(WHY_REJECTED['name-conflict']);
    }
  }
  return results.some((result) => result.outcome === 'rejected');
}
