import { type Fragment, raw } from '../../../../base/database/fragment.ts';
import type { IssueOrder } from '../../model.ts';

/** Indexes of the issues of a repository, by their order. Each also has the time of the last change. */
export type SortedBy = 'number' | 'updated' | 'comments' | 'closed' | 'due_first' | 'due_last';

/** One or two columns by which a list is sorted, both in the same direction. */
export interface Order {
  /** columns of `issues i` */
  readonly keys: readonly Fragment[];
  /** the same columns in links `d` of issues, which repeat them; null: links do not have them */
  readonly keysInLinks: readonly Fragment[] | null;
  readonly direction: Fragment;
  readonly index: SortedBy;
  /** The order is the order of ids. */
  readonly isById: boolean;
}

const ASCENDING = raw('asc');
const DESCENDING = raw('desc');
const NUMBER = raw('i.number');
/** Within a repository, a higher id means a higher number. */
const ID_IN_LINKS = raw('d.issue_id');

function byId(direction: Fragment): Order {
  return { keys: [raw('i.id')], keysInLinks: [ID_IN_LINKS], direction, index: 'number', isById: true };
}

/** @param columnOf a column of a table, by its alias */
function by(index: SortedBy, columnOf: (of: string) => string, direction: Fragment): Order {
  const keysInLinks = [raw(columnOf('d')), ID_IN_LINKS];
  return { keys: [raw(columnOf('i')), NUMBER], keysInLinks, direction, index, isById: false };
}

/** As `by`, but links do not repeat the column. */
function byOwn(index: SortedBy, columnOf: (of: string) => string, direction: Fragment): Order {
  return { ...by(index, columnOf, direction), keysInLinks: null };
}

const updatedAt = (of: string) => `${of}.updated_at`;
const commentsCount = (of: string) => `${of}.comments_count`;
/** Open issues come last. An index has this expression: see migration 0059. */
const closedAt = (of: string) => `coalesce(${of}.closed_at, -1)`;
/** Issues without a due date come last in both orders. Indexes have these expressions: see migration 0048. */
const dueFirst = (of: string) => `coalesce(${of}.due_at, 9007199254740991)`;
const dueLast = (of: string) => `coalesce(${of}.due_at, -1)`;

export const ORDERS: Readonly<Record<IssueOrder, Order>> = {
  relevance: byId(DESCENDING),
  newest: byId(DESCENDING),
  oldest: byId(ASCENDING),
  'recently-updated': by('updated', updatedAt, DESCENDING),
  'least-recently-updated': by('updated', updatedAt, ASCENDING),
  'most-comments': by('comments', commentsCount, DESCENDING),
  'fewest-comments': by('comments', commentsCount, ASCENDING),
  'recently-closed': byOwn('closed', closedAt, DESCENDING),
  'due-first': by('due_first', dueFirst, ASCENDING),
  'due-last': by('due_last', dueLast, DESCENDING),
};
