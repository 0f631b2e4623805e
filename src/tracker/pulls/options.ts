import type { Static, TObject } from 'typebox';
import { parseId } from '../../base/core/text/ids.ts';
import type { IssueOrder } from '../issues/model.ts';
import { issueEditOf, newIssueOf } from '../issues/options.ts';
import type { NewPull, PullEdit, PullFilter } from './model.ts';
import type { CreatePullBody, EditPullBody, PullQuery } from './schema.ts';

/** @throws ForgeError `malformed` */
export function newPullOf(body: Static<typeof CreatePullBody>): NewPull {
  const { base, head, ...fields } = body;
  const { ref: _, isClosed: __, ...wanted } = newIssueOf(fields);
  return { ...wanted, base, head };
}

/** Returns the fields that a request changes. @throws ForgeError `malformed` */
export function pullEditOf(body: Static<typeof EditPullBody>): PullEdit {
  const { base, labels, allow_maintainer_edit: allowsMaintainerEdit, ...fields } = body;
  return {
    ...issueEditOf(fields),
    ...(base === undefined || base === '' ? {} : { base }),
    ...(labels === undefined ? {} : { labels }),
    ...(allowsMaintainerEdit === undefined ? {} : { allowsMaintainerEdit }),
  };
}

const ORDERS: ReadonlyMap<string | undefined, IssueOrder> = new Map([
  ['oldest', 'oldest'],
  ['recentupdate', 'recently-updated'],
  ['recentclose', 'recently-closed'],
  ['leastupdate', 'least-recently-updated'],
  ['mostcomment', 'most-comments'],
  ['leastcomment', 'fewest-comments'],
]);

/** Reads the filter of a list. An unknown state or order counts as absent, as in the reference. */
export function pullFilterOf(query: Static<TObject<typeof PullQuery>>): PullFilter {
  const { state, sort, labels = [], milestone, poster, base, head } = query;
  return {
    state: state === 'closed' || state === 'all' ? state : 'open',
    type: 'pulls',
    labels: [],
    milestones: [],
    createdBy: nonEmpty(poster),
    order: ORDERS.get(sort) ?? 'newest',
    labelIds: labels.flatMap((text) => text.split(',').flatMap((part) => parseId(part.trim()) ?? [])),
    milestoneId: milestone === 0 ? undefined : milestone,
    base: nonEmpty(base),
    head: nonEmpty(head),
  };
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
