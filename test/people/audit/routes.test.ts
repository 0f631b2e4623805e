import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Person, TestForge } from '../../support/forge/forge.ts';
import { startForge } from '../../support/forge/forge.ts';
import { beginCodes, codeOf } from '../../support/forge/second-factor.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';
import {
  createClient,
  exchange,
  grantedCode,
  REDIRECT_URI,
  requestPath,
  sendForm,
} from '../../support/http/oauth.ts';
import { PageReader } from '../../support/http/page-reader.ts';
import { newOpenPgpPair, signDetached } from '../../support/keys/openpgp.ts';
import { newEd25519 } from '../../support/keys/ssh-keys.ts';
import { pngOf } from '../avatars/pictures.ts';
import { type Entry, EntryLog } from './entries.ts';

const CONTENT = 'content of a repository: its history and the event log have it';
const TALK = 'what people write: the event log has it';
const OWN = 'the caller’s own reading list or settings, which give no rights';
const READS = 'changes nothing that lasts';
const NOTES = 'content of a notebook: the history of its repository has it';

/** Actions whose routes leave no entry, and why. */
const WITHOUT_ENTRY: Readonly<Record<string, string>> = {
  'follow.change': OWN,
  'star.change': OWN,
  'watch.change': OWN,
  'notification.change': OWN,
  'notification.change-in': OWN,
  'mail.change-settings': OWN,
  'mail.unsubscribe': OWN,
  'topic.change': 'a word by which a repository is found',
  'label.change': TALK,
  'label.change-of-organization': TALK,
  'milestone.change': TALK,
  'issue.create': TALK,
  'issue.change': TALK,
  'issue.delete': TALK,
  'issue.comment': TALK,
  'issue.change-comment': TALK,
  'issue.manage': TALK,
  'issue.pin': TALK,
  'issue-subscription.change': OWN,
  'issue-dependency.change': TALK,
  'issue-dependency.block': TALK,
  'tracked-time.change': TALK,
  'tracked-time.watch': TALK,
  'pull.create': TALK,
  'pull.change': TALK,
  'pull.merge': CONTENT,
  'pull.apply': CONTENT,
  'pull.review': TALK,
  'pull.dismiss': TALK,
  'release.create': CONTENT,
  'release.change': CONTENT,
  'release.delete': CONTENT,
  'contents.read-by-post': READS,
  'contents.write': CONTENT,
  'git-data.write': CONTENT,
  'ref.create': CONTENT,
  'ref.move': CONTENT,
  'ref.delete': CONTENT,
  'commit-note.set': CONTENT,
  'commit-note.remove': CONTENT,
  'status.create': CONTENT,
  'branch.create': CONTENT,
  'branch.delete': CONTENT,
  'tag.create': CONTENT,
  'tag.delete': CONTENT,
  'wiki.begin-edit': CONTENT,
  'repository.sync-fork': CONTENT,
  'repository.sync': CONTENT,
  'repository.fetch': READS,
  'repository.begin-push': CONTENT,
  'lfs.download': READS,
  'lfs.upload': CONTENT,
  'lfs.lock': CONTENT,
  'markdown.render': READS,
  'note.write': NOTES,
  'note.read': READS,
  'server.describe': READS,
  'migration.cancel': 'ends the caller’s own copy, which has no repository yet',
  'app-password.request': 'the app password that a device gets leaves an entry: see sign-ins.test.ts',
  'app-password.read-own': READS,
  'oauth.read-user': READS,
  'oauth-grant.give': 'the client leaves an entry when it exchanges the code',
};

