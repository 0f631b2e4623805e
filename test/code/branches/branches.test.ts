import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf } from '../../support/forge/events.ts';
import { type Person, startForge } from '../../support/forge/forge.ts';
import { commitAll, git, temporaryFolder } from '../../support/git/git.ts';

const ENGINE = '/api/v1/repos/ada/engine';
const BRANCHES = `${ENGINE}/branches`;
const ZEROS = '0'.repeat(40);

/** Creates ada's repository `engine` with one commit, and ben, who may write to it. */
async function startEngine(t: Parameters<typeof startForge>[0]) {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine', { auto_init: true });
  await ada.put(`${ENGINE}/collaborators/ben`, { permission: 'write' });
  return { forge, ada, ben, database: forge.forge.running.engines.database };
}

async function create(who: Person, name: string, options: Record<string, unknown> = {}) {
  const created = await who.post(BRANCHES, { new_branch_name: name, ...options });
  assert.equal(created.status, 201, created.text);
  return created.body;
}

async function tipOf(who: Person, branch: string): Promise<string> {
  return (await who.get(`${BRANCHES}/${branch}`)).body.commit.id;
}

async function commit(who: Person, path: string, branch = 'main'): Promise<string> {
  const created = await who.post(`${ENGINE}/contents/${path}`, { content: '', branch });
  assert.equal(created.status, 201, created.text);
  return created.body.commit.sha;
}

async function names(who: Person): Promise<readonly string[]> {
  return (await who.get(BRANCHES)).body.map((branch: { name: string }) => branch.name);
}

test('a branch shows its commit, its protection and what the caller may do', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  const tip = await commit(ada, 'plan.md');

  const { status, body, headers } = await ada.get(`${BRANCHES}/main`);

  assert.equal(status, 200);
  const { timestamp, ...shown } = body.commit;
  const person = { name: 'ada', email: 'ada@example.org', username: 'ada' };
  assert.ok(Math.abs(Date.parse(timestamp) - Date.now()) < 60_000);
  assert.deepEqual(shown, {
    id: tip,
    message: 'Add plan.md\n',
    url: `${forge.url}/ada/engine/commit/${tip}`,
    author: person,
    committer: person,
    verification: {
      verified: false,
      reason: 'gpg.error.not_signed_commit',
      signature: '',
      signer: null,
      payload: '',
    },
    added: null,
    removed: null,
    modified: null,
  });
  const { commit: _, ...rest } = body;
  assert.deepEqual(rest, {
    name: 'main',
    protected: false,
    required_approvals: 0,
    enable_status_check: false,
    status_check_contexts: [],
    user_can_push: true,
    user_can_merge: true,
    effective_branch_protection_name: '',
  });
  assert.match(headers.get('etag') ?? '', /^"[0-9a-f]{40}"$/);
  const anonymous = (await forge.get(`${BRANCHES}/main`)).body;
  assert.deepEqual([anonymous.user_can_push, anonymous.user_can_merge], [false, false]);
  assert.equal((await ben.get(`${BRANCHES}/main`)).body.user_can_push, true);
});

test('branches are listed by name, one page at a time, with their number', async (t) => {
  const { ada } = await startEngine(t);
  for (const name of ['zebra', 'a/b', 'feature/one', 'ä']) await create(ada, name);

  assert.deepEqual(await names(ada), ['a/b', 'feature/one', 'main', 'zebra', 'ä']);
  const page = await ada.get(`${BRANCHES}?limit=2&page=2`);
  assert.deepEqual(
    page.body.map((branch: { name: string }) => branch.name),
    ['main', 'zebra'],
  );
  assert.equal(page.headers.get('x-total-count'), '5');
  assert.match(page.headers.get('link') ?? '', /page=3>; rel="next"/);
  assert.deepEqual((await ada.get(`${BRANCHES}?page=9`)).body, []);
});

test('an empty repository has no branches', async (t) => {
  const { ada } = await startEngine(t);
  await ada.repository('empty');
  const listed = await ada.get('/api/v1/repos/ada/empty/branches');
  assert.deepEqual([listed.status, listed.body, listed.headers.get('x-total-count')], [200, [], '0']);
  assert.equal((await ada.get('/api/v1/repos/ada/empty/branches/main')).status, 404);
  const created = await ada.post('/api/v1/repos/ada/empty/branches', { new_branch_name: 'b' });
  assert.equal(created.status, 404);
});

