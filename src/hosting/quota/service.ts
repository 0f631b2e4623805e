import { ForgeError, notFound } from '../../base/core/failure.ts';
import type { Database, Db, Tx } from '../../base/database/database.ts';
import { lockKind } from '../../people/accounts/locks.ts';
import type { PermittedRepository, Repository } from '../repositories/model.ts';
import type { ArrivingBytes, NewBytes, QuotaSettings, SumOfBytes, UnfinishedUploads } from './model.ts';
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
   * As `requireRoom`, and counts the bytes while `work` receives them. So uploads at the same time have room together,
   * even if they grow.
   *
   * @param more as far as the size is known
   * @param work calls `add` with all bytes that arrive, unless their number is known
   * @throws ForgeError as `requireRoom`; any error of `work`
   */
  async whileArriving<T>(
    ownerId: number,
    more: NewBytes,
    work: (arriving: ArrivingBytes) => Promise<T>,
  ): Promise<T> {
    const usedBytes = await this.#usedBytes(this.#use.database.reader, ownerId, more.uploads);
    let counted = 0;
    const countAs = (sizeBytes: number) => {
      const added = sizeBytes - counted;
      this.#requireWithin(usedBytes, (this.#arriving.get(ownerId) ?? 0) + added);
      this.#count(ownerId, added);
      counted = sizeBytes;
    };
    countAs(more.sizeBytes);
    let arrived = 0;
    const add = (bytes: number) => {
      arrived += bytes;
      if (arrived > counted) countAs(arrived);
    };
    try {
      return await work({ add });
    } finally {
      this.#count(ownerId, -counted);
    }
  }

  #count(ownerId: number, bytes: number): void {
    const sum = (this.#arriving.get(ownerId) ?? 0) + bytes;
    if (sum > 0) this.#arriving.set(ownerId, sum);
    else this.#arriving.delete(ownerId);
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
    this.#requireWithin(await this.#usedBytes(db, ownerId, uploads), sizeBytes);
  }

  /** Adds up what an owner has stored; 0 without a limit. */
  async #usedBytes(db: Db, ownerId: number, without: UnfinishedUploads | undefined): Promise<number> {
    if (this.#use.quotaSettings.ownerBytesMax === null) return 0;
    return addUp(
      db,
      this.#sums.map((sum) => sum(ownerId, without)),
    );
  }

  #requireWithin(usedBytes: number, sizeBytes: number): void {
    const { ownerBytesMax: bytesMax } = this.#use.quotaSettings;
    if (bytesMax === null || usedBytes + sizeBytes <= bytesMax) return;
    const what = `the large files, attachments and release assets of this owner may have ${bytesMax} bytes together, and have ${usedBytes} with their unfinished uploads`;
    throw new ForgeError({ kind: 'too_large', what, reason: 'quota' });
  }
}
