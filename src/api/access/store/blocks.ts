import { type Fragment, fragment } from '../../../base/database/fragment.ts';

/**
 * Whether an account has blocked another one. The only place that decides it.
 *
 * @param blocker column or parameter with the id of a user or an organization
 * @param account column or parameter with the id of the account that may be blocked
 */
export function hasBlocked(blocker: Fragment, account: Fragment): Fragment {
  return fragment`exists (select 1 from blocks b where b.blocker_id = ${blocker} and b.blocked_id = ${account})`;
}
