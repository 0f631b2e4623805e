import { accountVisible } from '../../../../api/access/store/account.ts';
import type { Viewer } from '../../../../api/access/viewer.ts';
import type { Db, Tx } from '../../../../base/database/database.ts';
import { flag, fragment, values } from '../../../../base/database/fragment.ts';
import { query, queryFirst } from '../../../../base/database/query.ts';
import { USER_COLUMNS, type UserColumns, userOfColumns } from '../../../../people/accounts/columns.ts';
import { type TeamRow, teamOf } from '../../../../people/teams/columns.ts';
import type { Team } from '../../../../people/teams/model.ts';
import type { RequestedReviewers, Reviewer, ReviewRow } from '../model.ts';

/** A user that a request for a review names. */
export interface NamedUser {
  readonly id: number;
  readonly lowerName: string;
}

/**
 * Finds users by lower-case names: those whom the viewer may see, and those of whom a review is requested already.
 */
export async function findNamedUsers(
  db: Db,
  viewer: Viewer,
  { lowerNames, issueId }: { readonly lowerNames: readonly string[]; readonly issueId: number },
): Promise<readonly NamedUser[]> {
  if (lowerNames.length === 0) return [];
  const rows = await query<{ id: number; lower_name: string }>(
    db,
    fragment`select o.id, o.lower_name from accounts o
      where o.lower_name in (${values(lowerNames)}) and o.kind = 'user' and (${accountVisible(viewer)} = 1
        or exists (select 1 from pull_reviews v
          where v.issue_id = ${issueId} and v.account_id = o.id and v.state = 'requested'))`,
  );
  return rows.map(({ id, lower_name: lowerName }) => ({ id, lowerName }));
}

/** Finds the teams of an organization by lower-case names. */
export async function findNamedTeams(
  db: Db,
  organizationId: number,
  lowerNames: readonly string[],
): Promise<readonly Team[]> {
  if (lowerNames.length === 0) return [];
  const rows = await query<TeamRow>(
    db,
    fragment`select t.* from teams t
      where t.organization_id = ${organizationId} and t.lower_name in (${values(lowerNames)}) order by t.id`,
  );
  return rows.map(teamOf);
}

/** Filters teams: returns the ids of those with an account. */
export async function findTeamsOf(
  db: Db,
  accountId: number,
  teamIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (teamIds.length === 0) return new Set();
  const rows = await query<{ team_id: number }>(
    db,
    fragment`select m.team_id from team_members m
      where m.account_id = ${accountId} and m.team_id in (${values(teamIds)})`,
  );
  return new Set(rows.map(({ team_id: id }) => id));
}

/** Finds the requests of a pull request. @returns the id of the request to a reviewer */
export async function findRequests(
  db: Db,
  issueId: number,
): Promise<(reviewer: Reviewer) => number | undefined> {
  const rows = await query<{ id: number; account_id: number | null; team_id: number | null }>(
    db,
    fragment`select v.id, v.account_id, v.team_id from pull_reviews v
      where v.issue_id = ${issueId} and v.state = 'requested'`,
  );
  const ids = new Map(rows.map((row) => [keyOf({ accountId: row.account_id, teamId: row.team_id }), row.id]));
  return (reviewer) => ids.get(keyOf(reviewer));
}

function keyOf({ accountId, teamId }: Pick<ReviewRow, 'accountId' | 'teamId'>): string {
  return teamId === null ? `account ${accountId}` : `team ${teamId}`;
}

export async function countRequests(db: Db, issueId: number): Promise<number> {
  const row = await queryFirst<{ total: number }>(
    db,
    fragment`select count(*) as total from pull_reviews v where v.issue_id = ${issueId} and v.state = 'requested'`,
  );
  return row?.total ?? 0;
}

export async function deleteRequests(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await query(tx, fragment`delete from pull_reviews where id in (${values(ids)}) and state = 'requested'`);
}

/**
 * Ends the requests that a review answers: the one to its author, and those to teams of the author.
 *
 * @param options.withTeams false: a mere comment does not speak for a team
 */
export async function endRequests(
  tx: Tx,
  { issueId, accountId }: { readonly issueId: number; readonly accountId: number },
  { withTeams }: { readonly withTeams: boolean },
): Promise<void> {
  await query(
    tx,
    fragment`delete from pull_reviews where issue_id = ${issueId} and state = 'requested'
      and ((account_id = ${accountId} and team_id is null) or (${flag(withTeams)} = 1 and team_id in (
        select m.team_id from team_members m where m.account_id = ${accountId})))`,
  );
}

/** Filters accounts: returns those who have submitted a review, or of whom one is requested. */
export async function findReviewers(
  db: Db,
  issueId: number,
  accountIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (accountIds.length === 0) return new Set();
  const rows = await query<{ account_id: number }>(
    db,
    fragment`select distinct v.account_id from pull_reviews v where v.issue_id = ${issueId}
      and v.state <> 'pending' and v.account_id in (${values(accountIds)})`,
  );
  return new Set(rows.map(({ account_id: id }) => id));
}

/** Filters teams: returns those of whom a review is requested. */
export async function findRequestedTeams(
  db: Db,
  issueId: number,
  teamIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (teamIds.length === 0) return new Set();
  const rows = await query<{ team_id: number }>(
    db,
    fragment`select v.team_id from pull_reviews v where v.issue_id = ${issueId} and v.state = 'requested'
      and v.team_id in (${values(teamIds)})`,
  );
  return new Set(rows.map(({ team_id: id }) => id));
}

/** Finds of whom reviews of pull requests are requested, by the id of the issue. Hidden accounts are left out. */
export async function findRequested(
  db: Db,
  viewer: Viewer,
  issueIds: readonly number[],
): Promise<(issueId: number) => RequestedReviewers> {
  if (issueIds.length === 0) return () => NONE;
  const users = await query<UserColumns & { issue_id: number }>(
    db,
    fragment`select v.issue_id, ${USER_COLUMNS} from pull_reviews v join accounts o on o.id = v.account_id
      where v.issue_id in (${values(issueIds)}) and v.state = 'requested' and v.team_id is null
        and ${accountVisible(viewer)} = 1 order by v.id`,
  );
  const teams = await query<TeamRow & { issue_id: number }>(
    db,
    fragment`select v.issue_id, t.* from pull_reviews v join repositories r on r.id = v.repository_id
      join teams t on t.id = v.team_id and t.organization_id = r.owner_id
      where v.issue_id in (${values(issueIds)}) and v.state = 'requested' order by v.id`,
  );
  return (issueId) => ({
    users: users.filter((row) => row.issue_id === issueId).map(userOfColumns),
    teams: teams.filter((row) => row.issue_id === issueId).map(teamOf),
  });
}

const NONE: RequestedReviewers = { users: [], teams: [] };
