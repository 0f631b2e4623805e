import { type Fragment, flag, fragment, joined, literal, raw } from '../../../base/database/fragment.ts';
import { type Level, UNITS, type Unit } from '../levels.ts';
import { BASE, PERMISSION_DIGITS, weightOf } from '../packing.ts';
import { idOf, NO_ID, overridesRights, type Viewer } from '../viewer.ts';
import { hasBlocked } from './blocks.ts';
import { RANKS } from './levels.ts';
import { hasMember } from './organization.ts';

// The only place that decides who sees a repository and at which level. A look-up of one and a list of many both use
// these expressions.

/** An account that levels are worked out for: expressions, from a viewer or from a row. */
interface Holder {
  readonly account: Fragment;
  /** 1 for a site administrator, who holds every level */
  readonly overrides: Fragment;
  /** 0 for an account that sees only what was given to it by name */
  readonly unrestricted: Fragment;
  /** 0 for an anonymous viewer */
  readonly signedIn: Fragment;
}

/**
 * A viewer's permissions on a repository, packed for `permissionsOf`; 0 where it is hidden.
 *
 * Expects `repositories r`, `accounts o` (its owner) and `permissionJoin`.
 */
export function packedPermissions(viewer: Viewer): Fragment {
  if (viewer.deployKeyId !== undefined) return permissionsByDeployKey(viewer.deployKeyId);
  return fragment`case
  when ${flag(viewer.publicOnly)} = 1 and (r.is_private = 1 or o.visibility <> 'public') then 0
  when ${flag(viewer.limitedByToken !== null)} = 1 and not exists (select 1 from token_repositories tk
    where tk.token_id = ${viewer.limitedByToken ?? NO_ID} and tk.repository_id = r.id) then 0
  ${permissionsBy(holderOf(viewer))}
end`;
}

/** A deploy key reads or writes the code of its repository, and nothing else. */
function permissionsByDeployKey(id: number): Fragment {
  return fragment`coalesce((select ${CODE} * case d.is_read_only when 1 then ${RANKS.read} else ${RANKS.write} end
    from deploy_keys d where d.id = ${id} and d.repository_id = r.id), 0)`;
}

const CODE = literal(weightOf(PERMISSION_DIGITS.ofUnit('code')));

/** Joins the viewer's collaboration, which `packedPermissions` reads. */
export function permissionJoin(viewer: Viewer): Fragment {
  return collaborationOf(fragment`${idOf(viewer)}`);
}

function collaborationOf(account: Fragment): Fragment {
  return fragment`left join collaborations c on c.repository_id = r.id and c.account_id = ${account}`;
}

function holderOf(viewer: Viewer): Holder {
  return {
    account: fragment`${idOf(viewer)}`,
    overrides: fragment`${flag(overridesRights(viewer))}`,
    unrestricted: fragment`${flag(!viewer.isRestricted)}`,
    signedIn: fragment`${flag(viewer.accountId !== null)}`,
  };
}

function permissionsBy({ account, overrides, unrestricted, signedIn }: Holder): Fragment {
  return fragment`when ${overrides} = 1 or r.owner_id = ${account} then ${RANKS.owner}
  else case
      when c.level = 'admin' then ${RANKS.admin}
      when c.level = 'write' then ${RANKS.write}
      when c.level = 'read' then ${RANKS.read}
      when r.is_private = 0 and ${unrestricted} = 1
        and (o.visibility = 'public' or (o.visibility = 'limited' and ${signedIn} = 1) or ${hasMember(account)})
        then ${RANKS.read} + case when ${hasBlocked(OWNER, account)} then ${BLOCKED} else 0 end
      when r.is_in_transfer = 1 and exists (select 1 from repository_transfers p
        where p.repository_id = r.id and ${isRecipient(account)}) then ${RANKS.read}
      else 0
    end
    + case when o.kind = 'organization' then ${BY_TEAMS} * ${permissionsByTeams(account)} else 0 end`;
}

const OWNER = raw('r.owner_id');
/** Added to what a stranger holds. A block ends all that the owner has given to the account by name. */
const BLOCKED = literal(weightOf(PERMISSION_DIGITS.blocked));
const BY_TEAMS = literal(weightOf(PERMISSION_DIGITS.byTeams));

/** The highest level of teams on each unit, each at its digit above `BY_TEAMS`. */
const UNITS_BY_TEAMS = raw(
  UNITS.map((unit) => {
    const weight = weightOf(PERMISSION_DIGITS.ofUnit(unit) - PERMISSION_DIGITS.byTeams);
    return `${weight} * coalesce(max(t.${unit}_level), 0)`;
  }).join(' + '),
);

