import type { Action } from '../../src/access/policy.ts';
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

const REPOSITORY = '/api/v1/repos/:owner/:repo';
const STAR = '/api/v1/user/starred/:owner/:repo';
const NOTES = '/apps/notes/api/v1/notes';
const NO_SHA = '0'.repeat(40);
const gitBody = (service: string): SendOptions => ({
  body: '0000',
  headers: { 'content-type': `application/x-git-${service}-request` },
});

/** What is done with one repository. */
export const REPOSITORY_PROBES: readonly Probe[] = [
  { label: 'read', method: 'GET', url: REPOSITORY, action: 'repository.read' },
  {
    label: 'edit',
    method: 'PATCH',
    url: REPOSITORY,
    action: 'repository.edit',
    sent: { json: { description: '' } },
  },
  { label: 'list root', method: 'GET', url: `${REPOSITORY}/contents`, action: 'contents.read' },
  {
    label: 'make another of it',
    method: 'POST',
    url: '/api/v1/repos/:template_owner/:template_repo/generate',
    action: 'repository.generate',
    sent: { json: { name: 'not a name', owner: 'nobody', git_content: true } },
  },
  { label: 'read file', method: 'GET', url: `${REPOSITORY}/contents/*`, action: 'contents.read' },
  { label: 'raw', method: 'GET', url: `${REPOSITORY}/raw/*`, action: 'contents.read-raw' },
  {
    label: 'create file',
    method: 'POST',
    url: `${REPOSITORY}/contents/*`,
    action: 'contents.write',
    filled: { '*': 'new/COUNT' },
    sent: { json: { content: '' } },
  },
  {
    label: 'update file',
    method: 'PUT',
    url: `${REPOSITORY}/contents/*`,
    action: 'contents.write',
    sent: { json: { content: '', sha: NO_SHA } },
  },
  {
    label: 'delete file',
    method: 'DELETE',
    url: `${REPOSITORY}/contents/*`,
    action: 'contents.write',
    sent: { json: { sha: NO_SHA } },
  },
  {
    label: 'list collaborators',
    method: 'GET',
    url: `${REPOSITORY}/collaborators`,
    action: 'collaborator.list',
  },
  {
    label: 'ask for collaborator',
    method: 'GET',
    url: `${REPOSITORY}/collaborators/:collaborator`,
    action: 'collaborator.list',
  },
  {
    label: 'add collaborator',
    method: 'PUT',
    url: `${REPOSITORY}/collaborators/:collaborator`,
    action: 'collaborator.change',
    sent: { json: { permission: 'read' } },
  },
  {
    label: 'remove collaborator',
    method: 'DELETE',
    url: `${REPOSITORY}/collaborators/:collaborator`,
    action: 'collaborator.change',
    filled: { ':collaborator': 'root' },
  },
  {
    label: 'own permission',
    method: 'GET',
    url: `${REPOSITORY}/collaborators/:collaborator/permission`,
    action: 'collaborator.read-permission',
    filled: { ':collaborator': 'SELF' },
  },
  {
    label: "another's permission",
    method: 'GET',
    url: `${REPOSITORY}/collaborators/:collaborator/permission`,
    action: 'collaborator.read-permission',
  },
  { label: 'list teams', method: 'GET', url: `${REPOSITORY}/teams`, action: 'repository.list-teams' },
  {
    label: 'ask for team',
    method: 'GET',
    url: `${REPOSITORY}/teams/:team`,
    action: 'repository.list-teams',
  },
  { label: 'add team', method: 'PUT', url: `${REPOSITORY}/teams/:team`, action: 'repository.change-teams' },
  {
    label: 'remove team',
    method: 'DELETE',
    url: `${REPOSITORY}/teams/:team`,
    action: 'repository.change-teams',
    filled: { ':team': 'idle' },
  },
  {
    label: 'read by id',
    method: 'GET',
    url: '/api/v1/repositories/:id',
    action: 'repository.read',
    filled: { ':id': 'REPOSITORY' },
  },
  {
    label: 'fetch refs',
    method: 'GET',
    url: '/:owner/:repo/info/refs',
    action: 'repository.fetch',
    query: '?service=git-upload-pack',
  },
  {
    label: 'fetch',
    method: 'POST',
    url: '/:owner/:repo/git-upload-pack',
    action: 'repository.fetch',
    sent: gitBody('upload-pack'),
  },
  {
    label: 'push refs',
    method: 'GET',
    url: '/:owner/:repo/info/refs',
    action: 'repository.push',
    query: '?service=git-receive-pack',
  },
  {
    label: 'push',
    method: 'POST',
    url: '/:owner/:repo/git-receive-pack',
    action: 'repository.push',
    sent: gitBody('receive-pack'),
  },
  { label: 'list forks', method: 'GET', url: `${REPOSITORY}/forks`, action: 'repository.read' },
  {
    label: 'fork',
    method: 'POST',
    url: `${REPOSITORY}/forks`,
    action: 'repository.fork',
    sent: { json: { name: 'not a name' } },
  },
  {
    label: 'compare with parent',
    method: 'GET',
    url: `${REPOSITORY}/sync_fork`,
    action: 'repository.fetch',
  },
  {
    label: 'compare branch with parent',
    method: 'GET',
    url: `${REPOSITORY}/sync_fork/:branch`,
    action: 'repository.fetch',
  },
  {
    label: 'sync fork',
    method: 'POST',
    url: `${REPOSITORY}/sync_fork`,
    action: 'repository.sync-fork',
  },
  {
    label: 'sync branch of fork',
    method: 'POST',
    url: `${REPOSITORY}/sync_fork/:branch`,
    action: 'repository.sync-fork',
  },
  {
    label: 'merge upstream',
    method: 'POST',
    url: `${REPOSITORY}/merge-upstream`,
    action: 'repository.sync-fork',
    sent: { json: {} },
  },
  {
    label: 'list assignees',
    method: 'GET',
    url: `${REPOSITORY}/assignees`,
    action: 'repository.list-assignable',
  },
  {
    label: 'list reviewers',
    method: 'GET',
    url: `${REPOSITORY}/reviewers`,
    action: 'repository.list-assignable',
  },
  { label: 'list languages', method: 'GET', url: `${REPOSITORY}/languages`, action: 'language.list' },
  { label: 'list topics', method: 'GET', url: `${REPOSITORY}/topics`, action: 'topic.list' },
  {
    label: 'replace topics',
    method: 'PUT',
    url: `${REPOSITORY}/topics`,
    action: 'topic.change',
    sent: { json: { topics: [] } },
  },
  {
    label: 'add topic',
    method: 'PUT',
    url: `${REPOSITORY}/topics/:topic`,
    action: 'topic.change',
    filled: { ':topic': 'looms' },
  },
  {
    label: 'remove topic',
    method: 'DELETE',
    url: `${REPOSITORY}/topics/:topic`,
    action: 'topic.change',
    filled: { ':topic': 'looms' },
  },
  { label: 'star', method: 'PUT', url: STAR, action: 'star.change' },
  { label: 'own star', method: 'GET', url: STAR, action: 'star.read' },
  { label: 'take star back', method: 'DELETE', url: STAR, action: 'star.change' },
  { label: 'list stargazers', method: 'GET', url: `${REPOSITORY}/stargazers`, action: 'star.list' },
  { label: 'watch', method: 'PUT', url: `${REPOSITORY}/subscription`, action: 'watch.change' },
  { label: 'own watch', method: 'GET', url: `${REPOSITORY}/subscription`, action: 'watch.read' },
  { label: 'watch no more', method: 'DELETE', url: `${REPOSITORY}/subscription`, action: 'watch.change' },
  { label: 'list watchers', method: 'GET', url: `${REPOSITORY}/subscribers`, action: 'watch.list' },
  {
    label: 'transfer',
    method: 'POST',
    url: `${REPOSITORY}/transfer`,
    action: 'repository.transfer',
    sent: { json: { new_owner: 'zoe', team_ids: [1] } },
  },
  {
    label: 'delete',
    method: 'DELETE',
    url: REPOSITORY,
    action: 'repository.delete',
    filled: { ':repo': 'doomed' },
  },
];

