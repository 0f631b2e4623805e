import { ForgeError } from '../../base/core/failure.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import { RemoteError } from '../../git/remote/model.ts';
import { NO_ORIGINAL_AUTHOR, type OriginalAuthor } from '../issues/model.ts';
import type { ImportedAuthor, ImportedComment, ImportedIssue } from '../issues/models/staging.ts';
import { validBody, validRef, validTitle } from '../issues/rules.ts';
import { validLabel } from '../labels/rules.ts';
import type { ImportedLabel } from '../labels/writes.ts';
import { validMilestone } from '../milestones/rules.ts';
import type { ImportedMilestone } from '../milestones/writes.ts';
import type { Fields } from './fields.ts';
import { IMPORT_LIMITS } from './limits.ts';

/** Ids of accounts here, by names on the source in lower case. */
export type Authors = ReadonlyMap<string, number>;

export function importedLabel(fields: Fields): ImportedLabel {
  const key = fields.id('id');
  const label = fit(`label ${key}`, () =>
    validLabel({
      name: fields.line('name'),
      color: fields.text('color'),
      description: fields.line('description'),
      isExclusive: fields.flag('exclusive'),
      isArchived: fields.flag('is_archived'),
    }));
  return { ...label, key };
}

export function importedMilestone(fields: Fields): ImportedMilestone {
  const key = fields.id('id');
  const isClosed = fields.text('state') === 'closed';
  const { title, description, dueAt } = fit(`milestone ${key}`, () =>
    validMilestone({
      title: fields.line('title'),
      description: fields.text('description'),
      dueAt: fields.dueTime('due_on'),
      isClosed,
    }));
  const times = timesOf(fields);
  const closedAt = isClosed ? (fields.time('closed_at') ?? times.updatedAt) : null;
  return { key, title, description, dueAt, closedAt, ...times };
}

/** An issue of the source with what else its record says. */
export interface IssueRecord {
  readonly issue: ImportedIssue;
  readonly labels: readonly ImportedLabel[];
  readonly milestone: ImportedMilestone | null;
  /** 0: not pinned */
  readonly pinOrder: number;
  readonly attachments: number;
  /** assignees without an account here */
  readonly strangers: number;
}

export function importedIssue(fields: Fields, authors: Authors): IssueRecord {
  const number = fields.id('number', IMPORT_LIMITS.importedIssueNumberMax);
  const labels = fields.list('labels', importedLabel);
  const milestoneFields = fields.record('milestone');
  const milestone = milestoneFields === undefined ? null : importedMilestone(milestoneFields);
  const names = fields.list('assignees', (account) => account.line('login').toLowerCase());
  const assigneeIds = [...new Set(names.flatMap((name) => authors.get(name) ?? []))];
  const times = timesOf(fields);
  const texts = fit(`issue ${number}`, () => ({
    title: validTitle(fields.line('title')),
    body: validBody(fields.text('body')),
    ref: validRef(fields.line('ref')),
  }));
  const issue = {
    number,
    isPull: isPullRequest(fields),
    ...texts,
    ...times,
    author: authorOf(fields, authors),
    milestoneKey: milestone?.key ?? null,
    labelKeys: labels.map(({ key }) => key),
    assigneeIds,
    closedAt: fields.text('state') === 'closed' ? (fields.time('closed_at') ?? times.updatedAt) : null,
    isLocked: fields.flag('is_locked'),
    dueAt: fields.dueDay('due_date'),
  };
  return {
    issue,
    labels,
    milestone,
    pinOrder: fields.count('pin_order'),
    attachments: fields.list('assets', () => 1).length,
    strangers: names.filter((name) => !authors.has(name)).length,
  };
}

/** Whether the record of an issue is one of a pull request. */
export function isPullRequest(fields: Fields): boolean {
  return fields.record('pull_request') !== undefined;
}

export interface CommentRecord {
  readonly comment: ImportedComment;
  readonly attachments: number;
}

/** The issue or pull request that has a comment. */
export interface CommentPlace {
  readonly number: number;
  readonly isPull: boolean;
}

/** @returns undefined if the record of a comment does not say where it is */
export function placeOfComment(fields: Fields): CommentPlace | undefined {
  const isPull = fields.text('pull_request_url') !== '';
  const address = fields.text(isPull ? 'pull_request_url' : 'issue_url');
  const [, digits] = (isPull ? /\/pulls\/(\d{1,10})$/ : /\/issues\/(\d{1,10})$/).exec(address) ?? [];
  return digits === undefined ? undefined : { number: Number(digits), isPull };
}

export function importedComment(
  fields: Fields,
  { number }: Pick<CommentPlace, 'number'>,
  authors: Authors,
): CommentRecord {
  const key = fields.id('id');
  const body = fit(`comment ${key}`, () => validBody(fields.text('body')));
  const comment = {
    key,
    number,
    author: authorOf(fields, authors),
    body,
    ...timesOf(fields),
  };
  return { comment, attachments: fields.list('assets', () => 1).length };
}

/** A text that the source itself has imported keeps its first author. */
export function authorOf(fields: Fields, authors: Authors): ImportedAuthor {
  const user = fields.record('user');
  const name = fields.line('original_author');
  if (name !== '') return { accountId: null, original: original(name, fields.count('original_author_id')) };
  const login = user?.line('login') ?? '';
  const accountId = authors.get(login.toLowerCase()) ?? null;
  return {
    accountId,
    original: accountId === null ? original(login, user?.count('id') ?? 0) : NO_ORIGINAL_AUTHOR,
  };
}

function original(name: string, id: number): OriginalAuthor {
  return { name: name.slice(0, IMPORT_LIMITS.importedNameCharsMax).toWellFormed(), id };
}

export function timesOf(fields: Fields): { readonly createdAt: number; readonly updatedAt: number } {
  const createdAt = fields.time('created_at') ?? currentTimeMs();
  return { createdAt, updatedAt: Math.max(createdAt, fields.time('updated_at') ?? createdAt) };
}

/** Reads a part of a record. Names the record if the part does not fit. @throws RemoteError */
export function fit<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    throw new RemoteError(`${what}: ${error.message}`, { cause: error });
  }
}
