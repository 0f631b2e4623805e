import { KeyedLock } from '../../base/core/fairness/keyed-lock.ts';
import { faultPoint } from '../../base/core/faults.ts';
import { createCountedCache } from '../../base/core/sized-cache.ts';
import type { Database } from '../../base/database/database.ts';
import type { RepositoryFolder } from '../folders/repository-layout.ts';
import type { ObjectFormat, Oid } from '../format/model.ts';
import type { RepositoryId } from '../interface/snapshot.ts';
import { GIT_LIMITS } from '../limits.ts';
import { addLooseFiles, copyLooseFiles, type LooseFile } from '../objects/loose-objects.ts';
import { addPack } from '../packs/write-pack.ts';
import { deleteFresh, type FreshBatch, lastFreshPosition, nextWithFresh, readFreshBatch } from './store.ts';

/** Fewer objects become loose files, because each pack costs all later reads a little. */
const PACKED_OBJECTS_MIN = 50;
const REPOSITORIES_REMEMBERED = 10_000;
const NONE: ReadonlySet<Oid> = new Set();

/**
 * Fresh objects are durable as rows of the database, but not yet as files. So a small change needs only one sync, in
 * its transaction. Several changes share the work of writing files.
 *
 * Readers find only files, so they call `writeOut` first. It writes the objects that are not in a file yet, without a
 * sync. The rows remain until `settle` has written the same objects durably.
 */
export class FreshObjects {
  readonly #database: Database;
  readonly #ownsFolder: boolean;
  /** objects that this process has written or is writing as rows, and that are not in a file yet */
  readonly #held = new Map<RepositoryId, Set<LooseFile>>();
  /** repositories whose rows are in files, except for the objects in `#held` */
  readonly #copied = createCountedCache<RepositoryId, true>({ entriesMax: REPOSITORIES_REMEMBERED });
  /** repositories whose rows another process may have added since the copy */
  readonly #doubted = new Set<RepositoryId>();
  readonly #turns = new KeyedLock();
  readonly #settling = new KeyedLock();
  /** bytes of rows that this process has written and not settled */
  readonly #waiting = new Map<RepositoryId, number>();
  #waitingBytes = 0;

  /** @param ownsFolder false for a command beside a server; it writes no rows and does not track the server's rows */
  constructor(database: Database, { ownsFolder }: { ownsFolder: boolean }) {
    this.#database = database;
    this.#ownsFolder = ownsFolder;
  }

  /**
   * Whether a change may write its objects as rows. If rows are written faster than they are settled, it has to write
   * files.
   */
  get hasRoom(): boolean {
    return this.#ownsFolder && this.#waitingBytes < GIT_LIMITS.freshBytesWaitingMax;
  }

  /** Lets this process read objects whose rows are about to be committed. */
  hold(id: RepositoryId, objects: readonly LooseFile[]): void {
    if (objects.length === 0) return;
    const held = this.#held.get(id) ?? new Set();
    this.#held.set(id, held);
    for (const object of objects) held.add(object);
    this.#count(id, bytesOf(objects));
  }

  /** Releases objects whose transaction has failed. The outcome may be unknown, so the rows are read again. */
  drop(id: RepositoryId, objects: readonly LooseFile[]): void {
    if (objects.length === 0) return;
    this.#release(id, objects);
    this.#count(id, -bytesOf(objects));
    this.doubt(id);
  }

  /** Reads the rows again before the next use, because another process may have written some. */
  doubt(id: RepositoryId): void {
    this.#doubted.add(id);
  }

