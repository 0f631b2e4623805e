import { randomBytes } from 'node:crypto';
import type { Sealer } from '../../base/core/sealing.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import { MIRROR_LIMITS } from '../mirrors/limits.ts';
import type { Credentials, Due } from '../mirrors/model.ts';
import { openCredentials, sealCredentials } from '../mirrors/sealed-credentials.ts';
import { dueAfter, retryAfter } from '../mirrors/turns.ts';
import type { PushMirror, WantedPushMirror } from './model.ts';
import {
  findDue,
  findOwnerId,
  findPushMirrorById,
  insertPushMirror,
  listDueOwners,
  requestUpdates,
  setUpdated,
} from './store.ts';

/** A push mirror and the credentials of its target. */
export interface OpenedPushMirror extends PushMirror {
  readonly credentials: Credentials | null;
}

interface Dependencies {
  readonly database: Database;
  readonly sealer: Sealer;
}

/** Keeps which repositories are pushed to which targets, with the credentials encrypted. */
export class PushMirrorRecords {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  add(tx: Tx, repositoryId: RepositoryId, wanted: WantedPushMirror): Promise<PushMirror> {
    const name = `remote_mirror_${randomBytes(5).toString('hex')}`;
    const { credentials, intervalMs } = wanted;
    return insertPushMirror(tx, {
      repository_id: repositoryId,
      name,
      address: wanted.url.href,
      credentials: sealCredentials(this.#use.sealer, credentials, purposeOf({ repositoryId, name })),
      branch_filter: wanted.branchFilter,
      interval_ms: intervalMs,
      follows_pushes: wanted.followsPushes ? 1 : 0,
      created_at: currentTimeMs(),
      updated_at: null,
      error: '',
      failures: 0,
      // The first update comes at once, if any comes by itself.
      due_at: intervalMs === 0 ? null : currentTimeMs(),
      request: 1,
    });
  }

  /** @throws SealError if its credentials cannot be decrypted */
  async find(id: number): Promise<OpenedPushMirror | undefined> {
    const found = await findPushMirrorById(this.#use.database.reader, id);
    if (found === undefined) return undefined;
    return { ...found, credentials: openCredentials(this.#use.sealer, found.credentials, purposeOf(found)) };
  }

  /**
   * Makes push mirrors of a repository due now.
   *
   * @returns the owner of the repository; undefined if there is none to update
   */
  async request(tx: Tx, id: RepositoryId, of: 'all' | 'followers'): Promise<number | undefined> {
    const areRequested = await requestUpdates(tx, id, { now: currentTimeMs(), of });
    return areRequested ? findOwnerId(tx, id) : undefined;
  }

  listDueOwners(): Promise<readonly number[]> {
    return listDueOwners(this.#use.database.reader, currentTimeMs(), MIRROR_LIMITS.mirrorOwnersAtOnceMax);
  }

  findDue(ownerId: number): Promise<Due | undefined> {
    return findDue(this.#use.database.reader, ownerId, currentTimeMs());
  }

  /** Records that a target has the refs of the repository. */
  async succeed(due: Due, { intervalMs }: PushMirror): Promise<void> {
    await this.#use.database.transaction((tx) =>
      setUpdated(tx, due, {
        updated_at: currentTimeMs(),
        error: '',
        failures: 0,
        due_at: dueAfter(intervalMs),
      }),
    );
  }

  /** Records why an update failed. One that comes by itself is tried again, later each time. */
  async fail(due: Due, why: string): Promise<void> {
    await this.#use.database.transaction(async (tx) => {
      const found = await findPushMirrorById(tx, due.id);
      if (found === undefined) return;
      const { intervalMs, followsPushes } = found;
      const failures = found.failures + 1;
      const msMax = intervalMs === 0 && followsPushes ? MIRROR_LIMITS.mirrorIntervalMs : intervalMs;
      await setUpdated(tx, due, {
        updated_at: currentTimeMs(),
        error: why.slice(0, MIRROR_LIMITS.mirrorErrorCharsMax),
        failures,
        due_at: dueAfter(retryAfter(failures, msMax)),
      });
    });
  }
}

/** The row is part of what is encrypted, so no other row can use it. */
function purposeOf({ repositoryId, name }: Pick<PushMirror, 'repositoryId' | 'name'>): string {
  return `push mirror ${repositoryId} ${name}`;
}
