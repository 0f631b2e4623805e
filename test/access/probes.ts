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
const NOTES = '/apps/notes/api/v1/notes';
const NO_SHA = '0'.repeat(40);
const gitBody = (service: string): SendOptions => ({
  body: '0000',
  headers: { 'content-type': `application/x-git-${service}-request` },
});

/** What is done with one repository. */
export const REPOSITORY_PROBES: readonly Probe[] = [
  { label: 'read', method: 'GET', url: REPOSITORY, action: 'repository.read' },
  { label: 'list root', method: 'GET', url: `${REPOSITORY}/contents`, action: 'contents.read' },
  { label: 'read file', method: 'GET', url: `${REPOSITORY}/contents/*`, action: 'contents.read' },
  { label: 'raw', method: 'GET', url: `${REPOSITORY}/raw/*`, action: 'contents.read' },
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

/** What is told to anybody: the server about itself. */
export const OPEN_ROUTES: readonly string[] = [
  'GET /',
  'GET /api/healthz',
  'GET /metrics',
  'GET /swagger.v1.json',
  'GET /api/swagger',
  'GET /api/swagger/:file',
  'GET /api/v1/version',
  'GET /api/v1/settings/api',
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
  ':collaborator': 'reader',
  ':token': '999999',
  ':id': '999999',
  ':file': 'start.js',
  '*': 'README.md',
};

/** The path of a request: the parameters of a route with values in their place. */
export function pathOf(url: string, values: Readonly<Record<string, string>>): string {
  const filled = { ...USUAL, ...values };
  return url
    .replaceAll(/\(\^[^)]*\)/g, '')
    .replaceAll(/:\w+|\*/g, (name) => (filled as Record<string, string>)[name] ?? 'x');
}
