import type { TeamAction } from '../../api/access/actions.ts';
import type { Viewer } from '../../api/access/viewer.ts';
import { invalid, notFound } from '../../base/core/failure.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { rethrowGone } from '../../base/database/gone.ts';
import type { UserRemoval } from '../accounts/changes.ts';
import { isBlocked, requireNotBlocked } from '../accounts/locks.ts';
import type { ShownAccount } from '../accounts/model.ts';
import type { Accounts } from '../accounts/service.ts';
import type { MembershipChange } from '../organizations/model.ts';
import type { Organizations } from '../organizations/service.ts';
import { TEAM } from './actions.ts';
import { announce } from './announce.ts';
import { TEAM_MEMBER_ADDED, TEAM_MEMBER_REMOVED } from './events.ts';
import { type FollowedTeam, OWNERS_TEAM, type PermittedTeam, type Team } from './model.ts';
import { isOwners } from './rules.ts';
import {
  deleteTeamMember,
  hasOtherMember,
  insertTeamMember,
  isTeamMember,
  listMembersOfNoOtherTeam,
  listTeamIdsIn,
  listTeamMembers,
} from './store/members.ts';
import { listTeamsNamed, readTeam } from './store/teams.ts';

type GetTeam = (viewer: Viewer, id: number, action: TeamAction) => Promise<PermittedTeam>;

interface Dependencies {
  readonly database: Database;
  readonly organizations: Organizations;
  readonly accounts: Accounts;
  readonly get: GetTeam;
}