/** What concerns accounts and notes; `:username` is the viewer, except where it says otherwise. */
export const OTHER_PROBES: readonly Probe[] = [
  { label: 'own account', method: 'GET', url: '/api/v1/user', action: 'account.read-self' },
  {
    label: 'account',
    method: 'GET',
    url: '/api/v1/users/:username',
    action: 'account.read',
    filled: { ':username': 'ada' },
  },
  {
    label: 'limited account',
    method: 'GET',
    url: '/api/v1/users/:username',
    action: 'account.read',
    filled: { ':username': 'lin' },
  },
  {
    label: 'own repositories',
    method: 'GET',
    url: '/api/v1/user/repos',
    action: 'account.list-repositories',
  },
  {
    label: 'create repository',
    method: 'POST',
    url: '/api/v1/user/repos',
    action: 'account.create-repository',
    sent: { json: { name: 'not a name' } },
  },
  { label: 'own settings', method: 'GET', url: '/api/v1/user/settings', action: 'account.read-self' },
  {
    label: 'change settings',
    method: 'PATCH',
    url: '/api/v1/user/settings',
    action: 'account.change-self',
    sent: { json: {} },
  },
  { label: 'own e-mails', method: 'GET', url: '/api/v1/user/emails', action: 'account.read-self' },
  {
    label: 'add e-mails',
    method: 'POST',
    url: '/api/v1/user/emails',
    action: 'account.change-self',
    sent: { json: {} },
  },
  {
    label: 'remove e-mails',
    method: 'DELETE',
    url: '/api/v1/user/emails',
    action: 'account.change-self',
    sent: { json: {} },
  },
  { label: 'search repositories', method: 'GET', url: '/api/v1/repos/search', action: 'repository.search' },
  { label: 'search users', method: 'GET', url: '/api/v1/users/search', action: 'account.search' },
  {
    label: "another's repositories",
    method: 'GET',
    url: '/api/v1/users/:username/repos',
    action: 'account.list-repositories-of',
    filled: { ':username': 'ada' },
  },
  { label: 'search topics', method: 'GET', url: '/api/v1/topics/search', action: 'topic.search' },
  { label: 'own stars', method: 'GET', url: '/api/v1/user/starred', action: 'account.list-repositories' },
  {
    label: "another's stars",
    method: 'GET',
    url: '/api/v1/users/:username/starred',
    action: 'account.list-repositories-of',
    filled: { ':username': 'ada' },
  },
  {
    label: 'what one watches',
    method: 'GET',
    url: '/api/v1/user/subscriptions',
    action: 'account.list-repositories',
  },
  {
    label: 'what another watches',
    method: 'GET',
    url: '/api/v1/users/:username/subscriptions',
    action: 'account.list-repositories-of',
    filled: { ':username': 'ada' },
  },
  { label: 'list organizations', method: 'GET', url: '/api/v1/orgs', action: 'organization.list' },
  {
    label: 'create organization',
    method: 'POST',
    url: '/api/v1/orgs',
    action: 'organization.create',
    sent: { json: { username: 'api' } },
  },
  {
    label: 'own organizations',
    method: 'GET',
    url: '/api/v1/user/orgs',
    action: 'account.list-organizations',
  },
  {
    label: "another's organizations",
    method: 'GET',
    url: '/api/v1/users/:username/orgs',
    action: 'account.list-organizations-of',
    filled: { ':username': 'ada' },
  },
  { label: 'own teams', method: 'GET', url: '/api/v1/user/teams', action: 'account.list-teams' },
  { label: 'own tokens', method: 'GET', url: '/api/v1/users/:username/tokens', action: 'token.list' },
  {
    label: 'create token',
    method: 'POST',
    url: '/api/v1/users/:username/tokens',
    action: 'token.create',
    sent: { json: { name: '' } },
  },
  {
    label: 'delete token',
    method: 'DELETE',
    url: '/api/v1/users/:username/tokens/:token',
    action: 'token.delete',
  },
  {
    label: "another's tokens",
    method: 'GET',
    url: '/api/v1/users/:username/tokens',
    action: 'token.list',
    filled: { ':username': 'ada' },
  },
  {
    label: 'create account',
    method: 'POST',
    url: '/api/v1/admin/users',
    action: 'site.create-account',
    sent: { json: {} },
  },
  {
    label: 'edit account',
    method: 'PATCH',
    url: '/api/v1/admin/users/:username',
    action: 'site.edit-account',
    filled: { ':username': 'ada' },
    sent: { json: {} },
  },
  {
    label: 'delete account',
    method: 'DELETE',
    url: '/api/v1/admin/users/:username',
    action: 'site.delete-account',
    filled: { ':username': 'ada' },
  },
  { label: 'list accounts', method: 'GET', url: '/api/v1/admin/users', action: 'site.list-accounts' },
  {
    label: 'rename account',
    method: 'POST',
    url: '/api/v1/admin/users/:username/rename',
    action: 'site.edit-account',
    filled: { ':username': 'ada' },
    sent: { json: { new_username: 'api' } },
  },
  { label: 'all e-mails', method: 'GET', url: '/api/v1/admin/emails', action: 'site.list-accounts' },
  {
    label: 'search e-mails',
    method: 'GET',
    url: '/api/v1/admin/emails/search',
    action: 'site.list-accounts',
  },
  {
    label: "another's e-mails",
    method: 'GET',
    url: '/api/v1/admin/users/:username/emails',
    action: 'site.list-accounts',
    filled: { ':username': 'ada' },
  },
  {
    label: "remove another's e-mails",
    method: 'DELETE',
    url: '/api/v1/admin/users/:username/emails',
    action: 'site.edit-account',
    filled: { ':username': 'ada' },
    sent: { json: {} },
  },
  {
    label: "another's tokens, as administrator",
    method: 'GET',
    url: '/api/v1/admin/users/:username/tokens',
    action: 'site.list-accounts',
    filled: { ':username': 'ada' },
  },
  {
    label: 'create token for another',
    method: 'POST',
    url: '/api/v1/admin/users/:username/tokens',
    action: 'site.edit-account',
    filled: { ':username': 'ada' },
    sent: { json: { name: '' } },
  },
  {
    label: "delete another's token",
    method: 'DELETE',
    url: '/api/v1/admin/users/:username/tokens/:token',
    action: 'site.edit-account',
    filled: { ':username': 'ada' },
  },
  {
    label: 'all organizations',
    method: 'GET',
    url: '/api/v1/admin/orgs',
    action: 'site.list-organizations',
  },
  {
    label: 'create organization for another',
    method: 'POST',
    url: '/api/v1/admin/users/:username/orgs',
    action: 'site.create-organization',
    filled: { ':username': 'ada' },
    sent: { json: { username: 'api' } },
  },
  {
    label: 'create repository for another',
    method: 'POST',
    url: '/api/v1/admin/users/:username/repos',
    action: 'site.create-repository',
    filled: { ':username': 'ada' },
    sent: { json: { name: 'not a name' } },
  },
  {
    label: 'accept transfer',
    method: 'POST',
    url: `${REPOSITORY}/transfer/accept`,
    action: 'repository.answer-transfer',
  },
  {
    label: 'reject transfer',
    method: 'POST',
    url: `${REPOSITORY}/transfer/reject`,
    action: 'repository.answer-transfer',
  },
  { label: 'list notes', method: 'GET', url: NOTES, action: 'note.read' },
  { label: 'read note', method: 'GET', url: `${NOTES}/:id(^\\d+$)`, action: 'note.read' },
  { label: 'create note', method: 'POST', url: NOTES, action: 'note.write', sent: { json: { title: 'n' } } },
  {
    label: 'update note',
    method: 'PUT',
    url: `${NOTES}/:id(^\\d+$)`,
    action: 'note.write',
    sent: { json: {} },
  },
  { label: 'delete note', method: 'DELETE', url: `${NOTES}/:id(^\\d+$)`, action: 'note.write' },
];

