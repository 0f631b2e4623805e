import { createAccounts } from '../accounts/create.ts';
import type { PasswordHashingOptions } from '../accounts/hash-password.ts';
import { createArchives } from '../archives/create.ts';
import type { ArchiveSettings } from '../archives/model.ts';
import { createAuthentication } from '../authentication/create.ts';
import { createBranches } from '../branches/create.ts';
import { createCommitNotes } from '../commit-notes/create.ts';
import { createCommits } from '../commits/create.ts';
import { createContents } from '../contents/create.ts';
import type { Sealer } from '../core/sealing.ts';
import type { Database } from '../database/database.ts';
import { createEditorConfig } from '../editorconfig/create.ts';
import { createFlags } from '../flags/create.ts';
import { createForks } from '../forks/create.ts';
import type { GitStorage } from '../git/model.ts';
import { createGitData } from '../git-data/create.ts';
import type { Addresses } from '../http/app.ts';
import { createImports } from '../imports/create.ts';
import { createIssueTemplates } from '../issue-templates/create.ts';
import { createIssues } from '../issues/create.ts';
import type { Jobs } from '../jobs/service.ts';
import { createKeys } from '../keys/create.ts';
import type { OpenPgpEngine } from '../keys/openpgp/engine.ts';
import { createLabels } from '../labels/create.ts';
import { createLanguages } from '../languages/create.ts';
import { createLfs } from '../lfs/create.ts';
import type { LfsSettings } from '../lfs/model.ts';
import { createMaintenance } from '../maintenance/create.ts';
import { createMarkdown } from '../markdown/create.ts';
import type { MarkdownEngine } from '../markdown/engine.ts';
import { createMilestones } from '../milestones/create.ts';
import { createMirrors } from '../mirrors/create.ts';
import { createNotes } from '../notes/create.ts';
import { createNotifications } from '../notifications/create.ts';
import { createObjectDownloads } from '../object-downloads/create.ts';
import { createOrganizations } from '../organizations/create.ts';
import type { OutboundClient } from '../outbound/client.ts';
import { createPlatform } from '../platform/create.ts';
import { createProtection } from '../protection/create.ts';
import { createPushMirrors } from '../push-mirrors/create.ts';
import { createRefs } from '../refs/create.ts';
import { createRepositories } from '../repositories/create.ts';
import type { PushRule } from '../repositories/push-rules.ts';
import type { SiteRules } from '../repositories/site-rules.ts';
import { createSearch } from '../search/create.ts';
import { createStars } from '../stars/create.ts';
import { createStatuses } from '../statuses/create.ts';
import type { ObjectStorage } from '../storage/model.ts';
import type { SignedAddresses } from '../storage/signed-addresses.ts';
import { createTags } from '../tags/create.ts';
import { createTeamRepositories } from '../team-repositories/create.ts';
import { createTeams } from '../teams/create.ts';
import { createTemplateRepositories } from '../template-repositories/create.ts';
import { createTemplates } from '../templates/create.ts';
import { createTokens } from '../tokens/create.ts';
import { createTopics } from '../topics/create.ts';
import { createTransfers } from '../transfers/create.ts';
import { createTransport } from '../transport/create.ts';
import type { SignatureVerifier } from '../verification/service.ts';
import { createWeb } from '../web/create.ts';
import { Composition } from './composition.ts';

/** What every feature may use. */
export interface Foundation {
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
  readonly pushRules: readonly PushRule[];
  readonly archiveSettings: ArchiveSettings;
  readonly lfsSettings: LfsSettings;
  /** absent: the default */
  readonly passwordHashing?: PasswordHashingOptions | undefined;
}

/** Composes all features, in the order of the folders. Each uses the services of those before it. */
export function composeFeatures(foundation: Foundation) {
  return new Composition(foundation)
    .add(createAccounts)
    .add(createTokens)
    .add(createAuthentication)
    .add(createOrganizations)
    .add(createTeams)
    .add(createTemplates)
    .add(createRepositories)
    .add(createLfs)
    .add(createMirrors)
    .add(createPushMirrors)
    .add(createMaintenance)
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
    .add(createTransport)
    .add(createIssues)
    .add(createImports)
    .add(createMarkdown)
    .add(createNotifications)
    .add(createNotes)
    .add(createTransfers)
    .add(createWeb)
    .add(createPlatform);
}

export type Features = ReturnType<typeof composeFeatures>;
/** The foundation, and the services of all features. */
export type Services = Features['services'];