/** Routes whose actions leave entries elsewhere, and why these leave none. */
const ROUTES_WITHOUT_ENTRY: Readonly<Record<string, string>> = {
  'POST /user/settings/security/two_factor/begin': 'nothing has an effect before the first code',
  'POST /user/two_factor': 'a session begins as with POST /user/login',
  'POST /user/settings/security/webauthn/register': 'its events have a test in test/web/sign-in/',
  'POST /user/settings/security/webauthn/delete': 'its events have a test in test/web/sign-in/',
  'POST /login/v2/flow/:token': 'the token that the client fetches has an entry',
  'POST /index.php/login/v2/flow/:token': 'the token that the client fetches has an entry',
  'POST /login/flow': 'the token that it makes has an entry',
  'POST /index.php/login/flow': 'the token that it makes has an entry',
  'POST /repos/:owner/:repo/hooks/:id/deliveries/:delivery/redeliver': 'repeats a delivery',
  'POST /repos/:owner/:repo/hooks/:id/deliveries/redeliver': 'repeats deliveries',
  'POST /repos/:owner/:repo/hooks/:id/tests': 'sends a test',
  'POST /orgs/:org/hooks/:id/deliveries/:delivery/redeliver': 'repeats a delivery',
  'POST /orgs/:org/hooks/:id/deliveries/redeliver': 'repeats deliveries',
  'POST /user/hooks/:id/deliveries/:delivery/redeliver': 'repeats a delivery',
  'POST /user/hooks/:id/deliveries/redeliver': 'repeats deliveries',
  'POST /admin/hooks/:id/deliveries/:delivery/redeliver': 'repeats a delivery',
  'POST /admin/hooks/:id/deliveries/redeliver': 'repeats deliveries',
  'PATCH /repos/:owner/:repo/hooks/git/:hook': 'there are no git hooks',
  'DELETE /repos/:owner/:repo/hooks/git/:hook': 'there are no git hooks',
  'POST /repos/:owner/:repo/push_mirrors-sync': CONTENT,
  'POST /login/oauth/introspect': READS,
  'POST /repos/:owner/:repo/convert': 'needs a mirror: tested with mirrors, as repository.changed',
  'POST /user/confirm': 'proves again who the user is: a wrong password leaves the entry sign-in.failed',
  'POST /user/link_account': 'needs a provider: the new account leaves the entry account.created',
  'POST /user/settings/linked-accounts': 'needs a provider: tested there, as account.identity-linked',
  'POST /repos/migrate': 'needs another server: the new repository leaves the entry repository.created',
  'POST /repo/migrate': 'needs another server: the new repository leaves the entry repository.created',
};

/** Routes of accounts that work by links in mails: `account-links.test.ts` calls them. */
const ROUTES_OF_LINKS: ReadonlySet<string> = new Set([
  'POST /admin/users/:username/reset-link',
  'POST /admin/users/:username/emails/verify',
  'POST /admin/invitations',
  'DELETE /admin/invitations/:id',
  'POST /user/sign_up',
  'POST /user/activate/:token',
  'POST /user/invitation/:token',
  'POST /user/forgot_password',
  'POST /user/recover_account/:token',
  'POST /user/activate_email/:token',
  'POST /user/undo_email/:token',
  'POST /user/settings/account/emails',
  'POST /user/settings/account/password',
  'POST /user/settings/account/delete',
]);

/** What a call sends, and by whom. */
interface Call {
  readonly by: Pick<Person, 'name' | 'password' | 'token'>;
  readonly body?: unknown;
  readonly byPassword?: boolean;
  readonly headers?: Record<string, string>;
}

class Walk {
  readonly called = new Set<string>();
  readonly forge: TestForge;
  readonly #log: EntryLog;

  constructor(forge: TestForge) {
    this.forge = forge;
    this.#log = new EntryLog(forge);
  }

  /**
   * Calls a route and requires that it leaves these entries.
   *
   * @param route method, pattern and, if it has parameters, path
   * @returns the response and the last entry
   */
  async leaves(route: string, { by, body, byPassword = false, headers }: Call, ...actions: string[]) {
    const [method = '', pattern = '', path = pattern] = route.split(' ');
    this.called.add(`${method} ${pattern}`);
    const as = byPassword ? { name: by.name, password: by.password } : { token: by.token };
    const url = path.startsWith('/ocs') ? `${path}?format=json` : `/api/v1${path}`;
    const answer = await this.forge.send(method, url, {
      as,
      ...(body === undefined ? {} : { json: body }),
      ...(headers === undefined ? {} : { headers }),
    });
    assert.ok(answer.status < 300, `${route}: ${answer.status} ${answer.text}`);
    const entries = await this.#log.next();
    assert.deepEqual(
      entries.map(({ action }: Entry) => action),
      actions,
      route,
    );
    const entry = entries.at(-1);
    assert.equal(entry.actor.login, by.name, route);
    assert.deepEqual(entry.credential.kind, byPassword ? 'password' : 'token', route);
    assert.match(entry.address, /127\.0\.0\.1/, route);
    assert.match(entry.request_id, /./, route);
    return { body: answer.status === 204 ? undefined : answer.body, entry };
  }

  /** Lets a browser call a route of pages, and requires that it leaves these entries. */
  async browses(route: string, call: () => Promise<unknown>, ...actions: string[]): Promise<void> {
    this.called.add(route);
    await call();
    const entries = await this.#log.next();
    assert.deepEqual(
      entries.map(({ action }: Entry) => action),
      actions,
      route,
    );
  }

  async silently(work: () => Promise<unknown>): Promise<void> {
    await work();
    await this.#log.next();
  }

