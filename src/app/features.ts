import type { Sealer } from '../base/core/sealing.ts';
import type { Database } from '../base/database/database.ts';
import type { Jobs } from '../base/jobs/service.ts';
import type { Mailer } from '../base/mail/mailer.ts';
import type { OutboundClient } from '../base/outbound/client.ts';
import { createArchives } from '../code/archives/create.ts';
import type { ArchiveSettings } from '../code/archives/model.ts';
import { createBranches } from '../code/branches/create.ts';
import { createCommitNotes } from '../code/commit-notes/create.ts';
import { createCommits } from '../code/commits/create.ts';
import { createContents } from '../code/contents/create.ts';
import { createEditorConfig } from '../code/editorconfig/create.ts';
import { createGitData } from '../code/git-data/create.ts';
import { createKeys } from '../code/keys/create.ts';
import type { OpenPgpEngine } from '../code/keys/openpgp/engine.ts';
import { createObjectDownloads } from '../code/object-downloads/create.ts';
import { createProtection } from '../code/protection/create.ts';
import { createRefs } from '../code/refs/create.ts';
import { createSigning } from '../code/signing/create.ts';
import type { CommitSigning } from '../code/signing/service.ts';
import { createSsh } from '../code/ssh/create.ts';
import { createStatuses } from '../code/statuses/create.ts';
import { createTags } from '../code/tags/create.ts';
import { createTransport } from '../code/transport/create.ts';
import type { SignatureVerifier } from '../code/verification/service.ts';
import { createWikiPages } from '../code/wiki-pages/create.ts';
import type { GitStorage } from '../git/interface/storage.ts';
import { createAdoption } from '../hosting/adoption/create.ts';
import { createCron } from '../hosting/cron/create.ts';
import { createFlags } from '../hosting/flags/create.ts';
import { createForks } from '../hosting/forks/create.ts';
import { createLanguages } from '../hosting/languages/create.ts';
import { createLfs } from '../hosting/lfs/create.ts';
import type { LfsSettings } from '../hosting/lfs/model.ts';
import { createMaintenance } from '../hosting/maintenance/create.ts';
import { createMirrors } from '../hosting/mirrors/create.ts';
import { createNodeInfo } from '../hosting/node-info/create.ts';
import { createPushMirrors } from '../hosting/push-mirrors/create.ts';
import { createQuota } from '../hosting/quota/create.ts';
import type { QuotaSettings } from '../hosting/quota/model.ts';
import { createRepositories } from '../hosting/repositories/create.ts';
import type { SiteRules } from '../hosting/repositories/site-rules.ts';
import { createRepositoryAvatars } from '../hosting/repository-avatars/create.ts';
import { createSearch } from '../hosting/search/create.ts';
import { createStars } from '../hosting/stars/create.ts';
import { createTeamRepositories } from '../hosting/team-repositories/create.ts';
import { createTemplateRepositories } from '../hosting/template-repositories/create.ts';
import { createTemplates } from '../hosting/templates/create.ts';
import { createTopics } from '../hosting/topics/create.ts';
import { createTransfers } from '../hosting/transfers/create.ts';
import { createWikis } from '../hosting/wikis/create.ts';
import type { Addresses } from '../http/app.ts';
import { createNotes } from '../notes/notebooks/create.ts';
import { createPlatform } from '../notes/platform/create.ts';
import { createAccountLinks } from '../people/account-links/create.ts';
import { createAccounts } from '../people/accounts/create.ts';
import type { PasswordHashingOptions } from '../people/accounts/passwords/hash-password.ts';
import { createAudit } from '../people/audit/create.ts';
import type { AuditSettings } from '../people/audit/model.ts';
import { createAuthentication } from '../people/authentication/create.ts';
import type { SignInSettings } from '../people/authentication/settings.ts';
import { createAvatars } from '../people/avatars/create.ts';
import type { ImageEngine } from '../people/avatars/engine.ts';
import { createBlocks } from '../people/blocks/create.ts';
import { createEmailChanges } from '../people/email-changes/create.ts';
import { createExternal } from '../people/external/create.ts';
import type { ProviderSettings } from '../people/external/model.ts';
import { createFollows } from '../people/follows/create.ts';
import { createOAuth } from '../people/oauth/create.ts';
import type { OAuthSettings } from '../people/oauth/model.ts';
import { createOAuthGrants } from '../people/oauth-grants/create.ts';
import { createOrganizations } from '../people/organizations/create.ts';
import { createRecovery } from '../people/recovery/create.ts';
import { createSecondFactor } from '../people/second-factor/create.ts';
import type { SecondFactorSettings } from '../people/second-factor/model.ts';
import { createSessions } from '../people/sessions/create.ts';
import { createSignUp } from '../people/sign-up/create.ts';
import type { SignUpSettings } from '../people/sign-up/model.ts';
import { createTeams } from '../people/teams/create.ts';
import { createTokens } from '../people/tokens/create.ts';
import type { TokenSettings } from '../people/tokens/model.ts';
import type { ObjectStorage } from '../storage/model.ts';
import type { SignedAddresses } from '../storage/signed-addresses.ts';
import { createActivities } from '../tracker/activities/create.ts';
import { createEventFeed } from '../tracker/event-feed/create.ts';
import { createImports } from '../tracker/imports/create.ts';
import { createIssueTemplates } from '../tracker/issue-templates/create.ts';
import { createIssues } from '../tracker/issues/create.ts';
import { createLabels } from '../tracker/labels/create.ts';
import { createMail } from '../tracker/mail/create.ts';
import { createMarkdown } from '../tracker/markdown/create.ts';
import type { MarkdownEngine } from '../tracker/markdown/engine.ts';
import { createMilestones } from '../tracker/milestones/create.ts';
import { createNotifications } from '../tracker/notifications/create.ts';
import { createPulls } from '../tracker/pulls/create.ts';
import { createReleases } from '../tracker/releases/create.ts';
import { createWebhooks } from '../tracker/webhooks/create.ts';
import { createWeb } from '../web/create.ts';
import type { PageSettings } from '../web/frame/model.ts';
import type { Highlighter } from '../web/highlighting/highlighter.ts';
import { Composition } from './composition.ts';