  /** Lists repositories whose rows are not settled, as far as this process knows. */
  waiting(): readonly RepositoryId[] {
    return [...this.#waiting.keys()];
  }

  /** Forgets a repository that was deleted. */
  forget(id: RepositoryId): void {
    this.#held.delete(id);
    this.#count(id, Number.NEGATIVE_INFINITY);
    this.#copied.delete(id);
    this.#doubted.delete(id);
  }

  /** Returns when all objects of the repository are in files, where git finds them. They need not be durable there. */
  async writeOut(id: RepositoryId, folder: RepositoryFolder): Promise<void> {
    if (this.#isOut(id)) return;
    await this.#turns.run(`${id}`, async () => {
      const copied = this.#isCopied(id) ? NONE : await this.#copyRows(id, folder.objects, folder.quarantines);
      const held = [...(this.#held.get(id) ?? [])];
      const others = held.filter(({ oid }) => !copied.has(oid));
      await copyLooseFiles(folder.objects, others, { drafts: folder.quarantines });
      this.#release(id, held);
    });
  }

  /** Whether the repository has fresh objects. */
  async has(id: RepositoryId): Promise<boolean> {
    return (await nextWithFresh(this.#database.reader, id - 1)) === id;
  }

  /** Copies the fresh objects into another folder of loose objects, for a reader that changes nothing. */
  async copyTo(id: RepositoryId, objectsFolder: string): Promise<void> {
    for await (const { objects } of this.#batches(id)) {
      await copyLooseFiles(objectsFolder, objects, { drafts: objectsFolder });
    }
  }

  /**
   * Makes all committed objects durable as files, and deletes their rows.
   *
   * It does not take a turn of `writeOut`, because a transaction may wait for such a turn, and this method waits for a
   * transaction.
   */
  async settle(id: RepositoryId, folder: RepositoryFolder, format: ObjectFormat): Promise<void> {
    await this.#settling.run(`${id}`, async () => {
      for await (const { objects, bytes, until } of this.#batches(id)) {
        if (objects.length < PACKED_OBJECTS_MIN) await addLooseFiles(folder, objects);
        else await addPack(folder, format, objects);
        faultPoint('after-settle');
        await this.#database.transaction((tx) => deleteFresh(tx, id, until));
        this.#releaseSettled(id, objects);
        this.#count(id, -bytes);
      }
    });
  }

  /** Runs work while no object of the repository is settled. Callers may hold the lock of the repository. */
  betweenSettles<T>(id: RepositoryId, work: () => Promise<T>): Promise<T> {
    return this.#settling.run(`${id}`, work);
  }

  /**
   * Returns when no object is being copied whose row has been deleted. Otherwise, the file of such an object could
   * appear after the files of the repository are listed, and would remain when the listed files are deleted.
   */
  async untilCopied(id: RepositoryId): Promise<void> {
    const inTurn = () => this.#turns.run(`${id}`, async () => {});
    // A run that has just deleted rows still has to release their objects.
    await this.#settling.run(`${id}`, inTurn);
  }

  /**
   * Changes the bytes that wait. The sum never falls below zero, because rows of an earlier process were not counted.
   */
  #count(id: RepositoryId, change: number): void {
    const before = this.#waiting.get(id) ?? 0;
    const after = Math.max(0, before + change);
    if (after === 0) this.#waiting.delete(id);
    else this.#waiting.set(id, after);
    this.#waitingBytes += after - before;
  }

  async *#batches(id: RepositoryId): AsyncGenerator<FreshBatch, void> {
    const { reader } = this.#database;
    // The loop must end even if other changes add rows.
    const last = await lastFreshPosition(reader, id);
    for (let after = 0; after < last; ) {
      const batch = await readFreshBatch(reader, id, { after, bytesMax: GIT_LIMITS.freshBatchBytesMax });
      if (batch === undefined) return;
      yield batch;
      after = batch.until;
    }
  }

  /** @returns the copied objects */
  async #copyRows(id: RepositoryId, objectsFolder: string, drafts: string): Promise<ReadonlySet<Oid>> {
    // Deleted before reading, so that a doubt that arises during the copy remains.
    this.#doubted.delete(id);
    this.#copied.delete(id);
    const copied = new Set<Oid>();
    for await (const { objects } of this.#batches(id)) {
      await copyLooseFiles(objectsFolder, objects, { drafts });
      for (const { oid } of objects) copied.add(oid);
    }
    if (this.#ownsFolder) this.#copied.set(id, true);
    return copied;
  }

  #isCopied(id: RepositoryId): boolean {
    return this.#copied.get(id) !== undefined && !this.#doubted.has(id);
  }

  #isOut(id: RepositoryId): boolean {
    return !this.#held.has(id) && this.#isCopied(id);
  }

  /** Keeps equal objects of other changes, because one of these changes may succeed. */
  #release(id: RepositoryId, objects: Iterable<LooseFile>): void {
    const held = this.#held.get(id);
    if (held === undefined) return;
    for (const object of objects) held.delete(object);
    if (held.size === 0) this.#held.delete(id);
  }

  #releaseSettled(id: RepositoryId, objects: readonly LooseFile[]): void {
    const settled = new Set(objects.map(({ oid }) => oid));
    this.#release(
      id,
      [...(this.#held.get(id) ?? [])].filter(({ oid }) => settled.has(oid)),
    );
  }
}

function bytesOf(objects: readonly LooseFile[]): number {
  return objects.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