  /**
   * Routes of writing methods that neither a call nor a list has covered. A form of a page does by the same service what a
   * route of the API with the same action does.
   */
  missed(): readonly string[] {
    const routes = this.forge.forge.running.app.statedRoutes;
    const called = new Set(
      routes
        .filter(({ method, url }) => this.called.has(`${method} ${url.replace(/^\/api\/v1/, '')}`))
        .map(({ action }) => action.name),
    );
    return routes
      .filter(({ method }) => !['GET', 'HEAD'].includes(method))
      .filter(({ url, action }) => url.startsWith('/api/') || !called.has(action.name))
      .filter(({ action }) => WITHOUT_ENTRY[action.name] === undefined)
      .map(({ method, url }) => `${method} ${url.replace(/^\/api\/v1/, '')}`)
      .filter((route) => !this.called.has(route) && ROUTES_WITHOUT_ENTRY[route] === undefined)
      .filter((route) => !ROUTES_OF_LINKS.has(route));
  }
}

async function changeAccounts(walk: Walk, { ada, ben }: People): Promise<void> {
  const { root } = walk.forge;
  const name = 'eve';
  await walk.leaves(
    'POST /admin/users',
    { by: root, body: { username: name, email: 'eve@example.org', password: 'correct horse' } },
    'account.created',
  );
  const edited = await walk.leaves(
    'PATCH /admin/users/:username /admin/users/eve',
    { by: root, body: { login_name: name, source_id: 0, admin: true, email: 'eva@example.org' } },
    'account.changed',
  );
  assert.deepEqual(edited.entry.details, {
    account_id: edited.entry.target.id,
    changed: ['email', 'is_admin'],
    former: { email: 'eve@example.org', is_admin: false },
    new: { email: 'eva@example.org', is_admin: true },
  });
  await walk.leaves(
    'POST /admin/users/:username/rename /admin/users/eve/rename',
    { by: root, body: { new_username: 'eva' } },
    'account.renamed',
  );
  await walk.leaves(
    'POST /user/emails',
    { by: ben, body: { emails: ['b@x.org', 'c@x.org'] } },
    'account.changed',
  );
  await walk.leaves('DELETE /user/emails', { by: ben, body: { emails: ['b@x.org'] } }, 'account.changed');
  await walk.leaves(
    'DELETE /admin/users/:username/emails /admin/users/ben/emails',
    { by: root, body: { emails: ['c@x.org'] } },
    'account.changed',
  );
  await walk.leaves('PATCH /user/settings', { by: ben, body: { full_name: 'Ben' } }, 'account.changed');
  const image = pngOf().toString('base64');
  await walk.leaves('POST /user/avatar', { by: ben, body: { image } }, 'account.changed');
  await walk.leaves('DELETE /user/avatar', { by: ben }, 'account.changed');
  await walk.leaves('PUT /user/block/:username /user/block/ada', { by: ben }, 'account.blocked');
  await walk.leaves('PUT /user/unblock/:username /user/unblock/ada', { by: ben }, 'account.unblocked');
  await walk.leaves(
    'PUT /user/password',
    { by: ada, body: { current_password: ada.password, new_password: 'a new and long one' } },
    'account.changed',
  );
  const deleted = await walk.leaves(
    'DELETE /admin/users/:username /admin/users/eva',
    { by: root },
    'account.deleted',
  );
  assert.deepEqual(deleted.entry.target.name, 'eva');
}

async function changeCredentials(walk: Walk, { ben }: People): Promise<void> {
  const { root } = walk.forge;
  for (const [by, pattern, path] of [
    [ben, '/users/:username/tokens', '/users/ben/tokens'],
    [root, '/admin/users/:username/tokens', '/admin/users/ben/tokens'],
  ] as const) {
    const body = { name: 'laptop', scopes: ['read:user'] };
    await walk.leaves(`POST ${pattern} ${path}`, { by, body, byPassword: true }, 'token.created');
    const deleted = await walk.leaves(`DELETE ${pattern}/:token ${path}/laptop`, { by }, 'token.deleted');
    assert.deepEqual([deleted.entry.target.kind, deleted.entry.target.name], ['token', 'laptop']);
  }
  for (const [by, pattern, path] of [
    [ben, '/user/keys', '/user/keys'],
    [root, '/admin/users/:username/keys', '/admin/users/ben/keys'],
  ] as const) {
    const body = { title: 'laptop', key: newEd25519().line };
    const { body: key } = await walk.leaves(`POST ${pattern} ${path}`, { by, body }, 'ssh-key.created');
    await walk.leaves(`DELETE ${pattern}/:id ${path}/${key.id}`, { by }, 'ssh-key.deleted');
  }
  const pair = await newOpenPgpPair({ emails: ['ben@example.org'] });
  const armored = { armored_public_key: pair.armored };
  const { body: added } = await walk.leaves(
    'POST /user/gpg_keys',
    { by: ben, body: armored },
    'openpgp-key.created',
  );
  const { text: challenge } = await ben.get('/api/v1/user/gpg_key_token');
  await walk.leaves(
    'POST /user/gpg_key_verify',
    { by: ben, body: { key_id: added.key_id, armored_signature: await signDetached(pair, challenge) } },
    'openpgp-key.proved',
  );
  await walk.leaves(
    `DELETE /user/gpg_keys/:id /user/gpg_keys/${added.id}`,
    { by: ben },
    'openpgp-key.deleted',
  );
}

