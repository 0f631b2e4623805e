import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGuild } from '../../support/forge/organizations.ts';
import { git } from '../../support/git/git.ts';
import { treeBomb } from '../../support/git/tree-bomb.ts';
import { packOf, pushBody, sendGit, ZERO } from '../transport/wire.ts';
import { Clone, cloneFor, ENGINE, PROTECTIONS, protect, startEngine } from './world.ts';

const NOT_ALLOWED = /the branch main is protected: you may not push to it/;

test('a protected branch takes no pushes, not even from its owner or a site administrator', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  await protect(ada, 'main');
  for (const who of [ada, ben, forge.root]) {
    const clone = await cloneFor(t, who);
    await clone.commit('plan.md');
    await clone.requireDenied(NOT_ALLOWED, 'main');
    await clone.requireTaken('main:other', '--force');
  }
});

test('403: calls of the API obey protections, even those of administrators', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  await ada.post(`${ENGINE}/branches`, { new_branch_name: 'free' });
  await protect(ada, 'main');
  await protect(ada, 'release/*');
  const { sha } = (await ada.get(`${ENGINE}/contents/README.md`)).body;
  for (const who of [ada, ben, forge.root]) {
    const answers = [
      await who.post(`${ENGINE}/contents/new`, { content: '' }),
      await who.put(`${ENGINE}/contents/README.md`, { content: '', sha }),
      await who.delete(`${ENGINE}/contents/README.md`, { sha }),
      await who.post(`${ENGINE}/contents/new`, { content: '', branch: 'free', new_branch: 'release/1' }),
      await who.post(`${ENGINE}/branches`, { new_branch_name: 'release/1' }),
      await who.patch(`${ENGINE}/branches/free`, { name: 'release/1' }),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      answers.map(() => 403),
      who.name,
    );
    assert.match(answers[0]?.body.message, NOT_ALLOWED);
  }
  assert.equal((await ben.post(`${ENGINE}/contents/new`, { content: '', branch: 'free' })).status, 201);
});

test('403: a note in a protected branch, and the syncing of a fork to one, are denied', async (t) => {
  const { ada, ben } = await startEngine(t);
  const fork = '/api/v1/repos/ben/engine';
  assert.equal((await ben.post(`${ENGINE}/forks`, {})).status, 202);
  await ada.post(`${ENGINE}/contents/new`, { content: '' });
  await protect(ada, 'main');
  await ben.post(`${fork}/branch_protections`, { rule_name: 'main' });

  const note = () => ada.post('/index.php/apps/notes/api/v1/notes', { title: 'Plan', content: 'x' });
  assert.equal((await note()).status, 200);
  await ada.post('/api/v1/repos/ada/Notes/branch_protections', { rule_name: 'main' });
  const denied = await note();
  assert.equal(denied.status, 403, denied.text);
  assert.equal((await ben.post(`${fork}/merge-upstream`, { branch: 'main' })).status, 403);
});

test('a protected branch is not deleted, with git or over the API', async (t) => {
  const { ada } = await startEngine(t);
  await ada.post(`${ENGINE}/branches`, { new_branch_name: 'old' });
  await protect(ada, 'old', { enable_push: true });
  const clone = await cloneFor(t, ada);
  await clone.requireDenied(/the branch old is protected from deletion/, '--delete', 'old');
  assert.equal((await ada.delete(`${ENGINE}/branches/old`)).status, 403);
  await ada.delete(`${PROTECTIONS}/old`);
  await clone.requireTaken('--delete', 'old');
});

test('with enable_push, all who may write push to a protected branch, but never by force', async (t) => {
  const { ada, ben } = await startEngine(t);
  await protect(ada, 'main', { enable_push: true });
  const clone = await cloneFor(t, ben);
  await clone.commit('a');
  await clone.commit('b');
  await clone.requireTaken('main');
  await clone.git('reset', '-q', '--hard', 'HEAD~1');
  await clone.requireDenied(/takes no force push/, '--force', 'main');
  await clone.commit('c');
  await clone.requireDenied(/takes no force push/, '--force', 'main');
  await clone.git('pull', '-q', '--no-rebase', '--no-edit', 'origin', 'main');
  await clone.requireTaken('main');
});

