import type { Db } from '../../../../base/database/database.ts';
import { fragment } from '../../../../base/database/fragment.ts';
import { query } from '../../../../base/database/query.ts';
import type { Reviewer } from '../model.ts';

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
  /** of whom official reviews were requested that are not there yet, also those who cannot approve any more */
  readonly requested: readonly Reviewer[];
}

type FactsRow = {
  account_id: number | null;
  team_id: number | null;
  state: string;
  is_stale: number;
};

export async function readReviewFacts(db: Db, issueId: number): Promise<ReviewFacts> {
  const rows = await query<FactsRow>(
    db,
    fragment`select r.account_id, r.team_id, r.state, r.is_stale from pull_reviews r
      where r.issue_id = ${issueId} and r.is_dismissed = 0
        and (r.state in ('approved', 'rejected') or (r.state = 'requested' and r.is_official = 1)) order by r.id`,
  );
  const last = new Map<number, LastVerdict>();
  const requested: Reviewer[] = [];
  for (const { account_id: accountId, team_id: teamId, state, is_stale: stale } of rows) {
    if (teamId !== null) requested.push({ accountId: null, teamId });
    else if (accountId === null) continue;
    else if (state === 'requested') requested.push({ accountId, teamId });
    else last.set(accountId, { accountId, isApproval: state === 'approved', isStale: stale === 1 });
  }
  return { verdicts: [...last.values()], requested };
}
