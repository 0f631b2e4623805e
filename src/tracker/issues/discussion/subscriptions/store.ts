import { accountVisible } from '../../../../api/access/store/account.ts';
import { accountsWith } from '../../../../api/access/store/repository.ts';
import type { Viewer } from '../../../../api/access/viewer.ts';
import type { Page, Paging } from '../../../../base/core/paging.ts';
import { currentTimeMs } from '../../../../base/core/time/clock.ts';
import type { Db, Tx } from '../../../../base/database/database.ts';
import { flag, fragment } from '../../../../base/database/fragment.ts';
import { queryFirst, queryPage } from '../../../../base/database/query.ts';
import { type TrackerKind, unitOf } from '../../../../hosting/repositories/tracker.ts';
import { USER_COLUMNS, userOfColumns } from '../../../../people/accounts/columns.ts';
import type { ShownAccount } from '../../../../people/accounts/model.ts';
import type { Numbered } from '../../models/events.ts';

interface IssueKey extends TrackerKind {
  readonly id: number;
  readonly repositoryId: number;
}

/**
 * Lists the users who have subscribed to an issue, the earliest first. Leaves out accounts that are not active, that no
 * longer see the issue, or that are hidden from the viewer.
 */
export function listSubscribers(
  db: Db,
  viewer: Viewer,
  issue: IssueKey,
  paging: Paging,
): Promise<Page<ShownAccount>> {
  const subscribed = fragment`select account_id from issue_subscriptions
    where issue_id = ${issue.id} and is_watching = 1`;
  const readers = accountsWith({ level: 'read', units: [unitOf(issue)] }, issue.repositoryId, subscribed);
  const people = {
    select: USER_COLUMNS,
    from: fragment`issue_subscriptions s join accounts o on o.id = s.account_id
      where s.issue_id = ${issue.id} and o.id in (${readers})
        and o.is_login_prohibited = 0 and ${accountVisible(viewer)} = 1`,
    orderBy: fragment`s.created_at, o.id`,
  };
  return queryPage(db, people, paging, userOfColumns);
}

/** Finds the choice of an account for an issue; undefined if it has made none. */
export async function findSubscription(
  db: Db,
  issueId: number,
  accountId: number,
): Promise<boolean | undefined> {
  const row = await queryFirst<{ is_watching: number }>(
    db,
    fragment`select is_watching from issue_subscriptions
      where issue_id = ${issueId} and account_id = ${accountId}`,
  );
  return row && row.is_watching === 1;
}

/**
 * Whether an account watches the repository of an issue, or takes part in it: as its author, with a comment or a
 * review, or because a review is requested of it.
 */
export async function isInvolved(db: Db, issue: IssueKey, accountId: number): Promise<boolean> {
  const found = await queryFirst(
    db,
    fragment`select 1 as found from watches where account_id = ${accountId} and repository_id = ${issue.repositoryId}
      union all select 1 from issues where id = ${issue.id} and author_id = ${accountId}
      union all select 1 from issue_entries
        where issue_id = ${issue.id} and kind = 'comment' and author_id = ${accountId}
      union all select 1 from pull_reviews
        where issue_id = ${issue.id} and account_id = ${accountId} and state <> 'pending' limit 1`,
  );
  return found !== undefined;
}

/** Returns what an event names an issue by, without authorization. */
export async function findNumbered(
  db: Db,
  issueId: number,
): Promise<(Required<Numbered> & { readonly repositoryId: number }) | undefined> {
  const row = await queryFirst<{ number: number; is_pull: number; repository_id: number }>(
    db,
    fragment`select number, is_pull, repository_id from issues where id = ${issueId}`,
  );
  return row && { issueId, number: row.number, isPull: row.is_pull === 1, repositoryId: row.repository_id };
}

/** @returns whether the choice has changed */
export async function setSubscription(
  tx: Tx,
  subscription: { readonly issueId: number; readonly accountId: number; readonly isWatching: boolean },
): Promise<boolean> {
  const { issueId, accountId, isWatching } = subscription;
  const changed = await queryFirst(
    tx,
    fragment`insert into issue_subscriptions (issue_id, account_id, is_watching, created_at)
      values (${issueId}, ${accountId}, ${flag(isWatching)}, ${currentTimeMs()})
      on conflict (issue_id, account_id) do update
        set is_watching = excluded.is_watching, created_at = excluded.created_at
        where issue_subscriptions.is_watching <> excluded.is_watching
      returning account_id`,
  );
  return changed !== undefined;
}
