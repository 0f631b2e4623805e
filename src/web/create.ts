import type { FastifyRequest } from 'fastify';
import type { ArchiveSettings } from '../code/archives/model.ts';
import type { Archives } from '../code/archives/service.ts';
import type { BranchReader } from '../code/branches/read.ts';
import type { BranchChanges } from '../code/branches/write.ts';
import type { CommitNotes } from '../code/commit-notes/service.ts';
import type { Compare } from '../code/commits/compare.ts';
import type { DifferenceReader } from '../code/commits/differences.ts';
import type { Commits } from '../code/commits/service.ts';
import type { CommitTexts } from '../code/commits/texts.ts';
import type { ContentsInspector } from '../code/contents/inspect.ts';
import type { ContentsReader } from '../code/contents/read.ts';
import type { FileEditing } from '../code/contents/writing/editing.ts';
import type { ContentsWriter } from '../code/contents/writing/write.ts';
import type { CommitReader } from '../code/git-data/commit-reader.ts';
import type { FileFinder } from '../code/git-data/file-finder.ts';
import type { Statuses } from '../code/statuses/service.ts';
import type { Tags } from '../code/tags/service.ts';
import type { WikiReader } from '../code/wiki-pages/read.ts';
import type { Languages } from '../hosting/languages/service.ts';
import type { LfsSettings } from '../hosting/lfs/model.ts';
import type { LargeFiles } from '../hosting/lfs/service.ts';
import type { Repositories } from '../hosting/repositories/service.ts';
import type { RepositoryAvatars } from '../hosting/repository-avatars/service.ts';
import type { Addresses, App } from '../http/app.ts';
import { STYLESHEET } from '../http/pages/stylesheet.ts';
import type { NoteHistory } from '../notes/notebooks/history/service.ts';
import type { NoteSearch } from '../notes/notebooks/search/service.ts';
import type { Notes } from '../notes/notebooks/service.ts';
import type { Accounts } from '../people/accounts/service.ts';
import type { BrowserSignIn } from '../people/authentication/browser-sign-in.ts';
import type { Authentication } from '../people/authentication/service.ts';
import type { AvatarFiles } from '../people/avatars/files.ts';
import type { EmailChanges } from '../people/email-changes/service.ts';
import type { Identities } from '../people/external/identities.ts';
import type { ExternalSignIn } from '../people/external/service.ts';
import type { OAuthSettings } from '../people/oauth/model.ts';
import type { OAuthApplications } from '../people/oauth/service.ts';
import type { OAuthGrants } from '../people/oauth-grants/service.ts';
import type { Organizations } from '../people/organizations/service.ts';
import type { Recovery } from '../people/recovery/service.ts';
import type { Passkeys } from '../people/second-factor/passkeys.ts';
import type { SecondFactors } from '../people/second-factor/service.ts';
import type { Sessions } from '../people/sessions/service.ts';
import type { SignUp } from '../people/sign-up/service.ts';
import type { Activities } from '../tracker/activities/service.ts';
import type { IssueTemplates } from '../tracker/issue-templates/service.ts';
import type { Comments } from '../tracker/issues/discussion/comments/service.ts';
import type { Reactions } from '../tracker/issues/discussion/reactions/service.ts';
import type { Subscriptions } from '../tracker/issues/discussion/subscriptions/service.ts';
import type { Timelines } from '../tracker/issues/discussion/timeline/service.ts';
import type { Dependencies as IssueDependencies } from '../tracker/issues/planning/dependencies/service.ts';
import type { IssueLabels } from '../tracker/issues/planning/labels/service.ts';
import type { IssueMarks } from '../tracker/issues/planning/marks/service.ts';
import type { Times } from '../tracker/issues/planning/times/service.ts';
import type { Issues } from '../tracker/issues/service.ts';
import type { Labels } from '../tracker/labels/service.ts';
import type { Markdown } from '../tracker/markdown/service.ts';
import type { Milestones } from '../tracker/milestones/service.ts';
import type { PullDiffs } from '../tracker/pulls/diffs/service.ts';
import type { Releases } from '../tracker/releases/service.ts';
import { commitPages } from './code/commits/pages.ts';
import { editingPages } from './code/editing/pages.ts';
import { FINDER_SCRIPT } from './code/inspect/find-page.ts';
import { inspectionPages } from './code/inspect/pages.ts';
import { refPages } from './code/refs/pages.ts';
import { repositoryPages } from './code/repository-pages.ts';
import { feedPages } from './feeds/feed-pages.ts';
import { gitFeedPages } from './feeds/git-feed-pages.ts';
import { frameOf } from './frame/frame.ts';
import type { PageSettings } from './frame/model.ts';
import { robotsFile } from './frame/robots.ts';
import { staticFiles } from './frame/static-files.ts';
import type { Highlighter } from './highlighting/highlighter.ts';
import { homePages } from './home/home-page.ts';
import { NOTES_SCRIPT } from './notes/editor.ts';
import { noteHistoryPages } from './notes/history-pages.ts';
import { notePages } from './notes/note-pages.ts';
import { oauthPages } from './oauth/pages.ts';
import { accountPages } from './people/account-pages.ts';
import { avatarPages } from './people/avatar-pages.ts';
import { settingsRoutes } from './settings.ts';
import { accountSettingsPage } from './sign-in/account-settings-page.ts';
import { confirmPage } from './sign-in/confirm-page.ts';
import { emailPages } from './sign-in/email-pages.ts';
import { externalPages } from './sign-in/external-pages.ts';
import { linkedAccountPages } from './sign-in/linked-account-pages.ts';
import { PASSKEY_SCRIPT } from './sign-in/passkey-parts.ts';
import { recoveryPages } from './sign-in/recovery-pages.ts';
import { securityPages } from './sign-in/security-pages.ts';
import { sessionPages } from './sign-in/session-pages.ts';
import { signInPages } from './sign-in/sign-in-pages.ts';
import { signUpPages } from './sign-in/sign-up-pages.ts';
import { issueListPages } from './tracker/issue-list-pages.ts';
import { issuePages } from './tracker/issue-pages.ts';
import { newIssuePages } from './tracker/new-issue-pages.ts';
import { releasePages } from './tracker/release-pages.ts';
import { threadForms } from './tracker/thread-forms.ts';
import { threadTextForms } from './tracker/thread-text-forms.ts';
import { wikiPages } from './tracker/wiki-pages.ts';

