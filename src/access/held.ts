import type { Scalar } from '../database/database.ts';
import { type Held, LEVELS, type Level, rankOfLevel, UNITS, type Unit } from './levels.ts';
import type { Standing } from './standing.ts';
import type { Viewer } from './viewer.ts';

// The only place that knows who may see what: looking one up and listing many both ask these expressions. Levels are
// packed into one number, three bits each, so that one indexed query gives them all.

/** One more than the highest rank that fits into a place. */
const PLACE = 8;
const OWNER_RANK = rankOfLevel('owner');
const ADMIN_RANK = rankOfLevel('admin');
const WRITE_RANK = rankOfLevel('write');

/** A team's columns of levels, each at its place. */
const TEAM_UNITS = UNITS.map((unit, index) => `${PLACE ** (index + 1)} * coalesce(max(t.${unit}_level), 0)`);

/** Who holds: SQL expressions. */
interface Holder {
  readonly account: string;
  /** 1 for whoever needs no right that others give */
  readonly overrides: string;
  /** 1 for whoever sees more than what was given to them by name */
  readonly unrestricted: string;
  readonly signedIn: string;
}

/**
 * What somebody's teams give on a repository of their organization. Whoever administers by a team administers the
 * whole repository, so such a team counts as an owner of it.
 */
function heldByTeams(account: string): string {
  return `(select coalesce(max(case when t.level >= ${ADMIN_RANK} then ${OWNER_RANK} else 0 end), 0)
    + ${TEAM_UNITS.join(' + ')}
  from team_members m join teams t on t.id = m.team_id
  where m.account_id = ${account} and m.organization_id = r.owner_id and (t.includes_all_repositories = 1 or exists (
    select 1 from team_repositories tr where tr.team_id = t.id and tr.repository_id = r.id)))`;
}

function inOrganization(account: string): string {
  return `exists (select 1 from organization_members om
    where om.organization_id = o.id and om.account_id = ${account})`;
}

function askedToTake(account: string): string {
  return `(p.recipient_id = ${account} or exists (select 1
  from team_members m join teams t on t.id = m.team_id
  where m.account_id = ${account} and m.organization_id = p.recipient_id
    and (t.level = ${OWNER_RANK} or t.can_create_repositories = 1)))`;
}

function heldBy({ account, overrides, unrestricted, signedIn }: Holder): string {
  return `when ${overrides} = 1 or r.owner_id = ${account} then ${OWNER_RANK}
  else case
      when c.level = 'admin' then ${ADMIN_RANK}
      when c.level = 'write' then ${rankOfLevel('write')}
      when c.level = 'read' then ${rankOfLevel('read')}
      when r.is_private = 0 and ${unrestricted} = 1
        and (o.visibility = 'public' or (o.visibility = 'limited' and ${signedIn} = 1) or ${inOrganization(account)})
        then ${rankOfLevel('read')}
      when r.is_in_transfer = 1 and exists (select 1 from repository_transfers p
        where p.repository_id = r.id and ${askedToTake(account)}) then ${rankOfLevel('read')}
      else 0
    end
    + case when o.kind = 'organization' then ${PLACE} * ${heldByTeams(account)} else 0 end`;
}

/**
 * Whether a viewer was asked to take a repository over, or may make repositories in the organization that was. Expects
 * `repository_transfers p`; its parameters are `askedParameters(viewer)`.
 */
export const ASKED_TO_TAKE = askedToTake('?');

export function askedParameters(viewer: Viewer): readonly Scalar[] {
  const account = viewerParameter(viewer);
  return [account, account];
}

/**
 * What a viewer holds on a repository, as one SQL expression: 0 for nothing at all, else for `heldOf` to read.
 *
 * Expects the tables `repositories r` and `accounts o` (the owner) and, for the viewer's own collaboration,
 * `HELD_JOIN`. Its parameters are `heldParameters(viewer)`.
 */
export const HELD_LEVEL = `case
  when ? = 1 and (r.is_private = 1 or o.visibility <> 'public') then 0
  when ? = 1 and not exists (select 1 from token_repositories tk where tk.token_id = ? and tk.repository_id = r.id)
    then 0
  ${heldBy({ account: '?', overrides: '?', unrestricted: '?', signedIn: '?' })}
end`;

/**
 * The same for any `accounts person` of the rows that are asked for, who comes by no token. Expects `PERSON_JOIN`, and has
 * no parameters.
 */
export const HELD_BY_PERSON = `case
  ${heldBy({ account: 'person.id', overrides: 'person.is_admin', unrestricted: '(1 - person.is_restricted)', signedIn: '1' })}
end`;

export const PERSON_JOIN =
  'left join collaborations c on c.repository_id = r.id and c.account_id = person.id';

/**
 * Whether somebody sees a repository, by no token: a condition in SQL that expects `repositories r` and `accounts o`.
 *
 * @param account column that names them
 */
export function seenBy(account: string): string {
  return `exists (select 1 from accounts person ${PERSON_JOIN} where person.id = ${account} and ${HELD_BY_PERSON} > 0)`;
}

/** Whether what is held, in a column `held`, reaches a level on one of these units; as a condition in SQL. */
export function heldReaches(level: Level, units: readonly Unit[]): string {
  // The two lowest places hold for all units.
  const places = [0, 1, ...units.map((unit) => UNITS.indexOf(unit) + 2)];
  const rank = rankOfLevel(level);
  return `(${places.map((place) => `held / ${PLACE ** place} % ${PLACE} >= ${rank}`).join(' or ')})`;
}

