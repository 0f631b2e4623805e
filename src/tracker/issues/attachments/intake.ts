import type { SignedIn } from '../../../api/access/viewer.ts';
import { ForgeError, invalid } from '../../../base/core/failure.ts';
import { FairSlots } from '../../../base/core/fairness/fair-slots.ts';
import { CORE_LIMITS } from '../../../base/core/limits.ts';
import type { Database, Db, Tx } from '../../../base/database/database.ts';
import type { ArrivingBytes } from '../../../hosting/quota/model.ts';
import type { Quota } from '../../../hosting/quota/service.ts';
import type { PermittedRepository } from '../../../hosting/repositories/model.ts';
import { requireNotArchived } from '../../../hosting/repositories/refs/push-rules.ts';
import type { ObjectStorage } from '../../../storage/model.ts';
import type { OwnedFiles } from '../../../storage/owned-files/service.ts';
import type { IssueAccess } from '../access.ts';
import { ISSUE_LIMITS } from '../limits.ts';
import {
  type Attachment,
  type AttachmentContent,
  type AttachmentFile,
  keyOf,
} from '../models/attachments.ts';
import { timeOfChange } from '../rules.ts';
import { attachFile, countAttachments, findAttachment, reserveAttachment } from '../store/attachments.ts';
import { findSubject, getSubject, type PermittedSubject, type SubjectPath } from '../subjects.ts';
import { ContentReading } from './content-reading.ts';
import { changeOf, recordChange, requireMayAdd, validName } from './rules.ts';

/** of its bytes, for the quota of the owner */
const KIND = 'size:assets:attachments:issues';

/** A file that is being uploaded for an issue or a comment. */
interface Arrival {
  readonly viewer: SignedIn;
  readonly at: SubjectPath;
  readonly repository: PermittedRepository['repository'];
  /** of the file, as far as its size is known */
  readonly bytesMin: number;
}

interface ArrivingFile {
  readonly name: string;
  readonly bytes: AsyncIterable<Buffer>;
  /** when it was uploaded, for administrators of the repository; absent: now */
  readonly at: number | undefined;
}

interface Dependencies {
  readonly database: Database;
  readonly objects: ObjectStorage;
  readonly access: IssueAccess;
  readonly quota: Quota;
  readonly attachmentFiles: OwnedFiles<AttachmentFile, string>;
}

/**
 * Stores uploaded attachments. The row of a file has no issue until all bytes have arrived.
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
   * @param bytesMin as `Arrival.bytesMin`
   * @throws ForgeError as `getSubject`; `forbidden` unless the viewer is the author of the issue or the comment, or may
   *   write, and if the issue is locked; `archived`; `invalid` for too many files; `too_large` if the owner has no more
   *   room
   */
  async begin(viewer: SignedIn, at: SubjectPath, bytesMin: number): Promise<Arrival> {
    const db = this.#use.database.reader;
    const found = await getSubject(db, viewer, { access: this.#use.access, at, action: changeOf(at) });
    const { repository } = found.issue.permitted;
    await requireMayArrive(db, viewer, found);
    await this.#use.quota
      .requireRoom(repository.owner.id, { kind: KIND, sizeBytes: bytesMin })
      .catch(throwWithoutFigures);
    return { viewer, at, repository, bytesMin };
  }

  /**
   * Stores a file. It and its row are durable when this returns.
   *
   * @throws ForgeError as `begin`, because the rights may have changed during the upload; `invalid` for its name or
   *   time; `too_large` as soon as the owner has no more room; `busy`; any error of its bytes
   */
  async receive(arrival: Arrival, file: ArrivingFile): Promise<Attachment> {
    const name = validName(file.name);
    const { attachmentFiles, objects, quota } = this.#use;
    const store = (arriving: ArrivingBytes) =>
      attachmentFiles.store({
        reserve: (tx, until) => reserveAttachment(tx, arrival.viewer, until),
        put: async (reserved) => {
          const reading = new ContentReading(file.bytes, arriving);
          await objects.put(keyOf(reserved), reading);
          return reading.content();
        },
        authorize: (tx, content) => this.#authorizeAgain(tx, arrival, content),
        link: async (tx, { file: { id }, content, rights: found }) => {
          const { permitted, state } = found.issue;
          const at = timeOfChange(permitted, state, file.at);
          const placed = {
            ...content,
            name,
            at,
            subject: found.subject,
            repositoryId: arrival.repository.id,
          };
          if (!(await attachFile(tx, id, placed))) return undefined;
          await recordChange({ tx, viewer: arrival.viewer, at }, found);
          return findAttachment(tx, found.subject, id);
        },
      });
    const room = { kind: KIND, sizeBytes: arrival.bytesMin } as const;
    return this.#slots
      .run(() => quota.whileArriving(arrival.repository.owner.id, room, store))
      .catch(throwWithoutFigures);
  }

  async #authorizeAgain(
    tx: Tx,
    { viewer, at, repository }: Arrival,
    content: AttachmentContent,
  ): Promise<PermittedSubject> {
    const more = { kind: KIND, sizeBytes: content.sizeBytes } as const;
    const permitted = await this.#use.quota.lockRoomIn(tx, repository, more, (tx) =>
      this.#use.access.lock(tx, viewer, repository.id, changeOf(at)),
    );
    const found = await findSubject(tx, viewer, permitted, { at, action: changeOf(at) });
    await requireMayArrive(tx, viewer, found);
    return found;
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

/** @throws ForgeError `archived`, `forbidden`, `invalid` */
async function requireMayArrive(db: Db, viewer: SignedIn, found: PermittedSubject): Promise<void> {
  requireNotArchived(found.issue.permitted.repository);
  requireMayAdd(viewer, found);
  const countMax = ISSUE_LIMITS.issueAttachmentsMax;
  if ((await countAttachments(db, found.subject)) >= countMax)
    throw invalid(`an issue or a comment has at most ${countMax} attachments`);
}
