import { guardRoutes } from '../api/access/guard.ts';
import { describeApi } from '../api/document/openapi.ts';
import { apiPageRoutes } from '../api/document/routes.ts';
import { Sealer } from '../base/core/sealing.ts';
import type { Database } from '../base/database/database.ts';
import { migrate } from '../base/database/migrate.ts';
import { openDatabase } from '../base/database/open.ts';
import { Jobs } from '../base/jobs/service.ts';
import { Mailer } from '../base/mail/mailer.ts';
import { OutboundClient } from '../base/outbound/client.ts';
import type { ArchiveSettings } from '../code/archives/model.ts';
import { OpenPgpEngine } from '../code/keys/openpgp/engine.ts';
import { CommitSigning } from '../code/signing/service.ts';
import { SignatureVerifier } from '../code/verification/service.ts';
import { createLocalStorage } from '../git/create.ts';
import type { GitStorage } from '../git/interface/storage.ts';
import { setGitSearchPath } from '../git/processes/child.ts';
import { requireGit } from '../git/processes/git-version.ts';
import type { LfsSettings } from '../hosting/lfs/model.ts';
import { NO_QUOTA, type QuotaSettings } from '../hosting/quota/model.ts';
import { NO_SITE_RULES, type SiteRules } from '../hosting/repositories/site-rules.ts';
import type { Addresses, App } from '../http/app.ts';
import { createMetrics, type Metrics } from '../http/metrics.ts';
import { createServer, openWire } from '../http/server.ts';
import type { PasswordHashingOptions } from '../people/accounts/passwords/hash-password.ts';
import type { AuditSettings } from '../people/audit/model.ts';
import { authenticateRequests } from '../people/authentication/plugin.ts';
import { PASSWORDS_ONLY, type SignInSettings } from '../people/authentication/settings.ts';
import { ImageEngine } from '../people/avatars/engine.ts';
import type { ProviderSettings } from '../people/external/model.ts';
import { DEFAULT_OAUTH_SETTINGS, type OAuthSettings } from '../people/oauth/model.ts';
import { NO_REQUIREMENT, type SecondFactorSettings } from '../people/second-factor/model.ts';
import { NO_SIGN_UP, type SignUpSettings } from '../people/sign-up/model.ts';
import type { TokenSettings } from '../people/tokens/model.ts';
import type { ObjectStorage } from '../storage/model.ts';
import { SignedAddresses } from '../storage/signed-addresses.ts';
import { MarkdownEngine } from '../tracker/markdown/engine.ts';
import { type PageSettings, PLAIN_PAGES } from '../web/frame/model.ts';
import { Highlighter } from '../web/highlighting/highlighter.ts';
import { describeRoutes, reserveApiPaths, statusRoutes } from '../web/status.ts';
import { type Config, defaultArchiveSettings, defaultAuditSettings, defaultLfsSettings } from './config.ts';
import { credentialKeysOf, openDataFolder, readCredentialKeys, readSecret } from './data-folder.ts';
import { composeFeatures, type Features, type Services } from './features.ts';
import { openObjectStore } from './object-store.ts';
import { readSigningKeys } from './setting-values/signing-keys.ts';
import type { SshSettings } from './setting-values/ssh.ts';
import { readSshAuthorities } from './ssh/authorities.ts';
import { subscribeListeners } from './subscriptions.ts';
import { API_VERSION, VERSION } from './version.ts';

/** The engines, which exist before any feature. */
export interface Engines {
  readonly database: Database;
  readonly git: GitStorage;
  readonly objects: ObjectStorage;
  readonly openPgp: OpenPgpEngine;
  readonly signing: CommitSigning;
  readonly markdownEngine: MarkdownEngine;
  readonly highlighter: Highlighter;
  readonly mailer: Mailer;
  readonly imageEngine: ImageEngine;
  /** at which this server itself hands out objects */
  readonly signedAddresses: SignedAddresses;
  /** for requests to other servers */
  readonly outbound: OutboundClient;
  /** for stored credentials */
  readonly sealer: Sealer;
  /** of this server */
  readonly secret: Uint8Array;
  close(): Promise<void>;
}

/**
 * Opens the database, brings its schema up to date and opens the git storage and the object store.
 *
 * @param options.ownsFolder whether this process holds the lock of the data folder
 * @param options.addresses which the server may fill in later
 * @throws ConfigError, DatabaseTooNewError, and what the database says when it cannot be reached
 */
