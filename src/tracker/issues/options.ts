import type { Static, TObject } from 'typebox';
import { ForgeError, malformed } from '../../base/core/failure.ts';
import { type BeginningRule, termsOf } from '../../base/text-search/query.ts';
import { NEVER_FILLED, readDueDay, readQueryTime, readTime, timeBoundOf } from '../../http/time.ts';
import { ISSUE_LIMITS } from './limits.ts';
import type { IssueEdit, IssueFilter, IssueOrder, IssueSearchFilter, NewIssue } from './model.ts';
import type { CreateIssueBody, EditIssueBody, IssueQuery, SearchIssuesQuery } from './schema.ts';

const ORDERS: ReadonlyMap<string | undefined, IssueOrder> = new Map([
  ['relevance', 'relevance'],
  ['oldest', 'oldest'],
  ['latest', 'newest'],
  ['recentupdate', 'recently-updated'],
  ['leastupdate', 'least-recently-updated'],
  ['mostcomment', 'most-comments'],
  ['leastcomment', 'fewest-comments'],
  ['nearduedate', 'due-first'],
  ['farduedate', 'due-last'],
]);

/**
 * Reads the filter of a list. An unknown state, type or order counts as absent, as in the reference.
 *
 * @throws ForgeError `invalid` for a malformed time
 */
export function issueFilterOf(query: Static<TObject<typeof IssueQuery>>): IssueFilter {
  const { state, type } = query;
  return {
    state: state === 'closed' || state === 'all' ? state : 'open',
    type: type === 'issues' || type === 'pulls' ? type : 'all',
    labels: listOf(query.labels),
    milestones: listOf(query.milestones),
    createdBy: nonEmpty(query.created_by),
    assignedTo: nonEmpty(query.assigned_by),
    mentioning: nonEmpty(query.mentioned_by),
    ...timeRangeOf(query),
    ...wordsOf(query),
  };
}

const BEGINNINGS: BeginningRule = {
  charsMin: ISSUE_LIMITS.searchedBeginningCharsMin,
  countMax: ISSUE_LIMITS.searchedBeginningsMax,
};

/** Reads the words of a query, and the order: without another order, the best matches come first. */
function wordsOf({ q = '', sort }: { readonly q?: string; readonly sort?: string }) {
  const terms = q.trim() === '' ? undefined : termsOf(q, BEGINNINGS);
  const byDefault = terms !== undefined && (sort === undefined || sort === '') ? 'relevance' : 'newest';
  return { terms, order: ORDERS.get(sort) ?? byDefault } as const;
}

/** Reads the filter of a search over all repositories. @throws ForgeError `invalid`, `bad_request` */
export function searchFilterOf(query: Static<TObject<typeof SearchIssuesQuery>>): IssueSearchFilter {
  if (query.team !== undefined && query.team !== '' && nonEmpty(query.owner) === undefined)
    throw new ForgeError({ kind: 'bad_request', what: 'owner is required for a search by team' });
  const { created = false, assigned = false, mentioned = false } = query;
  const { review_requested: reviewRequested = false, reviewed = false, priority_repo_id: first } = query;
  return {
    ...issueFilterOf(query),
    isOwn: { created, assigned, mentioned, reviewRequested, reviewed },
    owner: nonEmpty(query.owner),
    team: nonEmpty(query.team),
    firstRepositoryId: first,
  };
}

/** Reads the parameters `since` and `before`. @throws ForgeError `invalid` */
export function timeRangeOf(query: { readonly since?: string; readonly before?: string }): {
  readonly since: number | undefined;
  readonly before: number | undefined;
} {
  return { since: timeBoundOf(query, 'since'), before: timeBoundOf(query, 'before') };
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function listOf(text = ''): readonly string[] {
  return [...new Set(text.split(',').map((part) => part.trim()))].filter((part) => part !== '');
}

/** @throws ForgeError `malformed` */
export function newIssueOf(body: Static<typeof CreateIssueBody>): NewIssue {
  return {
    title: body.title,
    body: body.body ?? '',
    ref: body.ref ?? '',
    assignees: assigneesOf(body) ?? [],
    milestone: body.milestone === undefined || body.milestone === 0 ? null : body.milestone,
    dueAt: body.due_date === undefined ? null : dueTimeOf(body.due_date),
    labels: body.labels ?? [],
    isClosed: body.closed ?? false,
  };
}

/**
 * Returns the fields that a request changes.
 *
 * @throws ForgeError `malformed`
 */
export function issueEditOf(body: Static<typeof EditIssueBody>): IssueEdit {
  const assignees = assigneesOf(body);
  const dueAt = dueEditOf(body);
  return {
    // Clients that change other fields send an empty title.
    ...(body.title === undefined || body.title === '' ? {} : { title: body.title }),
    ...(body.body === undefined ? {} : { body: body.body }),
    ...(body.ref === undefined ? {} : { ref: body.ref }),
    ...(assignees === undefined ? {} : { assignees }),
    ...(dueAt === undefined ? {} : { dueAt }),
    ...(body.milestone === undefined ? {} : { milestone: body.milestone === 0 ? null : body.milestone }),
    ...(body.state === undefined ? {} : { isClosed: body.state === 'closed' }),
    ...(body.updated_at === undefined ? {} : { at: statedTimeOf(body.updated_at) }),
  };
}

function assigneesOf(body: {
  readonly assignee?: string;
  readonly assignees?: readonly string[];
}): readonly string[] | undefined {
  const { assignee, assignees } = body;
  if (assignee === undefined || assignee === '') return assignees;
  return [assignee, ...(assignees ?? [])];
}

function dueEditOf(body: {
  readonly due_date?: string;
  readonly unset_due_date?: boolean;
}): number | null | undefined {
  if (body.unset_due_date === true) return null;
  return body.due_date === undefined ? undefined : dueTimeOf(body.due_date);
}

/**
 * Reads a due date: the last second of its day in the zone that was sent. The zero time, which some clients send
 * instead, means that there is no due date.
 *
 * @throws ForgeError `malformed`
 */
export function dueTimeOf(text: string): number | null {
  if (text === NEVER_FILLED) return null;
  const dueAt = readDueDay(text);
  if (dueAt === undefined) throw malformed('[DueDate]: must be an RFC 3339 date and time');
  return dueAt;
}

/** Reads the time of a change that a body states. @throws ForgeError `malformed` */
export function statedTimeOf(text: string): number {
  return requiredTime(readTime(text));
}

/** Reads the time of a change that a query states. @throws ForgeError `malformed` */
export function statedQueryTimeOf(text: string): number {
  return requiredTime(readQueryTime(text));
}

function requiredTime(ms: number | undefined): number {
  if (ms === undefined) throw malformed('[UpdatedAt]: must be an RFC 3339 date and time');
  return ms;
}
