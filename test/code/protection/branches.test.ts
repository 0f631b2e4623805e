import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf } from '../../support/forge/events.ts';
import type { Person } from '../../support/forge/forge.ts';
import { startGuild } from '../../support/forge/organizations.ts';
import { ENGINE, PROTECTIONS, protect, startEngine } from './world.ts';

const DEFAULTS = {
  branch_name: 'main',
  rule_name: 'main',
  enable_push: false,
  enable_push_whitelist: false,
  push_whitelist_usernames: [],
  push_whitelist_teams: [],
  push_whitelist_deploy_keys: false,
  enable_force_push: false,
  enable_force_push_allowlist: false,
  force_push_allowlist_usernames: [],
  force_push_allowlist_teams: [],
  force_push_allowlist_deploy_keys: false,
  enable_merge_whitelist: false,
  merge_whitelist_usernames: [],
  merge_whitelist_teams: [],
  enable_status_check: false,
  status_check_contexts: [],
  required_approvals: 0,
  enable_approvals_whitelist: false,
  approvals_whitelist_username: [],
  approvals_whitelist_teams: [],
  block_on_rejected_reviews: false,
  block_on_official_review_requests: false,
  block_on_outdated_branch: false,
  dismiss_stale_approvals: false,
  ignore_stale_approvals: false,
  require_signed_commits: false,
  protected_file_patterns: '',
  unprotected_file_patterns: '',
  apply_to_admins: false,
};

/** A value for each field that differs from its default. */
const OTHERS = {
  enable_push: true,
  enable_push_whitelist: true,
  push_whitelist_usernames: ['ben'],
  push_whitelist_deploy_keys: true,
  enable_force_push: true,
  enable_force_push_allowlist: true,
  force_push_allowlist_usernames: ['ben'],
  force_push_allowlist_deploy_keys: true,
  enable_merge_whitelist: true,
  merge_whitelist_usernames: ['ada', 'ben'],
  enable_status_check: true,
  status_check_contexts: ['build', 'test/unit'],
  required_approvals: 2,
  enable_approvals_whitelist: true,
  approvals_whitelist_username: ['ada'],
  block_on_rejected_reviews: true,
  block_on_official_review_requests: true,
  block_on_outdated_branch: true,
  dismiss_stale_approvals: true,
  ignore_stale_approvals: true,
  require_signed_commits: true,
  protected_file_patterns: 'a;b',
  unprotected_file_patterns: 'c',
  apply_to_admins: true,
};

function withoutTimes({ created_at: _, updated_at: __, ...fields }: Record<string, unknown>) {
  return fields;
}

test('a new branch protection has only what the request sets', async (t) => {
  const { ada } = await startEngine(t);
  const created = await protect(ada, 'main');
  assert.deepEqual(withoutTimes(created), DEFAULTS);
  assert.ok(Math.abs(Date.parse(created.created_at) - Date.now()) < 60_000);
  const glob = await protect(ada, 'release/*');
  assert.deepEqual([glob.rule_name, glob.branch_name], ['release/*', '']);
  const old = await ada.post(PROTECTIONS, { branch_name: 'next' });
  assert.deepEqual([old.status, old.body.rule_name], [201, 'next']);
  const listed = (await ada.get(`${PROTECTIONS}?limit=2`)).body;
  assert.deepEqual(
    listed.map((each: { rule_name: string }) => each.rule_name),
    ['main', 'release/*'],
  );
});

test('every field of a branch protection is stored, shown and edited by itself', async (t) => {
  const { ada } = await startEngine(t);
  const expected = { ...DEFAULTS, ...OTHERS };
  const created = await protect(ada, 'main', OTHERS);
  assert.deepEqual(withoutTimes(created), expected);
  assert.deepEqual((await ada.get(`${PROTECTIONS}/main`)).body, created);

  for (const [field, value] of Object.entries(DEFAULTS)) {
    if (!(field in OTHERS)) continue;
    const edited = await ada.patch(`${PROTECTIONS}/main`, { [field]: value });
    assert.equal(edited.status, 200, edited.text);
    const without: Record<string, unknown> = { [field]: value };
    // Without pushes, there is no list of those who may push.
    if (field === 'enable_push') Object.assign(without, { enable_push_whitelist: false });
    if (/^enable_push/.test(field)) Object.assign(without, { push_whitelist_deploy_keys: false });
    if (field === 'enable_force_push') Object.assign(without, { enable_force_push_allowlist: false });
    if (/^enable_force_push/.test(field)) Object.assign(without, { force_push_allowlist_deploy_keys: false });
    assert.deepEqual(withoutTimes(edited.body), { ...expected, ...without }, field);
    assert.equal((await ada.patch(`${PROTECTIONS}/main`, OTHERS)).status, 200);
  }
});