export async function openEngines(
  config: Config,
  options: { ownsFolder: boolean; addresses: Addresses },
): Promise<Engines> {
  if (config.searchPath !== null) setGitSearchPath(config.searchPath);
  await requireGit();
  const folder = openDataFolder(config.dataFolder);
  await using opened = new AsyncDisposableStack();
  const closing = <T extends { close(): Promise<void> }>(engine: T) =>
    opened.adopt(engine, (each) => each.close());
  const { databaseUrl, databaseConnections: connections } = config;
  const database = closing(
    openDatabase(
      databaseUrl === null
        ? { kind: 'file', path: folder.database }
        : { kind: 'url', url: databaseUrl, connections },
    ),
  );
  const openPgp = closing(new OpenPgpEngine());
  const signing = new CommitSigning(await readSigningKeys(config.signing, openPgp));
  await migrate(database);
  const { ownsFolder } = options;
  const secret = readSecret(folder.secret, options);
  const sealer = openSealer(config, folder.credentialKeys, options);
  const signedAddresses = new SignedAddresses(secret, options.addresses);
  const objects = closing(await openObjectStore(config.objects, { folder, addresses: signedAddresses }));
  const git = closing(
    createLocalStorage({
      database,
      folder: folder.git,
      transfers: config.transfers,
      ownsFolder,
      signCommit: signing.signCommit,
    }),
  );
  const outbound = new OutboundClient({ settings: config.outboundSettings, resolve: config.resolveHost });
  const markdownEngine = closing(new MarkdownEngine());
  const highlighter = closing(new Highlighter());
  const mailer = new Mailer(config.mailSettings);
  opened.defer(async () => mailer.close());
  const imageEngine = closing(new ImageEngine());
  const engines = opened.move();
  return {
    database,
    git,
    objects,
    outbound,
    openPgp,
    signing,
    markdownEngine,
    highlighter,
    mailer,
    imageEngine,
    secret,
    sealer,
    signedAddresses,
    close: () => engines.disposeAsync(),
  };
}

function openSealer(
  { credentialKeys }: Pick<Config, 'credentialKeys'>,
  path: string,
  options: { ownsFolder: boolean },
): Sealer {
  return new Sealer(
    credentialKeys.length > 0
      ? credentialKeysOf(credentialKeys, 'QUIRE_CREDENTIAL_KEYS')
      : readCredentialKeys(path, options),
  );
}

interface Options {
  readonly siteRules?: SiteRules;
  readonly secondFactorSettings?: SecondFactorSettings;
  readonly passwordHashing?: PasswordHashingOptions;
  readonly archiveSettings?: ArchiveSettings;
  readonly lfsSettings?: LfsSettings;
  readonly quotaSettings?: QuotaSettings;
  readonly auditSettings?: AuditSettings;
  readonly tokenSettings?: TokenSettings;
  readonly pageSettings?: PageSettings;
  readonly signUpSettings?: SignUpSettings;
  readonly ssh?: Pick<SshSettings, 'authorityFiles'>;
  readonly signInSettings?: SignInSettings;
  readonly signInProviders?: readonly ProviderSettings[];
  readonly oauthSettings?: OAuthSettings;
}

/** Creates the services of all features, with their listeners but without routes. */
export function createServices(engines: Engines, addresses: Addresses, options: Options = {}): Services {
  return createFeatures(engines, addresses, options).services;
}

function createFeatures(engines: Engines, addresses: Addresses, options: Options): Features {
  const { close: _, ...shared } = engines;
  const { database, openPgp, signing } = engines;
  const { siteRules = NO_SITE_RULES, passwordHashing, archiveSettings } = options;
  const features = composeFeatures({
    ...shared,
    jobs: new Jobs({ database }),
    verifier: new SignatureVerifier({ database, openPgp, addresses, signing }),
    addresses,
    version: VERSION,
    apiVersion: API_VERSION,
    siteRules,
    secondFactorSettings: options.secondFactorSettings ?? NO_REQUIREMENT,
    passwordHashing,
    archiveSettings: archiveSettings ?? defaultArchiveSettings(),
    lfsSettings: options.lfsSettings ?? defaultLfsSettings(),
    quotaSettings: options.quotaSettings ?? NO_QUOTA,
    auditSettings: options.auditSettings ?? defaultAuditSettings(),
    tokenSettings: options.tokenSettings ?? { lifetimeMsMax: null },
    pageSettings: options.pageSettings ?? PLAIN_PAGES,
    signUpSettings: options.signUpSettings ?? NO_SIGN_UP,
    sshAuthorities: readSshAuthorities(options.ssh?.authorityFiles ?? []),
    signInSettings: options.signInSettings ?? PASSWORDS_ONLY,
    signInProviders: options.signInProviders ?? [],
    oauthSettings: options.oauthSettings ?? DEFAULT_OAUTH_SETTINGS,
  });
  subscribeListeners(features.services);
  return features;
}

