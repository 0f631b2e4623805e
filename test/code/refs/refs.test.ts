import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { commitAll, git, refsOf } from '../../support/git/git.ts';
import { endJobs, watchProcesses } from '../../support/git/started-processes.ts';
import { pushedRepository } from '../contents/files.ts';
import { ObjectMaker } from '../git-data/made.ts';

const LOOM = '/api/v1/repos/ada/loom';
const GIT = `${LOOM}/git`;
const MISSING = '1'.repeat(40);

/** A repository with two commits on `main`, the branches `a/one` and `a/two`, and two tags. */
async function startLoom(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const pushed = await pushedRepository(t, ada, 'loom', { 'a.txt': 'a\n' });
  const { folder } = pushed;
  const second = await commitAll(folder, 'Second');
  await git(folder, ['tag', '-am', 'First', 'v1']);
  await git(folder, ['tag', 'v2']);
  await git(folder, ['branch', 'a/one']);
  await git(folder, ['branch', 'a/two', 'HEAD^']);
  await pushed.push('main', 'a/one', 'a/two', 'v1', 'v2');
  const oid = (name: string) => git(folder, ['rev-parse', name]);
  const remoteRefs = () => refsOf(folder, ada.remote('ada/loom'));
  return {
    forge,
    ada,
    first: pushed.commit,
    second,
    oid,
    remoteRefs,
    maker: new ObjectMaker(ada, 'ada/loom'),
    ...pushed,
  };
}

const namesOf = (body: readonly { ref: string }[]) => body.map(({ ref }) => ref);

test('refs are listed by name, all of them or those that begin with a text, in pages', async (t) => {
  const { forge, oid, second } = await startLoom(t);
  const all = await forge.get(`${GIT}/refs`);

  assert.deepEqual(namesOf(all.body), [
    'refs/heads/a/one',
    'refs/heads/a/two',
    'refs/heads/main',
    'refs/tags/v1',
    'refs/tags/v2',
  ]);
  assert.deepEqual(all.body[2], {
    ref: 'refs/heads/main',
    url: `${forge.url}${GIT}/refs/heads/main`,
    object: { type: 'commit', sha: second, url: `${forge.url}${GIT}/commits/${second}` },
  });
  const tag = await oid('v1');
  assert.deepEqual(all.body[3].object, { type: 'tag', sha: tag, url: `${forge.url}${GIT}/tags/${tag}` });
  assert.equal(all.headers.get('x-total-count'), '5');
  const page = await forge.get(`${GIT}/refs?limit=2&page=2`);
  assert.deepEqual(namesOf(page.body), ['refs/heads/main', 'refs/tags/v1']);
  assert.match(page.headers.get('link') ?? '', /page=3>; rel="next"/);
  assert.deepEqual((await forge.get(`${GIT}/refs?page=9`)).body, []);
  for (const [name, found] of [
    ['heads/', ['refs/heads/a/one', 'refs/heads/a/two', 'refs/heads/main']],
    ['heads/a', ['refs/heads/a/one', 'refs/heads/a/two']],
    ['tags/v', ['refs/tags/v1', 'refs/tags/v2']],
  ] as const) {
    assert.deepEqual(namesOf((await forge.get(`${GIT}/refs/${name}`)).body), found, name);
    assert.deepEqual(namesOf((await forge.get(`${GIT}/matching-refs/${name}`)).body), found, name);
  }
});

test('one ref is read by its whole name, and a missing one is missing', async (t) => {
  const { forge, second } = await startLoom(t);

  const { status, body } = await forge.get(`${GIT}/refs/heads/main`);
  assert.deepEqual([status, body.ref, body.object.sha], [200, 'refs/heads/main', second]);
  assert.deepEqual((await forge.get(`${GIT}/ref/heads/main`)).body, body);
  assert.deepEqual((await forge.get(`${GIT}/matching-refs/heads/main`)).body, [body]);
  assert.deepEqual((await forge.get(`${GIT}/ref/heads%2Fmain`)).body, body);
  for (const name of ['heads/no', 'heads/a', 'heads/mai', 'main', 'heads/main^', 'x%00y'])
    assert.equal((await forge.get(`${GIT}/ref/${name}`)).status, 404, name);
  for (const name of ['heads/no', 'quire/', 'nothing'])
    assert.equal((await forge.get(`${GIT}/refs/${name}`)).status, 404, name);
  assert.deepEqual((await forge.get(`${GIT}/matching-refs/heads/no`)).body, []);
});

