import assert from 'node:assert/strict';
import { test } from 'node:test';
import { giteaApi } from 'gitea-js';
import { startSource } from '../../base/outbound/servers.ts';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';
import { collectLog } from '../../support/log-lines.ts';
import { until } from '../../support/until.ts';
import { commitTo, refsAt, startBackend } from './backend.ts';
import { ALLOWED, errorOf, hurried, MIGRATE, synced } from './sync.ts';

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

/** Requires that nothing is left of migrations that failed. */
async function requireNothingLeft({ forge }: TestForge): Promise<void> {
  const { database, git: storage } = forge.running.engines;
  const { reader } = database;
  await until(
    async () => (await reader.selectFrom('repository_intents').select('id').execute()).length === 0,
  );
  assert.deepEqual(await reader.selectFrom('repositories').select('name').execute(), []);
  assert.deepEqual(await storage.refs.list(), []);
}

test('a migration takes branches, tags and notes of the source, and nothing else', async (t) => {
  const source = await startBackend(t);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  const first = await commitTo(source.folder, 'trunk', 'first');
  await commitTo(source.folder, 'trunk', 'second');
  await commitTo(source.folder, 'side', 'side', { onto: first });
  await git(source.folder, ['symbolic-ref', 'HEAD', 'refs/heads/trunk']);
  await git(source.folder, ['tag', 'light', first]);
  await git(source.folder, ['tag', '-a', '-m', 'One', 'v1', first]);
  await git(source.folder, ['notes', 'add', '-m', 'seen', first]);
  await git(source.folder, ['update-ref', 'refs/pull/1/head', first]);
  await git(source.folder, ['update-ref', 'refs/heads/HEAD', first]);

  const made = await ada.post(MIGRATE, {
    clone_addr: source.url,
    repo_name: 'engine',
    description: 'Copied',
    private: true,
  });
  assert.equal(made.status, 201, made.text);
  const { body } = made;
  assert.deepEqual(
    [body.full_name, body.description, body.private, body.empty, body.default_branch, body.original_url],
    ['ada/engine', 'Copied', true, false, 'trunk', source.url],
  );
  assert.deepEqual([body.mirror, body.mirror_interval], [false, '']);
  const expected = (await refsAt(source.folder)).filter((ref) => !ref.endsWith('\trefs/heads/HEAD'));
  assert.equal(expected.length, 5);
  const folder = await temporaryFolder(t);
  assert.deepEqual(await refsAt(folder, ada.remote('ada/engine')), expected);
  await git(folder, ['clone', '-q', '--mirror', ada.remote('ada/engine'), '.']);
  assert.equal(await git(folder, ['fsck', '--strict', '--no-progress', '--no-dangling']), '');
  const again = await ada.post(MIGRATE, { clone_addr: source.url, repo_name: 'Engine' });
  assert.equal(again.status, 409);
});

test('a migration reads sources of the older protocol, of SHA-256, and empty ones', async (t) => {
  const old = await startBackend(t, { isOld: true });
  const sha256 = await startBackend(t, { objectFormat: 'sha256' });
  const empty = await startBackend(t);
  const oldEmpty = await startBackend(t, { isOld: true });
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  const folder = await temporaryFolder(t);
  for (const [name, source] of Object.entries({ old, sha256 })) {
    await commitTo(source.folder, 'main', 'first');
    await git(source.folder, ['tag', '-a', '-m', 'One', 'v1', 'main']);
    const made = await ada.post(MIGRATE, { clone_addr: source.url, repo_name: name });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(await refsAt(folder, ada.remote(`ada/${name}`)), await refsAt(source.folder));
  }
  for (const [name, source] of Object.entries({ empty, oldEmpty })) {
    await git(source.folder, ['symbolic-ref', 'HEAD', 'refs/heads/trunk']);
    const made = await ada.post(MIGRATE, { clone_addr: source.url, repo_name: name });
    assert.deepEqual([made.status, made.body.empty], [201, true], made.text);
  }
});

