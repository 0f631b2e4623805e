import { type Fragment, raw } from '../../database/fragment.ts';
import type { IssueOrder } from '../model.ts';

/** Columns of `issues i` by which a list is sorted, both in one direction. */
export interface Order {
  readonly keys: readonly Fragment[];
  readonly direction: Fragment;
  /** the same columns in links `d` of issues, which repeat some of them */
  readonly ofLinks?: readonly Fragment[];
  /** The order is that of ids. */
  readonly isById: boolean;
}

const ASCENDING = raw('asc');
const DESCENDING = raw('desc');
const NUMBER = raw('i.number');

function byId(direction: Fragment): Order {
  return { keys: [raw('i.id')], direction, isById: true };
}

function by(column: string, direction: Fragment): Order {
  return { keys: [raw(column), NUMBER], direction, isById: false };
}

/** Issues without a due date come last in both orders. Indexes have these expressions: see migration 0030. */
const DUE_FIRST = 'coalesce(i.due_at, 9007199254740991)';
const DUE_LAST = 'coalesce(i.due_at, -1)';

/** Within a repository, a higher id also is a higher number. */
function byUpdate(direction: Fragment): Order {
  return { ...by('i.updated_at', direction), ofLinks: [raw('d.updated_at'), raw('d.issue_id')] };
}

export const ORDERS: Readonly<Record<IssueOrder, Order>> = {
  relevance: byId(DESCENDING),
  newest: byId(DESCENDING),
  oldest: byId(ASCENDING),
  'recently-updated': byUpdate(DESCENDING),
  'least-recently-updated': byUpdate(ASCENDING),
  'most-comments': by('i.comments_count', DESCENDING),
  'fewest-comments': by('i.comments_count', ASCENDING),
  'due-first': by(DUE_FIRST, ASCENDING),
  'due-last': by(DUE_LAST, DESCENDING),
};

export function reversed(order: Order): Order {
  return { ...order, direction: order.direction === ASCENDING ? DESCENDING : ASCENDING };
}
