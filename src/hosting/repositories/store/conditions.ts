import { accountVisible } from '../../../api/access/store/account.ts';
import {
  FACETS,
  PRIVATE_FACETS,
  repositoriesByTeams,
  type Seen,
  seenRepositories,
} from '../../../api/access/store/facets.ts';
import { seenBy } from '../../../api/access/store/repository.ts';
import { idOf, NO_ID, overridesRights, type Viewer } from '../../../api/access/viewer.ts';
import type { Dialect } from '../../../base/database/database.ts';
import { type Fragment, flag, fragment, joined, raw } from '../../../base/database/fragment.ts';
import type { PersonsPart, RepositorySelection, SearchWords } from '../selection.ts';

// Conditions on `repositories r`. A plus before a column keeps a planner from using the column's index; both databases
// accept it.

/** What a repository must match: `seen`, all of `narrow` and all of `pass`. */
export interface Conditions {
  /** each finds few rows, by an index */
  readonly narrow: readonly Fragment[];
  /** checked on each row that another condition has found */
  readonly pass: readonly Fragment[];
  /** finds the repositories that are open to the viewer, by the index of facets; undefined: none are */
  readonly open: Fragment | undefined;
  /** finds the others that the viewer sees, by their ids; undefined: there are none */
  readonly given: Fragment | undefined;
  /** `open` or `given`, checked on each row that another condition has found */
  readonly seen: Fragment;
  /** those with facets below this are open; others below `givenBelow` may be given */
  readonly openBelow: number;
  readonly givenBelow: number;
}

export function conditionsOf(dialect: Dialect, viewer: Viewer, selection: RepositorySelection): Conditions {
  const seen = seenRepositories(viewer, { onlyOpenToAll: selection.onlyOpenToAll ?? false });
  return {
    narrow: narrowings(viewer, seen, selection),
    pass: filters(dialect, selection),
    open: seen.openBelow === 0 ? undefined : fragment`r.facets < ${seen.openBelow}`,
    given: isGiven(seen),
    seen: isSeen(seen),
    openBelow: seen.openBelow,
    givenBelow: seen.givenBelow,
  };
}

export function allOf(conditions: readonly Fragment[]): Fragment {
  return joined(conditions, ' and ');
}

export function openMatches({ open, pass }: Conditions): Fragment | undefined {
  return open && allOf([open, ...pass]);
}

export function givenMatches({ given, pass }: Conditions): Fragment | undefined {
  return given && allOf([given, ...pass]);
}

export function narrowMatches({ narrow, seen, pass }: Conditions): Fragment {
  return allOf([...narrow, seen, ...pass]);
}

function anyOf(conditions: readonly Fragment[]): Fragment {
  return conditions.length === 0 ? fragment`(1 = 0)` : fragment`(${joined(conditions, ' or ')})`;
}

function isGiven({ openBelow, givenBelow, given }: Seen): Fragment | undefined {
  if (givenBelow <= openBelow) return undefined;
  return fragment`r.id in (${given}) and +r.facets >= ${openBelow} and +r.facets < ${givenBelow}`;
}

function isSeen({ openBelow, givenBelow, given }: Seen): Fragment {
  const open = fragment`+r.facets < ${openBelow}`;
  return givenBelow <= openBelow
    ? open
    : anyOf([open, fragment`(+r.facets < ${givenBelow} and r.id in (${given}))`]);
}

function narrowings(viewer: Viewer, seen: Seen, selection: RepositorySelection): readonly Fragment[] {
  const { of, parentId, teamId, starredBy, onlyOpenToAll = false } = selection;
  return [
    seen.named && fragment`r.id in (${seen.named})`,
    of && ofPerson(viewer, of, { showsHidden: !onlyOpenToAll }),
    parentId !== undefined && fragment`r.parent_id = ${parentId}`,
    teamId !== undefined && ofTeam(viewer, teamId),
    starredBy !== undefined && isStarred(viewer, starredBy),
  ].filter((condition) => typeof condition === 'object' && condition !== null);
}

export function hasOwner(ownerId: number): Fragment {
  return fragment`r.owner_id = ${ownerId}`;
}

export function hasOtherOwner(ownerId: number): Fragment {
  return fragment`+r.owner_id <> ${ownerId}`;
}

function ofPerson(viewer: Viewer, of: PersonsPart, options: { showsHidden: boolean }): Fragment {
  const { accountId, part } = of;
  if (part === 'owned') return hasOwner(accountId);
  const contributed = contributedBy(viewer, accountId, options);
  return part === 'contributed'
    ? fragment`r.id in (${contributed}) and ${hasOtherOwner(accountId)}`
    : fragment`r.id in (select own.id from repositories own where own.owner_id = ${accountId} union all ${contributed})`;
}

function isVisibleAccount(viewer: Viewer, accountId: number): Fragment {
  return fragment`exists (select 1 from accounts o where o.id = ${accountId} and ${accountVisible(viewer)} = 1)`;
}

