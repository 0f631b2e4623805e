import { createHash, randomUUID } from 'node:crypto';
import type { SignedIn } from '../../../api/access/viewer.ts';
import { ForgeError, invalid, notFound } from '../../../base/core/failure.ts';
import { runForServer } from '../../../base/core/fairness/caller.ts';
import { FairSlots } from '../../../base/core/fairness/fair-slots.ts';
import { faultPoint } from '../../../base/core/faults.ts';
import { CORE_LIMITS } from '../../../base/core/limits.ts';
import { whileRenewed } from '../../../base/core/time/while-renewed.ts';
import type { Database, Db, Tx } from '../../../base/database/database.ts';
import { SNIFF_BYTES, sniffType } from '../../../code/contents/sniff.ts';
import type { ObjectIntake } from '../../../hosting/lfs/intake.ts';
import type { HeldRepository } from '../../../hosting/repositories/model.ts';
import { requireNotArchived } from '../../../hosting/repositories/refs/push-rules.ts';
import type { ObjectStorage } from '../../../storage/model.ts';
import type { IssueAccess } from '../access.ts';
import { findHome, getHome, type HeldHome, type HomePath } from '../homes.ts';
import { ISSUE_LIMITS } from '../limits.ts';
import { type Attachment, type AttachmentContent, keyOf } from '../models/attachments.ts';
import { timeOfChange } from '../rules.ts';
import {
  attachFile,
  countAttachments,
  findAttachment,
  reserveAttachment,
  setCollection,
} from '../store/attachments.ts';
import type { AttachmentCollection } from './collection.ts';
import { changeOf, recordChange, requireMayAdd, validName } from './rules.ts';

/** A file that is being uploaded for an issue or a comment. */
export interface Arrival {
  readonly viewer: SignedIn;
  readonly at: HomePath;
  readonly repository: HeldRepository['repository'];
}

export interface ArrivingFile {
  readonly name: string;
  readonly bytes: AsyncIterable<Buffer>;
  /** when it was uploaded, for administrators of the repository; absent: now */
  readonly at: number | undefined;
}

interface Dependencies {
  readonly database: Database;
  readonly objects: ObjectStorage;
  readonly access: IssueAccess;
  readonly objectIntake: ObjectIntake;
  readonly attachmentCollection: AttachmentCollection;
}

/**
 * Stores uploaded attachments. The row is written before the bytes, so that the collection finds them if the upload
 * does not end. The row gets its issue last.
 */
