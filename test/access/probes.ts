import type { Action } from '../../src/access/actions.ts';
import { ACCOUNT, SITE } from '../../src/accounts/actions.ts';
import { CONTENTS } from '../../src/contents/actions.ts';
import { FORK } from '../../src/forks/actions.ts';
import { LANGUAGE } from '../../src/languages/actions.ts';
import { NOTE } from '../../src/notes/actions.ts';
import { ACCOUNT_ORGANIZATIONS, ORGANIZATION, SITE_ORGANIZATIONS } from '../../src/organizations/actions.ts';
import {
  ACCOUNT_REPOSITORIES,
  COLLABORATOR,
  ORGANIZATION_REPOSITORIES,
  REPOSITORY,
  SITE_REPOSITORIES,
} from '../../src/repositories/actions.ts';
import { REPOSITORY_SEARCH } from '../../src/search/actions.ts';
import { STAR, WATCH } from '../../src/stars/actions.ts';
import { REPOSITORY_TEAMS, TEAM_REPOSITORIES } from '../../src/team-repositories/actions.ts';
import { ACCOUNT_TEAMS, TEAM } from '../../src/teams/actions.ts';
import { TEMPLATE_REPOSITORY } from '../../src/template-repositories/actions.ts';
import { TOKEN } from '../../src/tokens/actions.ts';
import { TOPIC } from '../../src/topics/actions.ts';
import { TRANSFER } from '../../src/transfers/actions.ts';
import type { SendOptions } from '../support/http.ts';

/** One request that tries a route: what it sends is right as far as that can be without changing anything for others. */
export interface Probe {
  /** the column it has in the matrix */
  readonly label: string;
  readonly method: string;
  /** the route as it is registered */
  readonly url: string;
  readonly action: Action;
  /** in place of the parameters that are not the same for all */
  readonly filled?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly sent?: SendOptions;
}

const REPOSITORY_URL = '/api/v1/repos/:owner/:repo';
const STAR_URL = '/api/v1/user/starred/:owner/:repo';
const NOTES_URL = '/apps/notes/api/v1/notes';
const NO_SHA = '0'.repeat(40);
const gitBody = (service: string): SendOptions => ({
  body: '0000',
  headers: { 'content-type': `application/x-git-${service}-request` },
});