test('with enable_force_push, those who may push replace commits, with git and over the API', async (t) => {
  const { ada, ben } = await startEngine(t);
  await protect(ada, 'main', {
    enable_push: true,
    enable_force_push: true,
    protected_file_patterns: 'secret',
  });
  const clone = await cloneFor(t, ben);
  await clone.commit('a');
  await clone.requireTaken('main');
  await clone.git('reset', '-q', '--hard', 'HEAD~1');
  await clone.commit('b');
  await clone.requireTaken('--force', 'main');
  await clone.git('reset', '-q', '--hard', 'HEAD~1');
  await clone.commit('secret');
  await clone.requireDenied(/the file secret may not change/, '--force', 'main');
  await ada.post(`${ENGINE}/branches`, { new_branch_name: 'next' });
  const overwrite = { content: '', branch: 'next', new_branch: 'main', force_overwrite_new_branch: true };
  await ben.post(`${ENGINE}/contents/on-main`, { content: '' });
  assert.equal((await ben.post(`${ENGINE}/contents/forced`, overwrite)).status, 201);
  await ada.patch(`${PROTECTIONS}/main`, { enable_force_push: false });
  const denied = await ben.post(`${ENGINE}/contents/again`, overwrite);
  assert.equal(denied.status, 403);
  assert.match(denied.body.message, /takes no force push/);
});

test('with an allowlist, only its users and teams push by force, and only if they may push', async (t) => {
  const guild = await startGuild(t);
  const [cam, dot] = [await guild.forge.account('cam'), await guild.forge.account('dot')];
  await guild.repository('engine', { auto_init: true });
  const team = { permission: 'write', units: ['repo.code'], repositories: ['engine'] };
  await guild.team('forcers', { ...team, members: [cam] });
  await guild.team('others', { ...team, members: [dot] });
  const url = '/api/v1/repos/guild/engine';
  const rule = `${url}/branch_protections/main`;
  await guild.ada.post(`${url}/branch_protections`, {
    rule_name: 'main',
    enable_push: true,
    enable_force_push: true,
    enable_force_push_allowlist: true,
    force_push_allowlist_teams: ['forcers'],
  });
  const overwrite = async (who: typeof cam) => {
    const options = { branch: 'next', new_branch: 'main', force_overwrite_new_branch: true };
    const { status, body } = await who.post(`${url}/contents/forced`, { content: '', ...options });
    return status === 201 ? status : [status, body.message.replace(/.*: /, '')];
  };
  assert.equal((await guild.ada.post(`${url}/branches`, { new_branch_name: 'next' })).status, 201);
  const moveOn = (name: string) => dot.post(`${url}/contents/${name}`, { content: '' });
  assert.equal((await moveOn('a')).status, 201);

  const notAllowed = [403, 'you may not push to it by force'];
  assert.deepEqual(await overwrite(dot), notAllowed);
  assert.deepEqual(await overwrite(guild.ada), notAllowed);
  assert.equal(await overwrite(cam), 201);

  await guild.ada.patch(rule, { force_push_allowlist_teams: [], force_push_allowlist_usernames: ['dot'] });
  await moveOn('b');
  assert.deepEqual(await overwrite(cam), notAllowed);
  assert.equal(await overwrite(dot), 201);
  await moveOn('c');
  await guild.ada.patch(rule, { enable_push_whitelist: true, push_whitelist_usernames: ['cam'] });
  assert.deepEqual(await overwrite(dot), [403, 'you may not push to it']);
});

