import { idOf } from '../../api/access/viewer.ts';
import { conflict, type ForgeError, invalid, isFailure } from '../../base/core/failure.ts';
import { runForServer } from '../../base/core/fairness/caller.ts';
import { faultPoint } from '../../base/core/faults.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import type { ObjectStorage } from '../../storage/model.ts';
import type { OwnedFiles } from '../../storage/owned-files/service.ts';
import type { Quota } from '../quota/service.ts';
import type { ObjectIntake } from './intake.ts';
import { LatestRun } from './latest-run.ts';
import { LFS_LIMITS } from './limits.ts';
import {
  bytesOf,
  folderOfParts,
  keyOfPart,
  type NamedObject,
  type ObjectUpload,
  sizeProblem,
} from './model.ts';
import { BodyParts } from './parts.ts';
import { findLinked } from './store/objects.ts';
import {
  countUploads,
  deleteEndedUpload,
  endUpload,
  endUploadNamed,
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

/**
 * Uploads that can continue after an interruption. The bytes that have arrived are stored in parts; the key of a part
 * contains its offset. When all bytes have arrived, they are checked and stored as in any other upload, and the parts
 * are deleted. One request at a time stores parts of an upload, so the parts never have more bytes than the object.
 */
export class ResumableUploads {
  readonly #use: Dependencies;
  readonly #appending = new LatestRun();

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Returns how many bytes of an object have arrived. If the object belongs to the repository, all of them have. An
   * unfinished upload with another size does not count, because `append` starts it again.
   *
   * @throws ForgeError `invalid` if the repository has the object with another size
   */
  async offsetOf(upload: ObjectUpload): Promise<number> {
    const { object } = upload;
    this.#use.intake.requireAllowed(object);
    if (await this.#isLinked(upload)) return object.sizeBytes;
    const unfinished = await findUpload(this.#use.database.reader, nameOf(upload));
    return unfinished?.sizeBytes === object.sizeBytes ? (await this.#chain(unfinished.id)).bytes : 0;
  }

  /** @throws ForgeError `invalid` if the repository has the object with another size */
  async #isLinked({ repository, object }: ObjectUpload): Promise<boolean> {
    const linked = await findLinked(this.#use.database.reader, repository.id, object.oid);
    const problem = linked && sizeProblem(linked, object);
    if (problem !== undefined) throw invalid(problem);
    return linked !== undefined;
  }

  /**
   * Stores further bytes of an object. If the sender is interrupted, the bytes that have arrived remain. Ends another
   * request that stores bytes of the same upload.
   *
   * @param offset number of bytes before the body
   * @returns how many bytes have arrived
   * @throws ForgeError `conflict` if a different number of bytes has arrived, which is 0 again after too many pieces, or
   *   if another request continues; `invalid` for too many bytes, or if they are not the object; `too_large`, `busy`,
   *   and as `offsetOf` and `ObjectIntake.receive`
   */
  async append(upload: ObjectUpload, offset: number, body: AsyncIterable<Uint8Array>): Promise<number> {
    this.#use.intake.requireAllowed(upload.object);
    const { accountId, repositoryId, oid } = nameOf(upload);
    return this.#appending.run([accountId, repositoryId, oid].join(), (stopped) =>
      this.#appendAlone(upload, offset, { body, stopped }),
    );
  }

  async #appendAlone(
    upload: ObjectUpload,
    offset: number,
    { body, stopped }: { body: AsyncIterable<Uint8Array>; stopped: AbortSignal },
  ): Promise<number> {
    const { object } = upload;
    if (await this.#isLinked(upload)) throw otherOffset(object.sizeBytes);
    const id = await this.#begin(upload, offset);
    const { bytes, count } = await this.#chain(id);
    // Limits the parts, because each request reads the list of all of them.
    if (count > partsMax(object)) {
      await this.#remove(id);
      throw otherOffset(0);
    }
    if (bytes !== offset) throw otherOffset(bytes);
    const parts = new BodyParts(body, { bytesMax: object.sizeBytes - offset, stopped });
    const arrived = offset + (await this.#storeParts(id, offset, parts));
    if (arrived === object.sizeBytes) await this.#finish(id, upload);
    return arrived;
  }

  /**
   * Finds or writes the row of an upload, whose size counts for the owner until the upload ends. The size belongs to the
   * object, so of two sizes one is wrong: the upload starts again with the later one.
   */
  async #begin(upload: ObjectUpload, offset: number): Promise<number> {
    const { object, repository } = upload;
    const { database, quota } = this.#use;
    const unfinished = await findUpload(database.reader, nameOf(upload));
    if (unfinished !== undefined && unfinished.sizeBytes !== object.sizeBytes)
      await this.#remove(unfinished.id);
    return database.transaction(async (tx) => {
      await quota.lockRoom(tx, repository.owner.id, bytesOf(upload));
      return begin(tx, upload, offset);
    });
  }

  /** @returns the number of bytes */
  async #storeParts(id: number, offset: number, parts: BodyParts): Promise<number> {
    while (await parts.hasMore()) {
      const key = keyOfPart(id, offset + parts.bytes);
      // Bytes are stored even if their client has left.
      await runForServer(() => this.#use.objects.put(key, parts.next(LFS_LIMITS.lfsPartBytes)));
      const expiresAt = currentTimeMs() + LFS_LIMITS.lfsUnfinishedUploadMs;
      if (await this.#use.database.transaction((tx) => setUploadExpiry(tx, id, expiresAt))) continue;
      // Another request has finished the upload, or it has expired or ended.
      await this.#use.objects.delete(key);
      throw otherOffset(0);
    }
    if (parts.failure !== undefined) throw parts.failure;
    return parts.bytes;
  }

  async #finish(id: number, upload: ObjectUpload): Promise<void> {
    const { keys, bytes } = await this.#chain(id);
    if (bytes !== upload.object.sizeBytes) throw otherOffset(bytes);
    faultPoint('before-lfs-join');
    try {
      await this.#use.intake.receive(upload, this.#read(keys), (tx) => endUpload(tx, id));
    } catch (error) {
      // The parts do not match the object, so they are useless.
      if (isFailure(error, 'invalid')) await this.#remove(id);
      throw error;
    }
    await this.#use.uploadFiles.delete({ id });
  }

  async *#read(keys: readonly string[]): AsyncGenerator<Uint8Array> {
    for (const key of keys) yield* (await this.#use.objects.get(key)).body;
  }

  /**
   * Finds the parts that follow each other from the start.
   *
   * @returns keys and bytes of these parts, and the number of all parts
   */
  async #chain(
    id: number,
  ): Promise<{ readonly keys: readonly string[]; readonly bytes: number; readonly count: number }> {
    const keys: string[] = [];
    let bytes = 0;
    let count = 0;
    for await (const part of this.#use.objects.list(folderOfParts(id))) {
      count += 1;
      if (part.key !== keyOfPart(id, bytes)) continue;
      keys.push(part.key);
      bytes += part.sizeBytes;
    }
    return { keys, bytes, count };
  }

  /** Ends all uploads of an account. A sweep deletes the bytes that have arrived. */
  async endAllOf(tx: Tx, accountId: number): Promise<void> {
    await endUploadsOf(tx, accountId);
  }

  /** Ends the upload of an object that has arrived as a whole. A job deletes the parts, which count until then. */
  async replace(tx: Tx, upload: ObjectUpload): Promise<void> {
    if (await endUploadNamed(tx, nameOf(upload))) await this.#use.uploadFiles.requestCollection(tx);
  }

  async #remove(id: number): Promise<void> {
    await this.#use.database.transaction((tx) => endUpload(tx, id));
    await this.#use.uploadFiles.delete({ id });
  }
}

function partsMax({ sizeBytes }: NamedObject): number {
  return Math.ceil(sizeBytes / LFS_LIMITS.lfsPartBytes) + LFS_LIMITS.lfsCutPartsMax;
}

function nameOf({ viewer, repository, object }: ObjectUpload): UploadName {
  return { accountId: idOf(viewer), repositoryId: repository.id, oid: object.oid };
}

/** @throws ForgeError `conflict`, `invalid` */
async function begin(tx: Tx, upload: ObjectUpload, offset: number): Promise<number> {
  const name = nameOf(upload);
  const expiresAt = currentTimeMs() + LFS_LIMITS.lfsUnfinishedUploadMs;
  const existing = await findUpload(tx, name);
  if (existing !== undefined) {
    await setUploadExpiry(tx, existing.id, expiresAt);
    return existing.id;
  }
  if (offset > 0) throw otherOffset(0);
  await deleteEndedUpload(tx, name);
  if ((await countUploads(tx, name.accountId)) >= LFS_LIMITS.lfsUnfinishedUploadsPerAccountMax)
    throw invalid(
      `an account has at most ${LFS_LIMITS.lfsUnfinishedUploadsPerAccountMax} unfinished uploads`,
    );
  return insertUpload(tx, name, { sizeBytes: upload.object.sizeBytes, expiresAt });
}

function otherOffset(bytes: number): ForgeError {
  return conflict(`${bytes} bytes have arrived: continue there`);
}