test('a branch shows the parts of its protection that clients need', async (t) => {
  const { ada, ben } = await startEngine(t);
  await protect(ada, 'm*', { ...OTHERS, merge_whitelist_usernames: ['ada'] });
  const { commit: _, ...shown } = (await ada.get(`${ENGINE}/branches/main`)).body;
  assert.deepEqual(shown, {
    name: 'main',
    protected: true,
    required_approvals: 2,
    enable_status_check: true,
    status_check_contexts: ['build', 'test/unit'],
    user_can_push: false,
    user_can_merge: true,
    effective_branch_protection_name: 'm*',
  });
  const [forBen] = (await ben.get(`${ENGINE}/branches`)).body;
  assert.deepEqual(
    [forBen.user_can_push, forBen.user_can_merge, forBen.effective_branch_protection_name],
    [true, false, ''],
  );
});

test('only administrators see and change protections', async (t) => {
  const { ada, ben, forge } = await startEngine(t);
  await protect(ada, 'main');
  const requests = [
    ['GET', ''],
    ['GET', '/main'],
    ['POST', ''],
    ['PATCH', '/main'],
    ['DELETE', '/main'],
  ] as const;
  for (const [method, path] of requests) {
    assert.equal((await ben.send(method, `${PROTECTIONS}${path}`, { json: { rule_name: 'x' } })).status, 403);
    assert.equal(
      (await forge.send(method, `${PROTECTIONS}${path}`, { json: { rule_name: 'x' } })).status,
      401,
    );
  }
  await ada.put(`${ENGINE}/collaborators/ben`, { permission: 'admin' });
  assert.equal((await ben.delete(`${PROTECTIONS}/main`)).status, 204);
});

test('a name with slashes names its protection, encoded or not', async (t) => {
  const { ada } = await startEngine(t);
  await protect(ada, 'release/*/x');
  for (const name of ['release/*/x', encodeURIComponent('release/*/x'), 'release%2F%2A%2Fx'])
    assert.equal((await ada.get(`${PROTECTIONS}/${name}`)).status, 200, name);
  for (const name of ['release/*', 'RELEASE/*/x', 'release/1/x', '%00', 'a%00b', ''])
    assert.equal((await ada.get(`${PROTECTIONS}/${name}`)).status, 404, name);
  assert.equal((await ada.delete(`${PROTECTIONS}/release%2F*%2Fx`)).status, 204);
});

test('403: a protection exists already; 423: the repository is archived', async (t) => {
  const { ada } = await startEngine(t);
  await protect(ada, 'main');
  assert.equal((await ada.post(PROTECTIONS, { rule_name: 'main' })).status, 403);
  await ada.patch(ENGINE, { archived: true });
  assert.equal((await ada.post(PROTECTIONS, { rule_name: 'next' })).status, 423);
  assert.equal((await ada.patch(`${PROTECTIONS}/main`, { enable_push: true })).status, 423);
});

