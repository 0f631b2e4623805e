import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base64, contentsOf } from '../contents/files.ts';
import { LFS_TYPE, objectOf, pointerTo } from '../lfs/objects.ts';
import { startSource } from '../outbound/servers.ts';
import { type Person, startForge } from '../support/forge.ts';
import { commitTo, startBackend } from './backend.ts';
import { ALLOWED, errorOf, MIGRATE, synced } from './sync.ts';

/** Uploads an object and commits its pointer. */
async function addLargeFile(owner: Person, path: string, content: string): Promise<void> {
  const { oid, size } = objectOf(content);
  const uploaded = await owner.send('PUT', `/${owner.name}/engine.git/info/lfs/objects/${oid}/${size}`, {
    body: content,
    headers: { accept: LFS_TYPE },
  });
  assert.equal(uploaded.status, 200, uploaded.text);
  const added = await owner.post(contentsOf(`${owner.name}/engine`, path), {
    content: base64(pointerTo({ oid, size })),
  });
  assert.equal(added.status, 201, added.text);
}

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
