import { type Fragment, flag, fragment, literal } from '../../../base/database/fragment.ts';
import { rankOfLevel } from '../levels.ts';
import { STANDING_DIGITS, weightOf } from '../packing.ts';
import { idOf, isUnrestricted, overridesRights, type Viewer } from '../viewer.ts';
import { RANKS } from './levels.ts';

/**
 * Whether an organization has an account as a member. Expects `accounts o`, the organization.
 *
 * @param account column or parameter with the account's id
 */
export function hasMember(account: Fragment): Fragment {
  return fragment`exists (select 1 from organization_members om
    where om.organization_id = o.id and om.account_id = ${account})`;
}

const VISIBLE = weightOf(STANDING_DIGITS.visible);
const MEMBER = weightOf(STANDING_DIGITS.member);
const TEAM_LEVEL = weightOf(STANDING_DIGITS.teamLevel);
const MAY_CREATE = weightOf(STANDING_DIGITS.mayCreate);

const SEES = literal(VISIBLE);
const IS_MEMBER = literal(MEMBER);
const SEES_AS_MEMBER = literal(VISIBLE + MEMBER);
const ALL_BUT_MEMBERSHIP = literal(VISIBLE + TEAM_LEVEL * rankOfLevel('owner') + MAY_CREATE);

/**
 * A viewer's standing in an organization, for `standingOf` to read; 0 where the organization is hidden.
 *
 * Expects `accounts o`, the organization.
 */
export function organizationStanding(viewer: Viewer): Fragment {
  const account = idOf(viewer);
  return fragment`case
  when ${flag(viewer.publicOnly)} = 1 and o.visibility <> 'public' then 0
  when ${flag(overridesRights(viewer))} = 1 or o.id = ${account}
    then ${ALL_BUT_MEMBERSHIP} + case when ${hasMember(fragment`${account}`)} then ${IS_MEMBER} else 0 end
  else case when o.visibility = 'public' or (o.visibility = 'limited' and ${flag(isUnrestricted(viewer))} = 1)
      then ${SEES} else 0 end
    + coalesce((select ${SEES_AS_MEMBER} + ${literal(TEAM_LEVEL)} * max(t.level)
        + ${literal(MAY_CREATE)} * max(case when t.level = ${RANKS.owner} then 1 else t.can_create_repositories end)
      from team_members m join teams t on t.id = m.team_id
      where m.account_id = ${account} and m.organization_id = o.id), 0)
end`;
}
