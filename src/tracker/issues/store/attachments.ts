import { randomUUID } from 'node:crypto';
import type { Db, Tx } from '../../../base/database/database.ts';
import { type Fragment, fragment, raw, values } from '../../../base/database/fragment.ts';
import { query, queryCount, queryFirst } from '../../../base/database/query.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import { uuidRows } from '../../../storage/owned-files/store.ts';
import type { Subject } from '../model.ts';
import {
  ATTACHMENT_FOLDER,
  type Attachment,
  type AttachmentContent,
  type AttachmentFile,
} from '../models/attachments.ts';

type AttachmentRow = {
  id: number;
  uuid: string;
  name: string;
  bytes: number;
  downloads: number;
  created_at: number;
};

const COLUMNS = raw('at.id, at.uuid, at.name, at.bytes, at.downloads, at.created_at');

function attachmentOf(row: AttachmentRow): Attachment {
  return {
    id: row.id,
    uuid: row.uuid,
    name: row.name,
    sizeBytes: row.bytes,
    downloads: row.downloads,
    createdAt: row.created_at,
  };
}

/** Lists the attachments of issues (but not of their comments), or of comments. The oldest come first. */
export async function listAttachmentsOf(
  db: Db,
  of: 'issues' | 'comments',
  ids: readonly number[],
): Promise<ReadonlyMap<number, readonly Attachment[]>> {
  if (ids.length === 0) return new Map();
  const isHere =
    of === 'issues'
      ? fragment`at.issue_id in (${values(ids)}) and at.entry_id is null`
      : fragment`at.entry_id in (${values(ids)}) and at.issue_id is not null`;
  const subject = raw(of === 'issues' ? 'at.issue_id' : 'at.entry_id');
  const rows = await query<AttachmentRow & { subject_id: number }>(
    db,
    fragment`select ${COLUMNS}, ${subject} as subject_id from issue_attachments at where ${isHere} order by at.id`,
  );
  const bySubject = Map.groupBy(rows, (row) => row.subject_id);
  return new Map([...bySubject].map(([id, found]) => [id, found.map(attachmentOf)]));
}

/** Lists the attachments of one issue or comment, in the same order. */
export async function listAttachments(db: Db, subject: Subject): Promise<readonly Attachment[]> {
  const rows = await query<AttachmentRow>(
    db,
    fragment`select ${COLUMNS} from issue_attachments at where ${isOf(subject)} order by at.id`,
  );
  return rows.map(attachmentOf);
}

export async function findAttachment(db: Db, subject: Subject, id: number): Promise<Attachment | undefined> {
  const row = await queryFirst<AttachmentRow>(
    db,
    fragment`select ${COLUMNS} from issue_attachments at where at.id = ${id} and ${isOf(subject)}`,
  );
  return row && attachmentOf(row);
}

/** An attachment, and the fields that its download needs. */
export interface FoundFile {
  readonly attachment: Attachment;
  readonly content: AttachmentContent;
  readonly repositoryId: RepositoryId;
  /** of its issue */
  readonly isPull: boolean;
}

type FileRow = AttachmentRow & { type: string; sha256: string; repository_id: number; is_pull: number };

export async function findFile(db: Db, uuid: string): Promise<FoundFile | undefined> {
  const row = await queryFirst<FileRow>(
    db,
    fragment`select ${COLUMNS}, at.type, at.sha256, i.repository_id, i.is_pull from issue_attachments at
      join issues i on i.id = at.issue_id where at.uuid = ${uuid}`,
  );
  if (row === undefined) return undefined;
  const { type, sha256, bytes: sizeBytes } = row;
  return {
    attachment: attachmentOf(row),
    content: { type, sha256, sizeBytes },
    repositoryId: row.repository_id,
    isPull: row.is_pull === 1,
  };
}

export function countAttachments(db: Db, subject: Subject): Promise<number> {
  return queryCount(db, fragment`issue_attachments at where ${isOf(subject)}`);
}

function isOf({ issueId, entryId }: Subject): Fragment {
  return entryId === null
    ? fragment`at.issue_id = ${issueId} and at.entry_id is null`
    : fragment`at.issue_id = ${issueId} and at.entry_id = ${entryId}`;
}

/** Writes the row of a file whose bytes are about to arrive. */
export async function reserveAttachment(
  tx: Tx,
  { accountId }: { readonly accountId: number },
  collectAt: number,
): Promise<AttachmentFile> {
  return tx
    .insertInto('issue_attachments')
    .values({
      uuid: randomUUID(),
      account_id: accountId,
      collect_at: collectAt,
      issue_id: null,
      repository_id: null,
      entry_id: null,
      name: '',
      type: '',
      sha256: '',
      bytes: 0,
      downloads: 0,
      is_doomed: 0,
      created_at: 0,
    })
    .returning(['id', 'uuid'])
    .executeTakeFirstOrThrow();
}

/** Attaches a file whose bytes are stored to an issue or a comment. @returns false if the file is doomed or deleted */
export async function attachFile(
  tx: Tx,
  id: number,
  file: AttachmentContent & {
    readonly subject: Subject;
    readonly repositoryId: RepositoryId;
    readonly name: string;
    readonly at: number;
  },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('issue_attachments')
    .set({
      issue_id: file.subject.issueId,
      repository_id: file.repositoryId,
      entry_id: file.subject.entryId,
      name: file.name,
      type: file.type,
      sha256: file.sha256,
      bytes: file.sizeBytes,
      // The file is due for deletion as soon as it is detached.
      collect_at: 0,
      created_at: file.at,
    })
    .where('id', '=', id)
    .where('is_doomed', '=', 0)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Attachments to detach: one, or all of a deleted comment, issue or repository. */
export type Detached =
  | { readonly id: number }
  | { readonly entryId: number }
  | { readonly issueId: number }
  | { readonly repositoryId: RepositoryId };

/** Detaches attachments from their issues. @returns whether there were any */
export async function detachFiles(tx: Tx, from: Detached): Promise<boolean> {
  const rows = await query<{ id: number }>(
    tx,
    fragment`update issue_attachments set issue_id = null where ${detached(from)} and issue_id is not null
      returning id`,
  );
  return rows.length > 0;
}

function detached(from: Detached): Fragment {
  if ('id' in from) return fragment`id = ${from.id}`;
  if ('entryId' in from) return fragment`entry_id = ${from.entryId}`;
  if ('issueId' in from) return fragment`issue_id = ${from.issueId}`;
  return fragment`repository_id = ${from.repositoryId}`;
}

export async function setAttachmentName(tx: Tx, id: number, name: string): Promise<void> {
  await query(tx, fragment`update issue_attachments set name = ${name} where id = ${id}`);
}

export async function addDownloads(tx: Tx, id: number, count: number): Promise<void> {
  await query(tx, fragment`update issue_attachments set downloads = downloads + ${count} where id = ${id}`);
}

/** Selects the bytes of the attachments in all repositories of an owner. */
export function sumOfAttachments(ownerId: number): Fragment {
  return fragment`select cast(coalesce(sum(a.bytes), 0) as bigint) from issue_attachments a
    join repositories r on r.id = a.repository_id where r.owner_id = ${ownerId} and a.issue_id is not null`;
}

/** A file is linked while it has an issue. */
export const ATTACHMENT_ROWS = uuidRows({
  jobs: { collect: 'issue-attachments.collect', sweep: 'issue-attachments.sweep' },
  table: raw('issue_attachments'),
  isUnlinked: raw('issue_id is null'),
  folder: ATTACHMENT_FOLDER,
});