test('with a whitelist, only its users push', async (t) => {
  const { ada, ben, forge } = await startEngine(t);
  await protect(ada, 'main', {
    enable_push: true,
    enable_push_whitelist: true,
    push_whitelist_usernames: ['BEN'],
  });
  const [ofAda, ofBen, ofRoot] = [
    await cloneFor(t, ada),
    await cloneFor(t, ben),
    await cloneFor(t, forge.root),
  ];
  await ofBen.commit('plan.md');
  await ofBen.requireTaken('main');
  await ofAda.git('pull', '-q', 'origin', 'main');
  await ofAda.commit('more.md');
  await ofAda.requireDenied(NOT_ALLOWED, 'main');
  await ofRoot.git('pull', '-q', 'origin', 'main');
  await ofRoot.commit('more.md');
  await ofRoot.requireDenied(NOT_ALLOWED, 'main');
  assert.equal((await ben.get(`${ENGINE}/branches/main`)).body.user_can_push, true);
  assert.equal((await ada.get(`${ENGINE}/branches/main`)).body.user_can_push, false);

  await ada.put(`${ENGINE}/collaborators/ben`, { permission: 'read' });
  const refused = await ofBen.push('main:other');
  assert.notEqual(refused.exitCode, 0, 'a list gives no rights on the repository');
  assert.equal((await ben.get(`${ENGINE}/branches/main`)).body.user_can_push, false);
});

test('with a whitelist of teams, their members push; teams of a former owner do not count', async (t) => {
  const guild = await startGuild(t);
  const [cam, dot] = [await guild.forge.account('cam'), await guild.forge.account('dot')];
  await guild.repository('engine', { auto_init: true });
  const team = { permission: 'write', units: ['repo.code'], repositories: ['engine'] };
  await guild.team('pushers', { ...team, members: [cam] });
  await guild.team('others', { ...team, members: [dot] });
  const url = '/api/v1/repos/guild/engine';
  const created = await guild.ada.post(`${url}/branch_protections`, {
    rule_name: 'main',
    enable_push: true,
    enable_push_whitelist: true,
    push_whitelist_teams: ['Pushers'],
  });
  assert.deepEqual(created.body.push_whitelist_teams, ['pushers']);

  const write = (who: typeof cam, name: string, at = url) =>
    who.post(`${at}/contents/${name}`, { content: '' });
  assert.equal((await write(cam, 'a')).status, 201);
  assert.equal((await write(dot, 'b')).status, 403);
  assert.equal((await write(guild.ada, 'c')).status, 403);

  assert.equal((await guild.ada.post(`${url}/transfer`, { new_owner: 'ada' })).status, 202);
  const now = '/api/v1/repos/ada/engine';
  await guild.ada.put(`${now}/collaborators/cam`, { permission: 'write' });
  assert.equal((await write(cam, 'd', now)).status, 403);
  const { body } = await guild.ada.get(`${now}/branch_protections/main`);
  assert.deepEqual(body.push_whitelist_teams, []);
});

test('protected files stay as they are, in any case of letters, even for administrators', async (t) => {
  const { ada } = await startEngine(t);
  const clone = await cloneFor(t, ada);
  await clone.commit('docs/deep/plan.txt', 'docs/plan.txt', 'free', 'LICENSE');
  await clone.requireTaken('main');
  await protect(ada, 'main', {
    enable_push: true,
    protected_file_patterns: '/docs/**.txt; license ;.quire/**',
  });

  for (const path of ['docs/deep/plan.txt', 'docs/new.txt', 'Docs/New.TXT', 'LICENSE', '.quire/ci/run']) {
    await clone.commit('free', path);
    await clone.requireDenied(new RegExp(`the file ${path} may not change`), 'main');
    await clone.git('reset', '-q', '--hard', 'HEAD~1');
  }
  await clone.git('rm', '-q', 'docs/plan.txt');
  await clone.git('commit', '-qm', 'Remove');
  await clone.requireDenied(/the file docs\/plan\.txt may not change/, 'main');
  await clone.git('reset', '-q', '--hard', 'HEAD~1');
  await clone.commit('docs/plan.md', 'license.md', 'free');
  await clone.requireTaken('main');
  const added = await ada.post(`${ENGINE}/contents/docs/other.txt`, { content: '' });
  assert.equal(added.status, 403, added.text);
  assert.equal((await ada.post(`${ENGINE}/contents/other.txt`, { content: '' })).status, 201);
});

