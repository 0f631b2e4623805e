import { type Fragment, flag, fragment } from '../../../base/database/fragment.ts';
import { idOf, isUnrestricted, type Viewer } from '../viewer.ts';
import { hasMember } from './organization.ts';

/**
 * Whether an account is visible to a viewer, 1 or 0. Members of one organization see each other.
 *
 * Expects `accounts o`.
 */
export function accountVisible(viewer: Viewer): Fragment {
  const account = idOf(viewer);
  return fragment`case
  when o.visibility = 'public' then 1
  when ${flag(viewer.publicOnly)} = 1 then 0
  when ${flag(viewer.isAdmin)} = 1 or o.id = ${account} then 1
  when o.visibility = 'limited' and ${flag(isUnrestricted(viewer))} = 1 then 1
  when o.kind = 'organization' and ${hasMember(fragment`${account}`)} then 1
  when o.kind = 'user' and exists (select 1 from organization_members a
    join organization_members b on b.organization_id = a.organization_id
    where a.account_id = o.id and b.account_id = ${account}) then 1
  else 0
end`;
}
