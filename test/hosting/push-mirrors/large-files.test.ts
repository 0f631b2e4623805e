import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSource } from '../../base/outbound/servers.ts';
import { base64, contentsOf } from '../../code/contents/files.ts';
import { startForge } from '../../support/forge/forge.ts';
import { addLargeFile, objectOf, pointerTo } from '../lfs/objects.ts';
import { ALLOWED } from '../mirrors/sync.ts';
import { addMirror, startTarget, update } from './targets.ts';

test('a push mirror on another server of this kind has the large files that its branches name, and no others', async (t) => {
  const [from, to] = [await startForge(t, ALLOWED), await startForge(t)];
  const [ada, ben] = [await from.account('ada'), await to.account('ben')];
  await ada.repository('engine', { private: true, auto_init: true });
  await ben.repository('engine', { private: true });
  await ada.post('/api/v1/repos/ada/engine/branches', { new_branch_name: 'private' });
  await addLargeFile(ada, 'a.bin', 'the first large file');
  await addLargeFile(ada, 'hidden.bin', 'a hidden large file', 'private');
  // Its object is missing here, too.
  await ada.post(contentsOf('ada/engine', 'gone.bin'), { content: base64(pointerTo(objectOf('gone'))) });
  await addMirror(ada, `${to.url}/ben/engine`, {
    branch_filter: 'main',
    remote_username: 'ben',
    remote_password: ben.token,
  });
  assert.equal(await update(from, ada), '');
  const media = async (path: string) => (await ben.get(`/api/v1/repos/ben/engine/media/${path}`)).text;
  assert.equal(await media('a.bin'), 'the first large file');
  await addLargeFile(ada, 'b.bin', 'x'.repeat(3_000_000));
  assert.equal(await update(from, ada), '');
  assert.equal((await media('b.bin')).length, 3_000_000);
  const { reader } = to.forge.running.engines.database;
  const objects = await reader.selectFrom('lfs_objects').select('oid').execute();
  assert.deepEqual(
    objects.map(({ oid }) => oid).sort(),
    [objectOf('the first large file').oid, objectOf('x'.repeat(3_000_000)).oid].sort(),
  );
});

test('a target that takes no large files, or not all, gets no refs that need them', async (t) => {
  const content = 'a large file';
  const object = objectOf(content);
  let answer: unknown;
  let status = 200;
  const seen: string[] = [];
  const elsewhere = await startSource(t, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { authorization = 'none', 'x-own': own = '' } = request.headers;
    seen.push(`${request.method} ${authorization} ${own} ${Buffer.concat(chunks)}`);
    response.writeHead(status).end();
  });
  const target = await startTarget(t, {
    intercept: async ({ url = '' }, response) => {
      if (!url.endsWith('/info/lfs/objects/batch')) return false;
      if (answer === undefined) response.writeHead(404).end();
      else response.end(JSON.stringify({ objects: [answer] }));
      return true;
    },
  });
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  await addLargeFile(ada, 'a.bin', content);
  await addMirror(ada, target.url, { remote_username: 'writer', remote_password: 'secret' });
  const at = (href: string, header = {}) => ({ ...object, actions: { upload: { href, header } } });
  const there = `http://127.0.0.1:${elsewhere}/object`;
  for (const [given, uploaded, why] of [
    [undefined, 200, /the target of large files answers with status 404/],
    [{ ...object, error: { code: 403, message: 'no' } }, 200, /does not take an object of git-lfs/],
    ['nothing', 200, /does not answer as git-lfs expects/],
    [{ ...objectOf('another'), actions: {} }, 200, /does not answer as git-lfs expects/],
    [at('http://10.0.0.1/object'), 200, /does not connect to this host/],
    [at('file:///etc/passwd'), 200, /must begin with http/],
    [at(there), 500, /the target of large files answers with status 500/],
  ] as const) {
    answer = given;
    status = uploaded;
    assert.match(await update(forge, ada), why);
    assert.ok(!target.requests.some(({ path }) => path.endsWith('/git-receive-pack')));
  }
  seen.length = 0;
  status = 200;
  const upload = { href: there, header: { 'X-Own': 'kept', Host: 'evil', 'Content-Length': '3' } };
  answer = { ...object, actions: { upload, verify: { href: there } } };
  assert.equal(await update(forge, ada), '');
  assert.deepEqual(seen, [`PUT none kept ${content}`, `POST none  ${JSON.stringify(object)}`]);
});
