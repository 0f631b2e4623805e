import type { App } from '../../http/app.ts';
import { blockedUsersPage } from './blocked-users-page.ts';
import { collaborationPage } from './collaboration-page.ts';
import { deployKeyPage } from './deploy-key-page.ts';
import { keySettingsPage } from './key-pages.ts';
import { mailSettingsPage } from './mail-settings-page.ts';
import { organizationMembers } from './organization-members.ts';
import { organizationPages } from './organization-pages.ts';
import { organizationTeams } from './organization-teams.ts';
import { organizationWebhooks } from './organization-webhooks.ts';
import { profileSettingsPage } from './profile-settings-page.ts';
import { branchProtectionPages } from './protection-pages.ts';
import { repositorySettingsPages } from './repository-pages.ts';
import { repositoryWebhooks } from './repository-webhooks.ts';
import { tagProtectionPage } from './tag-protection-page.ts';
import { tokenPages } from './token-pages.ts';

type Dependencies = Parameters<typeof profileSettingsPage>[1] &
  Parameters<typeof mailSettingsPage>[1] &
  Parameters<typeof blockedUsersPage>[1] &
  Parameters<typeof tokenPages>[1] &
  Parameters<typeof keySettingsPage>[1] &
  Parameters<typeof repositorySettingsPages>[1] &
  Parameters<typeof collaborationPage>[1] &
  Parameters<typeof deployKeyPage>[1] &
  Parameters<typeof branchProtectionPages>[1] &
  Parameters<typeof tagProtectionPage>[1] &
  Parameters<typeof repositoryWebhooks>[1] &
  Parameters<typeof organizationPages>[1] &
  Parameters<typeof organizationMembers>[1] &
  Parameters<typeof organizationTeams>[1] &
  Parameters<typeof organizationWebhooks>[1];

/** Registers the settings of accounts, organizations and repositories. */
export function pagesOfSettings(app: App, dependencies: Dependencies): void {
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
}
