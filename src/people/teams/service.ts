import type { TeamAction } from '../../api/access/actions.ts';
import { requireGranted, whyNotByCredential } from '../../api/access/guard.ts';
import { decideOnTeam } from '../../api/access/policy.ts';
import { reachesRank } from '../../api/access/standing.ts';
import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { ForgeError, forbidden, invalid, notFound } from '../../base/core/failure.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import { isPlainLine } from '../../base/core/text/text.ts';
import { type Database, isUniqueViolation, type Tx } from '../../base/database/database.ts';
import { formerValues } from '../../base/events/model.ts';
import { ACCOUNT_LIMITS } from '../accounts/limits.ts';
import type { Accounts } from '../accounts/service.ts';
import type { CreatedOrganization } from '../organizations/model.ts';
import type { Organizations } from '../organizations/service.ts';
import { TEAM } from './actions.ts';
import { announce } from './announce.ts';
import { TEAM_CHANGED, TEAM_CREATED, TEAM_DELETED } from './events.ts';
import { TEAM_LIMITS } from './limits.ts';
import { TeamMembers } from './members.ts';
import { OWNERS_TEAM, type PermittedTeam, type Team, type TeamEdit } from './model.ts';
import { TeamRepositoryLinks } from './repository-links.ts';
import { changedTeam, changedTeamFields, isOwners, newTeam, OWNERS_FIELDS } from './rules.ts';
import {
  countTeams,
  deleteTeam,
  findTeam,
  findTeamByName,
  insertTeam,
  listTeamsOf,
  readTeam,
  searchTeams,
  setTeam,
} from './store/teams.ts';

export class Teams {
  readonly members: TeamMembers;
  readonly repositories: TeamRepositoryLinks;
  readonly #database: Database;
  readonly #organizations: Organizations;

  constructor(dependencies: { database: Database; organizations: Organizations; accounts: Accounts }) {
    const { database, organizations, accounts } = dependencies;
    this.#database = database;
    this.#organizations = organizations;
    const get = this.get.bind(this);
    this.members = new TeamMembers({ database, organizations, accounts, get });
    this.repositories = new TeamRepositoryLinks({ database });
  }

