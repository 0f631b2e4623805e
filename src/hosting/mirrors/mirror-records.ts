import { conflict } from '../../base/core/failure.ts';
import type { Sealer } from '../../base/core/sealing.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { MirrorChange } from '../repositories/settings/edit.ts';
import { setMirrorError, setMirrorUpdated, unsetMirror } from '../repositories/writes.ts';
import { MIRROR_LIMITS } from './limits.ts';
import type { Due, Mirror, Source } from './model.ts';
import { openCredentials, sealCredentials } from './sealed-credentials.ts';
import {
  deleteMirror,
  findDueMirror,
  findMirror,
  insertMirror,
  listDueOwners,
  type MirrorRow,
  setMirror,
  setNextDue,
} from './store.ts';
import { dueAfter, retryAfter } from './turns.ts';

interface Dependencies {
  readonly database: Database;
  readonly sealer: Sealer;
}

/** Records which repository follows which source, with encrypted credentials. */
export class MirrorRecords {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  async add(
    tx: Tx,
    id: RepositoryId,
    { source, intervalMs }: { source: Source; intervalMs: number },
  ): Promise<void> {
    const { url, credentials, largeFiles } = source;
    await insertMirror(tx, {
      repository_id: id,
      address: url.href,
      credentials: sealCredentials(this.#use.sealer, credentials, purposeOf(id)),
      has_large_files: largeFiles === null ? 0 : 1,
      large_files_address: largeFiles?.url?.href ?? '',
      prunes: 1,
      interval_ms: intervalMs,
      due_at: dueAfter(intervalMs),
      failures: 0,
    });
  }

  /** @throws SealError if its credentials cannot be decrypted */
  async find(id: RepositoryId): Promise<Mirror | undefined> {
    const row = await findMirror(this.#use.database.reader, id);
    return row === undefined ? undefined : this.#mirrorOf(row);
  }

  #mirrorOf(row: MirrorRow): Mirror {
    const { repository_id: repositoryId, credentials, large_files_address: address } = row;
    return {
      repositoryId,
      source: {
        url: new URL(row.address),
        credentials: openCredentials(this.#use.sealer, credentials, purposeOf(repositoryId)),
        largeFiles: row.has_large_files === 0 ? null : { url: address === '' ? null : new URL(address) },
      },
      prunes: row.prunes === 1,
      intervalMs: row.interval_ms,
    };
  }

  /** Lists the owners of mirrors that are due. */
  listDueOwners(): Promise<readonly number[]> {
    return listDueOwners(this.#use.database.reader, currentTimeMs(), MIRROR_LIMITS.mirrorOwnersAtOnceMax);
  }

  /** Finds the mirror of an owner that is due the longest. */
  findDue(ownerId: number): Promise<Due | undefined> {
    return findDueMirror(this.#use.database.reader, ownerId, currentTimeMs());
  }

  /** Makes a mirror due now. @returns whether it exists */
  async request(tx: Tx, id: RepositoryId): Promise<boolean> {
    if ((await findMirror(tx, id)) === undefined) return false;
    await setMirror(tx, id, { due_at: currentTimeMs() });
    return true;
  }

  /** Records that a mirror agrees with its source. @throws ForgeError `conflict` if it follows the source no longer */
  async succeed(tx: Tx, due: Due, { intervalMs }: Pick<Mirror, 'intervalMs'>): Promise<void> {
    if (!(await setMirror(tx, due.id, { failures: 0 })))
      throw conflict('the repository is no longer a mirror');
    await setNextDue(tx, due, dueAfter(intervalMs));
    await setMirrorUpdated(tx, due.id, currentTimeMs());
  }

  /** Records why an update failed, and schedules the next attempt. The delay grows each time, up to the interval. */
  async fail(due: Due, why: string): Promise<void> {
    await this.#use.database.transaction(async (tx) => {
      const row = await findMirror(tx, due.id);
      if (row === undefined) return;
      const failures = row.failures + 1;
      await setMirror(tx, due.id, { failures });
      await setNextDue(tx, due, dueAfter(retryAfter(failures, row.interval_ms)));
      await setMirrorError(tx, due.id, why.slice(0, MIRROR_LIMITS.mirrorErrorCharsMax));
    });
  }

  /** Ends a mirror. The repository stays as it is. @returns whether it was a mirror */
  async end(tx: Tx, id: RepositoryId): Promise<boolean> {
    if (!(await deleteMirror(tx, id))) return false;
    await unsetMirror(tx, id);
    return true;
  }

  async change(tx: Tx, id: RepositoryId, { intervalMs, prunes }: MirrorChange): Promise<void> {
    const interval =
      intervalMs === undefined ? {} : { interval_ms: intervalMs, due_at: dueAfter(intervalMs) };
    const pruning = prunes === undefined ? {} : { prunes: prunes ? 1 : 0 };
    if (intervalMs !== undefined || prunes !== undefined)
      await setMirror(tx, id, { ...interval, ...pruning });
  }
}

/** The purpose names the repository, so no other row can use the encrypted credentials. */
function purposeOf(id: RepositoryId): string {
  return `mirror ${id}`;
}