/** What is done with one repository. */
export const REPOSITORY_PROBES: readonly Probe[] = [
  { label: 'read', method: 'GET', url: REPOSITORY_URL, action: REPOSITORY.read },
  {
    label: 'edit',
    method: 'PATCH',
    url: REPOSITORY_URL,
    action: REPOSITORY.edit,
    sent: { json: { description: '' } },
  },
  { label: 'list root', method: 'GET', url: `${REPOSITORY_URL}/contents`, action: CONTENTS.read },
  {
    label: 'make another of it',
    method: 'POST',
    url: '/api/v1/repos/:template_owner/:template_repo/generate',
    action: TEMPLATE_REPOSITORY.generate,
    sent: { json: { name: 'not a name', owner: 'nobody', git_content: true } },
  },
  { label: 'read file', method: 'GET', url: `${REPOSITORY_URL}/contents/*`, action: CONTENTS.read },
  { label: 'raw', method: 'GET', url: `${REPOSITORY_URL}/raw/*`, action: CONTENTS.readRaw },
  {
    label: 'create file',
    method: 'POST',
    url: `${REPOSITORY_URL}/contents/*`,
    action: CONTENTS.write,
    filled: { '*': 'new/COUNT' },
    sent: { json: { content: '' } },
  },
  {
    label: 'update file',
    method: 'PUT',
    url: `${REPOSITORY_URL}/contents/*`,
    action: CONTENTS.write,
    sent: { json: { content: '', sha: NO_SHA } },
  },
  {
    label: 'delete file',
    method: 'DELETE',
    url: `${REPOSITORY_URL}/contents/*`,
    action: CONTENTS.write,
    sent: { json: { sha: NO_SHA } },
  },
  {
    label: 'list collaborators',
    method: 'GET',
    url: `${REPOSITORY_URL}/collaborators`,
    action: COLLABORATOR.list,
  },
  {
    label: 'ask for collaborator',
    method: 'GET',
    url: `${REPOSITORY_URL}/collaborators/:collaborator`,
    action: COLLABORATOR.list,
  },
  {
    label: 'add collaborator',
    method: 'PUT',
    url: `${REPOSITORY_URL}/collaborators/:collaborator`,
    action: COLLABORATOR.change,
    sent: { json: { permission: 'read' } },
  },
  {
    label: 'remove collaborator',
    method: 'DELETE',
    url: `${REPOSITORY_URL}/collaborators/:collaborator`,
    action: COLLABORATOR.change,
    filled: { ':collaborator': 'root' },
  },
  {
    label: 'own permission',
    method: 'GET',
    url: `${REPOSITORY_URL}/collaborators/:collaborator/permission`,
    action: COLLABORATOR.readPermission,
    filled: { ':collaborator': 'SELF' },
  },
  {
    label: "another's permission",
    method: 'GET',
    url: `${REPOSITORY_URL}/collaborators/:collaborator/permission`,
    action: COLLABORATOR.readPermission,
  },
  { label: 'list teams', method: 'GET', url: `${REPOSITORY_URL}/teams`, action: REPOSITORY_TEAMS.listTeams },
  {
    label: 'ask for team',
    method: 'GET',
    url: `${REPOSITORY_URL}/teams/:team`,
    action: REPOSITORY_TEAMS.listTeams,
  },
  {
    label: 'add team',
    method: 'PUT',
    url: `${REPOSITORY_URL}/teams/:team`,
    action: REPOSITORY_TEAMS.changeTeams,
  },
  {
    label: 'remove team',
    method: 'DELETE',
    url: `${REPOSITORY_URL}/teams/:team`,
    action: REPOSITORY_TEAMS.changeTeams,
    filled: { ':team': 'idle' },
  },
  {
    label: 'read by id',
    method: 'GET',
    url: '/api/v1/repositories/:id',
    action: REPOSITORY.read,
    filled: { ':id': 'REPOSITORY' },
  },
  {
    label: 'fetch refs',
    method: 'GET',
    url: '/:owner/:repo/info/refs',
    action: REPOSITORY.fetch,
    query: '?service=git-upload-pack',
  },
  {
    label: 'fetch',
    method: 'POST',
    url: '/:owner/:repo/git-upload-pack',
    action: REPOSITORY.fetch,
    sent: gitBody('upload-pack'),
  },
  {
    label: 'push refs',
    method: 'GET',
    url: '/:owner/:repo/info/refs',
    action: REPOSITORY.push,
    query: '?service=git-receive-pack',
  },
  {
    label: 'push',
    method: 'POST',
    url: '/:owner/:repo/git-receive-pack',
    action: REPOSITORY.push,
    sent: gitBody('receive-pack'),
  },
  { label: 'list forks', method: 'GET', url: `${REPOSITORY_URL}/forks`, action: REPOSITORY.read },
  {
    label: 'fork',
    method: 'POST',
    url: `${REPOSITORY_URL}/forks`,
    action: REPOSITORY.fork,
    sent: { json: { name: 'not a name' } },
  },
  {
    label: 'compare with parent',
    method: 'GET',
    url: `${REPOSITORY_URL}/sync_fork`,
    action: REPOSITORY.fetch,
  },
  {
    label: 'compare branch with parent',
    method: 'GET',
    url: `${REPOSITORY_URL}/sync_fork/:branch`,
    action: REPOSITORY.fetch,
  },
  {
    label: 'sync fork',
    method: 'POST',
    url: `${REPOSITORY_URL}/sync_fork`,
    action: FORK.syncFork,
  },
  {
    label: 'sync branch of fork',
    method: 'POST',
    url: `${REPOSITORY_URL}/sync_fork/:branch`,
    action: FORK.syncFork,
  },
  {
    label: 'merge upstream',
    method: 'POST',
    url: `${REPOSITORY_URL}/merge-upstream`,
    action: FORK.syncFork,
    sent: { json: {} },
  },
  {
    label: 'list assignees',
    method: 'GET',
    url: `${REPOSITORY_URL}/assignees`,
    action: REPOSITORY.listAssignable,
  },
  {
    label: 'list reviewers',
    method: 'GET',
    url: `${REPOSITORY_URL}/reviewers`,
    action: REPOSITORY.listAssignable,
  },
  { label: 'list languages', method: 'GET', url: `${REPOSITORY_URL}/languages`, action: LANGUAGE.list },
  { label: 'list topics', method: 'GET', url: `${REPOSITORY_URL}/topics`, action: TOPIC.list },
  {
    label: 'replace topics',
    method: 'PUT',
    url: `${REPOSITORY_URL}/topics`,
    action: TOPIC.change,
    sent: { json: { topics: [] } },
  },
  {
    label: 'add topic',
    method: 'PUT',
    url: `${REPOSITORY_URL}/topics/:topic`,
    action: TOPIC.change,
    filled: { ':topic': 'looms' },
  },
  {
    label: 'remove topic',
    method: 'DELETE',
    url: `${REPOSITORY_URL}/topics/:topic`,
    action: TOPIC.change,
    filled: { ':topic': 'looms' },
  },
  { label: 'star', method: 'PUT', url: STAR_URL, action: STAR.change },
  { label: 'own star', method: 'GET', url: STAR_URL, action: STAR.read },
  { label: 'take star back', method: 'DELETE', url: STAR_URL, action: STAR.change },
  { label: 'list stargazers', method: 'GET', url: `${REPOSITORY_URL}/stargazers`, action: STAR.list },
  { label: 'watch', method: 'PUT', url: `${REPOSITORY_URL}/subscription`, action: WATCH.change },
  { label: 'own watch', method: 'GET', url: `${REPOSITORY_URL}/subscription`, action: WATCH.read },
  { label: 'watch no more', method: 'DELETE', url: `${REPOSITORY_URL}/subscription`, action: WATCH.change },
  { label: 'list watchers', method: 'GET', url: `${REPOSITORY_URL}/subscribers`, action: WATCH.list },
  {
    label: 'transfer',
    method: 'POST',
    url: `${REPOSITORY_URL}/transfer`,
    action: TRANSFER.transfer,
    sent: { json: { new_owner: 'zoe', team_ids: [1] } },
  },
  {
    label: 'delete',
    method: 'DELETE',
    url: REPOSITORY_URL,
    action: REPOSITORY.delete,
    filled: { ':repo': 'doomed' },
  },
];