test('a migration takes an owner by name or id, and names what is wrong with a request', async (t) => {
  const source = await startBackend(t);
  await commitTo(source.folder, 'main', 'first');
  const forge = await startForge(t, ALLOWED);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.post('/api/v1/orgs', { username: 'guild' });
  const { id } = (await ada.get('/api/v1/orgs/guild')).body;
  const send = (body: Record<string, unknown>, as = ada) =>
    as.post(MIGRATE, { clone_addr: source.url, repo_name: 'engine', ...body });
  assert.equal((await send({ repo_owner: 'guild' })).body.full_name, 'guild/engine');
  assert.equal((await send({ uid: id, repo_name: 'mill' })).body.full_name, 'guild/mill');

  const refused: readonly [number, Record<string, unknown>, RegExp][] = [
    [422, { repo_owner: 'nobody' }, /owner/],
    [422, { uid: 999_999 }, /owner/],
    [422, { repo_name: 'not a name' }, /name/i],
    [422, { clone_addr: 'file:///etc/passwd' }, /http/],
    [422, { clone_addr: 'ext::sh -c touch% /tmp/x' }, /spaces/],
    [422, { clone_addr: `${source.url}\n` }, /control/],
    [422, { clone_addr: '/srv/engine.git' }, /http/],
    [422, { clone_addr: `${source.url}?x=1` }, /query/],
    [422, { clone_addr: source.url.replace('engine', 'missing') }, /no repository/],
    [422, { clone_addr: new URL('/', source.url).href }, /no repository|smart protocol/],
    [422, { clone_addr: 'http://10.0.0.1/engine.git' }, /does not connect/],
    [422, { mirror: true, mirror_interval: '1m' }, /MirrorInterval/],
    [422, { mirror: true, mirror_interval: 'often' }, /MirrorInterval/],
    [422, { service: 'github', issues: true }, /leave out issues/],
    [422, { service: 'unknown' }, /Service/],
    [422, { lfs: true, lfs_endpoint: 'ssh://x' }, /http/],
    [422, { clone_addr: 1 }, /./],
  ];
  for (const [status, body, why] of refused) {
    const answer = await send({ repo_name: 'other', ...body });
    assert.equal(answer.status, status, `${JSON.stringify(body)}: ${answer.text}`);
    assert.match(answer.text, why, JSON.stringify(body));
  }
  assert.equal((await send({ repo_owner: 'guild', repo_name: 'other' }, ben)).status, 403);
  const narrow = await ada.tokenFor(['read:repository']);
  const denied = await forge.send('POST', MIGRATE, { as: { token: narrow }, json: {} });
  assert.equal(denied.status, 403);
  assert.equal((await forge.send('POST', MIGRATE, { json: {} })).status, 401);
});

test('E1: a migration reaches no address that the operator has not allowed, by a second answer or a redirect neither', async (t) => {
  const source = await startBackend(t);
  await commitTo(source.folder, 'main', 'first');
  const port = await startSource(t, (request, response) =>
    response.writeHead(302, { location: new URL(request.url ?? '', source.url).href }).end(),
  );
  const answers = [['127.0.0.2'], ['127.0.0.1']];
  const forge = await startForge(t, {
    settings: { outboundAllow: '127.0.0.2', outboundBlock: '127.0.0.1' },
    resolveHost: async () => answers.shift() ?? [],
  });
  const ada = await forge.account('ada');
  const { port: sourcePort } = new URL(source.url);
  for (const address of [
    source.url,
    `http://127.0.0.1:${port}/engine.git`,
    `http://0x7f.1:${sourcePort}/engine.git`,
    `http://[::ffff:7f00:1]:${sourcePort}/engine.git`,
    `http://localhost:${sourcePort}/engine.git`,
    `http://rebound.test:${sourcePort}/engine.git`,
  ]) {
    const answer = await hurried(forge, ada.post(MIGRATE, { clone_addr: address, repo_name: 'engine' }));
    assert.equal(answer.status, 422, `${address}: ${answer.text}`);
    assert.doesNotMatch(answer.body.message, /127\.0\.0/);
  }
  assert.deepEqual(source.requests, []);
  await requireNothingLeft(forge);
});