export class AttachmentIntake {
  readonly #use: Dependencies;
  readonly #slots = new FairSlots({
    what: 'uploads of attachments',
    unitsMax: ISSUE_LIMITS.issueUploadsAtOnceMax,
    unitsPerCallerMax: ISSUE_LIMITS.issueUploadsPerCallerMax,
    unitsForSignedIn: 0,
    queueMax: CORE_LIMITS.gitQueueMax,
    queuePerCallerMax: CORE_LIMITS.gitQueuePerCallerMax,
    waitMs: CORE_LIMITS.gitQueueWaitMs,
  });

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Checks that a file may be uploaded, before its bytes are read.
   *
   * @throws ForgeError as `getHome`; `forbidden` unless the viewer is the author of the issue or the comment, or may
   *   write, and if the issue is locked; `archived`; `invalid` for too many files; `too_large` if the owner has no more
   *   room
   */
  async begin(viewer: SignedIn, at: HomePath): Promise<Arrival> {
    const db = this.#use.database.reader;
    const home = await getHome(db, viewer, { access: this.#use.access, at, action: changeOf(at) });
    const { repository } = home.issue.held;
    await requireMayArrive(db, viewer, home);
    await this.#use.objectIntake.requireRoom(repository.owner.id, 1).catch(throwWithoutFigures);
    return { viewer, at, repository };
  }

  /**
   * Stores a file. It and its row are durable when this returns.
   *
   * @throws ForgeError as `begin`, because the rights may have changed during the upload; `invalid` for its name or
   *   time; `busy`; any error of its bytes
   */
  async take(arrival: Arrival, file: ArrivingFile): Promise<Attachment> {
    const name = validName(file.name);
    return this.#slots.run(async () => {
      const reserved = await this.#reserve(arrival.viewer);
      try {
        const content = await this.#store(reserved, file.bytes);
        faultPoint('before-attach');
        const attachment = await this.#attach(arrival, reserved, { ...content, name, at: file.at });
        faultPoint('after-attach');
        return attachment;
      } catch (error) {
        // If this fails, the sweep deletes the file.
        await runForServer(() => this.#use.attachmentCollection.abandon(reserved.id)).catch(() => {});
        return throwWithoutFigures(error);
      }
    });
  }

  async #reserve({ accountId }: SignedIn): Promise<Reserved> {
    const uuid = randomUUID();
    const collectAt = reservedUntil();
    const id = await this.#use.database.transaction((tx) =>
      reserveAttachment(tx, { uuid, accountId, collectAt }),
    );
    return { id, uuid };
  }

  #store(reserved: Reserved, bytes: AsyncIterable<Buffer>): Promise<AttachmentContent> {
    const renew = () =>
      this.#use.database.transaction((tx) => setCollection(tx, reserved.id, reservedUntil()));
    return whileRenewed({ everyMs: ISSUE_LIMITS.issueUploadRenewedEveryMs, renew }, async () => {
      const reading = new ContentReading(bytes);
      await this.#use.objects.put(keyOf(reserved), reading);
      return reading.content();
    });
  }

  async #attach(
    { viewer, at: path, repository }: Arrival,
    reserved: Reserved,
    file: AttachmentContent & { readonly name: string; readonly at: number | undefined },
  ): Promise<Attachment> {
    const attachment = await this.#use.database.transaction(async (tx) => {
      await this.#use.objectIntake.lockRoom(tx, repository.owner.id, file);
      const home = await this.#lockHome(tx, { viewer, at: path, repository });
      const { issue } = home;
      const at = timeOfChange(issue.held, issue.state, file.at);
      const placed = { ...file, at, home: home.home, repositoryId: repository.id };
      if (!(await attachFile(tx, reserved.id, placed))) return undefined;
      await recordChange({ tx, viewer, at }, home);
      return findAttachment(tx, home.home, reserved.id);
    });
    if (attachment !== undefined) return attachment;
    // The collection has deleted the file because the upload stood still for an hour. The bytes may have arrived later.
    await this.#use.objects.delete(keyOf(reserved));
    throw new ForgeError({ kind: 'busy', what: 'the upload took too long: try again', retryAfterSeconds: 1 });
  }

  async #lockHome(tx: Tx, { viewer, at, repository }: Arrival): Promise<HeldHome> {
    const held = await this.#use.access.lock(tx, viewer, repository.id, changeOf(at));
    // The repository has a new owner, whose room was not checked.
    if (held.repository.owner.id !== repository.owner.id) throw notFound('repository');
    const home = await findHome(tx, viewer, held, at);
    await requireMayArrive(tx, viewer, home);
    return home;
  }
}

/** Removes figures from an error: people who comment on an issue may not see how much the owner has stored. */
function throwWithoutFigures(error: unknown): never {
  const isAboutRoom =
    error instanceof ForgeError && error.failure.kind === 'too_large' && error.failure.reason === 'quota';
  if (!isAboutRoom) throw error;
  const what = 'the owner of the repository has no room for this file';
  throw new ForgeError({ kind: 'too_large', what, reason: 'quota' });
}

interface Reserved {
  readonly id: number;
  readonly uuid: string;
}

function reservedUntil(): number {
  return Date.now() + ISSUE_LIMITS.issueUploadReservationMs;
}

/** @throws ForgeError `archived`, `forbidden`, `invalid` */
async function requireMayArrive(db: Db, viewer: SignedIn, home: HeldHome): Promise<void> {
  requireNotArchived(home.issue.held.repository);
  requireMayAdd(viewer, home);
  const countMax = ISSUE_LIMITS.issueAttachmentsMax;
  if ((await countAttachments(db, home.home)) >= countMax)
    throw invalid(`an issue or a comment has at most ${countMax} attachments`);
}

/** Passes the bytes of a file on, and meanwhile determines their size, hash and type. */
class ContentReading implements AsyncIterable<Buffer> {
  readonly #bytes: AsyncIterable<Buffer>;
  readonly #hash = createHash('sha256');
  #start = Buffer.alloc(0);
  #sizeBytes = 0;

  constructor(bytes: AsyncIterable<Buffer>) {
    this.#bytes = bytes;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void> {
    for await (const chunk of this.#bytes) {
      this.#hash.update(chunk);
      this.#sizeBytes += chunk.length;
      if (this.#start.length < SNIFF_BYTES)
        this.#start = Buffer.concat([this.#start, chunk.subarray(0, SNIFF_BYTES - this.#start.length)]);
      yield chunk;
    }
  }

  /** Call it once, after all bytes have been read. */
  async content(): Promise<AttachmentContent> {
    const sizeBytes = this.#sizeBytes;
    const type = await sniffType(this.#start, sizeBytes);
    return { type, sha256: this.#hash.digest('hex'), sizeBytes };
  }
}