async function changeAppPasswords(walk: Walk, { ben }: People): Promise<void> {
  const headers = { 'ocs-apirequest': 'true' };
  for (const version of ['v1', 'v2']) {
    const path = `/ocs/${version}.php/core`;
    const call = { by: ben, byPassword: true, headers };
    const { body } = await walk.leaves(`GET ${path}/getapppassword`, call, 'token.created');
    const { name, password } = ben;
    const by = { name, password, token: body.ocs.data.apppassword };
    await walk.leaves(`DELETE ${path}/apppassword`, { by, headers }, 'token.deleted');
  }
}

async function changeSecondFactors(walk: Walk, { ben }: People): Promise<void> {
  const factors = '/user/settings/security/two_factor';
  const desk = new PageReader(walk.forge);
  const setUp = async () => {
    await desk.post(`${factors}/enroll`, { code: codeOf(await beginCodes(desk)) });
  };
  await walk.silently(() => desk.signIn(ben));
  await walk.browses(`POST ${factors}/enroll`, setUp, 'second-factor.codes-set-up');
  const renew = `${factors}/regenerate_scratch`;
  await walk.browses(`POST ${renew}`, () => desk.post(renew, {}), 'second-factor.recovery-codes-renewed');
  const disable = `${factors}/disable`;
  await walk.browses(`POST ${disable}`, () => desk.post(disable, {}), 'second-factor.codes-removed');
  await walk.silently(setUp);
  await walk.leaves(
    'DELETE /admin/users/:username/second-factor /admin/users/ben/second-factor',
    { by: walk.forge.root },
    'second-factor.reset',
  );
}

async function changeSessions(walk: Walk, { ben }: People): Promise<void> {
  const { root } = walk.forge;
  const desk = new PageReader(walk.forge);
  const signIn = () => desk.signIn(ben);
  await walk.browses('POST /user/login', signIn, 'session.started');
  await walk.browses('POST /user/logout', () => desk.post('/user/logout', {}), 'session.ended');
  for (const [by, path, pattern] of [
    [ben, '/user/sessions', '/user/sessions'],
    [root, '/admin/users/ben/sessions', '/admin/users/:username/sessions'],
  ] as const) {
    await walk.silently(signIn);
    const [session] = (await by.get(`/api/v1${path}`)).body;
    await walk.leaves(`DELETE ${pattern}/:id ${path}/${session.id}`, { by }, 'session.ended');
    await walk.silently(signIn);
    await walk.leaves(`DELETE ${pattern} ${path}`, { by }, 'session.all-ended');
  }
  await walk.silently(signIn);
  const page = '/user/settings/sessions';
  const other = new PageReader(walk.forge);
  await walk.silently(() => other.signIn(ben));
  await walk.browses(`POST ${page}`, () => desk.post(page, { id: 'others' }), 'session.all-ended');
}

async function changeApplications(walk: Walk, { ada, ben }: People): Promise<void> {
  const { root } = walk.forge;
  await walk.silently(() => ada.post('/api/v1/orgs', { username: 'makers' }));
  const body = { name: 'Builder', redirect_uris: [REDIRECT_URI], confidential_client: true };
  const form = { name: 'Builder', redirect_uris: REDIRECT_URI, confidential_client: 'on' };
  for (const [by, pattern, path, pages, page] of [
    [ben, '/user', '/user', '/user/settings', '/user/settings'],
    [ada, '/orgs/:org', '/orgs/makers', '/org/:org/settings', '/org/makers/settings'],
    [root, '/admin', '/admin', '/admin', '/admin'],
  ] as const) {
    const url = `${pattern}/applications/oauth2`;
    const at = `${path}/applications/oauth2`;
    const { body: made } = await walk.leaves(`POST ${url} ${at}`, { by, body }, 'oauth-application.created');
    await walk.leaves(`PATCH ${url}/:id ${at}/${made.id}`, { by, body: {} }, 'oauth-application.changed');
    const gone = await walk.leaves(`DELETE ${url}/:id ${at}/${made.id}`, { by }, 'oauth-application.deleted');
    assert.deepEqual([gone.entry.target.kind, gone.entry.target.name], ['oauth-application', 'Builder']);
    const reader = new PageReader(walk.forge);
    await walk.silently(() => reader.signIn(by));
    const add = () => reader.post(`${page}/applications/new`, form);
    await walk.browses(`POST ${pages}/applications/new`, add, 'oauth-application.created');
    const [added] = (await by.get(`/api/v1${at}`)).body.slice(-1);
    const drop = () => reader.post(`${page}/applications/oauth2/${added.id}`, { change: 'delete' });
    await walk.browses(`POST ${pages}/applications/oauth2/:id`, drop, 'oauth-application.deleted');
    await walk.silently(() => reader.post('/user/logout', {}));
  }
  await changeGrants(walk, ben);
}

