import {
  ACCOUNT_VISIBLE,
  overridesRights,
  seenBy,
  viewerParameter,
  visibleParameters,
} from '../../access/held.ts';
import {
  FACETS,
  GIVEN_REPOSITORIES,
  NAMED_REPOSITORIES,
  PRIVATE_FACETS,
  repositoriesByTeams,
  type Seen,
} from '../../access/seen.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { Dialect, Scalar } from '../../database/database.ts';
import type { PersonsPart, RepositorySelection, SearchWords } from '../listing/selection.ts';

/** A condition on `repositories r`. */
export interface Condition {
  readonly sql: string;
  readonly parameters: readonly Scalar[];
}

export function allOf(conditions: readonly Condition[]): Condition {
  return joined(conditions, ' and ', '1 = 1');
}

function anyOf(conditions: readonly Condition[]): Condition {
  const { sql, parameters } = joined(conditions, ' or ', '1 = 0');
  return { sql: `(${sql})`, parameters };
}

function joined(conditions: readonly Condition[], by: string, none: string): Condition {
  if (conditions.length === 0) return { sql: none, parameters: [] };
  return {
    sql: conditions.map((condition) => condition.sql).join(by),
    parameters: conditions.flatMap((condition) => condition.parameters),
  };
}

// A plus before a column says that its index is not the one to go by. Both databases take it for what it is.

/** The open ones, by their index. */
export function isOpen({ openBelow }: Seen): Condition {
  return { sql: 'r.facets < ?', parameters: [openBelow] };
}

/** What the viewer sees besides; undefined: nothing. */
export function isGiven({ openBelow, givenBelow, givenParameters }: Seen): Condition | undefined {
  if (givenBelow <= openBelow) return undefined;
  return {
    sql: `r.id in (${GIVEN_REPOSITORIES}) and +r.facets >= ? and +r.facets < ?`,
    parameters: [...givenParameters, openBelow, givenBelow],
  };
}

/** Either, for rows that were found by something else. */
export function isSeen(seen: Seen): Condition {
  const open = { sql: '+r.facets < ?', parameters: [seen.openBelow] };
  const { givenBelow, givenParameters } = seen;
  if (givenBelow <= seen.openBelow) return open;
  const given = {
    sql: `(+r.facets < ? and r.id in (${GIVEN_REPOSITORIES}))`,
    parameters: [givenBelow, ...givenParameters],
  };
  return anyOf([open, given]);
}

/** Conditions each of which finds its rows by an index. They are few, beside all there are. */
export function narrowings(viewer: Viewer, seen: Seen, selection: RepositorySelection): readonly Condition[] {
  const { of, parentId, teamId, starredBy, onlyOpenToAll = false } = selection;
  const found: Condition[] = [];
  if (seen.limitedByToken !== null)
    found.push({ sql: `r.id in (${NAMED_REPOSITORIES})`, parameters: [seen.limitedByToken] });
  if (of !== undefined) found.push(ofPerson(viewer, of, { tellsHidden: !onlyOpenToAll }));
  if (parentId !== undefined) found.push({ sql: 'r.parent_id = ?', parameters: [parentId] });
  if (teamId !== undefined) found.push(ofTeam(viewer, teamId));
  if (starredBy !== undefined) found.push(isStarred(viewer, starredBy));
  return found;
}

export function hasOwner(ownerId: number): Condition {
  return { sql: 'r.owner_id = ?', parameters: [ownerId] };
}

export function hasOtherOwner(ownerId: number): Condition {
  return { sql: '+r.owner_id <> ?', parameters: [ownerId] };
}

function ofPerson(viewer: Viewer, of: PersonsPart, options: { tellsHidden: boolean }): Condition {
  if (of.part === 'owned') return hasOwner(of.accountId);
  const contributed = contributedBy(viewer, of.accountId, options);
  if (of.part === 'contributed') {
    const { sql, parameters } = contributed;
    return { sql: `r.id in (${sql}) and +r.owner_id <> ?`, parameters: [...parameters, of.accountId] };
  }
  return {
    sql: `r.id in (select own.id from repositories own where own.owner_id = ? union all ${contributed.sql})`,
    parameters: [of.accountId, ...contributed.parameters],
  };
}

const VISIBLE_ACCOUNT = `exists (select 1 from accounts o where o.id = ? and ${ACCOUNT_VISIBLE} = 1)`;

/** Who belongs to an organization is told by those who show it, and to themselves and the other members. */
const MEMBERSHIP_TOLD = `(? = 1 or exists (select 1 from organization_members om
  where om.organization_id = m.organization_id and om.account_id = m.account_id and (om.is_public = 1 or exists (
    select 1 from organization_members fellow
    where fellow.organization_id = om.organization_id and fellow.account_id = ?))))`;