/** Ids of repositories that an account has by a collaboration or a team, as far as the viewer may see this. */
function contributedBy(viewer: Viewer, accountId: number, options: { showsHidden: boolean }): Fragment {
  const visible = isVisibleAccount(viewer, accountId);
  const byTeams = repositoriesByTeams(accountId, isShownMembership(viewer, accountId, options));
  return fragment`select c.repository_id from collaborations c where c.account_id = ${accountId} and ${visible}
      union all select * from (${byTeams}) by_teams where ${visible}`;
}

/** Whether a membership `m` is visible: it is public, or the viewer is the member, a fellow member or an administrator. */
function isShownMembership(
  viewer: Viewer,
  accountId: number,
  { showsHidden }: { showsHidden: boolean },
): Fragment {
  const showsAll = showsHidden && (viewer.accountId === accountId || overridesRights(viewer));
  return fragment`(${flag(showsAll)} = 1 or exists (select 1 from organization_members om
  where om.organization_id = m.organization_id and om.account_id = m.account_id and (om.is_public = 1 or exists (
    select 1 from organization_members fellow
    where fellow.organization_id = om.organization_id and fellow.account_id = ${showsHidden ? idOf(viewer) : NO_ID}))))`;
}

/** Only members of its organization see the repositories of a team. */
function ofTeam(viewer: Viewer, teamId: number): Fragment {
  return fragment`r.id in (
      select tr.repository_id from team_repositories tr where tr.team_id = ${teamId}
      union all select i.id from teams t join repositories i on i.owner_id = t.organization_id
        where t.id = ${teamId} and t.includes_all_repositories = 1)
      and (${flag(overridesRights(viewer))} = 1 or exists (select 1 from teams t
        join organization_members om on om.organization_id = t.organization_id
        where t.id = ${teamId} and om.account_id = ${idOf(viewer)}))`;
}

/** Leaves out the stars of accounts that hide their activity, and stars on repositories that the account lost. */
function isStarred(viewer: Viewer, accountId: number): Fragment {
  return fragment`r.id in (select r.id from stars s join repositories r on r.id = s.repository_id
        join accounts o on o.id = r.owner_id
        where s.account_id = ${accountId} and ${seenBy(fragment`s.account_id`)})
      and exists (select 1 from accounts who where who.id = ${accountId}
        and (who.hides_activity = 0 or ${flag(overridesRights(viewer))} = 1 or who.id = ${idOf(viewer)}))
      and ${isVisibleAccount(viewer, accountId)}`;
}

function filters(dialect: Dialect, { is = {}, words = [] }: RepositorySelection): readonly Fragment[] {
  return [
    ...traitFilters(is),
    ...(words.length === 0 ? [] : [anyOf(words.flatMap((each) => saying(dialect, each)))]),
  ];
}

function traitFilters(is: NonNullable<RepositorySelection['is']>): readonly Fragment[] {
  const found: Fragment[] = [];
  const asked = Object.entries(FACETS).filter(([trait]) => is[trait as keyof typeof FACETS] !== undefined);
  const wanted = asked.filter(([trait]) => is[trait as keyof typeof FACETS] === true);
  if (asked.length > 0) found.push(fragment`(+r.facets & ${bitsOf(asked)}) = ${bitsOf(wanted)}`);
  if (is.private === true) found.push(fragment`+r.facets >= ${PRIVATE_FACETS}`);
  if (is.private === false) found.push(fragment`+r.facets < ${PRIVATE_FACETS}`);
  return found;
}

function bitsOf(facets: readonly (readonly [trait: string, bit: number])[]): number {
  return facets.reduce((bits, [, bit]) => bits + bit, 0);
}

/** The name and the topics, with a space after each; none of them contains a space. An index has this expression. */
const NAME_AND_TOPICS = raw("(r.lower_name || ' ' || r.topics || ' ')");

function saying(dialect: Dialect, words: SearchWords): readonly Fragment[] {
  const has = (text: Fragment, part: string) => contains(dialect, text, part);
  switch (words.kind) {
    case 'topic':
      return /\s/.test(words.topic) ? [] : [has(NAME_AND_TOPICS, ` ${words.topic} `)];
    case 'path': {
      const owner = has(raw('r.owner_lower_name'), words.owner);
      return [fragment`(${owner} and ${has(raw('r.lower_name'), words.name)})`];
    }
    case 'text':
      return [
        ...(/\s/.test(words.text) ? [] : [has(NAME_AND_TOPICS, words.text)]),
        ...(words.inDescription ? [has(raw('r.lower_description'), words.text)] : []),
      ];
  }
}

function contains(dialect: Dialect, text: Fragment, part: string): Fragment {
  if (dialect === 'sqlite') return fragment`instr(${text}, ${part}) > 0`;
  // PostgreSQL uses its trigram index only for `like`.
  return fragment`${text} like ${`%${part.replace(/[\\%_]/g, '\\$&')}%`}`;
}
