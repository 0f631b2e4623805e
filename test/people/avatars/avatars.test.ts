import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { startGuild } from '../../support/forge/organizations.ts';
import { until } from '../../support/until.ts';
import { GIF, JPEG } from './pictures.ts';

const AVATAR = '/api/v1/user/avatar';
const DRAWN = /\/avatars\/[0-9a-f]{32}$/;
const UPLOADED = /\/avatars\/[0-9a-f]{64}$/;

/** Returns the path of the picture in a record. */
async function pictureOf(who: Person | TestForge, path: string, url: string): Promise<string> {
  const { body } = await who.get(path);
  return body.avatar_url.slice(url.length);
}

async function countFiles(forge: TestForge): Promise<number> {
  let count = 0;
  for await (const _ of forge.forge.running.engines.objects.list('avatars/')) count += 1;
  return count;
}

test('an uploaded picture has an address that changes with it, in every record of the user', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const own = () => pictureOf(ada, '/api/v1/user', forge.url);
  const drawn = await own();
  assert.match(drawn, DRAWN);

  const added = await ada.post(AVATAR, { image: GIF });
  assert.deepEqual([added.status, added.text], [204, '']);
  const first = await own();
  await ada.post(AVATAR, { image: JPEG });
  const second = await own();

  assert.match(first, UPLOADED);
  assert.notEqual(second, first);
  assert.equal((await ada.get('/api/v1/repos/ada/engine')).body.owner.avatar_url, `${forge.url}${second}`);
  const got = await forge.get(second);
  assert.equal(got.status, 200);
  assert.equal(got.headers.get('content-type'), 'image/png');
  assert.equal(got.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.match(got.headers.get('content-security-policy') ?? '', /sandbox/);
  const etag = got.headers.get('etag') ?? '';
  assert.equal((await forge.send('GET', second, { headers: { 'if-none-match': etag } })).status, 304);
  assert.equal((await forge.get(first)).status, 404);
  assert.equal((await forge.get(`/avatars/${'0'.repeat(64)}`)).status, 404);
  for (const status of [204, 204]) assert.equal((await ada.delete(AVATAR)).status, status);
  assert.equal(await own(), drawn);
  assert.equal((await forge.get(second)).status, 404);
});

test('the files of replaced and removed pictures are deleted, also with their account', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.post(AVATAR, { image: GIF });
  await ada.post(AVATAR, { image: JPEG });
  await until(async () => (await countFiles(forge)) === 1);
  await ada.delete(AVATAR);
  await until(async () => (await countFiles(forge)) === 0);
  await ada.post(AVATAR, { image: GIF });
  assert.equal(await countFiles(forge), 1);

  assert.equal((await forge.root.delete('/api/v1/admin/users/ada')).status, 204);

  await until(async () => (await countFiles(forge)) === 0);
});

test('concurrent changes leave one picture', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const sent = await Promise.all([GIF, JPEG, GIF].map((image) => ada.post(AVATAR, { image })));
  for (const { status, text } of sent) assert.equal(status, 204, text);

  await until(async () => (await countFiles(forge)) === 1);
  const path = await pictureOf(ada, '/api/v1/user', forge.url);
  assert.equal((await forge.get(path)).status, 200);
});

test('two users with the same picture have different addresses', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  for (const person of [ada, ben]) await person.post(AVATAR, { image: GIF });
  const of = (person: Person) => pictureOf(person, '/api/v1/user', forge.url);

  assert.notEqual(await of(ada), await of(ben));
});

test('the picture of a hidden account is hidden with it, and no shared cache keeps it', async (t) => {
  const forge = await startForge(t);
  const [lin, ada] = [await forge.account('lin', { visibility: 'limited' }), await forge.account('ada')];
  await lin.post(AVATAR, { image: GIF });
  const path = await pictureOf(lin, '/api/v1/user', forge.url);

  assert.equal((await forge.get(path)).status, 404);
  const got = await ada.get(path);
  assert.equal(got.status, 200);
  assert.equal(got.headers.get('cache-control'), 'private, max-age=31536000, immutable');
});

test('owners change the picture of their organization', async (t) => {
  const guild = await startGuild(t);
  const { ada, forge } = guild;
  const ben = await forge.account('ben');
  await guild.team('readers', { members: [ben] });
  const OF = '/api/v1/orgs/guild/avatar';
  const path = () => pictureOf(forge, '/api/v1/orgs/guild', forge.url);

  assert.equal((await ben.post(OF, { image: GIF })).status, 403);
  assert.equal((await ben.delete(OF)).status, 403);
  assert.equal((await ada.post('/api/v1/orgs/missing/avatar', { image: GIF })).status, 404);
  assert.equal((await forge.send('POST', OF, { json: { image: GIF } })).status, 401);
  assert.match(await path(), DRAWN);
  assert.equal((await ada.post(OF, { image: GIF })).status, 204);
  assert.match(await path(), UPLOADED);
  assert.equal((await forge.get(await path())).status, 200);
  assert.equal((await ada.delete(OF)).status, 204);
  assert.match(await path(), DRAWN);
});

test('a change of a picture is an event, and the same picture again is none', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  for (const image of [GIF, GIF]) await ada.post(AVATAR, { image });
  for (let time = 0; time < 2; time += 1) await ada.delete(AVATAR);

  const { body } = await ada.get('/api/v1/users/ada/events?limit=50');
  const changes = body.events
    .filter(({ kind }: { kind: string }) => kind === 'account.changed')
    .map(({ data }: { data: { changed: unknown } }) => data.changed);
  assert.deepEqual(changes, [['avatar'], ['avatar']]);
});