/** Joins what `HELD_LEVEL` reads. Its one parameter is the viewer's account. */
export const HELD_JOIN = 'left join collaborations c on c.repository_id = r.id and c.account_id = ?';

/** No row has this id. */
const NOBODY = 0;

/** A site administrator needs no right that others give, but by a token for public things alone has only those. */
export function overridesRights(viewer: Viewer): boolean {
  return viewer.isAdmin && !viewer.publicOnly;
}

export function viewerParameter(viewer: Viewer): number {
  return viewer.accountId ?? NOBODY;
}

export function heldParameters(viewer: Viewer): readonly Scalar[] {
  const account = viewerParameter(viewer);
  return [
    flag(viewer.publicOnly),
    flag(viewer.limitedByToken !== null),
    viewer.limitedByToken ?? NOBODY,
    flag(overridesRights(viewer)),
    account,
    // Somebody who is restricted sees only what was given to them by name.
    flag(!viewer.isRestricted),
    flag(viewer.accountId !== null),
    account,
    // Whoever is to decide about a repository sees what it is.
    ...askedParameters(viewer),
    account,
  ];
}

/** Reads what `HELD_LEVEL` gave. */
export function heldOf(packed: number): Held {
  return EVERYWHERE[packed] ?? unpacked(packed);
}

function unpacked(packed: number): Held {
  const [everywhere = 0, byTeams = 0, ...byUnit] = places(packed);
  const whole = Math.max(everywhere, byTeams);
  const ranks = UNITS.map((_, index) => Math.max(whole, byUnit[index] ?? 0));
  const units = Object.fromEntries(UNITS.map((unit, index) => [unit, levelOfRank(ranks[index] ?? 0)]));
  // Whoever administers a unit does not administer the repository: they could give themselves the other units.
  const byAnyUnit = Math.min(Math.max(...ranks), WRITE_RANK);
  return { level: levelOfRank(Math.max(whole, byAnyUnit)), units: units as Record<Unit, Level> };
}

/** The same level on everything, by its rank: what there is where no team gives anything. */
const EVERYWHERE: readonly Held[] = LEVELS.map((_, rank) => unpacked(rank));

export function levelOfRank(rank: number): Level {
  return LEVELS[rank] ?? 'none';
}

/** The digits of a packed number, lowest first. Numbers here go beyond the 32 bits that shifts keep. */
function places(packed: number): readonly number[] {
  const found: number[] = [];
  for (let rest = packed; rest > 0; rest = Math.floor(rest / PLACE)) found.push(rest % PLACE);
  return found;
}

/**
 * Whether a viewer may know of an account, 1 or 0. Expects `accounts o`; its parameters are `visibleParameters(viewer)`.
 * Members of one organization know each other.
 */
export const ACCOUNT_VISIBLE = `case
  when o.visibility = 'public' then 1
  when ? = 1 then 0
  when ? = 1 or o.id = ? then 1
  when o.visibility = 'limited' and ? = 1 then 1
  when o.kind = 'organization' and ${inOrganization('?')} then 1
  when o.kind = 'user' and exists (select 1 from organization_members a
    join organization_members b on b.organization_id = a.organization_id
    where a.account_id = o.id and b.account_id = ?) then 1
  else 0
end`;

export function visibleParameters(viewer: Viewer): readonly Scalar[] {
  const account = viewerParameter(viewer);
  const isUnrestricted = viewer.accountId !== null && !viewer.isRestricted;
  return [flag(viewer.publicOnly), flag(viewer.isAdmin), account, flag(isUnrestricted), account, account];
}

const VISIBLE = 1;
const MEMBER = PLACE;
const TEAM_LEVEL = PLACE ** 2;
const MAY_CREATE = PLACE ** 3;
const ALL_STANDING = VISIBLE + TEAM_LEVEL * OWNER_RANK + MAY_CREATE;

/**
 * How a viewer stands in an organization, for `standingOf` to read; 0 where it is hidden. Expects `accounts o`; its
 * parameters are `standingParameters(viewer)`.
 */
export const ORGANIZATION_STANDING = `case
  when ? = 1 and o.visibility <> 'public' then 0
  when ? = 1 or o.id = ? then ${ALL_STANDING} + case when ${inOrganization('?')} then ${MEMBER} else 0 end
  else case when o.visibility = 'public' or (o.visibility = 'limited' and ? = 1) then ${VISIBLE} else 0 end
    + coalesce((select ${VISIBLE + MEMBER} + ${TEAM_LEVEL} * max(t.level)
        + ${MAY_CREATE} * max(case when t.level = ${OWNER_RANK} then 1 else t.can_create_repositories end)
      from team_members m join teams t on t.id = m.team_id
      where m.account_id = ? and m.organization_id = o.id), 0)
end`;

export function standingParameters(viewer: Viewer): readonly Scalar[] {
  const account = viewerParameter(viewer);
  const isUnrestricted = flag(viewer.accountId !== null && !viewer.isRestricted);
  return [flag(viewer.publicOnly), flag(overridesRights(viewer)), account, account, isUnrestricted, account];
}

/** Reads what `ORGANIZATION_STANDING` gave. */
export function standingOf(packed: number): Standing {
  const [visible = 0, member = 0, teamRank = 0, mayCreate = 0] = places(packed);
  return {
    isVisible: visible > 0,
    isMember: member > 0,
    teamLevel: levelOfRank(teamRank),
    mayCreateRepositories: mayCreate > 0,
  };
}

function flag(value: boolean): number {
  return value ? 1 : 0;
}
