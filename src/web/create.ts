import type { FastifyRequest } from 'fastify';
import type { ArchiveSettings } from '../code/archives/model.ts';
import type { App } from '../http/app.ts';
import type { Archives } from '../code/archives/service.ts';
import type { Compare } from '../code/commits/compare.ts';
import type { Commits } from '../code/commits/service.ts';
import type { CommitTexts } from '../code/commits/texts.ts';
import type { ContentsReader } from '../code/contents/read.ts';
import type { DeployKeys } from '../code/keys/deploy-keys.ts';
import type { OpenPgpKeys } from '../code/keys/openpgp-keys.ts';
import type { SshKeys } from '../code/keys/ssh-keys.ts';
import type { Protections } from '../code/protection/service.ts';
import type { Tags } from '../code/tags/service.ts';
import type { WikiReader } from '../code/wiki-pages/read.ts';
import type { Cron } from '../hosting/cron/service.ts';
import type { Forks } from '../hosting/forks/service.ts';
import type { Languages } from '../hosting/languages/service.ts';
import type { LfsSettings } from '../hosting/lfs/model.ts';
import type { LargeFiles } from '../hosting/lfs/service.ts';
import type { Migrations } from '../hosting/mirrors/migrations/service.ts';
import type { MirrorSync } from '../hosting/mirrors/sync.ts';
import type { Repositories } from '../hosting/repositories/service.ts';
import type { RepositoryAvatars } from '../hosting/repository-avatars/service.ts';
import type { Marks } from '../hosting/stars/marks.ts';
import type { TeamRepositories } from '../hosting/team-repositories/service.ts';
import type { Templates } from '../hosting/templates/service.ts';
import type { RepositoryTransfers } from '../hosting/transfers/service.ts';
import type { Addresses, App } from '../http/app.ts';
import { STYLESHEET } from '../http/pages/stylesheet.ts';
import type { OAuthSettings } from '../people/oauth/model.ts';
import { pagesOfAdministration } from './admin/pages.ts';
import { FINDER_SCRIPT } from './code/inspect/find-page.ts';
import { pagesOfCode } from './code/pages.ts';
import { pagesOfFeeds } from './feeds/pages.ts';
import { frameOf } from './frame/frame.ts';
import type { PageSettings } from './frame/model.ts';
import { robotsFile } from './frame/robots.ts';
import { staticFiles } from './frame/static-files.ts';
import { pagesOfHome } from './home/pages.ts';
import { NOTES_SCRIPT } from './notes/editor.ts';
import { pagesOfNotes } from './notes/pages.ts';
import { oauthPages } from './oauth/pages.ts';
import { pagesOfPeople } from './people/pages.ts';
import { pagesOfSettings } from './settings/pages.ts';
import { accountPages } from './people/account-pages.ts';
import { avatarPages } from './people/avatar-pages.ts';
import { blockedUsersPage } from './settings/blocked-users-page.ts';
import { collaborationPage } from './settings/collaboration-page.ts';
import { deployKeyPage } from './settings/deploy-key-page.ts';
import { keySettingsPage } from './settings/key-pages.ts';
import { mailSettingsPage } from './settings/mail-settings-page.ts';
import { organizationMembers } from './settings/organization-members.ts';
import { organizationPages } from './settings/organization-pages.ts';
import { organizationTeams } from './settings/organization-teams.ts';
import { organizationWebhooks } from './settings/organization-webhooks.ts';
import { profileSettingsPage } from './settings/profile-settings-page.ts';
import { branchProtectionPages } from './settings/protection-pages.ts';
import { repositorySettingsPages } from './settings/repository-pages.ts';
import { repositoryWebhooks } from './settings/repository-webhooks.ts';
import { tagProtectionPage } from './settings/tag-protection-page.ts';
import { tokenPages } from './settings/token-pages.ts';
import { settingsRoutes } from './settings.ts';
import { pagesOfSignIn } from './sign-in/pages.ts';
import { PASSKEY_SCRIPT } from './sign-in/passkey-parts.ts';
import { pagesOfTracker } from './tracker/pages.ts';
import { THREAD_SCRIPT } from './tracker/parts/thread-script.ts';
import { openingFormOf } from './tracker/pulls/new-pull-pages.ts';
import { recoveryPages } from './sign-in/recovery-pages.ts';
import { securityPages } from './sign-in/security-pages.ts';
import { sessionPages } from './sign-in/session-pages.ts';
import { signInPages } from './sign-in/sign-in-pages.ts';
import { signUpPages } from './sign-in/sign-up-pages.ts';
import { issueListPages } from './tracker/issue-list-pages.ts';
import { issuePages } from './tracker/issue-pages.ts';
import { labelPages } from './tracker/label-pages.ts';
import { milestonePages } from './tracker/milestone-pages.ts';
import { newIssuePages } from './tracker/new-issue-pages.ts';
import { notificationPages } from './tracker/notification-pages.ts';
import { ownPages } from './tracker/own-pages.ts';
import { THREAD_SCRIPT } from './tracker/parts/thread-script.ts';
import { openingFormOf } from './tracker/pulls/new-pull-pages.ts';
import { pullPages } from './tracker/pulls/pull-pages.ts';
import type { PullTools } from './tracker/pulls/tools.ts';
import { releaseFormPages } from './tracker/release-form-pages.ts';
import { releasePages } from './tracker/release-pages.ts';
import { threadForms } from './tracker/thread-forms.ts';
import { threadTextForms } from './tracker/thread-text-forms.ts';
import { uploadPages } from './tracker/upload-pages.ts';
import { wikiFormPages } from './tracker/wiki-form-pages.ts';
import { wikiPages } from './tracker/wiki-pages.ts';

