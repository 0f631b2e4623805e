import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { DiffLine } from '../../git/format/diffs/model.ts';
import { parseHunks } from '../../git/format/diffs/parse-hunks.ts';
import type { ObjectFormat, Oid } from '../../git/format/model.ts';
import { isOid } from '../../git/format/object-format.ts';
import { branchNameProblem, pullHeadRef } from '../../git/format/ref-names.ts';
import { RemoteError } from '../../git/remote/model.ts';
import { validBody } from '../issues/rules.ts';
import type {
  ImportedPull,
  ImportedReview,
  ImportedReviewComment,
  ImportedReviewRequest,
} from '../pulls/staging/model.ts';
import type { Fields } from './fields.ts';
import { type Authors, authorOf, fit, timesOf } from './issue-records.ts';
import { IMPORT_LIMITS } from './limits.ts';

/** What all records of pull requests are read with. */
interface Context {
  readonly authors: Authors;
  readonly objectFormat: ObjectFormat;
}

/** A record that is left out, and why. */
export interface Problem {
  readonly problem: string;
}

/** A pull request of the source with what else its record says. */
export interface PullRecord {
  readonly pull: ImportedPull;
  /** names there of users of whom reviews are requested, in lower case */
  readonly reviewers: readonly string[];
  /** ids there of teams of whom reviews are requested */
  readonly teams: readonly number[];
  /** It is merged, but how is not known. */
  readonly lacksMerge: boolean;
}

export function importedPull(fields: Fields, context: Context): PullRecord | Problem {
  const number = fields.id('number', IMPORT_LIMITS.importedIssueNumberMax);
  const [base, head] = [fields.record('base'), fields.record('head')];
  const sha = oidIn(head, 'sha', context);
  if (base === undefined || head === undefined || sha === null)
    return { problem: 'pull requests whose head the source does not know' };
  const baseBranch = base.text('ref');
  if (branchNameProblem(baseBranch) !== undefined)
    return { problem: 'pull requests whose base is not the name of a branch' };
  const flow = fields.count('flow') === 1 ? 'agit' : 'branch';
  const branch = headBranchOf(head, number);
  const isInBase = head.count('repo_id') > 0 && head.count('repo_id') === base.count('repo_id');
  const isBranch = branchNameProblem(branch) === undefined && branch !== baseBranch;
  const merge = mergeOf(fields, context);
  return {
    pull: {
      number,
      flow,
      base: baseBranch,
      head: { isOwn: isInBase && (flow === 'agit' || isBranch), branch, sha },
      allowsMaintainerEdit: fields.flag('allow_maintainer_edit'),
      mergeBase: oidIn(fields, 'merge_base', context),
      additions: fields.count('additions'),
      deletions: fields.count('deletions'),
      changedFiles: fields.count('changed_files'),
      merge,
    },
    reviewers: fields.records('requested_reviewers').map(loginOf),
    teams: fields.records('requested_reviewers_teams').map((team) => team.count('id')),
    lacksMerge: fields.flag('merged') && merge === null,
  };
}

/** The label has the name of the branch, even if the branch is gone. */
function headBranchOf(head: Fields, number: number): string {
  const name = head.line('label') || head.line('ref') || pullHeadRef(number);
  return name.slice(0, IMPORT_LIMITS.importedNameCharsMax).toWellFormed();
}

function mergeOf(fields: Fields, context: Context): ImportedPull['merge'] {
  if (!fields.flag('merged')) return null;
  const [at, sha] = [fields.time('merged_at'), oidIn(fields, 'merge_commit_sha', context)];
  if (at === null || sha === null) return null;
  const merger = fields.record('merged_by');
  return { at, sha, accountId: merger === undefined ? null : accountOf(merger, context) };
}

function loginOf(user: Fields): string {
  return user.line('login').toLowerCase();
}

function accountOf(user: Fields, { authors }: Context): number | null {
  return authors.get(loginOf(user)) ?? null;
}

/** Reads the id of an object. @returns null for anything else */
function oidIn(fields: Fields | undefined, name: string, { objectFormat }: Context): Oid | null {
  const text = fields?.text(name) ?? '';
  return isOid(objectFormat, text) ? text : null;
}

/** A record in the list of reviews. */
export type ReviewRecord =
  | { readonly kind: 'review'; readonly review: ImportedReview; readonly hasComments: boolean }
  | {
      readonly kind: 'request';
      readonly reviewer: string;
      readonly request: Omit<ImportedReviewRequest, 'accountId'>;
    }
  | { readonly kind: 'team-request'; readonly team: number }
  /** of the user whose credentials the import has */
  | { readonly kind: 'pending' }
  | { readonly kind: 'unknown' };

const STATES: ReadonlyMap<string, ImportedReview['state']> = new Map([
  ['APPROVED', 'approved'],
  ['REQUEST_CHANGES', 'rejected'],
  ['COMMENT', 'comment'],
]);

