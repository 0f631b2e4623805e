import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FOLLOW_LIMITS } from '../../../src/people/follows/limits.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { names } from '../../support/forge/organizations.ts';

const FOLLOWING = '/api/v1/user/following';

async function counts(who: Person | TestForge, name: string): Promise<readonly number[]> {
  const { body } = await who.get(`/api/v1/users/${name}`);
  return [body.followers_count, body.following_count];
}

async function namesAt(who: Person | TestForge, path: string): Promise<readonly string[]> {
  const listed = await who.get(path);
  assert.equal(listed.status, 200, listed.text);
  assert.equal(listed.headers.get('x-total-count'), String(listed.body.length), path);
  return names(listed.body);
}

test('a follow lasts until it ends, and a repeated one counts once', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  const statuses: number[] = [];
  const say = async (method: string) => statuses.push((await ben.send(method, `${FOLLOWING}/ADA`)).status);

  await say('GET');
  await say('PUT');
  await say('PUT');
  await say('GET');
  assert.deepEqual(
    [await counts(forge, 'ada'), await counts(forge, 'ben')],
    [
      [1, 0],
      [0, 1],
    ],
  );
  assert.deepEqual(await namesAt(ada, '/api/v1/user/followers'), ['ben']);
  assert.deepEqual(await namesAt(ben, FOLLOWING), ['ada']);
  assert.equal((await forge.get('/api/v1/users/ben/following/ada')).status, 204);
  assert.equal((await forge.get('/api/v1/users/ada/following/ben')).status, 404);
  await say('DELETE');
  await say('DELETE');
  await say('GET');

  assert.deepEqual(statuses, [404, 204, 204, 204, 204, 204, 404]);
  assert.deepEqual(
    [await counts(forge, 'ada'), await counts(forge, 'ben')],
    [
      [0, 0],
      [0, 0],
    ],
  );
});

test('two users may follow each other, and organizations can be followed', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.post('/api/v1/orgs', { username: 'guild' });

  await ben.put(`${FOLLOWING}/ada`);
  await ada.put(`${FOLLOWING}/ben`);
  assert.equal((await ben.put(`${FOLLOWING}/guild`)).status, 204);

  assert.deepEqual(await namesAt(forge, '/api/v1/users/ben/following'), ['ada', 'guild']);
  assert.deepEqual(await namesAt(forge, '/api/v1/users/ben/followers'), ['ada']);
  assert.deepEqual(await namesAt(forge, '/api/v1/users/guild/followers'), ['ben']);
  const page = await forge.get('/api/v1/users/ben/following?limit=1&page=2');
  assert.deepEqual([names(page.body), page.headers.get('x-total-count')], [['guild'], '2']);
  await ada.delete('/api/v1/orgs/guild');
  assert.deepEqual(await counts(forge, 'ben'), [1, 1]);
});

test('403: following oneself; 404: missing and hidden accounts; 401: without a sign-in', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await forge.account('pia', { visibility: 'private' });

  assert.equal((await ada.put(`${FOLLOWING}/Ada`)).status, 403);
  for (const name of ['missing', 'pia', 'a%2Fb']) {
    assert.equal((await ada.put(`${FOLLOWING}/${name}`)).status, 404, name);
    assert.equal((await ada.delete(`${FOLLOWING}/${name}`)).status, 404, name);
    assert.equal((await ada.get(`/api/v1/users/${name}/followers`)).status, 404, name);
  }
  for (const [method, path] of [
    ['PUT', `${FOLLOWING}/ada`],
    ['DELETE', `${FOLLOWING}/ada`],
    ['GET', '/api/v1/user/followers'],
  ] as const)
    assert.equal((await forge.send(method, path)).status, 401);
});

test('lists of followers leave out accounts that are hidden from the viewer', async (t) => {
  const forge = await startForge(t);
  const [ada, lin] = [await forge.account('ada'), await forge.account('lin', { visibility: 'limited' })];
  const pia = await forge.account('pia', { visibility: 'private' });
  for (const person of [lin, pia]) assert.equal((await person.put(`${FOLLOWING}/ada`)).status, 204);

  assert.deepEqual(await namesAt(forge, '/api/v1/users/ada/followers'), []);
  assert.deepEqual(await namesAt(ada, '/api/v1/user/followers'), ['lin']);
  assert.deepEqual(await namesAt(forge.root, '/api/v1/users/ada/followers'), ['lin', 'pia']);
  assert.deepEqual(await counts(forge, 'ada'), [2, 0]);
});

test('concurrent follows of each other count once, and the deletion of an account ends its follows', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  const eve = await forge.account('eve');
  const sent = [1, 2, 3].flatMap(() => [
    ada.put(`${FOLLOWING}/ben`),
    ben.put(`${FOLLOWING}/ada`),
    eve.put(`${FOLLOWING}/ada`),
  ]);
  for (const { status } of await Promise.all(sent)) assert.equal(status, 204);
  assert.deepEqual(await counts(forge, 'ada'), [2, 1]);

  assert.equal((await forge.root.delete('/api/v1/admin/users/ben')).status, 204);

  assert.deepEqual(await counts(forge, 'ada'), [1, 0]);
  assert.deepEqual(await namesAt(ada, '/api/v1/user/followers'), ['eve']);
});

test('422: a user follows a limited number of accounts', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await forge.account('ben');
  const { database } = forge.forge.running.engines;
  await database.transaction((tx) =>
    tx
      .updateTable('accounts')
      .set({ following_count: FOLLOW_LIMITS.followingPerAccountMax })
      .where('lower_name', '=', 'ada')
      .execute(),
  );

  const refused = await ada.put(`${FOLLOWING}/ben`);

  assert.equal(refused.status, 422, refused.text);
  assert.equal((await ada.get(`${FOLLOWING}/ben`)).status, 404);
});

test('the feed shows a follow to both accounts, and its end to the follower only', async (t) => {
  const forge = await startForge(t);
  const [ada, ben, eve] = [
    await forge.account('ada'),
    await forge.account('ben'),
    await forge.account('eve'),
  ];
  await ben.put(`${FOLLOWING}/ada`);
  await ben.delete(`${FOLLOWING}/ada`);

  const kinds = async (who: Person) => {
    const { body } = await who.get('/api/v1/events?limit=50');
    return body.events
      .filter(({ kind }: { kind: string }) => kind.includes('follow'))
      .map(({ kind, data }: { kind: string; data: Record<string, { login: string }> }) => [
        kind,
        data.account?.login,
        data.followed?.login,
      ]);
  };
  assert.deepEqual(await kinds(ada), [['account.followed', 'ben', 'ada']]);
  assert.deepEqual(await kinds(ben), [
    ['account.followed', 'ben', 'ada'],
    ['account.unfollowed', 'ben', 'ada'],
  ]);
  assert.deepEqual(await kinds(eve), []);
});
