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
 * Fresh objects are durable as rows of the database, but not yet as files. So a small change needs only one sync, in its
 * transaction, and several changes share the work of writing files.
 *
 * The life of a fresh object:
 *
 * 1. A change calls `announce` before its transaction inserts the row, so that readers of this process find the object as
 *    soon as the transaction has committed. If the transaction fails, the change calls `withdraw`.
 * 2. Readers find only files. Before each read, `copyToFiles` writes what is not in a file yet, without a sync. The rows
 *    remain, so a crash loses nothing. `markOutdated` makes the next copy read the rows of other processes, too.
 * 3. A few seconds later, `moveToFiles` writes the same objects durably and deletes their rows.
 *
 * Code that lists and then deletes object files must see every object:
 *
 * - It moves fresh objects to files before it lists files, so that the list has all objects. `waitForCopies` then waits
 *   for copies of moved objects: such a copy could appear after the list and outlive the purge of its object.
 * - After it has read the refs, it moves again, so that every object which these refs need is a file.
 * - It deletes inside `betweenMoves`. Otherwise a move could replace a file after the file was checked, and the new file
 *   would be deleted.
 */
export class FreshObjects {
  readonly #database: Database;
  readonly #ownsFolder: boolean;
  /** objects that this process has written or is writing as rows, and that are not in a file yet */
  readonly #announced = new Map<RepositoryId, Set<LooseFile>>();
  /** repositories whose rows are in files, except for the objects in `#announced` */
  readonly #copied = createCountedCache<RepositoryId, true>({ entriesMax: REPOSITORIES_REMEMBERED });
  /** repositories whose rows another process may have added since the copy */
  readonly #outdated = new Set<RepositoryId>();
  readonly #turns = new KeyedLock();
  readonly #moving = new KeyedLock();
  /** bytes of rows that this process has written and not moved to files */
  readonly #waiting = new Map<RepositoryId, number>();
  #waitingBytes = 0;

  /** @param ownsFolder false for a command beside a server; it writes no rows and does not track the server's rows */
  constructor(database: Database, { ownsFolder }: { ownsFolder: boolean }) {
    this.#database = database;
    this.#ownsFolder = ownsFolder;
  }

  /**
   * Whether a change may write its objects as rows. If rows are written faster than they are moved, it has to write files.
   */
  get hasRoom(): boolean {
    return this.#ownsFolder && this.#waitingBytes < GIT_LIMITS.freshBytesWaitingMax;
  }

  /** Lets this process read objects whose rows are about to be committed. */
  announce(id: RepositoryId, objects: readonly LooseFile[]): void {
    if (objects.length === 0) return;
    const announced = this.#announced.get(id) ?? new Set();
    this.#announced.set(id, announced);
    for (const object of objects) announced.add(object);
    this.#count(id, bytesOf(objects));
  }

  /** Releases objects whose transaction has failed. The outcome may be unknown, so the rows are read again. */
  withdraw(id: RepositoryId, objects: readonly LooseFile[]): void {
    if (objects.length === 0) return;
    this.#release(id, objects);
    this.#count(id, -bytesOf(objects));
    this.markOutdated(id);
  }

  /** Reads the rows again before the next use, because another process may have written some. */
  markOutdated(id: RepositoryId): void {
    this.#outdated.add(id);
  }

  /** Lists repositories that have rows, as far as this process knows. */
  waiting(): readonly RepositoryId[] {
    return [...this.#waiting.keys()];
  }

  /** Forgets a repository that was deleted. */
  forget(id: RepositoryId): void {
    this.#announced.delete(id);
    this.#count(id, Number.NEGATIVE_INFINITY);
    this.#copied.delete(id);
    this.#outdated.delete(id);
  }

  /** Returns when all objects of the repository are in files, where git finds them. They need not be durable there. */
  async copyToFiles(id: RepositoryId, folder: RepositoryFolder): Promise<void> {
    if (this.#isOut(id)) return;
    await this.#turns.run(`${id}`, async () => {
      const copied = this.#isCopied(id) ? NONE : await this.#copyRows(id, folder.objects, folder.quarantines);
      const announced = [...(this.#announced.get(id) ?? [])];
      const others = announced.filter(({ oid }) => !copied.has(oid));
      await copyLooseFiles(folder.objects, others, { drafts: folder.quarantines });
      this.#release(id, announced);
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
   * It does not take a turn of `copyToFiles`, because a transaction may wait for such a turn, and this method waits for a
   * transaction.
   */
  async moveToFiles(id: RepositoryId, folder: RepositoryFolder, format: ObjectFormat): Promise<void> {
    await this.#moving.run(`${id}`, async () => {
      for await (const { objects, bytes, until } of this.#batches(id)) {
        if (objects.length < PACKED_OBJECTS_MIN) await addLooseFiles(folder, objects);
        else await addPack(folder, format, objects);
        faultPoint('after-files');
        await this.#database.transaction((tx) => deleteFresh(tx, id, until));
        this.#releaseMoved(id, objects);
        this.#count(id, -bytes);
      }
    });
  }

  /** Runs work while no object of the repository is moved. Callers may hold the lock of the repository. */
  betweenMoves<T>(id: RepositoryId, work: () => Promise<T>): Promise<T> {
    return this.#moving.run(`${id}`, work);
  }

  /**
   * Returns when no object is being copied whose row has been deleted. Otherwise, the file of such an object could
   * appear after the files of the repository are listed, and would remain when the listed files are deleted.
   */
  async waitForCopies(id: RepositoryId): Promise<void> {
    const inTurn = () => this.#turns.run(`${id}`, async () => {});
    // A run that has just deleted rows still has to release their objects.
    await this.#moving.run(`${id}`, inTurn);
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
    // Deleted before reading, so that a mark which another call sets during the copy remains.
    this.#outdated.delete(id);
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
    return this.#copied.get(id) !== undefined && !this.#outdated.has(id);
  }

  #isOut(id: RepositoryId): boolean {
    return !this.#announced.has(id) && this.#isCopied(id);
  }

  /** Keeps equal objects of other changes, because one of these changes may succeed. */
  #release(id: RepositoryId, objects: Iterable<LooseFile>): void {
    const announced = this.#announced.get(id);
    if (announced === undefined) return;
    for (const object of objects) announced.delete(object);
    if (announced.size === 0) this.#announced.delete(id);
  }

  #releaseMoved(id: RepositoryId, objects: readonly LooseFile[]): void {
    const moved = new Set(objects.map(({ oid }) => oid));
    this.#release(
      id,
      [...(this.#announced.get(id) ?? [])].filter(({ oid }) => moved.has(oid)),
    );
  }
}

function bytesOf(objects: readonly LooseFile[]): number {
  return objects.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
