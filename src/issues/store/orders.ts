import { type Fragment, raw } from '../../database/fragment.ts';
import type { IssueOrder } from '../model.ts';

/** Columns of `issues i` by which a list is sorted, both in one direction. */
export interface Order {
  readonly keys: readonly Fragment[];
  readonly direction: Fragment;
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

export const ORDERS: Readonly<Record<IssueOrder, Order>> = {
  relevance: byId(DESCENDING),
  newest: byId(DESCENDING),
  oldest: byId(ASCENDING),
  'recently-updated': by('i.updated_at', DESCENDING),
  'least-recently-updated': by('i.updated_at', ASCENDING),
  'most-comments': by('i.comments_count', DESCENDING),
  'fewest-comments': by('i.comments_count', ASCENDING),
  'due-first': by(DUE_FIRST, ASCENDING),
  'due-last': by(DUE_LAST, DESCENDING),
};

export function reversed(order: Order): Order {
  return { ...order, direction: order.direction === ASCENDING ? DESCENDING : ASCENDING };
}