type Own = 'openingForm' | 'servesDirect';
type Dependencies = Omit<Parameters<typeof pagesOfCode>[1], Own> &
  Parameters<typeof openingFormOf>[0] &
  Parameters<typeof pagesOfTracker>[1] &
  Parameters<typeof pagesOfHome>[1] &
  Parameters<typeof pagesOfPeople>[1] &
  Parameters<typeof pagesOfFeeds>[1] &
  Parameters<typeof pagesOfNotes>[1] &
  Parameters<typeof pagesOfSignIn>[1] &
  Parameters<typeof pagesOfSettings>[1] &
  Parameters<typeof pagesOfAdministration>[1] &
  Parameters<typeof oauthPages>[1] &
  Parameters<typeof settingsRoutes>[1] & {
    readonly archiveSettings: ArchiveSettings;
    readonly oauthSettings: OAuthSettings;
    readonly pageSettings: PageSettings;
    /** of the server */
    readonly version: string;
  };
interface Dependencies {
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly reading: ContentsReader;
  readonly languages: Languages;
  readonly highlighter: Highlighter;
  readonly archives: Archives;
  readonly archiveSettings: ArchiveSettings;
  readonly commits: Commits;
  readonly compare: Compare;
  readonly tags: Tags;
  readonly commitTexts: CommitTexts;
  readonly pullDiffs: PullDiffs;
  readonly wikiReader: WikiReader;
  readonly markdown: Markdown;
  readonly largeFiles: LargeFiles;
  readonly avatarFiles: AvatarFiles;
  readonly repositoryAvatars: RepositoryAvatars;
  readonly issues: Issues;
  readonly comments: Comments;
  readonly releases: Releases;
  readonly activities: Activities;
  readonly lfsSettings: LfsSettings;
  readonly browserSignIn: BrowserSignIn;
  readonly authentication: Authentication;
  readonly externalSignIn: ExternalSignIn;
  readonly externalIdentities: Identities;
  readonly sessions: Sessions;
  readonly signUp: SignUp;
  readonly recovery: Recovery;
  readonly emailChanges: EmailChanges;
  readonly secondFactors: SecondFactors;
  readonly passkeys: Passkeys;
  readonly organizations: Organizations;
  readonly teams: Teams;
  readonly follows: Follows;
  readonly stars: Marks;
  readonly protections: Protections;
  readonly cron: Cron;
  readonly jobs: Jobs;
  readonly auditLog: AuditLog;
  readonly webhooks: Webhooks;
  readonly deployKeys: DeployKeys;
  readonly transfers: RepositoryTransfers;
  readonly teamRepositories: TeamRepositories;
  readonly mirrorSync: MirrorSync;
  readonly sshKeys: SshKeys;
  readonly openPgpKeys: OpenPgpKeys;
  readonly tokens: Tokens;
  readonly avatars: Avatars;
  readonly blocks: Blocks;
  readonly mailPreferences: MailPreferences;
  readonly forks: Forks;
  readonly templates: Templates;
  readonly migrations: Migrations;
  readonly watching: Marks;
  readonly oauthApplications: OAuthApplications;
  readonly oauthGrants: OAuthGrants;
  readonly oauthSettings: OAuthSettings;
  readonly addresses: Addresses;
  /** of the server */
  readonly version: string;
}