test('an empty repository has no refs, and takes its first commit from git data', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom');
  const maker = new ObjectMaker(ada, 'ada/loom');

  assert.equal((await forge.get(`${GIT}/refs`)).status, 404);
  assert.deepEqual((await forge.get(`${GIT}/matching-refs/heads/`)).body, []);
  const sha = await maker.commitOf('a.txt', 'a\n');
  await maker.make('refs', { ref: 'refs/heads/trunk', sha });

  const { body } = await forge.get(LOOM);
  assert.deepEqual([body.empty, body.default_branch], [false, 'trunk']);
  assert.equal((await forge.get(`${LOOM}/raw/a.txt`)).text, 'a\n');
});

test('the refs of the server are invisible, and no caller makes, moves or deletes them', async (t) => {
  const { forge, ada, second, remoteRefs } = await startLoom(t);
  const own = 'refs/quire/hidden';
  const { git: storage } = forge.forge.running.services;
  const { id } = (await ada.get(LOOM)).body;
  await using session = await storage.writes.begin(id);
  await storage.writes.commit(session, [{ ref: own, old: null, new: second }], {
    atomic: true,
    inTransaction: async () => [],
  });

  const listed = await ada.get(`${GIT}/refs`);
  assert.equal(listed.headers.get('x-total-count'), '5');
  assert.ok(!namesOf(listed.body).includes(own));
  for (const name of ['quire/hidden', 'quire/', 'qui'])
    assert.equal((await ada.get(`${GIT}/refs/${name}`)).status, 404, name);
  assert.equal((await ada.get(`${GIT}/ref/quire/hidden`)).status, 404);
  const missing = await ada.patch(`${GIT}/refs/heads/missing`, { sha: second });
  const hidden = await ada.patch(`${GIT}/refs/quire/hidden`, { sha: second });
  assert.deepEqual(
    [hidden.status, hidden.body.message],
    [missing.status, missing.body.message.replace('heads/missing', 'quire/hidden')],
  );
  assert.equal((await ada.delete(`${GIT}/refs/quire/hidden`)).status, 422);
  assert.equal((await ada.post(`${GIT}/refs`, { ref: 'refs/quire/other', sha: second })).status, 422);
  assert.equal((await remoteRefs()).length, 5);
});

test('a ref of any namespace is created, moved and deleted, and each change is one event', async (t) => {
  const { ada, first, second, remoteRefs, oid } = await startLoom(t);

  const created = await ada.post(`${GIT}/refs`, { ref: 'refs/heads/topic', sha: first });
  assert.deepEqual(
    [created.status, created.body.ref, created.body.object.sha],
    [201, 'refs/heads/topic', first],
  );
  const moved = await ada.patch(`${GIT}/refs/heads/topic`, { sha: second });
  assert.deepEqual([moved.status, moved.body.object.sha], [200, second]);
  assert.equal((await ada.get(`${LOOM}/branches/topic`)).body.commit.id, second);
  assert.equal((await ada.delete(`${GIT}/refs/heads/topic`)).status, 204);
  assert.equal((await ada.get(`${LOOM}/branches/topic`)).status, 404);
  for (const [ref, sha] of [
    ['refs/tags/light', first],
    ['refs/tags/tree', await oid('main^{tree}')],
    ['refs/notes/commits', first],
    ['refs/custom/x', await oid('v1')],
  ])
    assert.equal((await ada.post(`${GIT}/refs`, { ref, sha })).status, 201, ref);
  assert.ok((await remoteRefs()).includes(`refs/custom/x ${await oid('v1')}`));
  assert.equal((await ada.patch(`${GIT}/refs/heads/main`, { sha: second })).status, 200);
});