/** What concerns accounts and notes; `:username` is the viewer, except where it says otherwise. */
export const OTHER_PROBES: readonly Probe[] = [
  { label: 'own account', method: 'GET', url: '/api/v1/user', action: ACCOUNT.readSelf },
  {
    label: 'account',
    method: 'GET',
    url: '/api/v1/users/:username',
    action: ACCOUNT.read,
    filled: { ':username': 'ada' },
  },
  {
    label: 'limited account',
    method: 'GET',
    url: '/api/v1/users/:username',
    action: ACCOUNT.read,
    filled: { ':username': 'lin' },
  },
  {
    label: 'own repositories',
    method: 'GET',
    url: '/api/v1/user/repos',
    action: ACCOUNT_REPOSITORIES.listRepositories,
  },
  {
    label: 'create repository',
    method: 'POST',
    url: '/api/v1/user/repos',
    action: ACCOUNT_REPOSITORIES.createRepository,
    sent: { json: { name: 'not a name' } },
  },
  { label: 'own settings', method: 'GET', url: '/api/v1/user/settings', action: ACCOUNT.readSelf },
  {
    label: 'change settings',
    method: 'PATCH',
    url: '/api/v1/user/settings',
    action: ACCOUNT.changeSelf,
    sent: { json: {} },
  },
  { label: 'own e-mails', method: 'GET', url: '/api/v1/user/emails', action: ACCOUNT.readSelf },
  {
    label: 'add e-mails',
    method: 'POST',
    url: '/api/v1/user/emails',
    action: ACCOUNT.changeSelf,
    sent: { json: {} },
  },
  {
    label: 'remove e-mails',
    method: 'DELETE',
    url: '/api/v1/user/emails',
    action: ACCOUNT.changeSelf,
    sent: { json: {} },
  },
  {
    label: 'search repositories',
    method: 'GET',
    url: '/api/v1/repos/search',
    action: REPOSITORY_SEARCH.search,
  },
  { label: 'search users', method: 'GET', url: '/api/v1/users/search', action: ACCOUNT.search },
  {
    label: "another's repositories",
    method: 'GET',
    url: '/api/v1/users/:username/repos',
    action: ACCOUNT_REPOSITORIES.listRepositoriesOf,
    filled: { ':username': 'ada' },
  },
  { label: 'search topics', method: 'GET', url: '/api/v1/topics/search', action: TOPIC.search },
  {
    label: 'own stars',
    method: 'GET',
    url: '/api/v1/user/starred',
    action: ACCOUNT_REPOSITORIES.listRepositories,
  },
  {
    label: "another's stars",
    method: 'GET',
    url: '/api/v1/users/:username/starred',
    action: ACCOUNT_REPOSITORIES.listRepositoriesOf,
    filled: { ':username': 'ada' },
  },
  {
    label: 'what one watches',
    method: 'GET',
    url: '/api/v1/user/subscriptions',
    action: ACCOUNT_REPOSITORIES.listRepositories,
  },
  {
    label: 'what another watches',
    method: 'GET',
    url: '/api/v1/users/:username/subscriptions',
    action: ACCOUNT_REPOSITORIES.listRepositoriesOf,
    filled: { ':username': 'ada' },
  },
  { label: 'list organizations', method: 'GET', url: '/api/v1/orgs', action: ORGANIZATION.list },
  {
    label: 'create organization',
    method: 'POST',
    url: '/api/v1/orgs',
    action: ORGANIZATION.create,
    sent: { json: { username: 'api' } },
  },
  {
    label: 'own organizations',
    method: 'GET',
    url: '/api/v1/user/orgs',
    action: ACCOUNT_ORGANIZATIONS.listOrganizations,
  },
  {
    label: "another's organizations",
    method: 'GET',
    url: '/api/v1/users/:username/orgs',
    action: ACCOUNT_ORGANIZATIONS.listOrganizationsOf,
    filled: { ':username': 'ada' },
  },
  { label: 'own teams', method: 'GET', url: '/api/v1/user/teams', action: ACCOUNT_TEAMS.listTeams },
  { label: 'own tokens', method: 'GET', url: '/api/v1/users/:username/tokens', action: TOKEN.list },
  {
    label: 'create token',
    method: 'POST',
    url: '/api/v1/users/:username/tokens',
    action: TOKEN.create,
    sent: { json: { name: '' } },
  },
  {
    label: 'delete token',
    method: 'DELETE',
    url: '/api/v1/users/:username/tokens/:token',
    action: TOKEN.delete,
  },
  {
    label: "another's tokens",
    method: 'GET',
    url: '/api/v1/users/:username/tokens',
    action: TOKEN.list,
    filled: { ':username': 'ada' },
  },
  {
    label: 'create account',
    method: 'POST',
    url: '/api/v1/admin/users',
    action: SITE.createAccount,
    sent: { json: {} },
  },
  {
    label: 'edit account',
    method: 'PATCH',
    url: '/api/v1/admin/users/:username',
    action: SITE.editAccount,
    filled: { ':username': 'ada' },
    sent: { json: {} },
  },
  {
    label: 'delete account',
    method: 'DELETE',
    url: '/api/v1/admin/users/:username',
    action: SITE.deleteAccount,
    filled: { ':username': 'ada' },
  },
  { label: 'list accounts', method: 'GET', url: '/api/v1/admin/users', action: SITE.listAccounts },
  {
    label: 'rename account',
    method: 'POST',
    url: '/api/v1/admin/users/:username/rename',
    action: SITE.editAccount,
    filled: { ':username': 'ada' },
    sent: { json: { new_username: 'api' } },
  },
  { label: 'all e-mails', method: 'GET', url: '/api/v1/admin/emails', action: SITE.listAccounts },
  {
    label: 'search e-mails',
    method: 'GET',
    url: '/api/v1/admin/emails/search',
    action: SITE.listAccounts,
  },
  {
    label: "another's e-mails",
    method: 'GET',
    url: '/api/v1/admin/users/:username/emails',
    action: SITE.listAccounts,
    filled: { ':username': 'ada' },
  },
  {
    label: "remove another's e-mails",
    method: 'DELETE',
    url: '/api/v1/admin/users/:username/emails',
    action: SITE.editAccount,
    filled: { ':username': 'ada' },
    sent: { json: {} },
  },
  {
    label: "another's tokens, as administrator",
    method: 'GET',
    url: '/api/v1/admin/users/:username/tokens',
    action: SITE.listAccounts,
    filled: { ':username': 'ada' },
  },
  {
    label: 'create token for another',
    method: 'POST',
    url: '/api/v1/admin/users/:username/tokens',
    action: SITE.editAccount,
    filled: { ':username': 'ada' },
    sent: { json: { name: '' } },
  },
  {
    label: "delete another's token",
    method: 'DELETE',
    url: '/api/v1/admin/users/:username/tokens/:token',
    action: SITE.editAccount,
    filled: { ':username': 'ada' },
  },
  {
    label: 'all organizations',
    method: 'GET',
    url: '/api/v1/admin/orgs',
    action: SITE_ORGANIZATIONS.listOrganizations,
  },
  {
    label: 'create organization for another',
    method: 'POST',
    url: '/api/v1/admin/users/:username/orgs',
    action: SITE_ORGANIZATIONS.createOrganization,
    filled: { ':username': 'ada' },
    sent: { json: { username: 'api' } },
  },
  {
    label: 'create repository for another',
    method: 'POST',
    url: '/api/v1/admin/users/:username/repos',
    action: SITE_REPOSITORIES.createRepository,
    filled: { ':username': 'ada' },
    sent: { json: { name: 'not a name' } },
  },
  {
    label: 'accept transfer',
    method: 'POST',
    url: `${REPOSITORY_URL}/transfer/accept`,
    action: TRANSFER.answerTransfer,
  },
  {
    label: 'reject transfer',
    method: 'POST',
    url: `${REPOSITORY_URL}/transfer/reject`,
    action: TRANSFER.answerTransfer,
  },
  { label: 'list notes', method: 'GET', url: NOTES_URL, action: NOTE.read },
  { label: 'read note', method: 'GET', url: `${NOTES_URL}/:id(^\\d+$)`, action: NOTE.read },
  {
    label: 'create note',
    method: 'POST',
    url: NOTES_URL,
    action: NOTE.write,
    sent: { json: { title: 'n' } },
  },
  {
    label: 'update note',
    method: 'PUT',
    url: `${NOTES_URL}/:id(^\\d+$)`,
    action: NOTE.write,
    sent: { json: {} },
  },
  { label: 'delete note', method: 'DELETE', url: `${NOTES_URL}/:id(^\\d+$)`, action: NOTE.write },
];