async function changeGrants(walk: Walk, ben: Person): Promise<void> {
  const { forge } = walk;
  const reader = new PageReader(forge);
  await walk.silently(() => reader.signIn(ben));
  const client = await createClient(ben);
  const exchanged = async () => exchange(forge, client, await grantedCode(reader, requestPath(client)));
  await walk.silently(exchanged);
  const { body } = await exchanged();
  await walk.browses('POST /login/oauth/access_token', async () => {}, 'oauth-grant.started');
  const revoke = () => sendForm(forge, client, { token: body.refresh_token }, '/login/oauth/revoke');
  await walk.browses('POST /login/oauth/revoke', revoke, 'oauth-grant.ended');
  const page = '/user/settings/applications/grants';
  const end = () => reader.post(page, { application_id: String(client.id) });
  await walk.browses(`POST ${page}`, end, 'oauth-grant.all-ended');
  await walk.silently(() => reader.post('/user/logout', {}));
}

async function changeOrganization(walk: Walk, { ada, ben }: People): Promise<void> {
  const { root } = walk.forge;
  await walk.leaves(
    'POST /orgs',
    { by: ada, body: { username: 'club' } },
    'organization.created',
    'team.created',
    'organization.member-added',
    'team.member-added',
  );
  const edited = await walk.leaves(
    'PATCH /orgs/:org /orgs/club',
    { by: ada, body: { visibility: 'private', team_admin_delete_repos: true } },
    'organization.changed',
    'organization.visibility-changed',
  );
  assert.deepEqual(edited.entry.details, {
    organization_id: edited.entry.target.id,
    from: 'public',
    to: 'private',
  });
  await walk.leaves(
    'POST /orgs/:org/rename /orgs/club/rename',
    { by: ada, body: { new_name: 'society' } },
    'organization.renamed',
  );
  const image = pngOf().toString('base64');
  await walk.leaves(
    'POST /orgs/:org/avatar /orgs/society/avatar',
    { by: ada, body: { image } },
    'organization.changed',
  );
  await walk.leaves('DELETE /orgs/:org/avatar /orgs/society/avatar', { by: ada }, 'organization.changed');
  const team = { name: 'writers', permission: 'write', units: ['repo.code'] };
  const { body: writers } = await walk.leaves(
    'POST /orgs/:org/teams /orgs/society/teams',
    { by: ada, body: team },
    'team.created',
  );
  const changed = await walk.leaves(
    `PATCH /teams/:id /teams/${writers.id}`,
    { by: ada, body: { name: 'readers', permission: 'read' } },
    'team.changed',
  );
  assert.deepEqual(changed.entry.details.former.name, 'writers');
  assert.deepEqual(changed.entry.details.new.name, 'readers');
  await walk.leaves(
    `PUT /teams/:id/members/:username /teams/${writers.id}/members/ben`,
    { by: ada },
    'organization.member-added',
    'team.member-added',
  );
  await walk.leaves(
    'PUT /orgs/:org/public_members/:username /orgs/society/public_members/ben',
    { by: ben },
    'organization.membership-shown',
  );
  await walk.leaves(
    'DELETE /orgs/:org/public_members/:username /orgs/society/public_members/ben',
    { by: ben },
    'organization.membership-shown',
  );
  await walk.leaves(
    `DELETE /teams/:id/members/:username /teams/${writers.id}/members/ben`,
    { by: ada },
    'team.member-removed',
    'organization.member-removed',
  );
  await walk.silently(() => ada.put(`/api/v1/teams/${writers.id}/members/ben`));
  await walk.leaves(
    'DELETE /orgs/:org/members/:username /orgs/society/members/ben',
    { by: ada },
    'team.member-removed',
    'organization.member-removed',
  );
  await walk.leaves(
    'POST /orgs/:org/repos /orgs/society/repos',
    { by: ada, body: { name: 'rules' } },
    'repository.created',
  );
  await walk.leaves(
    'POST /org/:org/repos /org/society/repos',
    { by: ada, body: { name: 'minutes' } },
    'repository.created',
  );
  const added = await walk.leaves(
    `PUT /teams/:id/repos/:org/:repo /teams/${writers.id}/repos/society/rules`,
    { by: ada },
    'team.repository-added',
  );
  assert.deepEqual([added.entry.target.name, added.entry.repository.full_name], ['readers', 'society/rules']);
  await walk.leaves(
    `DELETE /teams/:id/repos/:org/:repo /teams/${writers.id}/repos/society/rules`,
    { by: ada },
    'team.repository-removed',
  );
  await walk.leaves(
    'PUT /repos/:owner/:repo/teams/:team /repos/society/rules/teams/readers',
    { by: ada },
    'team.repository-added',
  );
  await walk.leaves(
    'DELETE /repos/:owner/:repo/teams/:team /repos/society/rules/teams/readers',
    { by: ada },
    'team.repository-removed',
  );
  await walk.leaves(
    'PUT /orgs/:org/block/:username /orgs/society/block/ben',
    { by: ada },
    'organization.blocked',
  );
  await walk.leaves(
    'PUT /orgs/:org/unblock/:username /orgs/society/unblock/ben',
    { by: ada },
    'organization.unblocked',
  );
  await walk.leaves(`DELETE /teams/:id /teams/${writers.id}`, { by: ada }, 'team.deleted');
  await walk.silently(async () => {
    await ada.delete('/api/v1/repos/society/rules');
    await ada.delete('/api/v1/repos/society/minutes');
  });
  await walk.leaves('DELETE /orgs/:org /orgs/society', { by: ada }, 'organization.deleted');
  await walk.leaves(
    'POST /admin/users/:username/orgs /admin/users/ben/orgs',
    { by: root, body: { username: 'bens' } },
    'organization.created',
    'team.created',
    'organization.member-added',
    'team.member-added',
  );
}

