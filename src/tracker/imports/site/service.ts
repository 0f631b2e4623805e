import { ForgeError, invalid } from '../../../base/core/failure.ts';
import { withoutEndSlashes } from '../../../base/core/text/text.ts';
import type { OutboundClient } from '../../../base/outbound/client.ts';
import { OutboundError } from '../../../base/outbound/model.ts';
import { RemoteError } from '../../../git/remote/model.ts';
import type { LargeFiles } from '../../../hosting/lfs/service.ts';
import type { RepositoryCopies } from '../../../hosting/mirrors/copy-repository.ts';
import type { WantedMigration } from '../../../hosting/mirrors/model.ts';
import { REPOSITORY } from '../../../hosting/repositories/actions.ts';
import type { Repository, RepositoryPath } from '../../../hosting/repositories/model.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import { repositoryChangeOf } from '../../../hosting/repositories/settings/options.ts';
import type { TeamRepositories } from '../../../hosting/team-repositories/service.ts';
import type { Accounts } from '../../../people/accounts/service.ts';
import type { Organizations } from '../../../people/organizations/service.ts';
import type { Teams } from '../../../people/teams/service.ts';
import { FamilyServer } from '../family-server.ts';
import type { Fields } from '../fields.ts';
import { IMPORT_LIMITS } from '../limits.ts';
import type { SiteImportRequest, SiteReport } from './model.ts';
import { OrganizationImports } from './organizations.ts';
import { importUsers, isSameHere, People } from './people.ts';

interface Dependencies {
  readonly accounts: Accounts;
  readonly organizations: Organizations;
  readonly teams: Teams;
  readonly teamRepositories: TeamRepositories;
  readonly repositories: Repositories;
  readonly largeFiles: LargeFiles;
  readonly repositoryCopies: RepositoryCopies;
  readonly outbound: OutboundClient;
}

/** One import that is running. */
interface Running {
  readonly request: SiteImportRequest;
  readonly server: FamilyServer;
  readonly people: People;
  readonly authors: ReadonlyMap<string, number>;
  readonly organizations: OrganizationImports;
  readonly report: SiteReport;
}

/** Names in addresses of another server. Dots alone would lead to other addresses. */
const NAME = /^(?!\.{1,2}$)[\w.-]{1,100}$/;

/**
 * Imports users, organizations, teams and repositories of another server of this API's family. Repositories of an
 * earlier import stay as they are, so one that ended early continues: a repository is whole or absent.
 */
export class SiteImports {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Imports what it can. The report has the rest.
   *
   * @throws RemoteError, OutboundError if even the names of the owners cannot be read
   */
  async import(request: SiteImportRequest): Promise<SiteReport> {
    const { accounts, outbound } = this.#use;
    const report: SiteReport = {
      ...{ users: 0, organizations: 0, teams: 0, repositories: 0, present: 0 },
      notTaken: [],
    };
    const { url, credentials, viewer } = request;
    const { signal } = new AbortController();
    const api = `${withoutEndSlashes(url.href)}/api/v1`;
    const server = new FamilyServer(outbound, { api, credentials, signal });
    const owners = request.owners === 'all' ? await this.#allOwners(server, request, report) : request.owners;
    const people = await People.find(accounts, request);
    const authors = people.ids();
    const organizations = new OrganizationImports(this.#use, { server, viewer, people, report });
    const running = { request, server, people, authors, organizations, report };
    for (const owner of owners) {
      try {
        await this.#importOwner(running, owner);
      } catch (error) {
        if (!(error instanceof RemoteError || error instanceof OutboundError)) throw error;
        report.notTaken.push(`the rest of ${owner}: ${error.message}`);
        // The server is away. The report has all until then.
        if (error instanceof OutboundError) break;
      }
    }
    return report;
  }

  /** Creates the users, and returns the names of the users and organizations there whose repositories are taken. */
  async #allOwners(
    server: FamilyServer,
    request: SiteImportRequest,
    report: SiteReport,
  ): Promise<readonly string[]> {
    const { accounts } = this.#use;
    const self = await server.get('/user', 'user of the credentials');
    const isAdmin = self.flag('is_admin');
    if (!isAdmin) report.notTaken.push('other users: the credentials are not those of an administrator');
    const names = isAdmin ? [...(await importUsers(server, accounts, request, report))] : [];
    const others = isAdmin ? [] : [self.line('login')];
    const list = { what: 'organizations', itemsMax: IMPORT_LIMITS.importedUsersMax };
    for await (const page of server.pages(isAdmin ? '/admin/orgs' : '/user/orgs', list))
      others.push(...page.map((fields) => fields.line('name') || fields.line('username')));
    for (const name of others) if (await isSameHere(accounts, request, name, report)) names.push(name);
    return [...new Set(names)];
  }

