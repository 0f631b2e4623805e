import { guardRoutes } from '../access/guard.ts';
import { type PasswordCost, PasswordHashing } from '../accounts/hash-password.ts';
import { accountRoutes } from '../accounts/routes.ts';
import { Accounts } from '../accounts/service.ts';
import { authenticateRequests } from '../authentication/plugin.ts';
import { Authentication } from '../authentication/service.ts';
import { LastCommitJobs } from '../contents/last-commits/jobs.ts';
import { LastCommits } from '../contents/last-commits/service.ts';
import { ContentsReader } from '../contents/read.ts';
import { contentsRoutes } from '../contents/routes.ts';
import { ContentsWriter } from '../contents/write.ts';
import type { Database } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { openDatabase } from '../database/open.ts';
import { forkRoutes } from '../forks/routes.ts';
import { Forks } from '../forks/service.ts';
import { ForkSync } from '../forks/sync.ts';
import { createLocalStorage } from '../git/local-storage.ts';
import type { GitStorage } from '../git/model.ts';
import { setGitSearchPath } from '../git/processes/child.ts';
import { requireGit } from '../git/processes/git-version.ts';
import type { Addresses, App } from '../http/app.ts';
import { createMetrics, type Metrics } from '../http/metrics.ts';
import { createServer, openWire } from '../http/server.ts';
import { Jobs } from '../jobs/service.ts';
import { LanguageJobs } from '../languages/jobs.ts';
import { languageRoutes } from '../languages/routes.ts';
import { Languages } from '../languages/service.ts';
import { createMaintenance, type Maintenance } from '../maintenance/jobs.ts';
import { createNotes } from '../notes/create.ts';
import type { NotebookIndex } from '../notes/notebook-index.ts';
import type { Notebooks } from '../notes/notebooks.ts';
import { capabilitiesRoutes, noteRoutes } from '../notes/routes.ts';
import type { Notes } from '../notes/service.ts';
import { organizationRoutes } from '../organizations/routes.ts';
import { Organizations } from '../organizations/service.ts';
import { collaboratorRoutes } from '../repositories/collaborators/routes.ts';
import { FutureOwners } from '../repositories/creation/owners.ts';
import { PushToCreate } from '../repositories/creation/push-to-create.ts';
import { NO_SITE_RULES, type SiteRules } from '../repositories/creation/site-rules.ts';
import { Pushes } from '../repositories/pushes.ts';
import { repositoryRoutes } from '../repositories/routes.ts';
import { Repositories } from '../repositories/service.ts';
import { BranchWriter } from '../repositories/write-branch.ts';
import { searchRoutes } from '../search/routes.ts';
import type { Marks } from '../stars/marks.ts';
import { starRoutes } from '../stars/routes.ts';
import { createStars } from '../stars/stars.ts';
import { createWatching } from '../stars/watching.ts';
import { teamRepositoryRoutes } from '../team-repositories/routes.ts';
import { TeamRepositories } from '../team-repositories/service.ts';
import { teamRoutes } from '../teams/routes.ts';
import { Teams } from '../teams/service.ts';
import { TemplateRepositories } from '../template-repositories/generate.ts';
import { generateRoutes } from '../template-repositories/routes.ts';
import { templateRoutes } from '../templates/routes.ts';
import { Templates } from '../templates/service.ts';
import { tokenRoutes } from '../tokens/routes.ts';
import { Tokens } from '../tokens/service.ts';
import { topicRoutes } from '../topics/routes.ts';
import { Topics } from '../topics/service.ts';
import { transferRoutes } from '../transfers/routes.ts';
import { RepositoryTransfers } from '../transfers/service.ts';
import { transportRoutes } from '../transport/routes.ts';
import { Transport } from '../transport/service.ts';
import { apiPageRoutes, homeRoutes } from '../web/pages.ts';
import { describeRoutes, statusRoutes } from '../web/status.ts';
import type { Config } from './config.ts';
import { openDataFolder } from './data-folder.ts';
import { PUSH_RULES } from './push-rules.ts';
import { subscribeListeners } from './subscriptions.ts';
import { VERSION } from './version.ts';