async function changeRepository(walk: Walk, { ada, ben }: People): Promise<void> {
  const { root } = walk.forge;
  const REPO = '/repos/:owner/:repo';
  const engine = '/repos/ada/engine';
  await walk.leaves(
    'POST /user/repos',
    { by: ada, body: { name: 'engine', auto_init: true, template: true } },
    'repository.created',
  );
  await walk.leaves(
    'POST /admin/users/:username/repos /admin/users/ben/repos',
    { by: root, body: { name: 'other' } },
    'repository.created',
  );
  await walk.leaves(
    `PATCH ${REPO} ${engine}`,
    { by: ada, body: { private: true, has_wiki: false } },
    'repository.visibility-changed',
    'repository.changed',
  );
  const set = await walk.leaves(
    `PUT ${REPO}/collaborators/:collaborator ${engine}/collaborators/ben`,
    { by: ada, body: { permission: 'admin' } },
    'collaborator.changed',
  );
  assert.deepEqual(set.entry.target.name, 'ben');
  assert.deepEqual(set.entry.repository.full_name, 'ada/engine');
  assert.deepEqual(set.entry.details.former, { level: 'none' });
  await walk.leaves(
    `DELETE ${REPO}/collaborators/:collaborator ${engine}/collaborators/ben`,
    { by: ada },
    'collaborator.removed',
  );
  const image = pngOf().toString('base64');
  await walk.leaves(
    `POST ${REPO}/avatar ${engine}/avatar`,
    { by: ada, body: { image } },
    'repository.changed',
  );
  await walk.leaves(`DELETE ${REPO}/avatar ${engine}/avatar`, { by: ada }, 'repository.changed');
  const key = { title: 'ci', key: newEd25519().line, read_only: true };
  const { body: deployKey } = await walk.leaves(
    `POST ${REPO}/keys ${engine}/keys`,
    { by: ada, body: key },
    'deploy-key.created',
  );
  await walk.leaves(
    `DELETE ${REPO}/keys/:id ${engine}/keys/${deployKey.id}`,
    { by: ada },
    'deploy-key.deleted',
  );
  await changeProtections(walk, ada);
  const mirror = { remote_address: 'http://127.0.0.1/engine.git', interval: '8h', remote_password: SECRET };
  const { body: pushMirror } = await walk.leaves(
    `POST ${REPO}/push_mirrors ${engine}/push_mirrors`,
    { by: ada, body: mirror },
    'push-mirror.created',
  );
  await walk.leaves(
    `DELETE ${REPO}/push_mirrors/:name ${engine}/push_mirrors/${pushMirror.remote_name}`,
    { by: ada },
    'push-mirror.deleted',
  );
  await walk.leaves(
    'POST /repos/:template_owner/:template_repo/generate /repos/ada/engine/generate',
    { by: ada, body: { owner: 'ada', name: 'again', git_content: true } },
    'repository.created',
  );
  await walk.silently(() => ada.patch(`/api/v1${engine}`, { private: false }));
  await walk.leaves(
    `POST ${REPO}/forks ${engine}/forks`,
    { by: ben, body: { name: 'copy' } },
    'repository.created',
  );
  for (const [method, path, body] of [
    ['PUT', '/flags', { flags: ['looms'] }],
    ['DELETE', '/flags', undefined],
    ['PUT', '/flags/:flag', undefined],
    ['DELETE', '/flags/:flag', undefined],
  ] as const)
    await walk.leaves(
      `${method} ${REPO}${path} ${engine}${path.replace(':flag', 'looms')}`,
      { by: root, body },
      'repository.flags-changed',
    );
  await walk.leaves(
    `PATCH ${REPO}/branches/* ${engine}/branches/main`,
    { by: ada, body: { name: 'trunk' } },
    'repository.changed',
  );
  await walk.leaves(
    `POST ${REPO}/transfer ${engine}/transfer`,
    { by: ada, body: { new_owner: 'ben' } },
    'repository.transfer-asked',
  );
  await walk.leaves(
    `POST ${REPO}/transfer/reject ${engine}/transfer/reject`,
    { by: ben },
    'repository.transfer-ended',
  );
  await walk.silently(() => ada.post('/api/v1/repos/ada/again/transfer', { new_owner: 'ben' }));
  await walk.leaves(
    `POST ${REPO}/transfer/accept /repos/ada/again/transfer/accept`,
    { by: ben },
    'repository.transferred-away',
    'repository.transferred',
  );
  const deleted = await walk.leaves(`DELETE ${REPO} ${engine}`, { by: ada }, 'repository.deleted');
  assert.deepEqual(deleted.entry.target.name, 'ada/engine');
}

