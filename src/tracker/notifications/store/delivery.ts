import { hasBlocked } from '../../../api/access/store/blocks.ts';
import { accountsWith } from '../../../api/access/store/repository.ts';
import { hasUnit } from '../../../api/access/store/trackers.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { type Fragment, fragment, joined, raw, values } from '../../../base/database/fragment.ts';
import { query } from '../../../base/database/query.ts';
import { unitOf } from '../../../hosting/repositories/tracker.ts';
import type { Notice } from '../notices.ts';
import { STATUS_CODES } from './threads.ts';

/**
 * Lists accounts that an issue concerns, in the order of their ids: those that watch its repository, have subscribed to
 * it, wrote it or a comment, reviewed it or are asked to, are assigned or are mentioned.
 *
 * @param after leaves out ids up to this one
 */
export async function listConcerned(
  db: Db,
  { issueId, repositoryId, at }: Notice,
  { after, limit }: { after: number; limit: number },
): Promise<readonly number[]> {
  const first = (rows: Fragment, id: Fragment) =>
    fragment`select * from (select ${id} as id from ${rows} and ${id} > ${after} order by id limit ${limit}) part`;
  const account = raw('account_id');
  const subject = raw('subject_id');
  const author = raw('author_id');
  const groups = [
    first(fragment`watches where repository_id = ${repositoryId}`, account),
    first(fragment`issue_subscriptions where issue_id = ${issueId} and is_watching = 1`, account),
    first(fragment`issues where id = ${issueId}`, author),
    // Who has written only later knows it already.
    first(
      fragment`(select distinct author_id from issue_entries
        where issue_id = ${issueId} and kind = 'comment' and created_at <= ${at}) people where true`,
      author,
    ),
    first(
      fragment`(select distinct account_id from pull_reviews
        where issue_id = ${issueId} and account_id is not null and state <> 'pending') people where true`,
      account,
    ),
    first(fragment`issue_assignees where issue_id = ${issueId}`, subject),
    first(fragment`issue_mentions where issue_id = ${issueId}`, subject),
  ];
  const rows = await query<{ id: number }>(
    db,
    fragment`select id from (${joined(groups, ' union ')}) concerned order by id limit ${limit}`,
  );
  return rows.map(({ id }) => id);
}

/** Lists the members of a team, in the same way. */
export async function listMembers(
  db: Db,
  teamId: number,
  { after, limit }: { after: number; limit: number },
): Promise<readonly number[]> {
  const rows = await query<{ account_id: number }>(
    db,
    fragment`select account_id from team_members where team_id = ${teamId} and account_id > ${after}
      order by account_id limit ${limit}`,
  );
  return rows.map(({ account_id }) => account_id);
}

/** Lists the accounts that an issue mentions, in the same way. */
export async function listMentioned(
  db: Db,
  { issueId }: Notice,
  { after, limit }: { after: number; limit: number },
): Promise<readonly number[]> {
  const rows = await query<{ subject_id: number }>(
    db,
    fragment`select subject_id from issue_mentions where issue_id = ${issueId} and subject_id > ${after}
      order by subject_id limit ${limit}`,
  );
  return rows.map(({ subject_id }) => subject_id);
}

/**
 * Writes what an event means for some accounts: a read thread becomes unread, a pinned one stays pinned. Leaves out the
 * actor, those who do not want to know or have blocked the actor, and those who may not read the issue. Does nothing where the thread has taken
 * in this event or a later one.
 *
 * @returns the accounts of the threads that were written
 * @param options.isNews for what only the first notification is for
 */
export async function upsertThreads(
  tx: Tx,
  notice: Notice,
  accountIds: readonly number[],
  options: { isNews: boolean },
): Promise<readonly number[]> {
  if (accountIds.length === 0) return [];
  const { issueId, isPull = false, repositoryId, actorId, position, at } = notice;
  const { unread, read } = STATUS_CODES;
  const unit = unitOf({ isPull });
  const readers = accountsWith({ level: 'read', units: [unit] }, repositoryId, values(accountIds));
  const onConflict = options.isNews
    ? fragment`do nothing`
    : fragment`do update set event_position = excluded.event_position, updated_at = excluded.updated_at,
        status = case when notification_threads.status = ${read} then ${unread} else notification_threads.status end
      where notification_threads.event_position < excluded.event_position`;
  const rows = await query<{ account_id: number }>(
    tx,
    fragment`insert into notification_threads
        (account_id, issue_id, repository_id, status, event_position, updated_at)
      select p.id, i.id, i.repository_id, ${unread}, ${position}, ${at}
        from issues i join repositories r on r.id = i.repository_id and ${hasUnit(unit)}
        join accounts p on p.id in (${readers})
        where i.id = ${issueId} and p.id <> ${actorId ?? 0} and p.id not in (
          select s.account_id from issue_subscriptions s where s.issue_id = ${issueId} and s.is_watching = 0)
          and not ${hasBlocked(raw('p.id'), fragment`cast(${actorId ?? 0} as bigint)`)}
        order by p.id
      on conflict (issue_id, account_id) ${onConflict} returning account_id`,
  );
  return rows.map(({ account_id }) => account_id);
}
