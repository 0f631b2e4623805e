import { ForgeError, notFound } from '../../base/core/failure.ts';
import type { Database, Db, Tx } from '../../base/database/database.ts';
import { lockKind } from '../../people/accounts/locks.ts';
import type { PermittedRepository, Repository } from '../repositories/model.ts';
import type { NewBytes, QuotaSettings, SumOfBytes } from './model.ts';
import { addUp } from './store.ts';

interface Dependencies {
  readonly database: Database;
  readonly quotaSettings: QuotaSettings;
}

/** Limits the bytes that one owner stores outside git. Features add what they store with `count`. */
export class Quota {
  readonly #use: Dependencies;
  readonly #sums: SumOfBytes[] = [];
  /** bytes that arrive at the moment, by the id of the owner */
  readonly #arriving = new Map<number, number>();

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** Counts the bytes of a feature. One statement reads all sums. */
  count(...sums: readonly SumOfBytes[]): void {
    this.#sums.push(...sums);
  }

  /**
   * Requires that an owner may store more bytes, before they arrive.
   *
   * @throws ForgeError `too_large`, with the reason `quota`
   */
  async requireRoom(ownerId: number, more: NewBytes): Promise<void> {
    if (more.sizeBytes > 0) await this.#require(this.#use.database.reader, ownerId, more);
  }

  /**
   * As `requireRoom`, and counts the bytes while `work` receives them. So uploads at the same time have room together.
   *
   * @throws ForgeError as `requireRoom`; any error of `work`
   */
  async whileArriving<T>(ownerId: number, more: NewBytes, work: () => Promise<T>): Promise<T> {
    const others = this.#arriving.get(ownerId) ?? 0;
    this.#arriving.set(ownerId, others + more.sizeBytes);
    try {
      await this.requireRoom(ownerId, { ...more, sizeBytes: others + more.sizeBytes });
      return await work();
    } finally {
      const left = (this.#arriving.get(ownerId) ?? 0) - more.sizeBytes;
      if (left > 0) this.#arriving.set(ownerId, left);
      else this.#arriving.delete(ownerId);
    }
  }

  /**
   * As `requireRoom`, in the transaction that stores the bytes. Transactions of one owner wait for each other here, so
   * that together they stay within the limit. Call it before anything else that locks.
   */
  async lockRoom(tx: Tx, ownerId: number, more: NewBytes): Promise<void> {
    if (this.#use.quotaSettings.ownerBytesMax === null) return;
    await lockKind(tx, ownerId);
    await this.#require(tx, ownerId, more);
  }

  /**
   * As `lockRoom`, and then authorizes the caller again.
   *
   * @param lock authorizes the caller for the repository, and locks it
   * @throws ForgeError `too_large`; `not_found` if the repository has a new owner, who may have no room; any of `lock`
   */
  async lockRoomIn<Permitted extends Pick<PermittedRepository, 'repository'>>(
    tx: Tx,
    { owner }: Pick<Repository, 'owner'>,
    more: NewBytes,
    lock: (tx: Tx) => Promise<Permitted>,
  ): Promise<Permitted> {
    await this.lockRoom(tx, owner.id, more);
    const permitted = await lock(tx);
    const isLimited = this.#use.quotaSettings.ownerBytesMax !== null;
    if (isLimited && permitted.repository.owner.id !== owner.id) throw notFound('repository');
    return permitted;
  }

  async #require(db: Db, ownerId: number, { sizeBytes, uploads }: NewBytes): Promise<void> {
    const { ownerBytesMax: bytesMax } = this.#use.quotaSettings;
    if (bytesMax === null) return;
    const usedBytes = await addUp(
      db,
      this.#sums.map((sum) => sum(ownerId, uploads)),
    );
    if (usedBytes + sizeBytes <= bytesMax) return;
    const what = `the large files and attachments of this owner may have ${bytesMax} bytes together, and have ${usedBytes} with their unfinished uploads`;
    throw new ForgeError({ kind: 'too_large', what, reason: 'quota' });
  }
}
