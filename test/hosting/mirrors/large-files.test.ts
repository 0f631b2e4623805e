import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { MIRROR_LIMITS } from '../../../src/hosting/mirrors/limits.ts';
import { STORAGE_LIMITS } from '../../../src/storage/limits.ts';
import { startSource } from '../../base/outbound/servers.ts';
import { base64, contentsOf } from '../../code/contents/files.ts';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { until } from '../../support/until.ts';
import { addLargeFile, objectOf, pointerTo } from '../lfs/objects.ts';
import { type Backend, commitTo, startBackend } from './backend.ts';
import { ALLOWED, errorOf, hurried, MIGRATE, synced } from './sync.ts';

test('a copy of a private repository of another server has its large files, and a mirror follows them', async (t) => {
  const [from, to] = [await startForge(t), await startForge(t, ALLOWED)];
  const [ada, ben] = [await from.account('ada'), await to.account('ben')];
  await ada.repository('engine', { private: true, auto_init: true });
  await addLargeFile(ada, 'a.bin', 'the first large file');
  // Its object is missing at the source.
  await ada.post(contentsOf('ada/engine', 'gone.bin'), { content: base64(pointerTo(objectOf('gone'))) });
  const wanted = {
    clone_addr: `${from.url}/ada/engine`,
    auth_token: ada.token,
    service: 'gitea',
    lfs: true,
    mirror: true,
    private: true,
  };
  assert.equal((await ben.post(MIGRATE, { ...wanted, auth_token: '', repo_name: 'no' })).status, 422);
  const made = await ben.post(MIGRATE, { ...wanted, repo_name: 'engine' });
  assert.equal(made.status, 201, made.text);
  const media = async (path: string) => (await ben.get(`/api/v1/repos/ben/engine/media/${path}`)).text;
  assert.equal(await media('a.bin'), 'the first large file');

  await addLargeFile(ada, 'b.bin', 'the second large file');
  assert.equal((await ben.post('/api/v1/repos/ben/engine/mirror-sync')).status, 200);
  await synced(to);
  assert.equal(await errorOf(ben), '');
  assert.equal(await media('b.bin'), 'the second large file');

  const plain = await ben.post(MIGRATE, { ...wanted, lfs: false, mirror: false, repo_name: 'plain' });
  assert.equal(plain.status, 201, plain.text);
  const { reader } = to.forge.running.engines.database;
  const links = await reader.selectFrom('lfs_links').select('repository_id').execute();
  assert.deepEqual(
    links.map((link) => link.repository_id),
    [made.body.id, made.body.id],
  );
});

test('a source of large files that lies, or leads elsewhere, leaves nothing and gets no credentials', async (t) => {
  const content = 'a large file';
  const object = objectOf(content);
  const seen: string[] = [];
  const other = await startSource(t, (request, response) => {
    seen.push(
      `${request.headers.authorization} ${request.headers['x-own']} ${request.headers.host?.split(':')[0]}`,
    );
    response.end(content);
  });
  let download: unknown;
  let sent = content;
  const source = await startBackend(t, {
    intercept: async ({ url = '' }, response) => {
      if (url.endsWith('/info/lfs/objects/batch')) response.end(JSON.stringify({ objects: [download] }));
      else if (url.endsWith('/object')) response.end(sent);
      else return false;
      return true;
    },
  });
  await commitTo(source.folder, 'main', pointerTo(object));
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  const send = (repo_name: string) =>
    ada.post(MIGRATE, {
      clone_addr: source.url,
      repo_name,
      lfs: true,
      auth_username: 'reader',
      auth_password: 'secret',
    });
  const at = (href: string, header = {}) => ({ ...object, actions: { download: { href, header } } });
  const own = `${new URL(source.url).origin}/object`;
  for (const [answer, text] of [
    [at(own), 'another large'],
    [at(own), `${content} and more`],
    [at(own), 'short'],
    [at('http://10.0.0.1/object'), content],
    [at('file:///etc/passwd'), content],
    [{ ...object, error: { code: 500, message: 'no' } }, content],
    ['nothing', content],
  ] as const) {
    download = answer;
    sent = text;
    const failed = await send('engine');
    assert.equal(failed.status, 422, `${JSON.stringify(answer)}: ${failed.text}`);
  }
  const { reader } = forge.forge.running.engines.database;
  assert.deepEqual(await reader.selectFrom('repositories').select('id').execute(), []);
  assert.deepEqual(await reader.selectFrom('lfs_links').select('object_id').execute(), []);
  download = at(`http://127.0.0.1:${other}/object`, { Host: 'evil', 'X-Own': 'kept', 'Content-Length': '9' });
  assert.equal((await send('engine')).status, 201);
  assert.deepEqual(seen, ['undefined kept 127.0.0.1']);
});