test('refs with bad names, missing objects and names in use are rejected', async (t) => {
  const { ada, first, oid, remoteRefs } = await startLoom(t);
  const before = await remoteRefs();
  const blob = await oid('main:a.txt');
  const cases: readonly [string, unknown, number][] = [
    ['no ref', { sha: first }, 422],
    ['no sha', { ref: 'refs/heads/x' }, 422],
    ['a short name', { ref: 'x', sha: first }, 422],
    ['a name without refs/', { ref: 'heads/x', sha: first }, 422],
    ['no name', { ref: 'refs/heads/', sha: first }, 422],
    ['no namespace', { ref: 'refs/x', sha: first }, 422],
    ['dots', { ref: 'refs/heads/a..b', sha: first }, 422],
    ['a lock', { ref: 'refs/heads/a.lock', sha: first }, 422],
    ['an option', { ref: 'refs/heads/--x', sha: first }, 422],
    ['HEAD', { ref: 'refs/heads/HEAD', sha: first }, 422],
    ['an id as a name', { ref: `refs/heads/${first}`, sha: first }, 422],
    ['a pull request', { ref: 'refs/pull/1/head', sha: first }, 422],
    ['a replaced object', { ref: `refs/replace/${first}`, sha: first }, 422],
    ['a name in use', { ref: 'refs/heads/main', sha: first }, 422],
    ['a folder of a name in use', { ref: 'refs/heads/a', sha: first }, 409],
    ['below a name in use', { ref: 'refs/heads/main/x', sha: first }, 409],
    ['a missing object', { ref: 'refs/heads/x', sha: MISSING }, 422],
    ['zeros', { ref: 'refs/heads/x', sha: '0'.repeat(40) }, 422],
    ['a short id', { ref: 'refs/heads/x', sha: first.slice(0, 10) }, 422],
    ['a name as id', { ref: 'refs/heads/x', sha: 'main' }, 422],
    ['a file as branch', { ref: 'refs/heads/x', sha: blob }, 422],
    ['a tag as branch', { ref: 'refs/heads/x', sha: await oid('v1') }, 422],
  ];
  for (const [why, body, status] of cases)
    assert.equal((await ada.post(`${GIT}/refs`, body)).status, status, why);
  for (const sha of [MISSING, 'main', first.slice(0, 10), blob])
    assert.equal((await ada.patch(`${GIT}/refs/heads/main`, { sha, force: true })).status, 422, sha);
  assert.equal((await ada.patch(`${GIT}/refs/heads/no`, { sha: first })).status, 422);
  assert.equal((await ada.delete(`${GIT}/refs/heads/no`)).status, 422);
  assert.deepEqual(await remoteRefs(), before);
});

test('a ref moves backwards or aside only by force', async (t) => {
  const { ada, first, second, maker, oid } = await startLoom(t);
  const aside = await maker.commitOf('b.txt', 'b\n', [first]);
  const far = await maker.commitOf('c.txt', 'c\n', [await maker.commitOf('d.txt', 'd\n', [second])]);
  const move = async (ref: string, sha: string, force?: boolean) =>
    (await ada.patch(`${GIT}/refs/${ref}`, { sha, ...(force === undefined ? {} : { force }) })).status;

  assert.equal(await move('heads/main', first), 422);
  assert.equal(await move('heads/main', aside, false), 422);
  assert.equal(await move('heads/main', far), 200);
  assert.equal(await move('heads/main', aside, true), 200);
  assert.equal(await move('heads/main', first, true), 200);
  assert.equal(await move('tags/v1', second), 422);
  assert.equal(await move('tags/v1', second, true), 200);
  assert.equal(await move('tags/v2', await oid('v1')), 422);
});

test('a change of a ref names the version that the caller has seen, by its ETag', async (t) => {
  const { ada, first, second } = await startLoom(t);
  const seen = (await ada.get(`${GIT}/ref/heads/a/two`)).headers.get('etag') ?? '';
  const send = (method: string, tag: string, json?: unknown) =>
    ada.send(method, `${GIT}/refs/heads/a/two`, { json, headers: { 'if-match': tag } });

  assert.equal((await send('PATCH', '"other"', { sha: second })).status, 412);
  const moved = await send('PATCH', seen, { sha: second });
  assert.equal(moved.status, 200);
  assert.equal((await send('PATCH', seen, { sha: first, force: true })).status, 412);
  assert.equal((await send('DELETE', seen)).status, 412);
  assert.equal((await send('DELETE', moved.headers.get('etag') ?? '')).status, 204);
  const list = (await ada.get(`${GIT}/refs`)).headers.get('etag') ?? '';
  const create = (ref: string) =>
    ada.send('POST', `${GIT}/refs`, { json: { ref, sha: first }, headers: { 'if-match': list } });
  assert.equal((await create('refs/heads/new')).status, 201);
  assert.equal((await create('refs/heads/newer')).status, 412);
});