/** Members of teams. A user joins an organization with the first team and leaves it with the last one. */
export class TeamMembers {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError `not_found` if the viewer is not a member of the organization */
  async list(viewer: Viewer, teamId: number, paging: Paging): Promise<Page<ShownAccount>> {
    const { team } = await this.#use.get(viewer, teamId, TEAM.listMembers);
    return listTeamMembers(this.#use.database.reader, viewer, team.id, paging);
  }

  /** @throws ForgeError as `list`, and `not_found` if the user is not in the team */
  async getMember(viewer: Viewer, teamId: number, name: string): Promise<ShownAccount> {
    const { team } = await this.#use.get(viewer, teamId, TEAM.listMembers);
    const account = await this.#use.accounts.getByName(viewer, name);
    if (!(await isTeamMember(this.#use.database.reader, team.id, account.id))) throw notFound('member');
    return account;
  }

  /**
   * Adds a user. Does nothing if the user is already in the team.
   *
   * @throws ForgeError as the lookup, `invalid` for an organization, `forbidden` for a user whom the organization has blocked
   */
  async add(viewer: Viewer, teamId: number, name: string): Promise<void> {
    const { team, organization } = await this.#use.get(viewer, teamId, TEAM.changeMembers);
    const account = await this.#use.accounts.getByName(viewer, name);
    if (account.kind !== 'user') throw invalid('only users can be members of a team');
    const joining = { organizationId: organization.id, accountId: account.id, actorId: viewer.accountId };
    await this.#use.database
      .transaction(async (tx) => {
        await this.#use.organizations.members.lock(tx, organization.id);
        if ((await readTeam(tx, team.id)) === undefined) throw notFound('team');
        const pair = { blockerId: organization.id, accountId: account.id };
        await requireNotBlocked(tx, pair, 'the organization has blocked this user: unblock the user first');
        await this.join(tx, team, joining);
      })
      .catch(rethrowGone('account'));
  }

  /** Adds a new user to a team whose id an invitation names. Does nothing if the team is gone. */
  async joinInvited(
    tx: Tx,
    { teamId, accountId, actorId }: { teamId: number; accountId: number; actorId: number | null },
  ): Promise<void> {
    const found = await readTeam(tx, teamId);
    if (found === undefined) return;
    await this.#use.organizations.members.lock(tx, found.organizationId);
    const team = await readTeam(tx, teamId);
    if (team === undefined) return;
    await this.join(tx, team, { organizationId: team.organizationId, accountId, actorId });
  }

  async join(tx: Tx, team: Team, joining: MembershipChange): Promise<void> {
    const { organizationId, accountId, actorId } = joining;
    if (!(await insertTeamMember(tx, team, accountId))) return;
    await this.#use.organizations.members.add(tx, joining);
    await announce(tx, actorId, TEAM_MEMBER_ADDED, { organizationId, teamId: team.id, accountId });
  }

  /**
   * Removes a user. Does nothing if the user is not in the team.
   *
   * @throws ForgeError as the lookup, `invalid` for the last owner
   */
  async remove(viewer: Viewer, teamId: number, name: string): Promise<void> {
    const { team, organization } = await this.#use.get(viewer, teamId, TEAM.changeMembers);
    const { id: accountId } = await this.#use.accounts.getByName(viewer, name);
    const leaving = { organizationId: organization.id, accountId, actorId: viewer.accountId };
    await this.#use.database.transaction(async (tx) => {
      await this.#use.organizations.members.lock(tx, organization.id);
      await this.#leaveOne(tx, team, leaving);
    });
  }

  /**
   * Lets a user join and leave teams, as another server says. The last owner of an organization stays, and so does
   * everyone whom the organization has blocked outside.
   *
   * @param teams with the lower-case names that they have
   * @param options.allowsOwners whether teams that own an organization count
   */
  async follow(
    tx: Tx,
    accountId: number,
    teams: readonly FollowedTeam[],
    { allowsOwners }: { readonly allowsOwners: boolean },
  ): Promise<void> {
    const found = await listTeamsNamed(tx, accountId, teams);
    const differing = found.filter(
      ({ team, isMember, isWanted }) => isMember !== isWanted && (allowsOwners || !isOwners(team)),
    );
    const ids = [...new Set(differing.map(({ team }) => team.organizationId))].toSorted(
      (one, other) => one - other,
    );
    for (const organizationId of ids) await this.#use.organizations.members.lock(tx, organizationId);
    for (const { team: before, isWanted } of differing) {
      // It may have changed before its organization was locked.
      const team = await readTeam(tx, before.id);
      if (team === undefined) continue;
      const change = { organizationId: team.organizationId, accountId, actorId: null };
      if (!isWanted) await this.#leaveUnlessLast(tx, team, change);
      else if (!(await isBlocked(tx, { blockerId: team.organizationId, accountId })))
        await this.join(tx, team, change);
    }
  }

  async #leaveUnlessLast(tx: Tx, team: Team, leaving: MembershipChange): Promise<void> {
    if (isOwners(team) && !(await hasOtherMember(tx, team.id, leaving.accountId))) return;
    await this.#leaveOne(tx, team, leaving);
  }

  /** Removes a user from one team of a locked organization, and from the organization with the last team. */
  async #leaveOne(tx: Tx, team: Team, leaving: MembershipChange): Promise<void> {
    if (!(await this.#leave(tx, team, leaving))) return;
    const remaining = await listTeamIdsIn(tx, leaving.organizationId, leaving.accountId);
    if (remaining.length === 0) await this.#use.organizations.members.delete(tx, leaving);
  }

  async #leave(tx: Tx, team: Team, leaving: MembershipChange): Promise<boolean> {
    const { organizationId, accountId, actorId } = leaving;
    if (!(await deleteTeamMember(tx, team.id, accountId))) return false;
    if (isOwners(team) && !(await hasOtherMember(tx, team.id, accountId))) {
      throw invalid(`the team ${OWNERS_TEAM} needs a member: add another one first`);
    }
    await announce(tx, actorId, TEAM_MEMBER_REMOVED, { organizationId, teamId: team.id, accountId });
    return true;
  }

  /**
   * Removes a user from all teams of a locked organization.
   *
   * @throws ForgeError `invalid` for the last owner
   */
  async leaveAll(tx: Tx, leaving: MembershipChange): Promise<void> {
    for (const id of await listTeamIdsIn(tx, leaving.organizationId, leaving.accountId)) {
      const team = await readTeam(tx, id);
      if (team !== undefined) await this.#leave(tx, team, leaving);
    }
  }

  /**
   * Removes a user from all organizations, before the user is deleted. With `purge`, deletes the organizations that
   * only this user owns. Without it, such an organization prevents the deletion of the user.
   *
   * @throws ForgeError `invalid`
   */
  async leaveEverywhere(tx: Tx, { account, actorId, purge }: UserRemoval): Promise<void> {
    for (const organizationId of await this.#use.organizations.members.listOrganizationIdsOf(
      tx,
      account.id,
    )) {
      await this.#use.organizations.members.lock(tx, organizationId);
      if (await this.#isLastOwner(tx, organizationId, account.id)) {
        if (!purge)
          throw invalid(
            `${account.name} is the only owner of an organization: add another owner or delete the organization first`,
          );
        await this.#use.organizations.purge(tx, organizationId, actorId);
        continue;
      }
      const leaving = { organizationId, accountId: account.id, actorId };
      await this.leaveAll(tx, leaving);
      await this.#use.organizations.members.delete(tx, leaving);
    }
  }

  async #isLastOwner(tx: Tx, organizationId: number, accountId: number): Promise<boolean> {
    for (const id of await listTeamIdsIn(tx, organizationId, accountId)) {
      const team = await readTeam(tx, id);
      if (team !== undefined && isOwners(team)) return !(await hasOtherMember(tx, id, accountId));
    }
    return false;
  }

  /** Removes the members who are in no other team from the organization, before the team is deleted. */
  async releaseAll(tx: Tx, team: Team, actorId: number | null): Promise<void> {
    const { organizationId } = team;
    for (const accountId of await listMembersOfNoOtherTeam(tx, team.id)) {
      await deleteTeamMember(tx, team.id, accountId);
      await this.#use.organizations.members.delete(tx, { organizationId, accountId, actorId });
    }
  }
}
