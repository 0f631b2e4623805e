import type { SignedIn } from '../../api/access/viewer.ts';
import { ForgeError, notFound } from '../../base/core/failure.ts';
import { faultPoint } from '../../base/core/faults.ts';
import { whileRenewed } from '../../base/core/time/while-renewed.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { lockKind } from '../../people/accounts/locks.ts';
import { checkedBody } from '../../storage/body-check.ts';
import type { ObjectStorage } from '../../storage/model.ts';
import type { Repository } from '../repositories/model.ts';
import type { Repositories } from '../repositories/service.ts';
import { LFS } from './actions.ts';
import { LFS_LIMITS } from './limits.ts';
import {
  keyOf,
  type LfsObject,
  type LfsSettings,
  type NamedObject,
  requireObject,
  tooLarge,
} from './model.ts';
import {
  insertLinks,
  postponeCollection,
  reserveObject,
  setAllStored,
  setStored,
  sumBytesOf,
} from './store/objects.ts';

interface Dependencies {
  readonly database: Database;
  readonly objects: ObjectStorage;
  readonly repositories: Repositories;
  readonly lfsSettings: LfsSettings;
}

/** An object that is being uploaded, and its repository as `Repositories.get` returned it. */
export interface Arrival {
  readonly viewer: SignedIn;
  readonly repository: Pick<Repository, 'id' | 'owner'>;
  readonly object: NamedObject;
}

/**
 * Stores the bytes of objects. Each object is stored once. It belongs to a repository only after a user who may write
 * to the repository has sent all bytes.
 */
export class ObjectIntake {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError `invalid` for an impossible object, `too_large` for an object over the limit */
  requireAllowed(object: NamedObject): void {
    requireObject(object);
    const { objectBytesMax } = this.#use.lfsSettings;
    if (object.sizeBytes > objectBytesMax) throw tooLarge(`an object has at most ${objectBytesMax} bytes`);
  }

  /**
   * Requires that the owner of a repository may store more bytes. The objects of unfinished uploads count, too.
   *
   * @param arriving ids of objects among these bytes, whose own unfinished uploads do not count twice
   * @throws ForgeError `too_large`
   */
  async requireRoom(ownerId: number, moreBytes: number, arriving: readonly string[] = []): Promise<void> {
    const { ownerBytesMax } = this.#use.lfsSettings;
    if (ownerBytesMax === null || moreBytes === 0) return;
    requireWithin(ownerBytesMax, await sumBytesOf(this.#use.database.reader, ownerId, arriving), moreBytes);
  }

  /**
   * As `requireRoom`, for one object or for a file that is not an object. Transactions of one owner wait for each other
   * here, so that together they stay within the limit. Call it before anything else that locks.
   *
   * @throws ForgeError `too_large`
   */
  async lockRoom(
    tx: Tx,
    ownerId: number,
    { oid, sizeBytes }: { readonly oid?: string; readonly sizeBytes: number },
  ): Promise<void> {
    const { ownerBytesMax } = this.#use.lfsSettings;
    if (ownerBytesMax === null) return;
    await lockKind(tx, ownerId);
    requireWithin(ownerBytesMax, await sumBytesOf(tx, ownerId, oid === undefined ? [] : [oid]), sizeBytes);
  }

  /**
   * Stores an object and makes it belong to the repository. Both are durable when this returns.
   *
   * @param body stays open if the object is rejected before its end
   * @throws ForgeError `invalid` for another size or content than announced, `too_large`, `busy`; `not_found` and
   *   `forbidden` if the rights have changed during the upload; any error of `body`
   */
  async take(arrival: Arrival, body: AsyncIterable<Uint8Array>): Promise<void> {
    const { repository, object } = arrival;
    this.requireAllowed(object);
    await this.requireRoom(repository.owner.id, object.sizeBytes, [object.oid]);
    const stored = await this.#store(object, body);
    faultPoint('before-lfs-link');
    await this.#link(arrival, stored);
    faultPoint('after-lfs-link');
  }

  /**
   * Stores an object that belongs to no repository yet. `adopt` makes it belong to a repository. Without `adopt`, it is
   * deleted after `LFS_LIMITS.lfsReservationMs`.
   *
   * @throws ForgeError as `take`
   */
  async stage(object: NamedObject, body: AsyncIterable<Uint8Array>): Promise<LfsObject> {
    this.requireAllowed(object);
    return this.#store(object, body);
  }

  /**
   * Makes staged objects belong to a repository, in the transaction that moves its refs. This transaction has locked
   * the refs first, and a deletion of the owner locks the account first. If the two block each other, the database
   * repeats one of them.
   *
   * @param staged each object once
   * @throws ForgeError `too_large` if the owner has no room for them any more, `busy` if one of them was deleted,
   *   because it was stored too long ago
   */
  async adopt(tx: Tx, { id, owner }: Arrival['repository'], staged: readonly LfsObject[]): Promise<void> {
    if (staged.length === 0) return;
    const sizeBytes = staged.reduce((sum, object) => sum + object.sizeBytes, 0);
    await this.lockRoom(tx, owner.id, { sizeBytes });
    const at = Date.now();
    for (let from = 0; from < staged.length; from += LFS_LIMITS.lfsBatchObjectsMax) {
      const part = staged.slice(from, from + LFS_LIMITS.lfsBatchObjectsMax);
      if (!(await setAllStored(tx, part))) throw tookTooLong('copy');
      await insertLinks(tx, { repositoryId: id, objectIds: part.map((object) => object.id), at });
    }
  }

  /** @returns the object, which is not collected for `LFS_LIMITS.lfsReservationMs` */
  async #store(object: NamedObject, body: AsyncIterable<Uint8Array>): Promise<LfsObject> {
    const reserved = await this.#use.database.transaction((tx) => reserveObject(tx, object, reservation()));
    // Another upload may have announced another size for the row.
    const announced = { ...reserved, sizeBytes: object.sizeBytes };
    await this.#whileReserved(reserved.id, () => this.#put(announced, body));
    return announced;
  }

  async #put(reserved: LfsObject, body: AsyncIterable<Uint8Array>): Promise<void> {
    const { oid, sizeBytes } = reserved;
    const key = keyOf(reserved);
    const options = { sizeBytes, sha256: oid };
    if (reserved.isStored && (await this.#use.objects.head(key))?.sizeBytes === sizeBytes) {
      // The object is stored for another repository. The bytes prove that the sender has it.
      for await (const _ of checkedBody(body, options));
    } else await this.#use.objects.put(key, body, options);
  }

  /** Renews the reservation of an object while its bytes arrive, so that it is not collected. */
  #whileReserved(id: number, work: () => Promise<void>): Promise<void> {
    const renew = () =>
      this.#use.database.transaction((tx) => postponeCollection(tx, id, reservation().collectAt));
    // If the row was deleted, the link fails.
    return whileRenewed({ everyMs: LFS_LIMITS.lfsReservationRenewedEveryMs, renew }, work);
  }