test('a branch starts from the default branch, a branch, a tag or a commit', async (t) => {
  const { ada } = await startEngine(t);
  const first = await tipOf(ada, 'main');
  const second = await commit(ada, 'plan.md');
  await ada.post(`${ENGINE}/tags`, { tag_name: 'v1', target: first, message: 'One' });
  await create(ada, 'old', { old_ref_name: first });

  assert.equal((await create(ada, 'by-default')).commit.id, second);
  assert.equal((await create(ada, 'by-branch', { old_branch_name: 'old' })).commit.id, first);
  assert.equal((await create(ada, 'by-ref', { old_ref_name: 'old' })).commit.id, first);
  assert.equal((await create(ada, 'by-tag', { old_ref_name: 'v1' })).commit.id, first);
  assert.equal((await create(ada, 'by-full-name', { old_ref_name: 'refs/tags/v1' })).commit.id, first);
  assert.equal((await create(ada, 'by-id', { old_ref_name: first.slice(0, 10) })).commit.id, first);
  assert.equal((await create(ada, 'deep/by/slashes', { old_ref_name: 'main' })).name, 'deep/by/slashes');
  assert.equal((await ada.get(`${BRANCHES}/deep/by/slashes`)).status, 200);
  assert.equal((await ada.get(`${BRANCHES}/deep%2Fby%2Fslashes`)).body.name, 'deep/by/slashes');
});

test('404: a branch cannot start from a ref of a wrong kind', async (t) => {
  const { ada, forge } = await startEngine(t);
  const tip = await tipOf(ada, 'main');
  const { body: tree } = await ada.get(`${ENGINE}/git/trees/main`);
  const blob = tree.tree[0].sha;
  const { body: made } = await ada.get(`${ENGINE}/git/commits/${tip}`);
  const wrong = [
    'missing',
    blob,
    made.commit.tree.sha,
    ZEROS,
    'HEAD~1',
    'main@{u}',
    '@{u}',
    'main^',
    `${tip}^0`,
  ];
  for (const ref of [...wrong, '../main', '--upload-pack=x', 'main\0', 'refs/quire/x']) {
    const created = await ada.post(BRANCHES, { new_branch_name: 'new', old_ref_name: ref });
    assert.equal(created.status, 404, `${ref}: ${created.text}`);
  }
  const byBranch = await ada.post(BRANCHES, { new_branch_name: 'new', old_branch_name: tip });
  assert.equal(byBranch.status, 404, 'a commit is not a branch');
  for (const name of [...wrong, 'ma', 'MAIN', 'refs/heads/main', 'main/']) {
    const found = await forge.get(`${BRANCHES}/${encodeURIComponent(name)}`);
    assert.equal(found.status, 404, name);
  }
  assert.deepEqual(await names(ada), ['main']);
});

test('a branch can start at the id of a tag object, which leads to its commit', async (t) => {
  const { ada } = await startEngine(t);
  const tag = await ada.post(`${ENGINE}/tags`, { tag_name: 'v1', message: 'One' });
  assert.equal((await create(ada, 'at-tag', { old_ref_name: tag.body.id })).commit.id, tag.body.commit.sha);
});

test('409: the name of a new branch is in use by a branch or a tag, or is a folder of one', async (t) => {
  const { ada } = await startEngine(t);
  await create(ada, 'a/b');
  await ada.post(`${ENGINE}/tags`, { tag_name: 'v1' });
  for (const name of ['main', 'a/b', 'a', 'a/b/c', 'v1']) {
    const created = await ada.post(BRANCHES, { new_branch_name: name });
    assert.equal(created.status, 409, `${name}: ${created.text}`);
  }
});

test('422: a branch needs a name that git and all addresses accept', async (t) => {
  const { ada } = await startEngine(t);
  const bad = [
    '',
    'a b',
    'a..b',
    '.a',
    'a.lock',
    '-a',
    'HEAD',
    'refs/heads/a',
    'a~1',
    'a^',
    'a:b',
    'a\\b',

    'a@{b',
  ];
  for (const name of [
    ...bad,
    'a\0b',
    'x'.repeat(2_000),
    '1'.repeat(40),
    'a//b',
    '/a',
    'a/',
    'a\nb',
    'a*',
    'a?',
    '[a',
  ]) {
    const created = await ada.post(BRANCHES, { new_branch_name: name });
    assert.equal(created.status, 422, `${name}: ${created.text}`);
    const renamed = await ada.patch(`${BRANCHES}/main`, { name });
    assert.equal(renamed.status, 422, `${name}: ${renamed.text}`);
  }
  assert.equal((await ada.post(BRANCHES, {})).status, 422);
  assert.equal((await ada.post(BRANCHES, { new_branch_name: 7 })).status, 422);
  assert.deepEqual(await names(ada), ['main']);
});

