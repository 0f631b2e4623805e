import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Tx } from '../../base/database/database.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import { checkedBody } from '../../storage/body-check.ts';
import type { ObjectStorage } from '../../storage/model.ts';
import type { Upload } from '../../storage/owned-files/model.ts';
import { type OwnedFiles, tookTooLong } from '../../storage/owned-files/service.ts';
import type { Quota } from '../quota/service.ts';
import type { PermittedRepository } from '../repositories/model.ts';
import type { Repositories } from '../repositories/service.ts';
import { LFS } from './actions.ts';
import { LFS_LIMITS } from './limits.ts';
import {
  bytesOf,
  keyOf,
  type LfsObject,
  type LfsSettings,
  type NamedObject,
  type ObjectUpload,
  requireObject,
  tooLarge,
} from './model.ts';
import type { ObjectFile } from './store/object-rows.ts';
import { insertLinks, reserveObject, setStored } from './store/objects.ts';

interface Dependencies {
  readonly objects: ObjectStorage;
  readonly objectFiles: OwnedFiles<ObjectFile>;
  readonly repositories: Repositories;
  readonly quota: Quota;
  readonly lfsSettings: LfsSettings;
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
   * Stores an object and makes it belong to the repository. Both are durable when this returns. The caller has required
   * room for the object, so this requires it only in the transaction that links the object.
   *
   * @param body stays open if the object is rejected before its end
   * @param alsoInTransaction writes in the transaction that links the object
   * @throws ForgeError `invalid` for another size or content than announced, `too_large`, `busy`; `not_found` and
   *   `forbidden` if the rights have changed during the upload; any error of `body`
   */
  async receive(
    upload: ObjectUpload,
    body: AsyncIterable<Uint8Array>,
    alsoInTransaction?: (tx: Tx) => Promise<void>,
  ): Promise<void> {
    const { repository, object } = upload;
    this.requireAllowed(object);
    await this.#use.objectFiles.store({
      ...this.#uploadOf(object, body),
      authorize: (tx) => this.#authorizeAgain(tx, upload),
      link: async (tx, { file }) => {
        if (!(await addToRepository(tx, repository.id, [file]))) return undefined;
        await alsoInTransaction?.(tx);
        return true;
      },
    });
  }

  /**
   * Stores an object that belongs to no repository yet. `adopt` makes it belong to a repository. Without `adopt`, it is
   * deleted after `STORAGE_LIMITS.fileReservationMs`.
   *
   * @throws ForgeError as `receive`
   */
  async stage(object: NamedObject, body: AsyncIterable<Uint8Array>): Promise<LfsObject> {
    this.requireAllowed(object);
    return this.#use.objectFiles.stage(this.#uploadOf(object, body));
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
  async adopt(
    tx: Tx,
    { id, owner }: ObjectUpload['repository'],
    staged: readonly LfsObject[],
  ): Promise<void> {
    if (staged.length === 0) return;
    const sizeBytes = staged.reduce((sum, object) => sum + object.sizeBytes, 0);
    await this.#use.quota.lockRoom(tx, owner.id, { kind: 'size:git:lfs', sizeBytes });
    for (let from = 0; from < staged.length; from += LFS_LIMITS.lfsBatchObjectsMax) {
      const part = staged.slice(from, from + LFS_LIMITS.lfsBatchObjectsMax);
      if (!(await addToRepository(tx, id, part))) throw tookTooLong('copy');
    }
  }

  #uploadOf(object: NamedObject, body: AsyncIterable<Uint8Array>): Upload<LfsObject, void> {
    const { sizeBytes } = object;
    return {
      // Another upload may have announced another size for the row.
      reserve: async (tx, until) => ({ ...(await reserveObject(tx, object, until)), sizeBytes }),
      put: (reserved) => this.#put(reserved, body),
    };
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

  #authorizeAgain(tx: Tx, upload: ObjectUpload): Promise<PermittedRepository> {
    const { quota, repositories } = this.#use;
    const { viewer, repository } = upload;
    return quota.lockRoomIn(tx, repository, bytesOf(upload), (tx) =>
      repositories.lock(tx, viewer, repository.id, LFS.upload),
    );
  }
}

/** @returns false if one of the objects is doomed or deleted */
async function addToRepository(
  tx: Tx,
  repositoryId: RepositoryId,
  objects: readonly LfsObject[],
): Promise<boolean> {
  if (!(await setStored(tx, objects))) return false;
  await insertLinks(tx, { repositoryId, objectIds: objects.map(({ id }) => id), at: currentTimeMs() });
  return true;
}
