import { accountVisible } from '../../../api/access/store/account.ts';
import { hasMember } from '../../../api/access/store/organization.ts';
import { isTeamOf } from '../../../api/access/store/repository.ts';
import { idOf, overridesRights, type Viewer } from '../../../api/access/viewer.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { flag, fragment, values } from '../../../base/database/fragment.ts';
import { query } from '../../../base/database/query.ts';
import type { Repository } from '../../../hosting/repositories/model.ts';
import type { ListPurpose, NameLists } from '../model.ts';

interface NameRow {
  protection_id: number;
  purpose: ListPurpose;
  name: string;
  is_team: number;
}

/** Returns the names in the lists of protections, by id. */
export async function listNames(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, NameLists>> {
  if (ids.length === 0) return new Map();
  const rows = await query<NameRow>(
    db,
    fragment`select a.protection_id, a.purpose, o.name, o.lower_name, 0 as is_team
      from protection_accounts a join accounts o on o.id = a.account_id
      where a.protection_id in (${values(ids)})
    union all select t.protection_id, t.purpose, g.name, g.lower_name, 1 as is_team
      from protection_teams t join teams g on g.id = t.team_id
      join protections p on p.id = t.protection_id
      join repositories r on r.id = p.repository_id and r.owner_id = g.organization_id
      where t.protection_id in (${values(ids)})
    order by 4`,
  );
  return new Map(ids.map((id) => [id, namesIn(rows.filter((row) => row.protection_id === id))]));
}

function namesIn(rows: readonly NameRow[]): NameLists {
  const ofPurpose = (purpose: ListPurpose) => {
    const names = (isTeam: boolean) =>
      rows.filter((row) => row.purpose === purpose && (row.is_team === 1) === isTeam).map(({ name }) => name);
    return { accounts: names(false), teams: names(true) };
  };
  return {
    push: ofPurpose('push'),
    'force-push': ofPurpose('force-push'),
    merge: ofPurpose('merge'),
    approve: ofPurpose('approve'),
  };
}

/** Finds visible users by lower-case names. */
export async function findListedAccounts(
  db: Db,
  viewer: Viewer,
  lowerNames: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (lowerNames.length === 0) return new Map();
  const rows = await query<{ id: number; lower_name: string }>(
    db,
    fragment`select o.id, o.lower_name from accounts o where o.lower_name in (${values(lowerNames)})
      and o.kind = 'user' and ${accountVisible(viewer)} = 1`,
  );
  return new Map(rows.map((row) => [row.lower_name, row.id]));
}

/**
 * Finds teams by lower-case names. Members of the organization see all its teams. Others who administer a repository see
 * the teams that have it, and the teams that its protections list already.
 */
export async function findListedTeams(
  db: Db,
  viewer: Viewer,
  { id, owner }: Pick<Repository, 'id' | 'owner'>,
  lowerNames: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (lowerNames.length === 0) return new Map();
  const rows = await query<{ id: number; lower_name: string }>(
    db,
    fragment`select t.id, t.lower_name from teams t join accounts o on o.id = t.organization_id
      where t.organization_id = ${owner.id} and t.lower_name in (${values(lowerNames)})
        and (${flag(overridesRights(viewer))} = 1 or ${hasMember(fragment`${idOf(viewer)}`)}
          or ${isTeamOf(fragment`${id}`)}
          or exists (select 1 from protection_teams l join protections p on p.id = l.protection_id
            where l.team_id = t.id and p.repository_id = ${id}))`,
  );
  return new Map(rows.map((row) => [row.lower_name, row.id]));
}

/** Replaces the lists that are given, and keeps the others. */
export async function replaceLists(
  tx: Tx,
  protectionId: number,
  { accounts, teams }: Record<'accounts' | 'teams', ReadonlyMap<ListPurpose, readonly number[]>>,
): Promise<void> {
  const of = { protection_id: protectionId };
  const accountLists = tx.deleteFrom('protection_accounts').where('protection_id', '=', protectionId);
  if (accounts.size > 0) await accountLists.where('purpose', 'in', [...accounts.keys()]).execute();
  const listedAccounts = membersIn(accounts).map(({ id, purpose }) => ({ ...of, purpose, account_id: id }));
  if (listedAccounts.length > 0) await tx.insertInto('protection_accounts').values(listedAccounts).execute();
  const teamLists = tx.deleteFrom('protection_teams').where('protection_id', '=', protectionId);
  if (teams.size > 0) await teamLists.where('purpose', 'in', [...teams.keys()]).execute();
  const listedTeams = membersIn(teams).map(({ id, purpose }) => ({ ...of, purpose, team_id: id }));
  if (listedTeams.length > 0) await tx.insertInto('protection_teams').values(listedTeams).execute();
}

function membersIn(lists: ReadonlyMap<ListPurpose, readonly number[]>) {
  return [...lists].flatMap(([purpose, ids]) => ids.map((id) => ({ purpose, id })));
}
