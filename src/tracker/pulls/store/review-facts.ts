import type { Db } from '../../../base/database/database.ts';
import { fragment } from '../../../base/database/fragment.ts';
import { query } from '../../../base/database/query.ts';

/** The reviews of a pull request, as far as protections of its base depend on them. Only official ones count. */
export interface ReviewFacts {
  /** ids of those who have approved it last */
  readonly approvers: readonly number[];
  /** of these, the ones who have approved the present head */
  readonly freshApprovers: readonly number[];
  readonly isRejected: boolean;
  /** A review was requested, and is not there yet. */
  readonly isRequested: boolean;
}

export async function readReviewFacts(db: Db, issueId: number): Promise<ReviewFacts> {
  const rows = await query<{ account_id: number | null; state: string; is_stale: number }>(
    db,
    fragment`select r.account_id, r.state, r.is_stale from pull_reviews r
      where r.issue_id = ${issueId} and r.is_official = 1 and r.is_dismissed = 0
        and (r.state in ('approved', 'rejected') or (r.state = 'requested' and (r.account_id is not null
          or exists (select 1 from teams t join repositories o on o.id = r.repository_id and o.owner_id = t.organization_id
            where t.id = r.team_id)))) order by r.id`,
  );
  const last = new Map(
    rows
      .filter(({ account_id: id, state }) => id !== null && state !== 'requested')
      .map((row) => [row.account_id ?? 0, row]),
  );
  const approvals = [...last].filter(([, { state }]) => state === 'approved');
  return {
    approvers: approvals.map(([id]) => id),
    freshApprovers: approvals.filter(([, row]) => row.is_stale === 0).map(([id]) => id),
    isRejected: [...last.values()].some(({ state }) => state === 'rejected'),
    isRequested: rows.some(({ state }) => state === 'requested'),
  };
}