/** @param number of the pull request */
export function importedReview(fields: Fields, number: number, context: Context): ReviewRecord {
  const key = fields.id('id');
  const name = fields.text('state');
  const createdAt = fields.time('submitted_at') ?? fields.time('updated_at') ?? currentTimeMs();
  const isOfficial = fields.flag('official');
  if (name === 'PENDING') return { kind: 'pending' };
  if (name === 'REQUEST_REVIEW') {
    const [user, team] = [fields.record('user'), fields.record('team')];
    if (team !== undefined) return { kind: 'team-request', team: team.count('id') };
    const request = { number, isOfficial, createdAt };
    return { kind: 'request', reviewer: user === undefined ? '' : loginOf(user), request };
  }
  const state = STATES.get(name);
  if (state === undefined) return { kind: 'unknown' };
  const review = {
    key,
    number,
    author: authorOf(fields, context.authors),
    state,
    body: fit(`review ${key}`, () => validBody(fields.text('body'))),
    commit: oidIn(fields, 'commit_id', context) ?? '',
    isOfficial,
    isStale: fields.flag('stale'),
    isDismissed: fields.flag('dismissed'),
    createdAt,
    updatedAt: Math.max(createdAt, fields.time('updated_at') ?? createdAt),
  };
  return {
    kind: 'review',
    review,
    hasComments: !fields.has('comments_count') || fields.count('comments_count') > 0,
  };
}

export interface ReviewCommentRecord {
  readonly comment: ImportedReviewComment;
  /** It is resolved by a user without an account here. */
  readonly losesResolver: boolean;
}

/**
 * @param of its review, and the head of the pull request
 * @throws RemoteError
 */
export function importedReviewComment(
  fields: Fields,
  { review, head }: { readonly review: ImportedReview; readonly head: Oid },
  context: Context,
): ReviewCommentRecord {
  const key = fields.id('id');
  const path = fields.text('path');
  if (path === '' || path.length > IMPORT_LIMITS.importedPathCharsMax)
    throw new RemoteError(`the source sends no usable path of comment ${key}`);
  const text = fields.text('diff_hunk');
  const hunk = text.length > IMPORT_LIMITS.importedHunkCharsMax ? '' : text;
  const lines = linesOf({
    position: fields.whole('position', IMPORT_LIMITS.importedLineMax),
    originalPosition: fields.whole('original_position', IMPORT_LIMITS.importedLineMax),
    extraLines: fields.whole('extra_lines_count', IMPORT_LIMITS.importedLineMax),
    hunk,
  });
  if (lines === undefined) throw new RemoteError(`the source sends no usable position of comment ${key}`);
  const user = fields.record('user');
  const resolver = fields.record('resolver');
  const resolverId = resolver === undefined ? null : accountOf(resolver, context);
  const comment = {
    key,
    reviewKey: review.key,
    accountId: user === undefined ? null : accountOf(user, context),
    resolverId,
    path,
    ...lines,
    ...commitsOf(fields, { reviewed: review.commit || head }, context),
    hunk,
    body: fit(`comment ${key}`, () => validBody(fields.text('body'))),
    ...timesOf(fields),
  };
  return { comment, losesResolver: resolver !== undefined && resolverId === null };
}

/** Some servers name only the commit that last changed the line, which says nothing about the place of the line. */
function commitsOf(fields: Fields, { reviewed }: { readonly reviewed: Oid }, context: Context) {
  const original = oidIn(fields, 'original_commit_id', context);
  if (original === null) return { original: reviewed, commit: reviewed };
  return { original, commit: oidIn(fields, 'commit_id', context) ?? original };
}

interface Positions {
  /** line of the new file; 0: none */
  readonly position: number;
  /** line of the old file; or of the new file, as it was when the comment was written; 0: none */
  readonly originalPosition: number;
  readonly extraLines: number;
  /** ends with the commented lines */
  readonly hunk: string;
}

type Lines = Pick<ImportedReviewComment, 'side' | 'line' | 'currentLine' | 'extraLines'>;

/**
 * Finds the lines of a comment. On the old side, only `originalPosition` is there; so it is on the new side if the line
 * is gone, and then the hunk decides.
 */
function linesOf({ position, originalPosition, extraLines, hunk }: Positions): Lines | undefined {
  if (position > 0)
    return { side: 'new', line: originalPosition || position, currentLine: position, extraLines };
  const last = lastLineOf(hunk);
  if (originalPosition === 0) {
    const side = last?.newNumber === null ? 'old' : 'new';
    const line = (last?.newNumber ?? last?.oldNumber ?? 0) - extraLines;
    return line < 1 ? undefined : { side, line, currentLine: 0, extraLines };
  }
  const end = originalPosition + extraLines;
  const isGone = last !== undefined && last.newNumber === end && last.oldNumber !== end;
  return isGone
    ? { side: 'new', line: originalPosition, currentLine: 0, extraLines }
    : { side: 'old', line: originalPosition, currentLine: originalPosition, extraLines };
}

/** @returns undefined for a text that is not a hunk */
function lastLineOf(hunk: string): DiffLine | undefined {
  try {
    return parseHunks(hunk).at(-1)?.lines.at(-1);
  } catch {
    return undefined;
  }
}