  async #importOwner(running: Running, there: string): Promise<void> {
    const { server, organizations, report, request, people } = running;
    if (!NAME.test(there)) {
      report.notTaken.push(`an owner whose name no address can have: ${there.slice(0, 100)}`);
      return;
    }
    const organization = await server.find(`/orgs/${there}`, 'organization');
    const here = request.to ?? (organization === undefined ? people.nameHere(there) : undefined) ?? there;
    if (
      organization !== undefined &&
      request.to === null &&
      !(await organizations.importOrganization(organization, here))
    )
      return;
    if ((await this.#use.accounts.findByName(here)) === undefined) {
      report.notTaken.push(`repositories of ${there}: there is no account ${here} here: create it first`);
      return;
    }
    const path = `/${organization === undefined ? 'users' : 'orgs'}/${there}/repos`;
    const list = { what: 'repositories', itemsMax: IMPORT_LIMITS.importedRepositoriesMax };
    for await (const page of server.pages(path, list)) {
      for (const fields of page) {
        // A list may have repositories in which a user only takes part.
        const owner = fields.record('owner')?.line('login') ?? '';
        if (owner.toLowerCase() === there.toLowerCase())
          await this.#importRepository(running, fields, { there, here });
      }
    }
    if (organization !== undefined && request.to === null) await organizations.importTeams({ there, here });
  }

  async #importRepository(
    running: Running,
    fields: Fields,
    owner: { readonly there: string; readonly here: string },
  ): Promise<void> {
    const { request, report } = running;
    const name = fields.line('name');
    const title = `${owner.here}/${name}`;
    try {
      if (!NAME.test(name)) throw invalid('no address can have this name');
      const wanted = this.#wantedOf(running, fields, owner);
      const state = await this.#stateOf(request, { owner: owner.here, name }, wanted);
      if (state === 'present') {
        report.present += 1;
        request.onProgress(`${title}: there already`);
        return;
      }
      const { leftOut } = await this.#use.repositoryCopies.copyNow(request.viewer, wanted, request);
      report.notTaken.push(...leftOut.map((what) => `repository ${title}: ${what}`));
      const path = { owner: owner.here, name };
      await this.#finish(request, path, fields);
      report.repositories += 1;
      reportLeft(report, title, { there: fields, here: await this.#countsHere(request, path) });
      request.onProgress(`${title}: imported`);
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      report.notTaken.push(`repository ${title}: ${error.message}`);
      request.onProgress(`${title}: not taken`);
    }
  }

  #wantedOf(
    { request, authors }: Running,
    fields: Fields,
    owner: { readonly there: string; readonly here: string },
  ): WantedMigration {
    const name = fields.line('name');
    const { url: base, credentials } = request;
    // The issues of an external tracker are not at the source.
    const hasIssues = fields.flag('has_issues') && fields.record('external_tracker') === undefined;
    const hasPulls = fields.flag('has_pull_requests');
    const hasTracker = hasIssues || hasPulls;
    return {
      source: {
        // Not the address in the record: the credentials are for this server only.
        url: new URL(`${withoutEndSlashes(base.href)}/${owner.there}/${name}.git`),
        credentials,
        largeFiles: this.#use.largeFiles.isEnabled ? { url: null } : null,
      },
      owner: { name: owner.here },
      name,
      description: '',
      // Without issues and pull requests, a repository has no labels and milestones either.
      family: {
        labels: hasTracker,
        milestones: hasTracker,
        issues: hasIssues,
        pulls: hasPulls,
        releases: fields.flag('has_releases'),
        authors,
      },
      hasWiki: fields.flag('has_wiki') && fields.record('external_wiki') === undefined,
      isPrivate: fields.flag('private'),
      mirror: null,
    };
  }

  /** @throws ForgeError `invalid` if another repository has the name */
  async #stateOf(
    { viewer }: SiteImportRequest,
    path: RepositoryPath,
    { source }: WantedMigration,
  ): Promise<'present' | 'absent'> {
    const { repositories } = this.#use;
    const id = await repositories.findId(path);
    if (id === undefined) return 'absent';
    const { repository } = await repositories.getById(viewer, id, REPOSITORY.read);
    if (repository.originalUrl === source.url.href) return 'present';
    throw invalid('another repository has this name here, which stays');
  }

  async #countsHere({ viewer }: SiteImportRequest, path: RepositoryPath): Promise<CountsHere> {
    const { repository } = await this.#use.repositories.get(viewer, path, REPOSITORY.read);
    return repository;
  }

  /** Repeats what the repository was there, and what would have been in the way before. */
  async #finish({ viewer }: SiteImportRequest, path: RepositoryPath, fields: Fields): Promise<void> {
    const isTemplate = fields.flag('template');
    const isArchived = fields.flag('archived');
    if (!isTemplate && !isArchived) return;
    const change = repositoryChangeOf({
      ...(isTemplate ? { template: true } : {}),
      ...(isArchived ? { archived: true } : {}),
    });
    await this.#use.repositories.settings.edit(viewer, path, change);
  }
}

type CountsHere = Pick<Repository, 'openPullsCount' | 'releasesCount'>;

/** Names what a copy does not have, as far as the record of the repository says it. */
function reportLeft(
  report: SiteReport,
  title: string,
  { there, here }: { readonly there: Fields; readonly here: CountsHere },
): void {
  const left = [
    ['open pull requests', there.count('open_pr_counter') - here.openPullsCount],
    ['releases', there.count('release_counter') - here.releasesCount],
  ] as const;
  for (const [what, count] of left)
    if (count > 0) report.notTaken.push(`repository ${title}: ${what}: ${count}`);
}