test('a deleted branch is gone; the default branch stays', async (t) => {
  const { ada, ben } = await startEngine(t);
  await create(ada, 'a/b');
  assert.equal((await ben.delete(`${BRANCHES}/a/b`)).status, 204);
  assert.equal((await ada.get(`${BRANCHES}/a/b`)).status, 404);
  assert.equal((await ada.delete(`${BRANCHES}/a/b`)).status, 404);
  assert.equal((await ada.delete(`${BRANCHES}/main`)).status, 403);
  assert.deepEqual(await names(ada), ['main']);
});

test('a renamed branch keeps its commit; the event names both names', async (t) => {
  const { ada, ben, database } = await startEngine(t);
  const tip = (await create(ada, 'old')).commit.id;

  assert.equal((await ben.patch(`${BRANCHES}/old`, { name: 'new/er' })).status, 204);

  assert.deepEqual(await names(ada), ['main', 'new/er']);
  assert.equal(await tipOf(ada, 'new/er'), tip);
  assert.deepEqual(await eventsOf(database, 'branch.'), [
    { kind: 'branch.renamed', actor: 'ben', from: 'old', to: 'new/er' },
  ]);
  const inside = await ada.patch(`${BRANCHES}/new/er`, { name: 'new' });
  assert.equal(inside.status, 204, 'the old name is no longer in the way');
});

test('a renamed default branch stays the default, and only administrators rename it', async (t) => {
  const { ada, ben, database } = await startEngine(t);
  assert.equal((await ben.patch(`${BRANCHES}/main`, { name: 'trunk' })).status, 403);

  assert.equal((await ada.patch(`${BRANCHES}/main`, { name: 'trunk' })).status, 204);

  assert.equal((await ada.get(ENGINE)).body.default_branch, 'trunk');
  assert.deepEqual(await names(ada), ['trunk']);
  assert.equal((await ada.get(`${ENGINE}/contents/README.md`)).status, 200);
  const changed = (await eventsOf(database, 'repository.changed')).at(-1);
  assert.deepEqual(changed, { kind: 'repository.changed', actor: 'ada', changed: ['defaultBranch'] });
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', ada.remote('ada/engine'), '.']);
  assert.equal(await git(folder, ['branch', '--show-current']), 'trunk');
});

test('422: a branch cannot get a name in use; 404: a missing one cannot be renamed', async (t) => {
  const { ada } = await startEngine(t);
  await create(ada, 'a/b');
  await create(ada, 'c');
  await ada.post(`${ENGINE}/tags`, { tag_name: 'v1' });
  assert.equal((await ada.patch(`${BRANCHES}/c`, { name: 'v1' })).status, 422, 'a tag has this name');
  for (const name of ['c', 'main', 'a', 'c/d/e/../f'])
    assert.equal((await ada.patch(`${BRANCHES}/a/b`, { name })).status, name === 'a' ? 204 : 422, name);
  assert.equal((await ada.patch(`${BRANCHES}/c`, { name: 'c' })).status, 422);
  assert.equal((await ada.patch(`${BRANCHES}/c`, { name: 'a/x' })).status, 422, 'a is a branch');
  assert.equal((await ada.patch(`${BRANCHES}/gone`, { name: 'x' })).status, 404);
  assert.equal((await ada.patch(`${BRANCHES}/c`, {})).status, 422);
});

test('423, 403: an archived repository and a mirror keep their branches', async (t) => {
  const { ada, database } = await startEngine(t);
  await create(ada, 'b');
  const changes = async () => [
    (await ada.post(BRANCHES, { new_branch_name: 'new' })).status,
    (await ada.patch(`${BRANCHES}/b`, { name: 'new' })).status,
    (await ada.delete(`${BRANCHES}/b`)).status,
  ];
  await ada.patch(ENGINE, { archived: true });
  assert.deepEqual(await changes(), [423, 423, 423]);
  await ada.patch(ENGINE, { archived: false });
  await database.transaction((tx) => tx.updateTable('repositories').set({ is_mirror: 1 }).execute());
  assert.deepEqual(await changes(), [403, 403, 403]);
  assert.deepEqual(await names(ada), ['b', 'main']);
});

