import type { Tx } from '../../../base/database/database.ts';
import { fragment, joined, values } from '../../../base/database/fragment.ts';
import { query } from '../../../base/database/query.ts';
import { ACTIVITY_LIMITS } from '../limits.ts';
import type { NewActivity } from '../model.ts';
import { UNIT_CODES } from './units.ts';

/** Inserts activities in their order. Leaves out those whose account, repository, issue or text is gone. */
export async function insertActivities(tx: Tx, activities: readonly NewActivity[]): Promise<void> {
  const { rowsAtOnceMax } = ACTIVITY_LIMITS;
  for (let from = 0; from < activities.length; from += rowsAtOnceMax)
    await insertSome(tx, activities.slice(from, from + rowsAtOnceMax));
}

async function insertSome(tx: Tx, activities: readonly NewActivity[]): Promise<void> {
  const rows = activities.map((each, order) => {
    const { issueId = null, entryId = null, reviewId = null, lineCommentId = null } = each;
    const { refName = '', content = '', formerOwnerId = null } = each;
    return fragment`(${each.opType}, cast(${UNIT_CODES[each.unit]} as bigint), cast(${each.actorId} as bigint),
      cast(${each.repositoryId} as bigint), cast(${each.ownerId} as bigint), cast(${issueId} as bigint),
      cast(${entryId} as bigint), cast(${reviewId} as bigint), cast(${lineCommentId} as bigint), ${refName},
      ${content}, cast(${each.at} as bigint), cast(${formerOwnerId} as bigint),
      cast(${order} as bigint))`;
  });
  await query(
    tx,
    fragment`insert into activities (op_type, unit, actor_id, repository_id, owner_id, issue_id, entry_id,
        line_comment_id, ref_name, content, created_at, former_owner_id)
      select n.column1, n.column2, a.id, r.id, n.column5, i.id, e.id, c.id, n.column10, n.column11, n.column12, f.id
      from (values ${joined(rows, ', ')}) n
        join accounts a on a.id = n.column3
        join repositories r on r.id = n.column4
        left join issues i on i.id = n.column6
        left join pull_reviews v on v.id = n.column8
        left join issue_entries e on e.id = coalesce(n.column7, v.entry_id)
        left join pull_review_comments c on c.id = n.column9
        left join accounts f on f.id = n.column13
      where (n.column6 is null or i.id is not null) and (n.column7 is null or e.id is not null)
        and (n.column8 is null or v.id is not null) and (n.column9 is null or c.id is not null)
      order by n.column14`,
  );
}

/**
 * Returns the content of activities about dismissed reviews by the ids of the reviews: `NUMBER|REVIEWER|MESSAGE`. A hidden
 * reviewer has no name there.
 */
export async function findDismissals(
  tx: Tx,
  reviewIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (reviewIds.length === 0) return new Map();
  const rows = await query<{ id: number; number: number; reviewer: string; message: string | null }>(
    tx,
    fragment`select v.id, i.number, case when a.visibility = 'public' then a.name else v.original_author end as reviewer,
        (select e.body from issue_entries e where e.issue_id = v.issue_id and e.kind = 'dismiss_review'
          and e.details = '{"reviewId":' || v.id || '}' order by e.id desc limit 1) as message
      from pull_reviews v join issues i on i.id = v.issue_id left join accounts a on a.id = v.account_id
      where v.id in (${values(reviewIds)})`,
  );
  return new Map(
    rows.map(({ id, number, reviewer, message }) => [id, `${number}|${reviewer}|${message ?? ''}`]),
  );
}

/**
 * Deletes the oldest activities from before a time, a bounded number at once.
 *
 * @param before ms
 * @returns how many; if that is the bound, there may be more
 */
export async function deleteOldActivities(tx: Tx, before: number): Promise<number> {
  const deleted = await query(
    tx,
    fragment`delete from activities where id in (select id from (select id, created_at from activities
        order by id limit ${ACTIVITY_LIMITS.prunedAtOnceMax}) oldest where oldest.created_at < ${before})
      returning id`,
  );
  return deleted.length;
}