interface Dependencies {
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly reading: ContentsReader;
  readonly inspector: ContentsInspector;
  readonly writing: ContentsWriter;
  readonly editing: FileEditing;
  readonly fileFinder: FileFinder;
  readonly languages: Languages;
  readonly highlighter: Highlighter;
  readonly archives: Archives;
  readonly archiveSettings: ArchiveSettings;
  readonly commits: Commits;
  readonly compare: Compare;
  readonly branchReader: BranchReader;
  readonly branchChanges: BranchChanges;
  readonly tags: Tags;
  readonly commitTexts: CommitTexts;
  readonly commitReader: CommitReader;
  readonly differences: DifferenceReader;
  readonly commitNotes: CommitNotes;
  readonly statuses: Statuses;
  readonly pullDiffs: PullDiffs;
  readonly wikiReader: WikiReader;
  readonly markdown: Markdown;
  readonly largeFiles: LargeFiles;
  readonly avatarFiles: AvatarFiles;
  readonly repositoryAvatars: RepositoryAvatars;
  readonly issues: Issues;
  readonly issueTemplates: IssueTemplates;
  readonly comments: Comments;
  readonly timelines: Timelines;
  readonly reactions: Reactions;
  readonly subscriptions: Subscriptions;
  readonly marks: IssueMarks;
  readonly issueLabels: IssueLabels;
  readonly dependencies: IssueDependencies;
  readonly times: Times;
  readonly labels: Labels;
  readonly milestones: Milestones;
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
  readonly notes: Notes;
  readonly noteSearch: NoteSearch;
  readonly noteHistory: NoteHistory;
  readonly oauthApplications: OAuthApplications;
  readonly oauthGrants: OAuthGrants;
  readonly oauthSettings: OAuthSettings;
  readonly addresses: Addresses;
  readonly pageSettings: PageSettings;
  /** of the server */
  readonly version: string;
}

const STATIC_FILES = [STYLESHEET, PASSKEY_SCRIPT, NOTES_SCRIPT, FINDER_SCRIPT];

export function createWeb(dependencies: Dependencies) {
  const { styles, logo } = dependencies.pageSettings;
  return {
    services: {
      pageFrame: (request: FastifyRequest) =>
        frameOf(request, { settings: dependencies.pageSettings, version: dependencies.version }),
    },
    routes: {
      api: (app: App) => settingsRoutes(app, dependencies),
      web(app: App) {
        staticFiles(
          app,
          [...STATIC_FILES, styles, logo].filter((file) => file !== undefined),
        );
        robotsFile(app);
        homePages(app, dependencies);
        signInPages(app, dependencies);
        externalPages(app, dependencies);
        linkedAccountPages(app, dependencies);
        sessionPages(app, dependencies);
        signUpPages(app, dependencies);
        recoveryPages(app, dependencies);
        emailPages(app, dependencies);
        accountSettingsPage(app, dependencies);
        confirmPage(app, dependencies);
        securityPages(app, dependencies);
        if (dependencies.oauthSettings.isEnabled) oauthPages(app, dependencies);
        notePages(app, dependencies);
        noteHistoryPages(app, dependencies);
        accountPages(app, dependencies);
        avatarPages(app, dependencies);
        feedPages(app, dependencies);
        gitFeedPages(app, dependencies);
        issueListPages(app, dependencies);
        newIssuePages(app, dependencies);
        issuePages(app, dependencies);
        threadForms(app, dependencies);
        threadTextForms(app, dependencies);
        releasePages(app, dependencies);
        wikiPages(app, dependencies);
        commitPages(app, dependencies);
        refPages(app, dependencies);
        inspectionPages(app, dependencies);
        editingPages(app, dependencies);
        repositoryPages(app, { ...dependencies, ...dependencies.archiveSettings });
      },
    },
  };
}