  async #link(arrival: Arrival, stored: LfsObject): Promise<void> {
    const state = await this.#use.database.transaction(async (tx) => {
      await this.#authorizeAgain(tx, arrival);
      const kept = await setStored(tx, stored.id, stored.sizeBytes);
      if (kept !== 'kept') return kept;
      const link = { repositoryId: arrival.repository.id, objectIds: [stored.id], at: Date.now() };
      await insertLinks(tx, link);
      return kept;
    });
    if (state === 'kept') return;
    // The collection has doomed or deleted the row, because the upload stood still for an hour. It deletes the bytes of
    // a doomed row itself.
    if (state === 'missing') await this.#use.objects.delete(keyOf(stored));
    throw tookTooLong('upload');
  }

  /** The rights and the room of the owner may have changed while the bytes arrived. */
  async #authorizeAgain(tx: Tx, { viewer, repository, object }: Arrival): Promise<void> {
    const { owner } = repository;
    await this.lockRoom(tx, owner.id, object);
    const held = await this.#use.repositories.lock(tx, viewer, repository.id, LFS.upload);
    // The repository has a new owner, who may have no room.
    const isLimited = this.#use.lfsSettings.ownerBytesMax !== null;
    if (isLimited && held.repository.owner.id !== owner.id) throw notFound('repository');
  }
}

function reservation(): { now: number; collectAt: number } {
  const now = Date.now();
  return { now, collectAt: now + LFS_LIMITS.lfsReservationMs };
}

function tookTooLong(work: 'upload' | 'copy'): ForgeError {
  return new ForgeError({ kind: 'busy', what: `the ${work} took too long: try again`, retryAfterSeconds: 1 });
}

function requireWithin(bytesMax: number, usedBytes: number, moreBytes: number): void {
  if (usedBytes + moreBytes <= bytesMax) return;
  const what = `the large files and attachments of this owner may have ${bytesMax} bytes together, and have ${usedBytes} with their unfinished uploads`;
  throw new ForgeError({ kind: 'too_large', what, reason: 'quota' });
}