/** What every feature may use. */
interface Foundation {
  readonly database: Database;
  readonly git: GitStorage;
  readonly jobs: Jobs;
  /** files that are not git objects */
  readonly objects: ObjectStorage;
  /** for requests to other servers */
  readonly outbound: OutboundClient;
  readonly signedAddresses: SignedAddresses;
  readonly openPgp: OpenPgpEngine;
  readonly markdownEngine: MarkdownEngine;
  readonly highlighter: Highlighter;
  readonly mailer: Mailer;
  /** decodes uploaded pictures */
  readonly imageEngine: ImageEngine;
  /** of the commits that the server makes */
  readonly signing: CommitSigning;
  readonly verifier: SignatureVerifier;
  /** for stored credentials */
  readonly sealer: Sealer;
  /** of this server, from which it makes its keys */
  readonly secret: Uint8Array;
  readonly addresses: Addresses;
  /** of this server */
  readonly version: string;
  /** of the forge API, as clients compare it */
  readonly apiVersion: string;
  readonly siteRules: SiteRules;
  readonly secondFactorSettings: SecondFactorSettings;
  readonly archiveSettings: ArchiveSettings;
  readonly lfsSettings: LfsSettings;
  readonly quotaSettings: QuotaSettings;
  readonly auditSettings: AuditSettings;
  readonly tokenSettings: TokenSettings;
  readonly pageSettings: PageSettings;
  readonly signUpSettings: SignUpSettings;
  /** keys of the authorities whose SSH certificates count */
  readonly sshAuthorities: readonly Buffer[];
  readonly signInSettings: SignInSettings;
  /** servers at which users sign in with OpenID Connect */
  readonly signInProviders: readonly ProviderSettings[];
  readonly oauthSettings: OAuthSettings;
  /** absent: the default */
  readonly passwordHashing?: PasswordHashingOptions | undefined;
}

/** Composes all features. Each uses the services of features before it. The API document lists routes in this order. */
export function composeFeatures(foundation: Foundation) {
  return new Composition(foundation)
    .add(createAccounts)
    .add(createTokens)
    .add(createSessions)
    .add(createSecondFactor)
    .add(createOAuthGrants)
    .add(createAuthentication)
    .add(createAccountLinks)
    .add(createRecovery)
    .add(createEmailChanges)
    .add(createOrganizations)
    .add(createAudit)
    .add(createTeams)
    .add(createSignUp)
    .add(createOAuth)
    .add(createFollows)
    .add(createBlocks)
    .add(createAvatars)
    .add(createExternal)
    .add(createTemplates)
    .add(createRepositories)
    .add(createRepositoryAvatars)
    .add(createQuota)
    .add(createLfs)
    .add(createWikis)
    .add(createMirrors)
    .add(createPushMirrors)
    .add(createMaintenance)
    .add(createCron)
    .add(createNodeInfo)
    .add(createTemplateRepositories)
    .add(createTeamRepositories)
    .add(createStars)
    .add(createTopics)
    .add(createFlags)
    .add(createLabels)
    .add(createMilestones)
    .add(createLanguages)
    .add(createForks)
    .add(createSearch)
    .add(createKeys)
    .add(createSigning)
    .add(createContents)
    .add(createGitData)
    .add(createRefs)
    .add(createCommitNotes)
    .add(createCommits)
    .add(createStatuses)
    .add(createObjectDownloads)
    .add(createArchives)
    .add(createEditorConfig)
    .add(createIssueTemplates)
    .add(createProtection)
    .add(createBranches)
    .add(createTags)
    .add(createWikiPages)
    .add(createTransport)
    .add(createSsh)
    .add(createIssues)
    .add(createPulls)
    .add(createReleases)
    .add(createImports)
    .add(createMarkdown)
    .add(createNotifications)
    .add(createWebhooks)
    .add(createEventFeed)
    .add(createMail)
    .add(createActivities)
    .add(createNotes)
    .add(createTransfers)
    .add(createAdoption)
    .add(createWeb)
    .add(createPlatform);
}

export type Features = ReturnType<typeof composeFeatures>;
/** The foundation, and the services of all features. */
export type Services = Features['services'];