test('E3: credentials reach the source, and neither responses, log nor database show them', async (t) => {
  let echo: string | null = null;
  const source = await startBackend(t, {
    authorization: basic('reader:hidden-secret'),
    intercept: async (_request, response) => {
      if (echo !== null)
        response.setHeader('content-type', 'application/x-git-upload-pack-advertisement').end(echo);
      return echo !== null;
    },
  });
  await commitTo(source.folder, 'main', 'first');
  const forge = await startForge(t, { ...ALLOWED, logLevel: 'trace' });
  const log = collectLog(forge.forge.running.app);
  const ada = await forge.account('ada');
  const withUser = new URL(source.url);
  withUser.username = 'reader';
  withUser.password = 'hidden-secret';
  const given = { auth_username: 'reader', auth_password: 'hidden-secret' };
  const texts: string[] = [];
  const send = async (status: number, body: Record<string, unknown>) => {
    const sent = ada.post(MIGRATE, { clone_addr: source.url, mirror: true, ...body });
    const answer = await hurried(forge, sent);
    assert.equal(answer.status, status, answer.text);
    texts.push(answer.text);
  };
  await send(201, { repo_name: 'by-fields', ...given });
  await send(201, { repo_name: 'by-token', auth_username: 'reader', auth_token: 'hidden-secret' });
  await send(201, { repo_name: 'by-address', clone_addr: withUser.href });
  await send(422, { repo_name: 'none' });
  await send(422, { repo_name: 'wrong', ...given, auth_password: 'hidden-secret-2' });
  await send(422, { repo_name: 'unreachable', clone_addr: 'http://u:hidden-secret@127.0.0.1:1/x' });
  await send(422, { repo_name: 'malformed', clone_addr: 'http://u:hidden-secret@[x]/x' });
  echo = '0019ERR hidden-secret now';
  await send(422, { repo_name: 'echoed', ...given });
  await ada.post('/api/v1/repos/ada/by-fields/mirror-sync');
  await synced(forge);
  echo = null;
  assert.equal(log.filter((line) => line.includes('ERR *** now')).length, 2);
  const rows = await forge.forge.running.engines.database.reader.selectFrom('mirrors').selectAll().execute();
  assert.equal(rows.filter(({ credentials }) => credentials?.startsWith('v1.')).length, 3);
  const jobs = await forge.forge.running.engines.database.reader.selectFrom('jobs').selectAll().execute();
  const events = await forge.forge.running.engines.database.reader.selectFrom('events').selectAll().execute();
  const all = [...texts, ...log, JSON.stringify([rows, jobs, events])].join('\n');
  assert.ok(log.some((line) => line.includes('a repository was not migrated')));
  assert.doesNotMatch(all, /hidden-secret|aGlkZGVuLXNlY3JldA|cmVhZGVyOmhpZGRlb/);
  const requested = source.requests.map(({ path }) => path).join('\n');
  assert.doesNotMatch(requested, /hidden/);
});

