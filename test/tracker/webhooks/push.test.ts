import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { WEBHOOK_LIMITS } from '../../../src/tracker/webhooks/limits.ts';
import { type Person, startForge } from '../../support/forge/forge.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';
import { ALLOWED, addHook, delivered, onlyOf, startReceiver } from './receiver.ts';

const ENGINE = '/api/v1/repos/ada/engine';

function addFile(who: Person, path: string, more: Record<string, unknown> = {}) {
  const content = Buffer.from(path).toString('base64');
  return who.post(`${ENGINE}/contents/${path}`, { content, message: `Add ${path}`, ...more });
}

test('a push has its commits with the paths that they change, and the objects of the API', async (t) => {
  const receiver = await startReceiver(t);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  await addHook(ada, receiver.url);
  const { body: before } = await ada.get(`${ENGINE}/branches/main`);
  const { body: change } = await addFile(ada, 'a.txt');
  await delivered(forge);
  const { body, method, headers } = onlyOf(receiver.received);
  const { body: repository } = await ada.get(ENGINE);
  const { body: user } = await ada.get('/api/v1/user');
  const oid = change.commit.sha;
  assert.deepEqual([method, headers['content-type']], ['POST', 'application/json']);
  assert.equal(body.ref, 'refs/heads/main');
  assert.deepEqual([body.before, body.after], [before.commit.id, oid]);
  assert.equal(body.compare_url, `${forge.url}/ada/engine/compare/${before.commit.id}...${oid}`);
  assert.equal(body.total_commits, 1);
  assert.deepEqual(body.commits, [body.head_commit]);
  const person = { name: 'ada', email: 'ada@noreply.127.0.0.1', username: 'ada' };
  const [commit] = body.commits;
  assert.equal(commit.author.username, 'ada');
  assert.equal(commit.author.name, person.name);
  assert.deepEqual(commit.author, commit.committer);
  assert.deepEqual(
    [commit.id, commit.message, commit.url, commit.added, commit.removed, commit.modified],
    [oid, 'Add a.txt\n', `${forge.url}/ada/engine/commit/${oid}`, ['a.txt'], [], []],
  );
  assert.equal(commit.verification.verified, false);
  assert.ok(!Number.isNaN(Date.parse(commit.timestamp)));
  const { updated_at: _, size: __, ...rest } = body.repository;
  const { updated_at: ___, size: ____, ...known } = repository;
  assert.deepEqual(rest, known);
  assert.deepEqual(body.pusher, body.sender);
  assert.deepEqual([body.sender.id, body.sender.login], [user.id, 'ada']);
});

test('a delivery names its event in headers of four families, and is signed with the secret', async (t) => {
  const receiver = await startReceiver(t);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const config = { secret: 'between us' };
  await addHook(ada, receiver.url, { config, authorization_header: 'Bearer abc', events: ['create'] });
  await ada.post(`${ENGINE}/branches`, { new_branch_name: 'next' });
  await delivered(forge);
  const { headers, text } = onlyOf(receiver.received);
  const sum = (algorithm: string) => createHmac(algorithm, 'between us').update(text).digest('hex');
  for (const family of ['gitea', 'forgejo', 'gogs', 'github']) {
    assert.match(
      `${headers[`x-${family}-delivery`]}`,
      /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-/,
    );
    assert.equal(headers[`x-${family}-event`], 'create');
    assert.equal(headers[`x-${family}-event-type`], 'create');
    const expected = family === 'github' ? undefined : sum('sha256');
    assert.equal(headers[`x-${family}-signature`], expected);
  }
  assert.equal(headers['x-hub-signature'], `sha1=${sum('sha1')}`);
  assert.equal(headers['x-hub-signature-256'], `sha256=${sum('sha256')}`);
  assert.equal(headers.authorization, 'Bearer abc');
});