test('of many callers that move a ref from the same version, one wins', async (t) => {
  const { ada, first, maker, remoteRefs } = await startLoom(t);
  const tag = (await ada.get(`${GIT}/ref/heads/a/two`)).headers.get('etag') ?? '';
  const shas = await Promise.all(
    Array.from({ length: 6 }, (_, at) => maker.commitOf(`${at}.txt`, 'x\n', [first])),
  );

  const answers = await Promise.all(
    shas.map((sha) =>
      ada.send('PATCH', `${GIT}/refs/heads/a/two`, { json: { sha }, headers: { 'if-match': tag } }),
    ),
  );

  const statuses = answers.map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 200).length, 1, statuses.join());
  assert.deepEqual([...new Set(statuses)].sort(), [200, 412]);
  const winner = answers.find(({ status }) => status === 200)?.body.object.sha;
  assert.ok((await remoteRefs()).includes(`refs/heads/a/two ${winner}`));
});

test('reads of refs have ETags, and 304 starts no git and lasts as long as the access', async (t) => {
  const { ada, forge, second } = await startLoom(t);
  const paths = ['refs', 'refs/heads', 'refs/heads/main', 'ref/heads/main', 'matching-refs/heads/a'];
  const tags = new Map<string, string>();
  for (const path of paths) tags.set(path, (await forge.get(`${GIT}/${path}`)).headers.get('etag') ?? '');
  const again = async (path: string) =>
    (await forge.get(`${GIT}/${path}`, { headers: { 'if-none-match': tags.get(path) ?? '' } })).status;

  await endJobs(forge);
  const started = watchProcesses(t);
  for (const path of paths) assert.equal(await again(path), 304, path);
  assert.deepEqual(started(), []);
  await ada.patch(`${GIT}/refs/heads/a/two`, { sha: second });
  assert.equal(await again('refs/heads/main'), 304);
  for (const path of ['refs', 'refs/heads', 'matching-refs/heads/a'])
    assert.equal(await again(path), 200, path);
  await ada.patch(LOOM, { private: true });
  for (const path of paths) assert.equal(await again(path), 404, path);
});

test('the rules of pushes decide on refs: protection, the default branch, archived repositories', async (t) => {
  const { forge, ada, first, second, maker } = await startLoom(t);
  const grace = await forge.account('grace');
  await ada.put(`${LOOM}/collaborators/grace`, { permission: 'write' });
  const rule = {
    rule_name: 'a/*',
    enable_push: true,
    enable_push_whitelist: true,
    push_whitelist_usernames: ['ada'],
  };
  assert.equal((await ada.post(`${LOOM}/branch_protections`, rule)).status, 201);
  const next = await maker.commitOf('b.txt', 'b\n', [second]);

  assert.equal((await grace.patch(`${GIT}/refs/heads/a/one`, { sha: next })).status, 403);
  assert.equal((await grace.post(`${GIT}/refs`, { ref: 'refs/heads/a/new', sha: next })).status, 403);
  assert.equal((await grace.delete(`${GIT}/refs/heads/a/one`)).status, 403);
  assert.equal((await ada.patch(`${GIT}/refs/heads/a/one`, { sha: first, force: true })).status, 403);
  assert.equal((await ada.patch(`${GIT}/refs/heads/a/one`, { sha: next })).status, 200);
  assert.equal((await ada.delete(`${GIT}/refs/heads/main`)).status, 403);
  await ada.patch(LOOM, { archived: true });
  assert.equal((await ada.patch(`${GIT}/refs/heads/main`, { sha: next })).status, 423);
  assert.equal((await ada.delete(`${GIT}/refs/heads/a/two`)).status, 423);
});