test('protected files of a new branch are those that its new commits change', async (t) => {
  const { ada } = await startEngine(t);
  const clone = await cloneFor(t, ada);
  await clone.commit('LICENSE');
  await clone.requireTaken('main');
  await protect(ada, 'release/*', { enable_push: true, protected_file_patterns: 'LICENSE' });
  assert.equal((await ada.post(`${ENGINE}/branches`, { new_branch_name: 'release/1' })).status, 201);
  await clone.commit('plan.md');
  await clone.requireTaken('main:release/2');
  await clone.commit('LICENSE');
  await clone.commit('plan.md');
  await clone.requireDenied(/the file LICENSE may not change/, 'main:release/3');
  await clone.git('checkout', '-q', '--orphan', 'apart');
  await clone.commit('other.md');
  await clone.requireDenied(/the file LICENSE may not change/, 'apart:release/4');
  await clone.git('rm', '-q', '--cached', 'LICENSE');
  await clone.git('commit', '-q', '--amend', '-m', 'Apart');
  await clone.requireTaken('apart:release/4');
});

test('unprotected files may change even if the caller may not push, and nothing else with them', async (t) => {
  const { ada, ben } = await startEngine(t);
  await protect(ada, 'main', { unprotected_file_patterns: 'docs/**;*.md' });
  const clone = await cloneFor(t, ben);
  await clone.commit('docs/a/b', 'plan.md');
  await clone.requireTaken('main');
  await clone.commit('docs/c', 'code');
  await clone.requireDenied(NOT_ALLOWED, 'main');
  await clone.git('reset', '-q', '--hard', 'HEAD~1');
  await clone.commit();
  await clone.requireDenied(NOT_ALLOWED, 'main');
  await clone.git('reset', '-q', '--hard', 'HEAD~2');
  await clone.commit('plan.md');
  await clone.requireDenied(/takes no force push/, '--force', 'main');
  assert.equal((await ben.post(`${ENGINE}/contents/docs/d`, { content: '' })).status, 201);
  assert.equal((await ben.post(`${ENGINE}/contents/d`, { content: '' })).status, 403);
});

test('a file that is both protected and unprotected is protected', async (t) => {
  const { ada } = await startEngine(t);
  await protect(ada, 'main', { protected_file_patterns: 'a.md', unprotected_file_patterns: '*.md' });
  assert.equal((await ada.post(`${ENGINE}/contents/a.md`, { content: '' })).status, 403);
  assert.equal((await ada.post(`${ENGINE}/contents/b.md`, { content: '' })).status, 201);
});

test('a branch for signed commits takes no unsigned one, with git or over the API, and can begin at one', async (t) => {
  const { ada } = await startEngine(t);
  await protect(ada, 'main', { enable_push: true, require_signed_commits: true });
  await protect(ada, 'release/*', { enable_push: true, require_signed_commits: true });
  const clone = await cloneFor(t, ada);
  await clone.commit('plan.md');
  await clone.requireDenied(/only signed commits, and [0-9a-f]{10} is not signed/, 'main');
  await clone.requireDenied(/only signed commits/, 'main:release/1');
  assert.equal((await ada.post(`${ENGINE}/contents/a`, { content: '' })).status, 403);
  assert.equal((await ada.post(`${ENGINE}/branches`, { new_branch_name: 'release/1' })).status, 201);
});

test('the name of a branch is decided by the rule with that name, then by the oldest glob', async (t) => {
  const { ada } = await startEngine(t);
  await protect(ada, 'release/**', { enable_push: false });
  await protect(ada, 'release/*', { enable_push: true });
  await protect(ada, 'release/1', { enable_push: true });
  await protect(ada, '{hot,cold}fix-[0-9]?', { enable_push: false });
  const effective = async (name: string) => {
    const clone = await ada.get(`${ENGINE}/branches/${name}`);
    return clone.body.effective_branch_protection_name;
  };
  const make = async (name: string) =>
    (await ada.post(`${ENGINE}/branches`, { new_branch_name: name })).status;
  assert.deepEqual(
    [await make('release/1'), await make('release/2'), await make('release/2/a'), await make('release')],
    [201, 403, 403, 409],
  );
  assert.equal(await effective('release/1'), 'release/1');
  assert.deepEqual(
    [await make('hotfix-1a'), await make('hotfix-1'), await make('coldfix-77')],
    [403, 201, 403],
  );
  assert.equal(await effective('hotfix-1'), '');
  await ada.delete(`${PROTECTIONS}/${encodeURIComponent('release/**')}`);
  assert.equal(await make('release/2'), 201);
  assert.equal(await effective('release/2'), 'release/*');
});

