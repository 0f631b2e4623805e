import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GIF, JPEG } from '../../people/avatars/pictures.ts';
import { type Person, startForge } from '../../support/forge/forge.ts';

const AVATAR = '/api/v1/repos/ada/engine/avatar';

async function pictureOf(who: Person, url: string): Promise<string> {
  const { avatar_url } = (await who.get('/api/v1/repos/ada/engine')).body;
  return avatar_url === '' ? '' : avatar_url.slice(url.length);
}

test('administrators change the picture of a repository, and its address changes with it', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine');

  assert.equal(await pictureOf(ada, forge.url), '');
  assert.equal((await ben.post(AVATAR, { image: GIF })).status, 403);
  assert.equal((await ben.delete(AVATAR)).status, 403);
  assert.equal((await ada.post('/api/v1/repos/ada/missing/avatar', { image: GIF })).status, 404);
  assert.equal((await ada.post(AVATAR, { image: 'x' })).status, 400);
  assert.equal((await ada.post(AVATAR, { image: GIF })).status, 204);
  const first = await pictureOf(ada, forge.url);
  assert.match(first, /^\/repo-avatars\/[0-9a-f]{64}$/);
  const got = await forge.get(first);
  assert.deepEqual([got.status, got.headers.get('content-type')], [200, 'image/png']);
  assert.equal((await forge.get(first.replace('repo-avatars', 'avatars'))).status, 404);
  await ada.post(AVATAR, { image: JPEG });
  assert.notEqual(await pictureOf(ada, forge.url), first);
  assert.equal((await forge.get(first)).status, 404);
  assert.equal((await ada.delete(AVATAR)).status, 204);
  assert.equal(await pictureOf(ada, forge.url), '');
});

test('the picture of a private repository is hidden with it', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine', { private: true });
  await ada.post(AVATAR, { image: GIF });
  const path = await pictureOf(ada, forge.url);

  assert.equal((await forge.get(path)).status, 404);
  assert.equal((await ben.get(path)).status, 404);
  const got = await ada.get(path);
  assert.equal(got.headers.get('cache-control'), 'private, max-age=31536000, immutable');
  const issueOnly = await ada.tokenFor(['read:issue']);
  assert.equal((await forge.send('GET', path, { as: { token: issueOnly } })).status, 403);
  await ada.patch('/api/v1/repos/ada/engine', { private: false });
  assert.equal((await forge.get(path)).status, 200);
  assert.equal((await ada.delete('/api/v1/repos/ada/engine')).status, 204);
  assert.equal((await ada.get(path)).status, 404);
});