test('a migration goes on after a lost connection, and leaves nothing if the source hangs, lies or sends another history', async (t) => {
  let trick: 'hangs' | 'lies' | 'ends' | 'hides' | 'garbles' | null = null;
  let isOnce = false;
  const source = await startBackend(t, {
    intercept: async (request, response, body) => {
      if (trick === null || !request.url?.endsWith('git-upload-pack') || !body.includes('want')) return false;
      const played = trick;
      if (isOnce) trick = null;
      response.setHeader('content-type', 'application/x-git-upload-pack-result');
      if (played === 'hangs') response.write('000dpackfile\n');
      if (played === 'lies')
        response.setHeader('content-length', '1000').write('000dpackfile\n', () => response.destroy());
      if (played === 'ends') response.end('000dpackfile\n0009\x01PACK');
      if (played === 'garbles') response.end('000dpackfile\n000d\x01PACKxxxx0000');
      if (played === 'hides') response.end(await emptyPack());
      return true;
    },
  });
  const emptyPack = async () => {
    const { stdout } = {
      stdout: Buffer.from('5041434b0000000200000000029d08823bd8a8eab510ad6ac75c823cfd3ed31e', 'hex'),
    };
    const line = Buffer.concat([Buffer.from([1]), stdout]);
    return Buffer.concat([
      Buffer.from(`000dpackfile\n${(line.length + 4).toString(16).padStart(4, '0')}`),
      line,
      Buffer.from('0000'),
    ]);
  };
  await commitTo(source.folder, 'main', 'first');
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  const send = () => hurried(forge, ada.post(MIGRATE, { clone_addr: source.url, repo_name: 'engine' }));
  for (const each of ['lies', 'ends', 'garbles', 'hides'] as const) {
    trick = each;
    const answer = await send();
    assert.equal(answer.status, 422, `${each}: ${answer.text}`);
    await requireNothingLeft(forge);
  }
  trick = 'ends';
  isOnce = true;
  assert.equal((await send()).status, 201);
  assert.equal((await ada.delete('/api/v1/repos/ada/engine')).status, 204);
  isOnce = false;
  trick = 'hangs';
  const asked = source.requests.length;
  const leaving = new AbortController();
  const left = fetch(`${forge.url}${MIGRATE}`, {
    method: 'POST',
    signal: leaving.signal,
    headers: { authorization: `token ${ada.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ clone_addr: source.url, repo_name: 'engine' }),
  });
  await until(() => source.requests.length >= asked + 3);
  assert.equal((await ada.get('/api/v1/repos/ada/engine')).status, 404);
  leaving.abort();
  await assert.rejects(left);
  await requireNothingLeft(forge);
  trick = null;
  assert.equal((await send()).status, 201);
});

test('a migration ends at the limits of a push, and its failure is logged', async (t) => {
  const source = await startBackend(t);
  await commitTo(source.folder, 'main', 'x'.repeat(2 * 1024 * 1024));
  const forge = await startForge(t, {
    settings: { ...ALLOWED.settings, pushObjectMib: '1' },
    logLevel: 'warn',
  });
  const log = collectLog(forge.forge.running.app);
  const { reader } = forge.forge.running.engines.database;
  const answer = await forge.root.post(MIGRATE, { clone_addr: source.url, repo_name: 'engine' });
  assert.equal(answer.status, 413, answer.text);
  assert.deepEqual(await reader.selectFrom('repositories').select('id').execute(), []);
  assert.equal((await forge.root.get('/api/v1/repos/root/engine')).status, 404);
  const failed = log.find((line) => line.includes('a repository was not migrated'));
  assert.match(failed ?? '', /unpacks to more than 1 MiB/);
  const [{ status, attempts, last_error: why }] = (await forge.root.get('/api/v1/user/migrations')).body;
  assert.deepEqual([status, attempts], ['failed', 1]);
  assert.match(why, /unpacks to more than 1 MiB/);
});

test('a migration follows the redirect of a renamed source, and keeps its credentials there', async (t) => {
  const [from, to] = [await startForge(t), await startForge(t, ALLOWED)];
  const [ada, ben] = [await from.account('ada'), await to.account('ben')];
  await ada.repository('engine', { private: true, auto_init: true });
  assert.equal((await ada.patch('/api/v1/repos/ada/engine', { name: 'motor' })).status, 200);
  const api = giteaApi(to.url, { token: ben.token });
  const made = await api.repos.repoMigrate({
    clone_addr: `${from.url}/ada/engine.git`,
    repo_name: 'engine',
    auth_token: ada.token,
    mirror: true,
    service: 'gitea',
  });
  assert.deepEqual([made.status, made.data.full_name, made.data.mirror], [201, 'ben/engine', true]);
  assert.equal((await api.repos.repoMirrorSync('ben', 'engine')).status, 200);
  await synced(to);
  assert.equal(await errorOf(ben), '');
  assert.equal((await ben.get('/api/v1/repos/ben/engine/contents/README.md')).status, 200);
});

test('a source that changes its refs meanwhile is read again', async (t) => {
  let isFirst = true;
  const source = await startBackend(t, {
    intercept: async (_request, _response, body) => {
      if (!isFirst || !body.includes('want')) return false;
      isFirst = false;
      await commitTo(source.folder, 'main', 'rewritten', { onto: null });
      await git(source.folder, ['reflog', 'expire', '--expire=now', '--all']);
      await git(source.folder, ['prune', '--expire=now']);
      return false;
    },
  });
  await commitTo(source.folder, 'main', 'first');
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  const made = await ada.post(MIGRATE, { clone_addr: source.url, repo_name: 'engine' });
  assert.equal(made.status, 201, made.text);
  const folder = await temporaryFolder(t);
  assert.deepEqual(await refsAt(folder, ada.remote('ada/engine')), await refsAt(source.folder));
});

test('commits that a migration copies change no issues here', async (t) => {
  const source = await startBackend(t);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('tracker', { auto_init: true });
  const issues = '/api/v1/repos/ada/tracker/issues';
  for (const title of ['One', 'Two']) assert.equal((await ada.post(issues, { title })).status, 201);
  await commitTo(source.folder, 'main', 'Fixes ada/tracker#1');
  const made = await ada.post(MIGRATE, { clone_addr: source.url, repo_name: 'copy' });
  assert.equal(made.status, 201, made.text);

  // References are followed in the order of the pushes.
  const content = Buffer.from('own').toString('base64');
  const own = await ada.post('/api/v1/repos/ada/copy/contents/own', {
    content,
    message: 'Fixes ada/tracker#2',
  });
  assert.equal(own.status, 201, own.text);
  const timeline = async (issue: number) => (await ada.get(`${issues}/${issue}/timeline`)).body;
  await until(async () => (await timeline(2)).length > 0);
  assert.deepEqual(await timeline(1), []);
});
