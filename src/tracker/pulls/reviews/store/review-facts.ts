import type { Db } from '../../../../base/database/database.ts';
import { fragment } from '../../../../base/database/fragment.ts';
import { query } from '../../../../base/database/query.ts';

/** The last review of one user that approves or requests changes. */
export interface LastVerdict {
  readonly accountId: number;
  readonly isApproval: boolean;
  /** It is of an earlier head. */
  readonly isStale: boolean;
}

/** The reviews of a pull request, as far as protections of its base depend on them. */
export interface ReviewFacts {
  /** of all users, also of those whose approvals do not count for the base */
  readonly verdicts: readonly LastVerdict[];
  /** An official review was requested, and is not there yet. */
  readonly isRequested: boolean;
}

export async function readReviewFacts(db: Db, issueId: number): Promise<ReviewFacts> {
  const rows = await query<{ account_id: number | null; state: string; is_stale: number }>(
    db,
    fragment`select r.account_id, r.state, r.is_stale from pull_reviews r
      where r.issue_id = ${issueId} and r.is_dismissed = 0
        and (r.state in ('approved', 'rejected') or (r.state = 'requested' and r.is_official = 1
          and (r.account_id is not null or exists (select 1 from teams t
            join repositories o on o.id = r.repository_id and o.owner_id = t.organization_id
            where t.id = r.team_id)))) order by r.id`,
  );
  const last = new Map<number, LastVerdict>();
  for (const { account_id: accountId, state, is_stale: stale } of rows) {
    if (accountId === null || state === 'requested') continue;
    last.set(accountId, { accountId, isApproval: state === 'approved', isStale: stale === 1 });
  }
  return {
    verdicts: [...last.values()],
    isRequested: rows.some(({ state }) => state === 'requested'),
  };
}
