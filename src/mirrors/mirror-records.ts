import { LIMITS } from '../core/limits.ts';
import type { Sealer } from '../core/sealing.ts';
import type { Database, Tx } from '../database/database.ts';
import type { RepositoryId } from '../git/model.ts';
import { keepMirrorError, keepMirrorUpdated } from '../repositories/derived.ts';
import type { MirrorChange } from '../repositories/settings/edit.ts';
import type { Credentials, Mirror, Source } from './model.ts';
import { findMirror, insertMirror, listDueMirrors, type MirrorRow, setMirror } from './store.ts';

/** Keeps which repositories follow which sources, with their credentials encrypted. */
export class MirrorRecords {
  readonly #database: Database;
  readonly #sealer: Sealer;

  constructor({ database, sealer }: { database: Database; sealer: Sealer }) {
    this.#database = database;
    this.#sealer = sealer;
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
      credentials:
        credentials === null ? null : this.#sealer.seal(JSON.stringify(credentials), purposeOf(id)),
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
    const row = await findMirror(this.#database.reader, id);
    return row === undefined ? undefined : this.#mirrorOf(row);
  }

  async has(id: RepositoryId): Promise<boolean> {
    return (await findMirror(this.#database.reader, id)) !== undefined;
  }

  #mirrorOf(row: MirrorRow): Mirror {
    const { repository_id: repositoryId, credentials, large_files_address: address } = row;
    return {
      repositoryId,
      source: {
        url: new URL(row.address),
        credentials: credentials === null ? null : this.#opened(repositoryId, credentials),
        largeFiles: row.has_large_files === 0 ? null : { url: address === '' ? null : new URL(address) },
      },
      prunes: row.prunes === 1,
      intervalMs: row.interval_ms,
      failures: row.failures,
    };
  }

  #opened(id: RepositoryId, sealed: string): Credentials {
    return JSON.parse(this.#sealer.open(sealed, purposeOf(id)));
  }

  /** Takes the mirrors that are due, in one transaction with `take`. They are due again after their interval. */
  async takeDue(take: (tx: Tx, id: RepositoryId) => Promise<void>): Promise<void> {
    const now = Date.now();
    const due = await listDueMirrors(this.#database.reader, now, LIMITS.mirrorsDueAtOnceMax);
    if (due.length === 0) return;
    await this.#database.transaction(async (tx) => {
      for (const { repository_id: id, interval_ms: intervalMs } of due) {
        await setMirror(tx, id, { due_at: dueAfter(intervalMs) });
        await take(tx, id);
      }
    });
  }

  /** Records that a mirror agrees with its source. */
  async succeed(tx: Tx, { repositoryId }: Pick<Mirror, 'repositoryId'>): Promise<void> {
    await setMirror(tx, repositoryId, { failures: 0 });
    await keepMirrorUpdated(tx, repositoryId, Date.now());
  }

  /** Records why an update failed, and has it tried again: later each time, but at the latest after the interval. */
  async fail(id: RepositoryId, why: string): Promise<void> {
    await this.#database.transaction(async (tx) => {
      const row = await findMirror(tx, id);
      if (row === undefined) return;
      const failures = row.failures + 1;
      const retryMs = Math.min(LIMITS.mirrorRetryMs * 2 ** Math.min(failures - 1, 20), row.interval_ms);
      await setMirror(tx, id, { failures, due_at: dueAfter(retryMs) });
      await keepMirrorError(tx, id, why.slice(0, LIMITS.mirrorErrorCharsMax));
    });
  }

  async change(tx: Tx, id: RepositoryId, { intervalMs, prunes }: MirrorChange): Promise<void> {
    const interval =
      intervalMs === undefined ? {} : { interval_ms: intervalMs, due_at: dueAfter(intervalMs) };
    const pruning = prunes === undefined ? {} : { prunes: prunes ? 1 : 0 };
    if (intervalMs !== undefined || prunes !== undefined)
      await setMirror(tx, id, { ...interval, ...pruning });
  }
}

/** The row of the repository is part of what is encrypted, so no other row can use it. */
function purposeOf(id: RepositoryId): string {
  return `mirror ${id}`;
}

function dueAfter(ms: number): number | null {
  return ms === 0 ? null : Date.now() + ms;
}