const ORGANIZATION = '/api/v1/orgs/:org';
const TEAM = '/api/v1/teams/:id';
const team = { ':id': 'TEAM', ':username': 'team-writer' };
const owners = { ':id': 'OWNERS', ':username': 'gil' };
const noName = { json: { name: 'not a name' } };

/** What is done with an organization and its teams. */
export const ORGANIZATION_PROBES: readonly Probe[] = [
  { label: 'read', method: 'GET', url: ORGANIZATION, action: 'organization.read' },
  { label: 'edit', method: 'PATCH', url: ORGANIZATION, action: 'organization.edit', sent: { json: {} } },
  {
    label: 'rename',
    method: 'POST',
    url: `${ORGANIZATION}/rename`,
    action: 'organization.edit',
    sent: { json: { new_name: 'api' } },
  },
  { label: 'delete', method: 'DELETE', url: ORGANIZATION, action: 'organization.delete' },
  {
    label: 'list members',
    method: 'GET',
    url: `${ORGANIZATION}/members`,
    action: 'organization.list-members',
  },
  {
    label: 'ask for member',
    method: 'GET',
    url: `${ORGANIZATION}/members/:username`,
    action: 'organization.list-members',
    filled: owners,
  },
  {
    label: 'remove member',
    method: 'DELETE',
    url: `${ORGANIZATION}/members/:username`,
    action: 'organization.remove-member',
    filled: owners,
  },
  {
    label: 'list public members',
    method: 'GET',
    url: `${ORGANIZATION}/public_members`,
    action: 'organization.list-members',
  },
  {
    label: 'ask for public member',
    method: 'GET',
    url: `${ORGANIZATION}/public_members/:username`,
    action: 'organization.list-members',
    filled: owners,
  },
  {
    label: 'show membership',
    method: 'PUT',
    url: `${ORGANIZATION}/public_members/:username`,
    action: 'organization.show-own-membership',
  },
  {
    label: 'hide membership',
    method: 'DELETE',
    url: `${ORGANIZATION}/public_members/:username`,
    action: 'organization.show-own-membership',
  },
  {
    label: 'own permissions',
    method: 'GET',
    url: '/api/v1/users/:username/orgs/:org/permissions',
    action: 'account.list-organizations',
  },
  {
    label: 'list repositories',
    method: 'GET',
    url: `${ORGANIZATION}/repos`,
    action: 'organization.list-repositories',
  },
  {
    label: 'create repository',
    method: 'POST',
    url: `${ORGANIZATION}/repos`,
    action: 'organization.create-repository',
    sent: noName,
  },
  {
    label: 'create repository (old)',
    method: 'POST',
    url: '/api/v1/org/:org/repos',
    action: 'organization.create-repository',
    sent: noName,
  },
  { label: 'list teams', method: 'GET', url: `${ORGANIZATION}/teams`, action: 'team.list' },
  { label: 'search teams', method: 'GET', url: `${ORGANIZATION}/teams/search`, action: 'team.list' },
  {
    label: 'create team',
    method: 'POST',
    url: `${ORGANIZATION}/teams`,
    action: 'team.create',
    sent: noName,
  },
  { label: 'read team', method: 'GET', url: TEAM, action: 'team.read', filled: team },
  {
    label: 'edit team',
    method: 'PATCH',
    url: TEAM,
    action: 'team.edit',
    filled: team,
    sent: { json: {} },
  },
  { label: 'delete team', method: 'DELETE', url: TEAM, action: 'team.delete', filled: owners },
  {
    label: 'list team members',
    method: 'GET',
    url: `${TEAM}/members`,
    action: 'team.list-members',
    filled: team,
  },
  {
    label: 'read team member',
    method: 'GET',
    url: `${TEAM}/members/:username`,
    action: 'team.list-members',
    filled: team,
  },
  {
    label: 'add team member',
    method: 'PUT',
    url: `${TEAM}/members/:username`,
    action: 'team.change-members',
    filled: team,
  },
  {
    label: 'remove team member',
    method: 'DELETE',
    url: `${TEAM}/members/:username`,
    action: 'team.change-members',
    filled: owners,
  },
  {
    label: 'list team repositories',
    method: 'GET',
    url: `${TEAM}/repos`,
    action: 'team.list-repositories',
    filled: team,
  },
  {
    label: 'read team repository',
    method: 'GET',
    url: `${TEAM}/repos/:org/:repo`,
    action: 'team.list-repositories',
    filled: team,
  },
  {
    label: 'add team repository',
    method: 'PUT',
    url: `${TEAM}/repos/:org/:repo`,
    action: 'team.change-repositories',
    filled: team,
  },
  {
    label: 'remove team repository',
    method: 'DELETE',
    url: `${TEAM}/repos/:org/:repo`,
    action: 'team.change-repositories',
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