/** Creates the whole server, ready to listen. */
export async function createForge(
  config: Pick<
    Config,
    | 'logLevel'
    | 'logFormat'
    | 'trustedProxies'
    | 'allowedHosts'
    | 'siteRules'
    | 'secondFactorSettings'
    | 'passwordHashing'
    | 'metricsAccess'
    | 'archiveSettings'
    | 'lfsSettings'
    | 'quotaSettings'
    | 'auditSettings'
    | 'tokenSettings'
    | 'pageSettings'
    | 'signUpSettings'
    | 'ssh'
    | 'signInSettings'
    | 'signInProviders'
    | 'oauthSettings'
  >,
  engines: Engines,
  addresses: Addresses,
): Promise<{ app: App; services: Services }> {
  const features = createFeatures(engines, addresses, config);
  const { services } = features;
  const metrics = createMetrics();
  jobGauges(metrics, services.jobs);
  const { logLevel, logFormat, trustedProxies, allowedHosts } = config;
  const app = await createServer({ addresses, logLevel, logFormat, trustedProxies, allowedHosts, metrics });
  app.pageFrame = services.pageFrame;
  const description = describeApi(app, VERSION);
  if (await services.repositories.lists.isWithoutTextIndex())
    app.log.warn(
      'searches read all names, because the database lacks the extension pg_trgm: see docs/postgresql.md',
    );
  services.sshIdentities.logTo(app.log);
  app.addHook('onClose', () => services.keyOwners.waitForWrites());
  authenticateRequests(app, services.authentication, addresses);
  guardRoutes(app);
  await openWire(app, 'gitea', { addresses, prefix: '' }, (wire) => {
    statusRoutes(wire, { database: engines.database, metrics, metricsAccess: config.metricsAccess });
    apiPageRoutes(wire, description);
  });
  await openWires(app, features);
  return { app, services };
}

async function openWires(app: App, features: Features): Promise<void> {
  const { services } = features;
  const { addresses } = services;
  await openWire(app, 'gitea', { addresses, prefix: '/api/v1' }, (wire) => {
    describeRoutes(wire, services);
    reserveApiPaths(wire);
    features.registerRoutes('api', wire);
  });
  // Some installations of the reference have the first prefix, others the second. Clients know both.
  for (const prefix of ['/index.php/apps/notes/api', '/apps/notes/api']) {
    await openWire(app, 'notes', { addresses, prefix }, (wire) => features.registerRoutes('notes', wire));
  }
  await openWire(app, 'ocs', { addresses, prefix: '/ocs' }, (wire) => features.registerRoutes('ocs', wire));
  await openWire(app, 'git', { addresses, prefix: '' }, (wire) => features.registerRoutes('git', wire));
  await openWire(app, 'lfs', { addresses, prefix: '' }, (wire) => features.registerRoutes('lfs', wire));
  await openWire(app, 'oauth', { addresses, prefix: '' }, (wire) => features.registerRoutes('oauth', wire));
  await openWire(app, 'web', { addresses, prefix: '' }, (wire) => features.registerRoutes('platform', wire));
  await openWire(app, 'web', { addresses, prefix: '' }, (wire) => features.registerRoutes('web', wire));
}

function jobGauges(metrics: Metrics, jobs: Jobs): void {
  const gauges = [
    ['waiting', 'Jobs that wait for their time, or for a process that has time'],
    ['running', 'Jobs that are running, in any process'],
    ['failed', 'Jobs that were given up, and have not succeeded since'],
  ] as const;
  for (const [state, help] of gauges) {
    metrics.gauge(`quire_jobs_${state}`, help, async () => (await jobs.count())[state]);
  }
}
