import { accountVisible } from '../../../../api/access/store/account.ts';
import type { Viewer } from '../../../../api/access/viewer.ts';
import type { Page, Paging } from '../../../../base/core/paging.ts';
import type { Db, Tx } from '../../../../base/database/database.ts';
import { type Fragment, fragment, raw, values } from '../../../../base/database/fragment.ts';
import { query, queryPage } from '../../../../base/database/query.ts';
import { USER_COLUMNS, type UserColumns } from '../../../../people/accounts/columns.ts';
import type { Subject } from '../../model.ts';
import type { Reaction, ReactionCount } from '../../models/reactions.ts';
import { authorOf } from '../../store/issues.ts';

type ReactionRow = {
  content: string;
  reacted_at: number;
  shows_author: number;
} & Partial<UserColumns>;

/** Lists reactions from the oldest to the newest. */
export function listReactions(
  db: Db,
  viewer: Viewer,
  { subject, ...only }: { readonly subject: Subject; readonly accountId?: number; readonly content?: string },
  paging: Paging,
): Promise<Page<Reaction>> {
  const own =
    only.accountId === undefined || only.content === undefined
      ? raw('')
      : fragment` and re.account_id = ${only.accountId} and re.content = ${only.content}`;
  const list = {
    select: fragment`re.content, re.created_at as reacted_at, ${accountVisible(viewer)} as shows_author,
      ${USER_COLUMNS}`,
    from: fragment`issue_reactions re join accounts o on o.id = re.account_id where ${isAt(subject)}${own}`,
    orderBy: raw('re.id'),
  };
  return queryPage(db, list, paging, (row: ReactionRow) => ({
    author: authorOf(row),
    content: row.content,
    createdAt: row.reacted_at,
  }));
}

/**
 * Counts the reactions to an issue and to some of its entries, those that were given first at the start.
 *
 * @returns by the ids of entries; 0: the issue itself
 */
export async function countReactions(
  db: Db,
  { accountId }: Viewer,
  { issueId, entryIds }: { readonly issueId: number; readonly entryIds: readonly number[] },
): Promise<ReadonlyMap<number, readonly ReactionCount[]>> {
  const rows = await query<{ entry: number; content: string; given: number; own: number }>(
    db,
    fragment`select coalesce(re.entry_id, 0) as entry, re.content, count(*) as given,
      sum(case when re.account_id = ${accountId ?? 0} then 1 else 0 end) as own
      from issue_reactions re where re.issue_id = ${issueId} and coalesce(re.entry_id, 0) in (${values([0, ...entryIds])})
      group by 1, 2 order by min(re.id)`,
  );
  const byEntry = Map.groupBy(rows, ({ entry }) => Number(entry));
  return new Map(
    [...byEntry].map(([entry, counts]) => [
      entry,
      counts.map(({ content, given, own }) => ({ content, count: Number(given), isOwn: Number(own) > 0 })),
    ]),
  );
}

/** Adds a reaction. @returns false if the account has given it already */
export async function insertReaction(
  tx: Tx,
  { issueId, entryId }: Subject,
  { accountId, content, at }: { readonly accountId: number; readonly content: string; readonly at: number },
): Promise<boolean> {
  const rows = await query<{ id: number }>(
    tx,
    fragment`insert into issue_reactions (issue_id, entry_id, account_id, content, created_at)
      values (${issueId}, ${entryId}, ${accountId}, ${content}, ${at}) on conflict do nothing returning id`,
  );
  return rows.length > 0;
}

/** @returns false if the account has not given it */
export async function deleteReaction(
  tx: Tx,
  subject: Subject,
  { accountId, content }: { readonly accountId: number; readonly content: string },
): Promise<boolean> {
  const rows = await query<{ id: number }>(
    tx,
    fragment`delete from issue_reactions as re where ${isAt(subject)} and re.account_id = ${accountId}
      and re.content = ${content} returning id`,
  );
  return rows.length > 0;
}

/** The same expression as in the index. */
function isAt({ issueId, entryId }: Subject): Fragment {
  return fragment`re.issue_id = ${issueId} and coalesce(re.entry_id, 0) = ${entryId ?? 0}`;
}