/** What somebody has by a collaboration or a team, as far as the viewer may know, as ids. */
function contributedBy(viewer: Viewer, accountId: number, options: { tellsHidden: boolean }): Condition {
  const isSelf = viewer.accountId === accountId;
  const tellsAll = options.tellsHidden && (isSelf || overridesRights(viewer));
  const fellow = options.tellsHidden ? viewerParameter(viewer) : 0;
  const byTeams = [accountId, tellsAll ? 1 : 0, fellow];
  return {
    sql: `select c.repository_id from collaborations c where c.account_id = ? and ${VISIBLE_ACCOUNT}
      union all select * from (${repositoriesByTeams(MEMBERSHIP_TOLD)}) by_teams where ${VISIBLE_ACCOUNT}`,
    parameters: [
      accountId,
      accountId,
      ...visibleParameters(viewer),
      ...byTeams,
      ...byTeams,
      accountId,
      ...visibleParameters(viewer),
    ],
  };
}

/** Only members of its organization know what a team has. */
function ofTeam(viewer: Viewer, teamId: number): Condition {
  return {
    sql: `r.id in (
      select tr.repository_id from team_repositories tr where tr.team_id = ?
      union all select i.id from teams t join repositories i on i.owner_id = t.organization_id
        where t.id = ? and t.includes_all_repositories = 1)
      and (? = 1 or exists (select 1 from teams t join organization_members om on om.organization_id = t.organization_id
        where t.id = ? and om.account_id = ?))`,
    parameters: [teamId, teamId, overridesRights(viewer) ? 1 : 0, teamId, viewerParameter(viewer)],
  };
}

/** As far as that is told: neither of who keeps it to themselves, nor of what they do not see any more. */
function isStarred(viewer: Viewer, accountId: number): Condition {
  return {
    sql: `r.id in (select r.id from stars s join repositories r on r.id = s.repository_id join accounts o on o.id = r.owner_id
        where s.account_id = ? and ${seenBy('s.account_id')})
      and exists (select 1 from accounts who where who.id = ? and (who.hides_activity = 0 or ? = 1 or who.id = ?))
      and ${VISIBLE_ACCOUNT}`,
    parameters: [
      accountId,
      accountId,
      overridesRights(viewer) ? 1 : 0,
      viewerParameter(viewer),
      accountId,
      ...visibleParameters(viewer),
    ],
  };
}

/** Conditions that are held against each row that something else has found. */
export function filters(
  dialect: Dialect,
  { is = {}, words = [] }: RepositorySelection,
): readonly Condition[] {
  const found: Condition[] = [];
  const asked = Object.entries(FACETS).filter(([trait]) => is[trait as keyof typeof FACETS] !== undefined);
  if (asked.length > 0) {
    const bitsOf = (facets: readonly [string, number][]) => facets.reduce((bits, [, bit]) => bits + bit, 0);
    const wanted = asked.filter(([trait]) => is[trait as keyof typeof FACETS] === true);
    found.push({ sql: '(+r.facets & ?) = ?', parameters: [bitsOf(asked), bitsOf(wanted)] });
  }
  if (is.private !== undefined)
    found.push({ sql: `+r.facets ${is.private ? '>=' : '<'} ?`, parameters: [PRIVATE_FACETS] });
  if (words.length > 0) found.push(anyOf(words.flatMap((each) => saying(dialect, each))));
  return found;
}

/** The name and, each between spaces, the topics: neither has a space in it. The index is on this expression. */
const NAME_AND_TOPICS = "(r.lower_name || ' ' || r.topics || ' ')";

function saying(dialect: Dialect, words: SearchWords): readonly Condition[] {
  const has = (column: string, text: string) => contains(dialect, column, text);
  switch (words.kind) {
    case 'topic':
      return /\s/.test(words.topic) ? [] : [has(NAME_AND_TOPICS, ` ${words.topic} `)];
    case 'path': {
      const both = allOf([has('r.owner_lower_name', words.owner), has('r.lower_name', words.name)]);
      return [{ sql: `(${both.sql})`, parameters: both.parameters }];
    }
    case 'text':
      return [
        ...(/\s/.test(words.text) ? [] : [has(NAME_AND_TOPICS, words.text)]),
        ...(words.inDescription ? [has('r.lower_description', words.text)] : []),
      ];
  }
}

function contains(dialect: Dialect, column: string, text: string): Condition {
  if (dialect === 'sqlite') return { sql: `instr(${column}, ?) > 0`, parameters: [text] };
  // Indexes of trigrams know `like` alone.
  return { sql: `${column} like ?`, parameters: [`%${text.replace(/[\\%_]/g, '\\$&')}%`] };
}