interface LargeFileSource extends Backend {
  /** Called before an object is sent. */
  beforeSend: () => Promise<void>;
}

/** Starts a source with one large file in each of its commits. */
async function startLargeFileSource(t: TestContext, contents: readonly string[]): Promise<LargeFileSource> {
  const objects = contents.map((content) => ({ ...objectOf(content), content }));
  const backend: Backend = await startBackend(t, {
    intercept: async ({ url = '' }, response) => {
      const sent = objects.find(({ oid }) => url.endsWith(`/${oid}`));
      if (url.endsWith('/info/lfs/objects/batch')) {
        const { origin } = new URL(backend.url);
        const actions = (oid: string) => ({ download: { href: `${origin}/${oid}` } });
        response.end(
          JSON.stringify({ objects: objects.map(({ oid, size }) => ({ oid, size, actions: actions(oid) })) }),
        );
      } else if (sent !== undefined) {
        await source.beforeSend();
        response.end(sent.content);
      } else return false;
      return true;
    },
  });
  const source: LargeFileSource = { ...backend, beforeSend: async () => {} };
  for (const object of objects) await commitTo(backend.folder, 'main', pointerTo(object));
  return source;
}

async function idsOf({ forge }: TestForge): Promise<{ repositories: number[]; linked: number[] }> {
  const { reader } = forge.running.engines.database;
  const repositories = await reader.selectFrom('repositories').select('id').execute();
  const links = await reader.selectFrom('lfs_links').select('repository_id').execute();
  return { repositories: repositories.map(({ id }) => id), linked: links.map((link) => link.repository_id) };
}

test('two copies for one owner at the same time do not use the same room', async (t) => {
  const sources = [
    await startLargeFileSource(t, ['a'.repeat(600 * 1024)]),
    await startLargeFileSource(t, ['b'.repeat(600 * 1024)]),
  ];
  const { promise: bothHaveAsked, resolve } = Promise.withResolvers<void>();
  let asked = 0;
  for (const source of sources)
    source.beforeSend = () => {
      asked += 1;
      if (asked === sources.length) resolve();
      return bothHaveAsked;
    };
  const forge = await startForge(t, { settings: { ...ALLOWED.settings, lfsOwnerMib: '1' } });
  const ada = await forge.account('ada');

  const answers = await Promise.all(
    sources.map(({ url }, at) => ada.post(MIGRATE, { clone_addr: url, repo_name: `copy${at}`, lfs: true })),
  );

  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 413], answers[0]?.text);
  const made = answers.find(({ status }) => status === 201);
  assert.deepEqual(await idsOf(forge), { repositories: [made?.body.id], linked: [made?.body.id] });
});

test('a copy whose large files are collected before it appears is tried again, and leaves nothing if it fails', async (t) => {
  const source = await startLargeFileSource(t, ['first', 'second']);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  const { objectFiles } = forge.forge.running.services;
  let sent = 0;
  let collections: number = MIRROR_LIMITS.migrationAttemptsMax;
  source.beforeSend = async () => {
    sent += 1;
    const aheadMs = 2 * STORAGE_LIMITS.fileReservationMs;
    if (sent % 2 === 0 && sent <= 2 * collections)
      await objectFiles.collect({ signal: new AbortController().signal, aheadMs });
  };

  const migrate = () =>
    hurried(forge, ada.post(MIGRATE, { clone_addr: source.url, repo_name: 'engine', lfs: true }));

  const failed = await migrate();
  assert.equal(failed.status, 503, failed.text);
  assert.match(failed.body.message, /the copy took too long/);
  assert.deepEqual(await idsOf(forge), { repositories: [], linked: [] });

  [sent, collections] = [0, 1];
  const made = await migrate();
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(await idsOf(forge), {
    repositories: [made.body.id],
    linked: [made.body.id, made.body.id],
  });
});

test('the record of a migration shows how many large files have come', async (t) => {
  const source = await startLargeFileSource(t, ['first', 'second']);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  const shown: unknown[] = [];
  let sent = 0;
  source.beforeSend = async () => {
    sent += 1;
    if (sent === 1) return;
    const find = async () => (await ada.get('/api/v1/user/migrations')).body[0];
    await until(async () => (await find()).progress.large_files === 1);
    const { phase, progress } = await find();
    shown.push(phase, progress.large_files, progress.large_files_total);
  };

  const made = await ada.post(MIGRATE, { clone_addr: source.url, repo_name: 'engine', lfs: true });

  assert.equal(made.status, 201, made.text);
  assert.deepEqual(shown, ['lfs', 1, 2]);
});