test('a protection with a name applies in any case of letters', async (t) => {
  const { ada } = await startEngine(t);
  await protect(ada, 'Release');
  assert.equal((await ada.post(`${ENGINE}/branches`, { new_branch_name: 'rELEASE' })).status, 403);
  assert.equal((await ada.post(`${ENGINE}/branches`, { new_branch_name: 'Releases' })).status, 201);
});

test('a push moves the branches that are free and leaves the protected ones; an atomic push moves none', async (t) => {
  const { ada } = await startEngine(t);
  await protect(ada, 'main');
  const clone = await cloneFor(t, ada);
  const commit = await clone.commit('plan.md');
  await clone.requireDenied(NOT_ALLOWED, '--atomic', 'main', 'main:other');
  assert.equal((await ada.get(`${ENGINE}/branches/other`)).status, 404);
  await clone.requireDenied(NOT_ALLOWED, 'main', 'main:other');
  assert.equal((await ada.get(`${ENGINE}/branches/other`)).body.commit.id, commit);
});

test('objects of a denied push do not enter the repository', async (t) => {
  const { ada } = await startEngine(t);
  await protect(ada, 'main');
  const clone = await cloneFor(t, ada);
  const commit = await clone.commit('plan.md');
  await clone.requireDenied(NOT_ALLOWED, 'main');
  assert.equal((await ada.get(`${ENGINE}/git/commits/${commit}`)).status, 404);
});

test('a protected branch is renamed by administrators, and its protection gets the new name', async (t) => {
  const { ada, ben, database } = await startEngine(t);
  await ada.post(`${ENGINE}/branches`, { new_branch_name: 'old' });
  await protect(ada, 'old', { enable_push: true });
  assert.equal((await ben.patch(`${ENGINE}/branches/old`, { name: 'new' })).status, 403);
  assert.equal((await ada.patch(`${ENGINE}/branches/old`, { name: 'new' })).status, 204);
  assert.equal((await ada.get(`${ENGINE}/branches/new`)).body.effective_branch_protection_name, 'new');
  assert.equal((await ada.get(`${PROTECTIONS}/old`)).status, 404);
  assert.equal((await ada.get(`${PROTECTIONS}/new`)).body.enable_push, true);
  const events = await database.reader.selectFrom('events').select(['kind', 'payload']).execute();
  const changed = events
    .filter(({ kind }) => kind === 'protection.changed')
    .map(({ payload }) => JSON.parse(payload));
  assert.deepEqual(changed, [{ protects: 'branch', from: 'old', pattern: 'new', changed: ['pattern'] }]);

  await protect(ada, 'taken');
  assert.equal((await ada.patch(`${ENGINE}/branches/new`, { name: 'taken' })).status, 403);
  await protect(ada, 'glob*', { enable_push: true });
  await ada.post(`${ENGINE}/branches`, { new_branch_name: 'glob-1' });
  assert.equal((await ada.patch(`${ENGINE}/branches/glob-1`, { name: 'x' })).status, 403);
  await protect(ada, 'other', { enable_push: true });
  assert.equal((await ada.patch(`${ENGINE}/branches/new`, { name: 'other' })).status, 422);
  assert.equal((await ada.get(`${ENGINE}/branches/new`)).status, 200);
});