test('a form has the payload in a field and is signed as it is sent; a GET has it in the query', async (t) => {
  const receiver = await startReceiver(t);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  await addHook(ada, receiver.url, { config: { content_type: 'form', secret: 's' } });
  await addHook(ada, `${receiver.url}?a=b`, { config: { http_method: 'get', secret: 's' } });
  await addFile(ada, 'a.txt');
  await delivered(forge);
  const post = receiver.received.find(({ method }) => method === 'POST');
  const get = receiver.received.find(({ method }) => method === 'GET');
  assert.equal(post?.headers['content-type'], 'application/x-www-form-urlencoded');
  const payload = new URLSearchParams(post?.text).get('payload') ?? '';
  assert.equal(JSON.parse(payload).total_commits, 1);
  const sum = (text: string) => createHmac('sha256', 's').update(text).digest('hex');
  assert.equal(post?.headers['x-gitea-signature'], sum(post?.text ?? ''));
  const query = new URL(get?.path ?? '', receiver.url).searchParams;
  assert.equal(query.get('a'), 'b');
  assert.equal(JSON.parse(query.get('payload') ?? '').ref, 'refs/heads/main');
  assert.equal(get?.headers['x-gitea-signature'], sum(query.get('payload') ?? ''));
  assert.equal(get?.text, '');
});

test('branches and tags are created, moved and deleted with their own events', async (t) => {
  const receiver = await startReceiver(t);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  await addHook(ada, receiver.url, { events: ['push', 'create', 'delete'] });
  await ada.post(`${ENGINE}/branches`, { new_branch_name: 'next' });
  await ada.post(`${ENGINE}/tags`, { tag_name: 'v1' });
  await ada.delete(`${ENGINE}/branches/next`);
  await ada.delete(`${ENGINE}/tags/v1`);
  await delivered(forge);
  const { body: main } = await ada.get(`${ENGINE}/branches/main`);
  const oid = main.commit.id;
  const zero = '0'.repeat(40);
  const shown = receiver.received.map(({ event, body }) => ({
    event,
    ...Object.fromEntries(
      ['ref', 'ref_type', 'sha', 'pusher_type', 'before', 'after', 'total_commits']
        .filter((name) => name in body)
        .map((name) => [name, body[name]]),
    ),
  }));
  const push = { event: 'push', total_commits: 0 };
  const [branch, tag] = [
    { ref: 'next', ref_type: 'branch' },
    { ref: 'v1', ref_type: 'tag' },
  ];
  assert.deepEqual(shown, [
    { event: 'create', ...branch, sha: oid },
    { ...push, ref: 'refs/heads/next', before: zero, after: oid },
    { event: 'create', ...tag, sha: oid },
    { ...push, ref: 'refs/tags/v1', before: zero, after: oid },
    { ...push, ref: 'refs/heads/next', before: oid, after: zero },
    { event: 'delete', ...branch, pusher_type: 'user' },
    { ...push, ref: 'refs/tags/v1', before: oid, after: zero },
    { event: 'delete', ...tag, pusher_type: 'user' },
  ]);
  const tagged = receiver.received.find(({ body }) => body.ref === 'refs/tags/v1' && body.after === oid);
  assert.equal(tagged?.body.head_commit.id, oid);
});

test('a branch filter is a glob with alternatives, for pushes, creations and deletions of branches', async (t) => {
  const receiver = await startReceiver(t);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  await addHook(ada, receiver.url, {
    events: ['push', 'create', 'delete'],
    branch_filter: '{main,release/*}',
  });
  for (const name of ['release/1', 'release/1/2', 'other'])
    await ada.post(`${ENGINE}/branches`, { new_branch_name: name });
  await ada.delete(`${ENGINE}/branches/release%2F1`);
  await ada.delete(`${ENGINE}/branches/other`);
  await ada.post(`${ENGINE}/tags`, { tag_name: 'v1' });
  await addFile(ada, 'a.txt');
  await delivered(forge);
  assert.deepEqual(
    receiver.received.map(({ event, body }) => `${event} ${body.ref}`),
    [
      'create release/1',
      'push refs/heads/release/1',
      'push refs/heads/release/1',
      'delete release/1',
      // The filter is about branches.
      'create v1',
      'push refs/tags/v1',
      'push refs/heads/main',
    ],
  );
});