async function changeProtections(walk: Walk, ada: Person): Promise<void> {
  const REPO = '/repos/:owner/:repo';
  const engine = '/repos/ada/engine';
  await walk.leaves(
    `POST ${REPO}/branch_protections ${engine}/branch_protections`,
    { by: ada, body: { rule_name: 'main' } },
    'protection.created',
  );
  const changed = await walk.leaves(
    `PATCH ${REPO}/branch_protections/* ${engine}/branch_protections/main`,
    {
      by: ada,
      body: {
        required_approvals: 2,
        enable_push: true,
        enable_push_whitelist: true,
        push_whitelist_usernames: ['ada'],
      },
    },
    'protection.changed',
  );
  assert.deepEqual(changed.entry.details.former.lists.push, { accounts: [], teams: [] });
  assert.deepEqual(changed.entry.details.new.lists.push.accounts, ['ada']);
  assert.equal(changed.entry.details.new.required_approvals, 2);
  await walk.leaves(
    `DELETE ${REPO}/branch_protections/* ${engine}/branch_protections/main`,
    { by: ada },
    'protection.deleted',
  );
  const { body: tag } = await walk.leaves(
    `POST ${REPO}/tag_protections ${engine}/tag_protections`,
    { by: ada, body: { name_pattern: 'v*', whitelist_usernames: ['ada'] } },
    'protection.created',
  );
  await walk.leaves(
    `PATCH ${REPO}/tag_protections/:id ${engine}/tag_protections/${tag.id}`,
    { by: ada, body: { name_pattern: 'r*' } },
    'protection.changed',
  );
  await walk.leaves(
    `DELETE ${REPO}/tag_protections/:id ${engine}/tag_protections/${tag.id}`,
    { by: ada },
    'protection.deleted',
  );
}

const SECRET = 'the-secret-of-a-webhook';

async function changeWebhooks(walk: Walk, { ada, ben }: People): Promise<void> {
  const { root } = walk.forge;
  await walk.silently(async () => {
    await ada.post('/api/v1/user/repos', { name: 'hooked' });
    await ada.post('/api/v1/orgs', { username: 'hookers' });
  });
  const url = `http://127.0.0.1/hook?key=${SECRET}`;
  const body = {
    type: 'gitea',
    config: { url, content_type: 'json', secret: SECRET },
    authorization_header: `Bearer ${SECRET}`,
  };
  for (const [by, pattern, path, noun] of [
    [ada, '/repos/:owner/:repo/hooks', '/repos/ada/hooked/hooks', 'webhook'],
    [ada, '/orgs/:org/hooks', '/orgs/hookers/hooks', 'organization-webhook'],
    [ben, '/user/hooks', '/user/hooks', 'account-webhook'],
    [root, '/admin/hooks', '/admin/hooks', 'site-webhook'],
  ] as const) {
    const { body: hook } = await walk.leaves(`POST ${pattern} ${path}`, { by, body }, `${noun}.created`);
    const { entry } = await walk.leaves(
      `PATCH ${pattern}/:id ${path}/${hook.id}`,
      { by, body: { config: { secret: `${SECRET}-2` } } },
      `${noun}.changed`,
    );
    assert.ok(entry.details.changed.includes('secret'), noun);
    await walk.leaves(`DELETE ${pattern}/:id ${path}/${hook.id}`, { by }, `${noun}.deleted`);
  }
}