const ORGANIZATION_URL = '/api/v1/orgs/:org';
const TEAM_URL = '/api/v1/teams/:id';
const team = { ':id': 'TEAM', ':username': 'team-writer' };
const owners = { ':id': 'OWNERS', ':username': 'gil' };
const noName = { json: { name: 'not a name' } };

/** What is done with an organization and its teams. */
export const ORGANIZATION_PROBES: readonly Probe[] = [
  { label: 'read', method: 'GET', url: ORGANIZATION_URL, action: ORGANIZATION.read },
  { label: 'edit', method: 'PATCH', url: ORGANIZATION_URL, action: ORGANIZATION.edit, sent: { json: {} } },
  {
    label: 'rename',
    method: 'POST',
    url: `${ORGANIZATION_URL}/rename`,
    action: ORGANIZATION.edit,
    sent: { json: { new_name: 'api' } },
  },
  { label: 'delete', method: 'DELETE', url: ORGANIZATION_URL, action: ORGANIZATION.delete },
  {
    label: 'list members',
    method: 'GET',
    url: `${ORGANIZATION_URL}/members`,
    action: ORGANIZATION.listMembers,
  },
  {
    label: 'ask for member',
    method: 'GET',
    url: `${ORGANIZATION_URL}/members/:username`,
    action: ORGANIZATION.listMembers,
    filled: owners,
  },
  {
    label: 'remove member',
    method: 'DELETE',
    url: `${ORGANIZATION_URL}/members/:username`,
    action: ORGANIZATION.removeMember,
    filled: owners,
  },
  {
    label: 'list public members',
    method: 'GET',
    url: `${ORGANIZATION_URL}/public_members`,
    action: ORGANIZATION.listMembers,
  },
  {
    label: 'ask for public member',
    method: 'GET',
    url: `${ORGANIZATION_URL}/public_members/:username`,
    action: ORGANIZATION.listMembers,
    filled: owners,
  },
  {
    label: 'show membership',
    method: 'PUT',
    url: `${ORGANIZATION_URL}/public_members/:username`,
    action: ORGANIZATION.showOwnMembership,
  },
  {
    label: 'hide membership',
    method: 'DELETE',
    url: `${ORGANIZATION_URL}/public_members/:username`,
    action: ORGANIZATION.showOwnMembership,
  },
  {
    label: 'own permissions',
    method: 'GET',
    url: '/api/v1/users/:username/orgs/:org/permissions',
    action: ACCOUNT_ORGANIZATIONS.listOrganizations,
  },
  {
    label: 'list repositories',
    method: 'GET',
    url: `${ORGANIZATION_URL}/repos`,
    action: ORGANIZATION_REPOSITORIES.listRepositories,
  },
  {
    label: 'create repository',
    method: 'POST',
    url: `${ORGANIZATION_URL}/repos`,
    action: ORGANIZATION_REPOSITORIES.createRepository,
    sent: noName,
  },
  {
    label: 'create repository (old)',
    method: 'POST',
    url: '/api/v1/org/:org/repos',
    action: ORGANIZATION_REPOSITORIES.createRepository,
    sent: noName,
  },
  { label: 'list teams', method: 'GET', url: `${ORGANIZATION_URL}/teams`, action: TEAM.list },
  { label: 'search teams', method: 'GET', url: `${ORGANIZATION_URL}/teams/search`, action: TEAM.list },
  {
    label: 'create team',
    method: 'POST',
    url: `${ORGANIZATION_URL}/teams`,
    action: TEAM.create,
    sent: noName,
  },
  { label: 'read team', method: 'GET', url: TEAM_URL, action: TEAM.read, filled: team },
  {
    label: 'edit team',
    method: 'PATCH',
    url: TEAM_URL,
    action: TEAM.edit,
    filled: team,
    sent: { json: {} },
  },
  { label: 'delete team', method: 'DELETE', url: TEAM_URL, action: TEAM.delete, filled: owners },
  {
    label: 'list team members',
    method: 'GET',
    url: `${TEAM_URL}/members`,
    action: TEAM.listMembers,
    filled: team,
  },
  {
    label: 'read team member',
    method: 'GET',
    url: `${TEAM_URL}/members/:username`,
    action: TEAM.listMembers,
    filled: team,
  },
  {
    label: 'add team member',
    method: 'PUT',
    url: `${TEAM_URL}/members/:username`,
    action: TEAM.changeMembers,
    filled: team,
  },
  {
    label: 'remove team member',
    method: 'DELETE',
    url: `${TEAM_URL}/members/:username`,
    action: TEAM.changeMembers,
    filled: owners,
  },
  {
    label: 'list team repositories',
    method: 'GET',
    url: `${TEAM_URL}/repos`,
    action: TEAM_REPOSITORIES.listRepositories,
    filled: team,
  },
  {
    label: 'read team repository',
    method: 'GET',
    url: `${TEAM_URL}/repos/:org/:repo`,
    action: TEAM_REPOSITORIES.listRepositories,
    filled: team,
  },
  {
    label: 'add team repository',
    method: 'PUT',
    url: `${TEAM_URL}/repos/:org/:repo`,
    action: TEAM_REPOSITORIES.changeRepositories,
    filled: team,
  },
  {
    label: 'remove team repository',
    method: 'DELETE',
    url: `${TEAM_URL}/repos/:org/:repo`,
    action: TEAM_REPOSITORIES.changeRepositories,
    filled: { ...team, ':repo': 'unlinked' },
  },
];