test('a push of many commits has the newest ones and their true number; a new branch only what is new', async (t) => {
  const receiver = await startReceiver(t);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await addHook(ada, receiver.url);
  const folder = await temporaryFolder(t);
  await git(folder, ['init', '-q', '-b', 'main', '.']);
  const commit = (message: string) => git(folder, ['commit', '-q', '--allow-empty', '-m', message]);
  const count = WEBHOOK_LIMITS.commitsPerPayloadMax + 3;
  for (let number = 1; number <= count; number += 1) await commit(`Commit ${number}`);
  await git(folder, ['push', '-q', ada.remote('ada/engine'), 'main']);
  await git(folder, ['switch', '-q', '-c', 'next']);
  await commit('Next');
  await git(folder, ['push', '-q', ada.remote('ada/engine'), 'next']);
  await delivered(forge);
  const [first, second] = receiver.received;
  assert.equal(first?.body.total_commits, count);
  assert.equal(first?.body.commits.length, WEBHOOK_LIMITS.commitsPerPayloadMax);
  assert.equal(first?.body.commits[0].message, `Commit ${count}\n`);
  assert.equal(first?.body.commits[0].id, first?.body.head_commit.id);
  assert.equal(second?.body.ref, 'refs/heads/next');
  assert.deepEqual(
    second?.body.commits.map(({ message }: { message: string }) => message),
    ['Next\n'],
  );
});

test('a test delivers the head of a branch or tag as a push, also for an inactive webhook', async (t) => {
  const receiver = await startReceiver(t);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const { id } = await addHook(ada, receiver.url, { active: false, events: ['issues'] });
  const url = `${ENGINE}/hooks/${id}/tests`;
  await ada.post(`${ENGINE}/tags`, { tag_name: 'v1' });
  assert.equal((await ada.post(url)).status, 204);
  assert.equal((await ada.post(`${url}?ref=v1`)).status, 204);
  assert.equal((await ada.post(`${url}?ref=refs/heads/main`)).status, 204);
  for (const ref of ['none', 'refs/quire/x']) assert.equal((await ada.post(`${url}?ref=${ref}`)).status, 404);
  assert.equal((await ada.post(`${ENGINE}/hooks/${id + 1}/tests`)).status, 404);
  await delivered(forge);
  const { body: main } = await ada.get(`${ENGINE}/branches/main`);
  assert.deepEqual(
    receiver.received.map(({ event, body }) => [event, body.ref, body.commits[0].id, body.total_commits]),
    ['refs/heads/main', 'refs/tags/v1', 'refs/heads/main'].map((ref) => ['push', ref, main.commit.id, 1]),
  );
  const { body: deliveries } = await ada.get(`${ENGINE}/hooks/${id}/deliveries`);
  assert.deepEqual(
    deliveries.map(({ state, attempts }: { state: string; attempts: number }) => [state, attempts]),
    Array(3).fill(['delivered', 1]),
  );
});

test('all tests that were requested are sent, also more than one turn of a webhook has room for', async (t) => {
  const receiver = await startReceiver(t);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const { id } = await addHook(ada, receiver.url, { active: false });
  const { database } = forge.forge.running.engines;
  const many = WEBHOOK_LIMITS.deliveriesPerTurnMax + 10;
  const row = { hook_id: id, part: 0, event: 'push', state: 'requested' as const, attempts: 0, error: '' };
  const rows = Array.from({ length: many - 1 }, (_, number) => ({
    ...row,
    uuid: `test ${number}`,
    created_at: 1,
    requested_at: 1,
  }));
  await database.transaction((tx) => tx.insertInto('webhook_deliveries').values(rows).execute());
  assert.equal((await ada.post(`${ENGINE}/hooks/${id}/tests`)).status, 204);
  await delivered(forge);
  assert.equal(receiver.received.length, many);
  const tooMany = Array.from({ length: WEBHOOK_LIMITS.requestedPerHookMax }, (_, number) => ({
    ...row,
    uuid: `more ${number}`,
    created_at: 1,
    requested_at: 1,
  }));
  await database.transaction((tx) => tx.insertInto('webhook_deliveries').values(tooMany).execute());
  assert.equal((await ada.post(`${ENGINE}/hooks/${id}/tests`)).status, 422);
});