test('hostile globs cost a bounded time: what cannot be compared is denied', async (t) => {
  const { ada } = await startEngine(t);
  const hostile = `{${'a?,'.repeat(15)}${'*a'.repeat(60)}}${'*a'.repeat(40)}b`;
  for (let at = 0; at < 40; at += 1) await protect(ada, `${hostile}${at}`, { enable_push: true });
  const startedAt = performance.now();
  const name = 'a'.repeat(900);
  const created = await ada.post(`${ENGINE}/branches`, { new_branch_name: name });
  const ms = performance.now() - startedAt;
  t.diagnostic(`${created.status} after ${ms.toFixed(0)} ms`);
  assert.ok([201, 422].includes(created.status), created.text);
  assert.ok(ms < 15_000, `${ms} ms`);
  const listed = await ada.get(`${ENGINE}/branches`);
  assert.ok([200, 422].includes(listed.status), listed.text);
});

test('H2: a tree bomb is not compared with file patterns beyond a limit, and is denied', async (t) => {
  const { ada } = await startEngine(t);
  await protect(ada, 'main', { enable_push: true, protected_file_patterns: 'secret' });
  const clone = await cloneFor(t, ada);
  const tree = await treeBomb(clone.folder, { width: 100, depth: 4 });
  const commit = await git(clone.folder, [
    'commit-tree',
    tree,
    '-p',
    'HEAD',
    '-m',
    'A hundred million files',
  ]);
  const startedAt = performance.now();
  await clone.requireDenied(/too many or too long paths|too long to match/, `${commit}:refs/heads/main`);
  const ms = performance.now() - startedAt;
  t.diagnostic(`denied after ${ms.toFixed(0)} ms`);
  assert.ok(ms < 30_000, `${ms} ms`);
  assert.equal((await ada.post(`${ENGINE}/contents/new`, { content: '' })).status, 201);
});

test('a push that names a wrong old commit is rejected and leaves a protected branch alone', async (t) => {
  const { forge, ada } = await startEngine(t);
  await protect(ada, 'main', { enable_push: true, protected_file_patterns: 'LICENSE' });
  const clone = await cloneFor(t, ada);
  const first = await clone.git('rev-parse', 'HEAD');
  const tip = await clone.commit('LICENSE');
  const blob = await clone.git('rev-parse', 'HEAD:LICENSE');
  const pack = await packOf(clone.folder, [tip, `^${first}`]);
  for (const old of ['1'.repeat(40), tip, blob, ZERO]) {
    const body = pushBody({ commands: [{ old, new: tip, ref: 'refs/heads/main' }], pack });
    const as = { token: ada.token };
    const answer = await sendGit(forge.url, 'ada/engine/git-receive-pack', { as, body });
    assert.match(answer.text, /unpack ok[\s\S]*ng refs\/heads\/main/, old);
  }
  assert.equal((await ada.get(`${ENGINE}/branches/main`)).body.commit.id, first);
});

test('a pusher who loses the place on a whitelist while a pack arrives loses the push', async (t) => {
  const { ada, ben, forge } = await startEngine(t);
  await protect(ada, 'main', {
    enable_push: true,
    enable_push_whitelist: true,
    push_whitelist_usernames: ['ben'],
  });
  const { pushes } = forge.forge.running.services;
  let isFirst = true;
  forge.stopAfterTest();
  pushes.refsMoving.subscribe(async () => {
    if (!isFirst) return;
    isFirst = false;
    await ada.patch(`${PROTECTIONS}/main`, { push_whitelist_usernames: [] });
  });
  const clone = await cloneFor(t, ben);
  await clone.commit('plan.md');
  await clone.requireDenied(/has changed meanwhile/, 'main');
  await clone.requireDenied(NOT_ALLOWED, 'main');
});

test('a first push to an empty repository obeys the protections that wait for it', async (t) => {
  const { ada } = await startEngine(t);
  await ada.repository('empty');
  const url = '/api/v1/repos/ada/empty';
  await ada.post(`${url}/branch_protections`, {
    rule_name: 'main',
    enable_push: true,
    protected_file_patterns: 'secret',
  });
  const source = await cloneFor(t, ada);
  const clone = new Clone(source.folder, ada.remote('ada/empty'));
  await clone.commit('secret');
  await clone.requireDenied(/the file secret may not change/, 'main');
  await clone.git('reset', '-q', '--hard', 'HEAD~1');
  await clone.requireTaken('main');
});