export const ALL_PROBES: readonly Probe[] = [...REPOSITORY_PROBES, ...ORGANIZATION_PROBES, ...OTHER_PROBES];

/** What is told to anybody: the server about itself, and what repositories can start with. */
export const OPEN_ROUTES: readonly string[] = [
  'GET /',
  'GET /api/healthz',
  'GET /metrics',
  'GET /swagger.v1.json',
  'GET /api/swagger',
  'GET /api/swagger/:file',
  'GET /api/v1/version',
  'GET /api/v1/settings/api',
  'GET /api/v1/gitignore/templates',
  'GET /api/v1/gitignore/templates/:name',
  'GET /api/v1/licenses',
  'GET /api/v1/licenses/:name',
  'GET /api/v1/label/templates',
  'GET /api/v1/label/templates/:name',
  'GET /ocs/v1.php/cloud/capabilities',
  'GET /ocs/v2.php/cloud/capabilities',
  'GET /apps/notes/api/*',
  'POST /apps/notes/api/*',
  'PUT /apps/notes/api/*',
  'PATCH /apps/notes/api/*',
  'DELETE /apps/notes/api/*',
  'OPTIONS /apps/notes/api/*',
];

/** The notes API answers at two addresses, by the same routes. */
export function routeName(method: string, url: string): string {
  return `${method} ${url.replace(/^\/index\.php(?=\/)/, '')}`;
}

const USUAL: Readonly<Record<string, string>> = {
  ':repo': 'engine',
  ':template_repo': 'engine',
  ':collaborator': 'reader',
  ':team': 'team-writer',
  ':org': 'guild',
  ':token': '999999',
  ':id': '999999',
  ':file': 'start.js',
  ':branch': 'main',
  '*': 'README.md',
};

/** The path of a request: the parameters of a route with values in their place. */
export function pathOf(url: string, values: Readonly<Record<string, string>>): string {
  const filled = { ...USUAL, ...values };
  return url
    .replaceAll(/\(\^[^)]*\)/g, '')
    .replaceAll(/:\w+|\*/g, (name) => (filled as Record<string, string>)[name] ?? 'x');
}