/** The engines: what is there before anybody can ask for anything. */
export interface Engines {
  readonly database: Database;
  readonly git: GitStorage;
  close(): Promise<void>;
}

/**
 * Opens the database, brings its schema up to date and opens the git storage.
 *
 * @throws ConfigError, DatabaseTooNewError, and what the database says when it cannot be reached
 */
export async function openEngines(config: Config): Promise<Engines> {
  if (config.searchPath !== null) setGitSearchPath(config.searchPath);
  await requireGit();
  const folder = openDataFolder(config.dataFolder);
  const { databaseUrl } = config;
  const database = openDatabase(
    databaseUrl === null ? { kind: 'file', path: folder.database } : { kind: 'url', url: databaseUrl },
  );
  try {
    await migrate(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  const git = createLocalStorage({ database, folder: folder.git });
  const close = async () => {
    await git.close();
    await database.close();
  };
  return { database, git, close };
}

/** Every feature's service, each made once. */
export interface Services {
  readonly jobs: Jobs;
  readonly accounts: Accounts;
  readonly tokens: Tokens;
  readonly organizations: Organizations;
  readonly teams: Teams;
  readonly templates: Templates;
  readonly repositories: Repositories;
  readonly templateRepositories: TemplateRepositories;
  readonly teamRepositories: TeamRepositories;
  readonly forks: Forks;
  readonly forkSync: ForkSync;
  readonly transfers: RepositoryTransfers;
  readonly stars: Marks;
  readonly watching: Marks;
  readonly topics: Topics;
  readonly languages: Languages;
  readonly languageJobs: LanguageJobs;
  readonly pushes: Pushes;
  readonly lastCommits: LastCommits;
  readonly lastCommitJobs: LastCommitJobs;
  readonly maintenance: Maintenance;
  readonly reading: ContentsReader;
  readonly writing: ContentsWriter;
  readonly transport: Transport;
  readonly notes: Notes;
  readonly notebooks: Notebooks;
  readonly notebookIndex: NotebookIndex;
}

export function createServices(
  engines: Engines,
  addresses: Addresses,
  options: { readonly siteRules?: SiteRules; readonly passwordCost?: PasswordCost } = {},
): Services {
  const { database, git } = engines;
  const jobs = new Jobs({ database });
  const siteRules = options.siteRules ?? NO_SITE_RULES;
  const passwords = new PasswordHashing(options.passwordCost);
  const accounts = new Accounts({ database, addresses, passwords });
  const tokens = new Tokens({ database, accounts });
  const pushes = new Pushes({ git, rules: PUSH_RULES });
  const branches = new BranchWriter({ git, pushes });
  const templates = new Templates();
  const repositories = new Repositories({
    database,
    git,
    accounts,
    branches,
    siteRules,
    templates,
    addresses,
  });
  const organizations = new Organizations({ database, accounts });
  const teams = new Teams({ database, organizations, accounts });
  const teamRepositories = new TeamRepositories({ repositories, organizations, teams });
  const owners = new FutureOwners({ accounts, organizations });
  const templateRepositories = new TemplateRepositories({ repositories, owners, git, addresses });
  const stars = createStars({ database, repositories, accounts });
  const watching = createWatching({ database, repositories, accounts });
  const topics = new Topics({ database, repositories });
  const languages = new Languages({ database, git, repositories });
  const forks = new Forks({ repositories, organizations, accounts });
  const forkSync = new ForkSync({ repositories, git, pushes, branches });
  const transfers = new RepositoryTransfers({ database, accounts, organizations, teams, repositories });
  const lastCommits = new LastCommits({ database, git });
  const reading = new ContentsReader({ repositories, git, lastCommits });
  const writing = new ContentsWriter({ repositories, accounts, git, pushes, branches });
  const pushToCreate = new PushToCreate({ repositories, owners, siteRules });
  const transport = new Transport({ repositories, git, pushes, pushToCreate });
  const maintenance = createMaintenance({ database, git, jobs, repositories });
  const languageJobs = new LanguageJobs({ jobs, languages });
  const lastCommitJobs = new LastCommitJobs({ jobs, lastCommits });
  const notes = createNotes({ database, git, accounts, repositories, pushes, branches, lastCommits });
  const people = { accounts, tokens, organizations, teams };
  const contents = { pushes, lastCommits, reading, writing, transport };
  const marks = { stars, watching, topics, languages };
  const services = {
    jobs,
    maintenance,
    languageJobs,
    lastCommitJobs,
    ...people,
    templates,
    repositories,
    templateRepositories,
    teamRepositories,
    forks,
    forkSync,
    transfers,
    ...marks,
    ...contents,
    ...notes,
  };
  subscribeListeners(services);
  return services;
}

/** The whole server, ready to listen. */
export async function createForge(
  config: Pick<Config, 'logLevel' | 'trustedProxies' | 'siteRules' | 'passwordCost'>,
  engines: Engines,
  addresses: Addresses,
): Promise<{ app: App; services: Services }> {
  const services = createServices(engines, addresses, config);
  const metrics = createMetrics();
  jobGauges(metrics, services.jobs);
  const { logLevel, trustedProxies } = config;
  const app = await createServer({ addresses, version: VERSION, logLevel, trustedProxies, metrics });
  if (await services.repositories.isWithoutTextIndex())
    app.log.warn(
      'searches read all names, because the database lacks the extension pg_trgm: see docs/postgresql.md',
    );
  const authentication = new Authentication(services);
  authenticateRequests(app, authentication);
  guardRoutes(app);

  const everywhere = { ...services, addresses, version: VERSION };
  await openWire(app, 'gitea', { addresses, prefix: '' }, (wire) => {
    statusRoutes(wire, { database: engines.database, metrics });
    homeRoutes(wire, everywhere);
    apiPageRoutes(wire);
  });
  await openWire(app, 'gitea', { addresses, prefix: '/api/v1' }, (wire) => {
    describeRoutes(wire, everywhere);
    accountRoutes(wire, everywhere);
    tokenRoutes(wire, everywhere);
    organizationRoutes(wire, everywhere);
    teamRoutes(wire, everywhere);
    templateRoutes(wire, everywhere);
    searchRoutes(wire, everywhere);
    repositoryRoutes(wire, everywhere);
    collaboratorRoutes(wire, everywhere);
    teamRepositoryRoutes(wire, everywhere);
    generateRoutes(wire, everywhere);
    forkRoutes(wire, everywhere);
    transferRoutes(wire, everywhere);
    starRoutes(wire, everywhere);
    topicRoutes(wire, everywhere);
    languageRoutes(wire, everywhere);
    contentsRoutes(wire, everywhere);
  });
  // Some installations of the reference have the first form, others the second; clients know both.
  for (const prefix of ['/index.php/apps/notes/api', '/apps/notes/api']) {
    await openWire(app, 'notes', { addresses, prefix }, (wire) => noteRoutes(wire, everywhere));
  }
  await openWire(app, 'ocs', { addresses, prefix: '/ocs' }, (wire) => capabilitiesRoutes(wire, everywhere));
  await openWire(app, 'git', { addresses, prefix: '' }, (wire) => transportRoutes(wire, everywhere));
  return { app, services };
}

function jobGauges(metrics: Metrics, jobs: Jobs): void {
  const gauges = [
    ['waiting', 'Jobs that wait for their time, or for a process that has time'],
    ['running', 'Jobs that are being done, by whatever process'],
    ['failed', 'Jobs that were given up, and have not succeeded since'],
  ] as const;
  for (const [state, help] of gauges) {
    metrics.gauge(`quire_jobs_${state}`, help, async () => (await jobs.count())[state]);
  }
}