  /**
   * Looks up a team and authorizes `action` on it, in one call.
   *
   * @throws ForgeError `unauthenticated`; `not_found`, also if the viewer is not in its organization; `forbidden`
   */
  async get(viewer: Viewer, id: number, action: TeamAction): Promise<PermittedTeam> {
    const found = await findTeam(this.#database.reader, viewer, id);
    if (found === undefined) throw notFound('team');
    requireGranted(decideOnTeam(viewer, action, found), action);
    return found;
  }

  /**
   * Finds a team of an account by its name. For viewers who may not list the teams of an organization, it has none.
   *
   * @throws ForgeError `forbidden` if only the credential is insufficient, whether the team exists or not
   */
  async findByName(viewer: Viewer, accountId: number, name: string): Promise<Team | undefined> {
    const { reader } = this.#database;
    const standing = await this.#organizations.readStanding(reader, viewer, accountId);
    if (standing === undefined || !reachesRank(standing, TEAM.list.rank)) return undefined;
    const why = whyNotByCredential(viewer, TEAM.list);
    if (why !== undefined) throw forbidden(why);
    return findTeamByName(reader, accountId, name);
  }

  /**
   * @throws ForgeError `not_found`, `unauthenticated`; `forbidden` if the viewer is not a member of the organization
   */
  async search(
    viewer: Viewer,
    organizationName: string,
    search: { words: string; inDescription: boolean },
    paging: Paging,
  ): Promise<Page<Team>> {
    const { organization } = await this.#organizations.get(viewer, organizationName, TEAM.list);
    const { words, inDescription } = search;
    if (words.length > ACCOUNT_LIMITS.searchWordCharsMax || !isPlainLine(words))
      return { items: [], total: 0 };
    const pattern = `%${words.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
    return searchTeams(this.#database.reader, organization.id, { pattern, inDescription }, paging);
  }

  /** Lists the viewer's teams in all organizations. */
  listOwn(viewer: SignedIn, paging: Paging): Promise<Page<Team>> {
    const { accountId, publicOnly } = viewer;
    return listTeamsOf(this.#database.reader, accountId, { onlyPublic: publicOnly, paging });
  }

  /** @throws ForgeError as the lookup of the organization, `invalid`, `already_exists` */
  async create(
    viewer: Viewer,
    organizationName: string,
    edit: TeamEdit & { readonly name: string },
  ): Promise<PermittedTeam> {
    const { organization, standing } = await this.#organizations.get(viewer, organizationName, TEAM.create);
    const fields = newTeam(edit);
    const team = await this.#database
      .transaction(async (tx) => {
        await this.#organizations.members.lock(tx, organization.id);
        if ((await countTeams(tx, organization.id)) >= TEAM_LIMITS.teamsPerOrganizationMax) {
          throw invalid(
            `an organization has at most ${TEAM_LIMITS.teamsPerOrganizationMax} teams: delete one first`,
          );
        }
        const inserted = await insertTeam(tx, organization.id, fields);
        await announceCreated(tx, viewer.accountId, inserted);
        return inserted;
      })
      .catch((error) => rethrowTaken(error, fields.name));
    return { team, organization, standing };
  }

  /** @throws ForgeError as `get`, and `invalid`, `already_exists` */
  async edit(viewer: Viewer, id: number, edit: TeamEdit): Promise<Team> {
    const { organization } = await this.get(viewer, id, TEAM.edit);
    return this.#database
      .transaction(async (tx) => {
        await this.#organizations.members.lock(tx, organization.id);
        const before = await readTeam(tx, id);
        if (before === undefined) throw notFound('team');
        const fields = changedTeam(before, edit);
        const changed = changedTeamFields(before, fields);
        if (changed.length === 0) return before;
        const after = await setTeam(tx, id, fields);
        const about = { organizationId: organization.id, teamId: id };
        await announce(
          tx,
          viewer.accountId,
          TEAM_CHANGED,
          { ...about, changed },
          {
            former: formerValues(before, changed),
            audit: { new: formerValues(after, changed) },
          },
        );
        return after;
      })
      .catch((error) => rethrowTaken(error, edit.name ?? ''));
  }

  /**
   * Deletes a team. Members who are in no other team leave the organization.
   *
   * @throws ForgeError as `get`, and `invalid` for the owners' team
   */
  async delete(viewer: Viewer, id: number): Promise<void> {
    const { organization } = await this.get(viewer, id, TEAM.delete);
    const actorId = viewer.accountId;
    await this.#database.transaction(async (tx) => {
      await this.#organizations.members.lock(tx, organization.id);
      const team = await readTeam(tx, id);
      if (team === undefined) throw notFound('team');
      if (isOwners(team)) throw invalid(`the team ${OWNERS_TEAM} cannot be deleted`);
      await this.members.releaseAll(tx, team, actorId);
      await deleteTeam(tx, id);
      const about = { organizationId: organization.id, teamId: id };
      await announce(tx, actorId, TEAM_DELETED, { ...about, name: team.name });
    });
  }

  /** Creates the team that owns a new organization, with its first member. */
  async createOwners(tx: Tx, created: CreatedOrganization): Promise<void> {
    const { organizationId, ownerId: accountId, actorId } = created;
    const team = await insertTeam(tx, organizationId, OWNERS_FIELDS);
    await announceCreated(tx, actorId, team);
    await this.members.join(tx, team, { organizationId, accountId, actorId });
  }
}

async function announceCreated(tx: Tx, actorId: number | null, team: Team): Promise<void> {
  const { id: teamId, organizationId, name } = team;
  await announce(tx, actorId, TEAM_CREATED, { organizationId, teamId, name });
}

function rethrowTaken(error: unknown, name: string): never {
  if (!isUniqueViolation(error)) throw error;
  throw new ForgeError(
    { kind: 'already_exists', what: `team already exists [name: ${name}]` },
    { cause: error },
  );
}
