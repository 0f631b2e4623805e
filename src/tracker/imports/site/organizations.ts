import type { SignedIn } from '../../../api/access/viewer.ts';
import { ForgeError } from '../../../base/core/failure.ts';
import { CORE_LIMITS } from '../../../base/core/limits.ts';
import type { TeamRepositories } from '../../../hosting/team-repositories/service.ts';
import type { Accounts } from '../../../people/accounts/service.ts';
import type { Organizations } from '../../../people/organizations/service.ts';
import { TEAM_LIMITS } from '../../../people/teams/limits.ts';
import { OWNERS_TEAM, type Team } from '../../../people/teams/model.ts';
import { newTeamOf } from '../../../people/teams/options.ts';
import type { Teams } from '../../../people/teams/service.ts';
import type { FamilyServer } from '../family-server.ts';
import type { Fields } from '../fields.ts';
import { IMPORT_LIMITS } from '../limits.ts';
import type { SiteReport } from './model.ts';
import { type People, visibilityOf } from './people.ts';

interface Dependencies {
  readonly accounts: Accounts;
  readonly organizations: Organizations;
  readonly teams: Teams;
  readonly teamRepositories: TeamRepositories;
}

/** Where organizations come from and go to. */
interface Taking {
  readonly server: FamilyServer;
  readonly viewer: SignedIn;
  readonly people: People;
  readonly report: SiteReport;
}

/** An organization there, and its name here. */
interface Pair {
  readonly there: string;
  readonly here: string;
}

/** Takes organizations of another server, with their teams. What is there already stays, and gets what it lacks. */
export class OrganizationImports {
  readonly #use: Dependencies;
  readonly #taking: Taking;

  constructor(dependencies: Dependencies, taking: Taking) {
    this.#use = dependencies;
    this.#taking = taking;
  }

  /** Creates an organization unless it exists. @returns false if another account has its name */
  async importOrganization(fields: Fields, here: string): Promise<boolean> {
    const { accounts, organizations } = this.#use;
    const { viewer, report } = this.#taking;
    const found = await accounts.findByName(here);
    if (found !== undefined) {
      if (found.kind === 'organization') return true;
      report.notTaken.push(`organization ${here}: a user has this name here`);
      return false;
    }
    try {
      await organizations.create(viewer, {
        name: here,
        fullName: fields.line('full_name'),
        description: fields.line('description'),
        location: fields.line('location'),
        visibility: visibilityOf(fields),
        repositoryAdminsChangeTeams: fields.flag('repo_admin_change_team_access'),
      });
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      report.notTaken.push(`organization ${here}: ${error.message}`);
      return false;
    }
    report.organizations += 1;
    return true;
  }

  /** Takes the teams of an organization, after its repositories. */
  async importTeams(organization: Pair): Promise<void> {
    const { server, report } = this.#taking;
    const list = { what: 'teams', itemsMax: TEAM_LIMITS.teamsPerOrganizationMax };
    for await (const page of server.pages(`/orgs/${organization.there}/teams`, list)) {
      for (const fields of page) {
        const name = fields.line('name');
        try {
          await this.#importTeam(organization, fields);
        } catch (error) {
          if (!(error instanceof ForgeError)) throw error;
          report.notTaken.push(`team ${organization.here}/${name}: ${error.message}`);
        }
      }
    }
  }

  async #importTeam(organization: Pair, fields: Fields): Promise<void> {
    const name = fields.line('name');
    const key = fields.id('id');
    const team =
      (await this.#find(organization.here, name)) ?? (await this.#create(organization.here, fields));
    await this.#importMembers(team, key, `team ${organization.here}/${name}`);
    if (!team.includesAllRepositories && name !== OWNERS_TEAM)
      await this.#importLinks(organization, team, key);
  }

  async #find(organization: string, name: string): Promise<Team | undefined> {
    const { teams } = this.#use;
    const paging = { page: 1, limit: CORE_LIMITS.pageItemsMax };
    const search = { words: name, inDescription: false };
    const found = await teams.search(this.#taking.viewer, organization, search, paging);
    return found.items.find((team) => team.name.toLowerCase() === name.toLowerCase());
  }

  async #create(organization: string, fields: Fields): Promise<Team> {
    const { teams } = this.#use;
    const { viewer, report } = this.#taking;
    const edit = newTeamOf({
      description: fields.line('description'),
      permission: fields.text('permission'),
      units: [...fields.texts('units')],
      units_map: fields.textsByName('units_map'),
      includes_all_repositories: fields.flag('includes_all_repositories'),
      can_create_org_repo: fields.flag('can_create_org_repo'),
    });
    const { team } = await teams.create(viewer, organization, { ...edit, name: fields.line('name') });
    report.teams += 1;
    return team;
  }

  async #importMembers(team: Team, key: number, what: string): Promise<void> {
    const { server, viewer, people, report } = this.#taking;
    const list = { what: 'members', itemsMax: IMPORT_LIMITS.importedUsersMax };
    let strangers = 0;
    for await (const page of server.pages(`/teams/${key}/members`, list)) {
      for (const fields of page) {
        const name = people.nameHere(fields.line('login'));
        if (name === undefined) strangers += 1;
        else await this.#use.teams.members.add(viewer, team.id, name);
      }
    }
    if (strangers > 0) report.notTaken.push(`${what}: members who are no users here: ${strangers}`);
  }

  async #importLinks(organization: Pair, team: Team, key: number): Promise<void> {
    const { server, viewer, report } = this.#taking;
    const list = { what: 'repositories', itemsMax: IMPORT_LIMITS.importedRepositoriesMax };
    for await (const page of server.pages(`/teams/${key}/repos`, list)) {
      for (const fields of page) {
        const path = { owner: organization.here, name: fields.line('name') };
        try {
          await this.#use.teamRepositories.add(viewer, team.id, path);
        } catch (error) {
          if (!(error instanceof ForgeError)) throw error;
          report.notTaken.push(
            `repository ${path.owner}/${path.name} of team ${team.name}: ${error.message}`,
          );
        }
      }
    }
  }
}
