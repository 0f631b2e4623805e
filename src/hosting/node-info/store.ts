import type { Db } from '../../base/database/database.ts';
import { fragment } from '../../base/database/fragment.ts';
import { queryFirst } from '../../base/database/query.ts';

export interface SiteCounts {
  readonly users: number;
  /** users who have signed in within these times */
  readonly activeInHalfYear: number;
  readonly activeInMonth: number;
  /** issues and pull requests */
  readonly issues: number;
  readonly comments: number;
}

const DAY_MS = 24 * 60 * 60_000;

/** Counts users, and adds up the counts of all repositories. */
export async function countSite(db: Db, now: number): Promise<SiteCounts> {
  const row = await queryFirst<SiteCounts>(
    db,
    fragment`select u.users as "users", u.half_year as "activeInHalfYear", u.month as "activeInMonth",
      r.issues as "issues", r.comments as "comments"
    from (select count(*) as users,
        cast(coalesce(sum(case when u.last_login_at >= ${now - 180 * DAY_MS} then 1 else 0 end), 0) as bigint) as half_year,
        cast(coalesce(sum(case when u.last_login_at >= ${now - 30 * DAY_MS} then 1 else 0 end), 0) as bigint) as month
      from accounts u where u.kind = 'user') u
    cross join (select
        cast(coalesce(sum(open_issues_count + closed_issues_count + open_pulls_count + closed_pulls_count), 0)
          as bigint) as issues,
        cast(coalesce(sum(comments_count), 0) as bigint) as comments
      from repositories) r`,
  );
  return row ?? { users: 0, activeInHalfYear: 0, activeInMonth: 0, issues: 0, comments: 0 };
}