async function administer(walk: Walk, folder: string): Promise<void> {
  const { root: by } = walk.forge;
  const rules = '/admin/quota/rules';
  const groups = '/admin/quota/groups';
  await walk.leaves(
    `POST ${rules}`,
    { by, body: { name: 'small', limit: 5, subjects: ['size:all'] } },
    'quota.rule-changed',
  );
  const edited = await walk.leaves(
    `PATCH ${rules}/:quotarule ${rules}/small`,
    { by, body: { limit: 6 } },
    'quota.rule-changed',
  );
  assert.equal(edited.entry.details.former.bytes_max, 5);
  await walk.leaves(`POST ${groups}`, { by, body: { name: 'few' } }, 'quota.group-changed');
  const group = ':quotagroup';
  await walk.leaves(
    `PUT ${groups}/${group}/rules/:quotarule ${groups}/few/rules/small`,
    { by },
    'quota.group-changed',
  );
  await walk.leaves(
    `DELETE ${groups}/${group}/rules/:quotarule ${groups}/few/rules/small`,
    { by },
    'quota.group-changed',
  );
  await walk.leaves(
    `PUT ${groups}/${group}/users/:username ${groups}/few/users/ben`,
    { by },
    'quota.member-changed',
  );
  await walk.leaves(
    `DELETE ${groups}/${group}/users/:username ${groups}/few/users/ben`,
    { by },
    'quota.member-changed',
  );
  await walk.leaves(
    'POST /admin/users/:username/quota/groups /admin/users/ben/quota/groups',
    { by, body: { groups: ['few'] } },
    'quota.member-changed',
  );
  await walk.leaves(`DELETE ${groups}/${group} ${groups}/few`, { by }, 'quota.group-changed');
  await walk.leaves(`DELETE ${rules}/:quotarule ${rules}/small`, { by }, 'quota.rule-changed');
  const task = await walk.leaves(
    'POST /admin/cron/:task /admin/cron/audit_delete_old',
    { by },
    'cron-task.requested',
  );
  assert.deepEqual(task.entry.target, { kind: 'cron-task', id: null, name: 'audit_delete_old' });
  for (const name of ['one', 'two']) {
    await mkdir(join(folder, 'ben'), { recursive: true });
    await git(folder, ['init', '-q', '--bare', join(folder, 'ben', `${name}.git`)]);
  }
  const unadopted = '/admin/unadopted/:owner/:repo /admin/unadopted/ben';
  await walk.leaves(`POST ${unadopted}/one`, { by }, 'repository.created');
  await walk.leaves(`DELETE ${unadopted}/two`, { by }, 'unadopted-repository.deleted');
}

interface People {
  readonly ada: Person;
  readonly ben: Person;
}

test('each route that changes credentials, permissions or visibility, deletes or administers leaves an entry', {
  timeout: 120_000,
}, async (t) => {
  const dataFolder = await temporaryFolder(t);
  const forge = await startForge(t, {
    dataFolder,
    settings: { repositoryFlags: 'true', outboundAllow: '127.0.0.1' },
  });
  const walk = new Walk(forge);
  const people = { ada: await forge.account('ada'), ben: await forge.account('ben') };
  const folder = join(dataFolder, 'unadopted');
  await mkdir(folder);
  await walk.silently(async () => {});

  await changeApplications(walk, people);
  await changeAccounts(walk, people);
  await changeCredentials(walk, people);
  await changeAppPasswords(walk, people);
  await changeSecondFactors(walk, people);
  await changeSessions(walk, people);
  await changeOrganization(walk, people);
  await changeRepository(walk, people);
  await changeWebhooks(walk, people);
  await administer(walk, folder);

  assert.deepEqual(
    walk.missed(),
    [],
    'call each of these routes here, or add its action to WITHOUT_ENTRY with the reason',
  );
  const stored = await forge.forge.running.engines.database.reader
    .selectFrom('audit_entries')
    .selectAll()
    .execute();
  const text = JSON.stringify(stored);
  const secrets = [SECRET, people.ada.password, people.ben.password, 'a new and long one', 'correct horse'];
  for (const secret of [
    ...secrets,
    people.ada.token,
    people.ben.token,
    forge.root.token,
    forge.root.password,
  ])
    assert.ok(!text.includes(secret), 'no entry has a secret');
});
