import type { SignedIn } from '../../api/access/viewer.ts';
import { ForgeError, invalid } from '../../base/core/failure.ts';
import { runForServer } from '../../base/core/fairness/caller.ts';
import { faultPoint } from '../../base/core/faults.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import type { ObjectStorage } from '../../storage/model.ts';
import type { OwnedFiles } from '../../storage/owned-files/service.ts';
import type { Quota } from '../quota/service.ts';
import type { Repository } from '../repositories/model.ts';
import type { ObjectIntake } from './intake.ts';
import { LFS_LIMITS } from './limits.ts';
import { bytesOf, folderOfParts, keyOfPart, type NamedObject } from './model.ts';
import { BodyParts } from './parts.ts';
import { findLinked } from './store/objects.ts';
import {
  countUploads,
  deleteEndedUpload,
  endUpload,
  endUploadsOf,
  findUpload,
  insertUpload,
  setUploadExpiry,
  type UploadName,
} from './store/uploads.ts';

interface Dependencies {
  readonly database: Database;
  readonly objects: ObjectStorage;
  readonly intake: ObjectIntake;
  readonly quota: Quota;
  readonly uploadFiles: OwnedFiles<{ readonly id: number }>;
}

/** Who uploads what, as `LargeFiles.openForUpload` returned it. */
export interface Upload {
  readonly viewer: SignedIn;
  readonly repository: Repository;
  readonly object: NamedObject;
}

/**
 * Uploads that can continue after an interruption. The bytes that have arrived are stored in parts; the key of a part
 * contains its offset. When all bytes have arrived, they are checked and stored as in any other upload, and the parts
 * are deleted.
 */
export class ResumableUploads {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** Returns how many bytes of an object have arrived. If the object belongs to the repository, all of them have. */
  async offsetOf(upload: Upload): Promise<number> {
    const { repository, object } = upload;
    this.#use.intake.requireAllowed(object);
    const linked = await findLinked(this.#use.database.reader, repository.id, object.oid);
    if (linked !== undefined) return object.sizeBytes;
    const id = await findUpload(this.#use.database.reader, nameOf(upload));
    return id === undefined ? 0 : (await this.#chain(id)).bytes;
  }

  /**
   * Stores further bytes of an object. If the sender is interrupted, the bytes that have arrived remain.
   *
   * @param offset number of bytes before the body
   * @returns how many bytes have arrived
   * @throws ForgeError `conflict` if a different number of bytes has arrived; it is 0 again after too many pieces;
   *   `invalid` for too many bytes, or if they are not the object; `too_large`, `busy`, and as `ObjectIntake.receive`
   */
  async append(upload: Upload, offset: number, body: AsyncIterable<Uint8Array>): Promise<number> {
    const { object, repository } = upload;
    this.#use.intake.requireAllowed(object);
    const id = await this.#use.database.transaction(async (tx) => {
      await this.#use.quota.lockRoom(tx, repository.owner.id, bytesOf(object));
      return begin(tx, upload);
    });
    const { bytes, parts } = await this.#chain(id);
    // Limits the parts, because each request reads the list of all of them.
    if (parts > partsMax(object)) {
      await this.#remove(id);
      throw otherOffset(0);
    }
    if (bytes !== offset) throw otherOffset(bytes);
    const arrived =
      offset + (await this.#storeParts(id, { offset, bytesMax: object.sizeBytes - offset }, body));
    if (arrived === object.sizeBytes) await this.#finish(id, upload);
    return arrived;
  }

  /** @returns the number of bytes */
  async #storeParts(
    id: number,
    { offset, bytesMax }: { offset: number; bytesMax: number },
    body: AsyncIterable<Uint8Array>,
  ): Promise<number> {
    const parts = new BodyParts(body, bytesMax);
    while (await parts.hasMore()) {
      const key = keyOfPart(id, offset + parts.bytes);
      // Bytes are stored even if their client has left.
      await runForServer(() => this.#use.objects.put(key, parts.next(LFS_LIMITS.lfsPartBytes)));
      const expiresAt = Date.now() + LFS_LIMITS.lfsUnfinishedUploadMs;
      if (await this.#use.database.transaction((tx) => setUploadExpiry(tx, id, expiresAt))) continue;
      // Another request has finished the upload, or it has expired or ended.
      await this.#use.objects.delete(key);
      throw otherOffset(0);
    }
    if (parts.failure !== undefined) throw parts.failure;
    return parts.bytes;
  }

  async #finish(id: number, upload: Upload): Promise<void> {
    const { keys, bytes } = await this.#chain(id);
    if (bytes !== upload.object.sizeBytes) throw otherOffset(bytes);
    faultPoint('before-lfs-join');
    try {
      await this.#use.intake.receive(upload, this.#read(keys), (tx) => endUpload(tx, id));
    } catch (error) {
      // The parts do not match the object, so they are useless.
      if (error instanceof ForgeError && error.failure.kind === 'invalid') await this.#remove(id);
      throw error;
    }
    await this.#use.uploadFiles.delete({ id });
  }

  async *#read(keys: readonly string[]): AsyncGenerator<Uint8Array> {
    for (const key of keys) yield* (await this.#use.objects.get(key)).body;
  }

  /**
   * Finds the parts that follow each other from the start. If bytes were sent twice, there may be other parts, too.
   *
   * @returns keys and bytes of these parts, and the number of all parts
   */
  async #chain(
    id: number,
  ): Promise<{ readonly keys: readonly string[]; readonly bytes: number; readonly parts: number }> {
    const keys: string[] = [];
    let bytes = 0;
    let parts = 0;
    for await (const part of this.#use.objects.list(folderOfParts(id))) {
      parts += 1;
      if (part.key !== keyOfPart(id, bytes)) continue;
      keys.push(part.key);
      bytes += part.sizeBytes;
    }
    return { keys, bytes, parts };
  }

  /** Ends all uploads of an account. A sweep deletes the bytes that have arrived. */
  async endAllOf(tx: Tx, accountId: number): Promise<void> {
    await endUploadsOf(tx, accountId);
  }

  async #remove(id: number): Promise<void> {
    await this.#use.database.transaction((tx) => endUpload(tx, id));
    await this.#use.uploadFiles.delete({ id });
  }
}

function partsMax({ sizeBytes }: NamedObject): number {
  return Math.ceil(sizeBytes / LFS_LIMITS.lfsPartBytes) + LFS_LIMITS.lfsCutPartsMax;
}

function nameOf({ viewer, repository, object }: Upload): UploadName {
  return { accountId: viewer.accountId, repositoryId: repository.id, oid: object.oid };
}

/** Finds or writes the row of an upload. */
async function begin(tx: Tx, upload: Upload): Promise<number> {
  const name = nameOf(upload);
  const expiresAt = Date.now() + LFS_LIMITS.lfsUnfinishedUploadMs;
  const existing = await findUpload(tx, name);
  if (existing !== undefined) {
    await setUploadExpiry(tx, existing, expiresAt);
    return existing;
  }
  await deleteEndedUpload(tx, name);
  if ((await countUploads(tx, name.accountId)) >= LFS_LIMITS.lfsUnfinishedUploadsPerAccountMax)
    throw invalid(
      `an account has at most ${LFS_LIMITS.lfsUnfinishedUploadsPerAccountMax} unfinished uploads`,
    );
  return insertUpload(tx, name, { sizeBytes: upload.object.sizeBytes, expiresAt });
}

function otherOffset(bytes: number): ForgeError {
  return new ForgeError({ kind: 'conflict', what: `${bytes} bytes have arrived: continue there` });
}