test('422: a branch protection needs a name or a glob, and users and teams that exist', async (t) => {
  const { ada, forge } = await startEngine(t);
  await forge.account('hidden', { visibility: 'private' });
  const bad = [
    {},
    { rule_name: '' },
    { rule_name: 'x'.repeat(300) },
    { rule_name: '[a' },
    { rule_name: '{a' },
    { rule_name: 'a\\' },
    { rule_name: '{a,b}'.repeat(10) },
    { rule_name: 'a\0b' },
    { rule_name: 7 },
    { rule_name: 'a', push_whitelist_usernames: ['missing'] },
    { rule_name: 'a', merge_whitelist_usernames: ['hidden'] },
    { rule_name: 'a', approvals_whitelist_teams: ['missing'] },
    { rule_name: 'a', push_whitelist_usernames: Array.from({ length: 600 }, (_, at) => `u${at}`) },
    { rule_name: 'a', protected_file_patterns: '[' },
    { rule_name: 'a', unprotected_file_patterns: `x${'*x'.repeat(4_000)}` },
    { rule_name: 'a', status_check_contexts: Array(200).fill('x') },
    { rule_name: 'a', status_check_contexts: ['a\nb'] },
    { rule_name: 'a', enable_push: 'yes' },
    { rule_name: 'a', required_approvals: 1.5 },
  ];
  for (const body of bad) {
    const created = await ada.post(PROTECTIONS, body);
    assert.equal(created.status, 422, `${JSON.stringify(body).slice(0, 200)}: ${created.text}`);
  }
  assert.deepEqual((await ada.get(PROTECTIONS)).body, []);
  assert.equal((await ada.patch(`${PROTECTIONS}/missing`, {})).status, 404);
});

test('B7: a protection lists no team that its editor may not see', async (t) => {
  const guild = await startGuild(t);
  const eve = await guild.forge.account('eve');
  await guild.repository('engine', { auto_init: true });
  await guild.repository('mill');
  await guild.team('makers', { repositories: ['engine'] });
  for (const name of ['millers', 'listed']) await guild.team(name, { repositories: ['mill'] });
  const engine = '/api/v1/repos/guild/engine';
  await guild.ada.put(`${engine}/collaborators/eve`, { permission: 'admin' });
  const protect = (who: Person, name: string, ...teams: readonly string[]) =>
    who.post(`${engine}/branch_protections`, {
      rule_name: name,
      enable_push: true,
      enable_push_whitelist: true,
      push_whitelist_teams: teams,
    });

  for (const team of ['millers', 'nowhere']) {
    const { status, body } = await protect(eve, 'a', team);
    assert.deepEqual([status, body.message], [422, `there is no team ${team}`]);
  }
  assert.equal((await protect(eve, 'a', 'makers')).status, 201);
  assert.equal((await protect(guild.ada, 'b', 'listed', 'millers')).status, 201);
  // The rule of the owner shows these names.
  assert.equal((await protect(eve, 'c', 'makers', 'listed')).status, 201);
});

test('the number of protections of a repository is limited', async (t) => {
  const { ada } = await startEngine(t);
  for (let at = 0; at < 100; at += 1) await protect(ada, `b${at}`);
  const more = await ada.post(PROTECTIONS, { rule_name: 'more' });
  assert.equal(more.status, 422, more.text);
});

test('deleted users, teams and repositories leave their protections', async (t) => {
  const guild = await startGuild(t);
  const cam = await guild.forge.account('cam');
  await guild.repository('engine', { auto_init: true });
  const team = await guild.team('pushers', { members: [cam], repositories: ['engine'] });
  const url = '/api/v1/repos/guild/engine';
  const lists = { push_whitelist_usernames: ['cam', 'ada'], push_whitelist_teams: ['pushers'] };
  const body = { rule_name: 'main', enable_push: true, enable_push_whitelist: true, ...lists };
  assert.equal((await guild.ada.post(`${url}/branch_protections`, body)).status, 201);
  assert.equal((await guild.ada.delete(`/api/v1/teams/${team.id}`)).status, 204);
  assert.equal((await guild.forge.root.delete('/api/v1/admin/users/cam')).status, 204);
  const { body: left } = await guild.ada.get(`${url}/branch_protections/main`);
  assert.deepEqual([left.push_whitelist_usernames, left.push_whitelist_teams], [['ada'], []]);
  assert.equal((await guild.ada.delete(url)).status, 204);
  const { database } = guild.forge.forge.running.engines;
  assert.deepEqual(await database.reader.selectFrom('protections').selectAll().execute(), []);
});

test('each change of a protection is an event', async (t) => {
  const { ada, database } = await startEngine(t);
  await protect(ada, 'main');
  await ada.patch(`${PROTECTIONS}/main`, { enable_push: true });
  await ada.delete(`${PROTECTIONS}/main`);
  const kinds = (await eventsOf(database, 'protection.')).map(({ kind }) => kind);
  assert.deepEqual(kinds, ['protection.created', 'protection.changed', 'protection.deleted']);
});