/**
 * What an account's teams give on a repository of their organization. A team with level `admin` makes its members
 * owners of the repository.
 */
function permissionsByTeams(account: Fragment): Fragment {
  return fragment`(select coalesce(max(case when t.level >= ${RANKS.admin} then ${RANKS.owner} else 0 end), 0)
    + ${UNITS_BY_TEAMS}
  from team_members m join teams t on t.id = m.team_id
  where m.account_id = ${account} and m.organization_id = r.owner_id and ${isTeamOf(raw('r.id'))})`;
}

/** Whether `teams t` of the owner of a repository has it. @param repositoryId column or value */
export function isTeamOf(repositoryId: Fragment): Fragment {
  return fragment`(t.includes_all_repositories = 1 or exists (
    select 1 from team_repositories tr where tr.team_id = t.id and tr.repository_id = ${repositoryId}))`;
}

/** Whether an account may answer a transfer: the recipient, or a member who may create repositories in it. */
function isRecipient(account: Fragment): Fragment {
  return fragment`(p.recipient_id = ${account} or exists (select 1
  from team_members m join teams t on t.id = m.team_id
  where m.account_id = ${account} and m.organization_id = p.recipient_id
    and (t.level = ${RANKS.owner} or t.can_create_repositories = 1)))`;
}

/** Whether a viewer may answer a pending transfer. Expects `repository_transfers p`. */
export function isTransferRecipient(viewer: Viewer): Fragment {
  return isRecipient(fragment`${idOf(viewer)}`);
}

/** An account of the statement's rows, `accounts person`, that does not use a token. */
const PERSON: Holder = {
  account: raw('person.id'),
  overrides: raw('person.is_admin'),
  unrestricted: raw('(1 - person.is_restricted)'),
  signedIn: raw('1'),
};

/**
 * Permissions of `accounts person`, packed for `permissionsReach`. Expects what `packedPermissions` does, and
 * `PERSON_JOIN`.
 */
const PERMISSIONS_OF_PERSON = fragment`case
  ${permissionsBy(PERSON)}
end`;

/** Joins the person's collaboration, which `PERMISSIONS_OF_PERSON` reads. */
const PERSON_JOIN = collaborationOf(PERSON.account);

/**
 * Whether an account sees a repository, without a token. Expects `repositories r` and `accounts o` (its owner).
 *
 * @param account column with the account's id
 */
export function seenBy(account: Fragment): Fragment {
  return fragment`exists (select 1 from accounts person ${PERSON_JOIN}
    where person.id = ${account} and ${PERMISSIONS_OF_PERSON} > 0)`;
}

/** Whether the column `permissions`, which is packed, reaches `level` on one of these units. */
export function permissionsReach(level: Level, units: readonly Unit[]): Fragment {
  // The digits `direct` and `byTeams` count for every unit.
  const digits = [
    PERMISSION_DIGITS.direct,
    PERMISSION_DIGITS.byTeams,
    ...units.map(PERMISSION_DIGITS.ofUnit),
  ];
  const reached = digits.map(
    (digit) => fragment`permissions / ${literal(weightOf(digit))} % ${literal(BASE)} >= ${RANKS[level]}`,
  );
  return fragment`(${joined(reached, ' or ')})`;
}

/**
 * Statement that selects the ids of the active users among the candidates who hold a level on one of these units of a
 * repository, and whom its owner has not blocked.
 *
 * @param candidates statement that selects ids; it may read the repository, `r`
 */
export function accountsWith(
  { level, units }: { readonly level: Level; readonly units: readonly Unit[] },
  repositoryId: number,
  candidates: Fragment,
): Fragment {
  return fragment`select able.id from (select person.id, ${PERMISSIONS_OF_PERSON} as permissions from repositories r
      join accounts o on o.id = r.owner_id
      join accounts person on person.id in (${candidates}) and person.kind = 'user' and person.is_active = 1
      ${PERSON_JOIN}
      where r.id = ${repositoryId}) able
    where ${permissionsReach(level, units)} and permissions < ${BLOCKED}`;
}

/**
 * Statement that selects the ids of those of some repositories on which the viewer holds a level on one of these units.
 *
 * @param condition on `repositories r`
 */
export function repositoriesWith(
  { level, units }: { readonly level: Level; readonly units: readonly Unit[] },
  viewer: Viewer,
  condition: Fragment,
): Fragment {
  return fragment`select able.id from (select r.id, ${packedPermissions(viewer)} as permissions from repositories r
      join accounts o on o.id = r.owner_id ${permissionJoin(viewer)}
      where ${condition}) able
    where ${permissionsReach(level, units)}`;
}