test('304: a caller who has the current version of a branch gets no body', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  const { headers } = await ada.get(`${BRANCHES}/main`);
  const tag = headers.get('etag') ?? '';
  const again = () => ada.get(`${BRANCHES}/main`, { headers: { 'if-none-match': tag } });
  const unchanged = await again();
  assert.deepEqual([unchanged.status, unchanged.text, unchanged.headers.get('etag')], [304, '', tag]);
  const anonymous = await forge.get(`${BRANCHES}/main`, { headers: { 'if-none-match': tag } });
  assert.equal(anonymous.status, 200, 'an anonymous caller may not push, so the answer differs');

  await ada.post(`${ENGINE}/branch_protections`, { rule_name: 'main' });
  assert.equal((await again()).status, 200, 'the protection is new');
  await ada.delete(`${ENGINE}/branch_protections/main`);
  assert.equal((await again()).status, 304);
  await commit(ada, 'plan.md');
  assert.equal((await again()).status, 200, 'the commit is new');
  await ada.patch(ENGINE, { private: true });
  assert.equal((await ben.get(`${BRANCHES}/main`, { headers: { 'if-none-match': '*' } })).status, 304);
  await ada.delete(`${ENGINE}/collaborators/ben`);
  const hidden = await ben.get(`${BRANCHES}/main`, { headers: { 'if-none-match': '*' } });
  assert.equal(hidden.status, 404, 'authorization comes first');
});

test('412: a branch that has changed since the caller saw it is neither renamed nor deleted', async (t) => {
  const { ada } = await startEngine(t);
  await create(ada, 'b');
  const old = (await ada.get(`${BRANCHES}/b`)).headers.get('etag') ?? '';
  await commit(ada, 'plan.md', 'b');
  const current = (await ada.get(`${BRANCHES}/b`)).headers.get('etag') ?? '';
  const rename = (tag: string, name: string) =>
    ada.send('PATCH', `${BRANCHES}/b`, { json: { name }, headers: { 'if-match': tag } });
  const remove = (tag: string) => ada.send('DELETE', `${BRANCHES}/c`, { headers: { 'if-match': tag } });

  assert.deepEqual([(await rename(old, 'c')).status, (await rename(`W/${current}`, 'c')).status], [412, 412]);
  assert.equal((await rename(`"x", ${current}`, 'c')).status, 204);
  assert.equal((await remove(current)).status, 412, 'the name is part of the version');
  assert.equal((await remove('*')).status, 204);
  assert.equal((await remove('*')).status, 404);
});

test('a commit that no ref reaches any more can be the start only with its whole history', async (t) => {
  const { ada } = await startEngine(t);
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', ada.remote('ada/engine'), '.']);
  await git(folder, ['checkout', '-q', '-b', 'lost']);
  const lost = await commitAll(folder, 'Lost');
  await git(folder, ['push', '-q', 'origin', 'lost']);
  await ada.delete(`${BRANCHES}/lost`);

  assert.equal((await create(ada, 'found', { old_ref_name: lost })).commit.id, lost);
});

test('concurrent creations of one branch: one wins, the others get a 409', async (t) => {
  const { ada } = await startEngine(t);
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => ada.post(BRANCHES, { new_branch_name: 'race' })),
  );
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [201, ...Array(7).fill(409)]);
});

test('a page of 10,000 branches costs what a page of few costs', async (t) => {
  const { ada, forge } = await startEngine(t);
  const tip = await tipOf(ada, 'main');
  const { id } = (await ada.get(ENGINE)).body;
  // A push of as many refs takes git itself a minute.
  const storage = forge.forge.running.services.git;
  await using session = await storage.writes.begin(id);
  const refs = Array.from({ length: 10_000 }, (_, index) => `refs/heads/b/${index}`);
  const updates = refs.map((ref) => ({ ref, old: null, new: tip }));
  await storage.writes.commit(session, updates, { atomic: true, inTransaction: async () => [] });

  const first = await ada.get(`${BRANCHES}?limit=2`);
  assert.equal(first.headers.get('x-total-count'), '10001');
  assert.deepEqual(
    first.body.map((branch: { name: string }) => branch.name),
    ['b/0', 'b/1'],
  );
  const last = await ada.get(`${BRANCHES}?limit=50&page=201`);
  assert.deepEqual(
    last.body.map((branch: { name: string }) => branch.name),
    ['main'],
  );
  const startedAt = performance.now();
  for (let at = 0; at < 20; at += 1) await ada.get(`${BRANCHES}?limit=50&page=${at * 10 + 1}`);
  const msEach = (performance.now() - startedAt) / 20;
  t.diagnostic(`${msEach.toFixed(1)} ms for a page of 50`);
  assert.ok(msEach < 250, `${msEach} ms`);
  await ada.delete(`${BRANCHES}/b/77`);
  assert.equal((await ada.get(`${BRANCHES}?limit=1`)).headers.get('x-total-count'), '10000');
});