const STATIC_FILES = [STYLESHEET, PASSKEY_SCRIPT, NOTES_SCRIPT, FINDER_SCRIPT, THREAD_SCRIPT];

export function createWeb(dependencies: Dependencies) {
  const { pageSettings: settings, version, archiveSettings, oauthSettings } = dependencies;
  const { styles, logo } = settings;
  return {
    services: { pageFrame: (request: FastifyRequest) => frameOf(request, { settings, version }) },
    routes: {
      api: (app: App) => settingsRoutes(app, dependencies),
      web(app: App) {
        const files = [...STATIC_FILES, styles, logo];
        staticFiles(
          app,
          files.filter((file) => file !== undefined),
        );
        robotsFile(app);
        pagesOfHome(app, dependencies);
        pagesOfSignIn(app, dependencies);
        if (oauthSettings.isEnabled) oauthPages(app, dependencies);
        pagesOfSettings(app, dependencies);
        pagesOfAdministration(app, dependencies);
        pagesOfNotes(app, dependencies);
        pagesOfPeople(app, dependencies);
        pagesOfFeeds(app, dependencies);
        pagesOfTracker(app, dependencies);
        const openingForm = openingFormOf(dependencies);
        pagesOfCode(app, { ...dependencies, ...archiveSettings, openingForm });
        staticFiles(app, STATIC_FILES);
        homePages(app, dependencies);
        explorePages(app, dependencies);
        newRepositoryPage(app, dependencies);
        forkPage(app, dependencies);
        migratePage(app, dependencies);
        signInPages(app, dependencies);
        externalPages(app, dependencies);
        linkedAccountPages(app, dependencies);
        sessionPages(app, dependencies);
        signUpPages(app, dependencies);
        recoveryPages(app, dependencies);
        emailPages(app, dependencies);
        profileSettingsPage(app, dependencies);
        mailSettingsPage(app, dependencies);
        blockedUsersPage(app, dependencies);
        tokenPages(app, dependencies);
        keySettingsPage(app, dependencies);
        repositorySettingsPages(app, dependencies);
        collaborationPage(app, dependencies);
        deployKeyPage(app, dependencies);
        branchProtectionPages(app, dependencies);
        tagProtectionPage(app, dependencies);
        repositoryWebhooks(app, dependencies);
        organizationPages(app, dependencies);
        organizationMembers(app, dependencies);
        organizationTeams(app, dependencies);
        organizationWebhooks(app, dependencies);
        overviewPages(app, dependencies);
        adminUserPages(app, dependencies);
        adminUserPage(app, dependencies);
        cronPage(app, dependencies);
        auditPage(app, dependencies);
        accountSettingsPage(app, dependencies);
        confirmPage(app, dependencies);
        securityPages(app, dependencies);
        if (dependencies.oauthSettings.isEnabled) oauthPages(app, dependencies);
        accountPages(app, dependencies);
        avatarPages(app, dependencies);
        feedPages(app, dependencies);
        gitFeedPages(app, dependencies);
        issuePages(app, dependencies);
        releasePages(app, dependencies);
        wikiPages(app, dependencies);
        repositoryPages(app, { ...dependencies, ...dependencies.archiveSettings });
      },
    },
  };
}
