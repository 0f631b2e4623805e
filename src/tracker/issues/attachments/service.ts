import type { SignedIn, Viewer } from '../../../api/access/viewer.ts';
import { invalid, notFound } from '../../../base/core/failure.ts';
import { parseId } from '../../../base/core/text/ids.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Database, Db, Tx } from '../../../base/database/database.ts';
import type { IssueAccess } from '../access.ts';
import { ISSUE } from '../actions.ts';
import type { Subject } from '../model.ts';
import type { Attachment } from '../models/attachments.ts';
import { findAttachment, listAttachments, setAttachmentName } from '../store/attachments.ts';
import { changeSubject, getSubject, type PermittedSubject, type SubjectPath } from '../subjects.ts';
import type { AttachmentCollection } from './collection.ts';
import { changeOf, recordChange, requireMayChange, validName } from './rules.ts';

/** The attachment that a request names, with its id as the URL has it. */
export interface AttachmentPath {
  readonly at: SubjectPath;
  readonly id: string;
}

interface Dependencies {
  readonly database: Database;
  readonly access: IssueAccess;
  readonly attachmentCollection: AttachmentCollection;
}

/** Files of issues and comments. */
export class IssueAttachments {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError as `getSubject` */
  async list(viewer: Viewer, at: SubjectPath): Promise<readonly Attachment[]> {
    const db = this.#use.database.reader;
    return listAttachments(db, await this.#subject(db, viewer, at));
  }

  /** @throws ForgeError as `getSubject`, and `not_found` */
  async get(viewer: Viewer, { at, id }: AttachmentPath): Promise<Attachment> {
    const db = this.#use.database.reader;
    return requireAttachment(db, await this.#subject(db, viewer, at), id);
  }

  /**
   * @param name empty: unchanged
   * @param requireCurrent throws if the caller does not accept the attachment as it is
   * @throws ForgeError as `changeSubject`; `not_found`; `forbidden` unless the viewer is the author of the issue or the
   *   comment, or may write; `invalid`
   */
  async rename(
    viewer: SignedIn,
    path: AttachmentPath,
    name: string,
    requireCurrent: (current: Attachment) => void,
  ): Promise<Attachment> {
    return this.#change(viewer, path, requireCurrent, async (tx, found, attachment) => {
      const after = { ...attachment, name: name === '' ? attachment.name : validName(name) };
      if (after.name === attachment.name) return attachment;
      await setAttachmentName(tx, attachment.id, after.name);
      await recordChange({ tx, viewer, at: currentTimeMs() }, found);
      return after;
    });
  }

  /** @throws ForgeError as `rename` */
  async delete(
    viewer: SignedIn,
    path: AttachmentPath,
    requireCurrent: (current: Attachment) => void,
  ): Promise<void> {
    await this.#change(viewer, path, requireCurrent, async (tx, found, attachment) => {
      await this.#use.attachmentCollection.release(tx, { id: attachment.id });
      await recordChange({ tx, viewer, at: currentTimeMs() }, found);
    });
  }

  async #subject(db: Db, viewer: Viewer, at: SubjectPath): Promise<Subject> {
    const { subject } = await getSubject(db, viewer, { access: this.#use.access, at, action: ISSUE.read });
    return subject;
  }

  #change<T>(
    viewer: SignedIn,
    { at, id }: AttachmentPath,
    requireCurrent: (current: Attachment) => void,
    change: (tx: Tx, found: PermittedSubject, attachment: Attachment) => Promise<T>,
  ): Promise<T> {
    const place = { access: this.#use.access, at, action: changeOf(at) };
    return changeSubject(viewer, place, async (tx, found) => {
      requireMayChange(viewer, found);
      const attachment = await requireAttachment(tx, found.subject, id);
      requireCurrent(attachment);
      return change(tx, found, attachment);
    });
  }
}

/** @throws ForgeError `not_found` if the issue or the comment has no such attachment */
async function requireAttachment(db: Db, subject: Subject, text: string): Promise<Attachment> {
  const id = parseId(text);
  const found = id === undefined ? undefined : await findAttachment(db, subject, id);
  if (found === undefined) throw notFound('attachment');
  return found;
}

/** Requires that an edit leaves the address of an attachment as it is. @throws ForgeError `invalid` */
export function requireSameUrl(wanted: string | undefined, url: string): void {
  if (wanted === undefined || wanted === '' || wanted === url) return;
  throw invalid('browser_download_url cannot change: the file is on this server');
}
