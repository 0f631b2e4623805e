import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BLOCK_LIMITS } from '../../../src/people/blocks/limits.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { names, startGuild } from '../../support/forge/organizations.ts';
import { until } from '../../support/until.ts';

const BLOCK = '/api/v1/user/block';
const UNBLOCK = '/api/v1/user/unblock';
const ENGINE = '/api/v1/repos/ada/engine';

async function adaAndBen(forge: TestForge): Promise<{ ada: Person; ben: Person }> {
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  return { ada, ben: await forge.account('ben') };
}

async function blockedBy(who: Person, path = '/api/v1/user/list_blocked'): Promise<readonly number[]> {
  const listed = await who.get(path);
  assert.equal(listed.status, 200, listed.text);
  assert.equal(listed.headers.get('x-total-count'), String(listed.body.length));
  return listed.body.map(({ block_id }: { block_id: number }) => block_id);
}

async function idOf(who: Person): Promise<number> {
  return (await who.get('/api/v1/user')).body.id;
}

test('a block lasts until it ends, and both may be repeated', async (t) => {
  const forge = await startForge(t);
  const { ada, ben } = await adaAndBen(forge);
  const send = async (path: string) => (await ada.put(`${path}/BEN`)).status;

  assert.deepEqual([await send(UNBLOCK), await send(BLOCK), await send(BLOCK)], [204, 204, 204]);
  assert.deepEqual(await blockedBy(ada), [await idOf(ben)]);
  const { body } = await ada.get('/api/v1/user/list_blocked');
  assert.deepEqual(Object.keys(body[0]).sort(), ['block_id', 'created_at']);
  assert.deepEqual([await send(UNBLOCK), await send(UNBLOCK)], [204, 204]);
  assert.deepEqual(await blockedBy(ada), []);
  assert.equal((await ben.post(`${ENGINE}/issues`, { title: 'back' })).status, 201);
});

test('422: blocking oneself or an organization; 404: missing and hidden accounts; 401: no sign-in', async (t) => {
  const forge = await startForge(t);
  const { ada, ben } = await adaAndBen(forge);
  await ben.post('/api/v1/orgs', { username: 'guild' });
  await forge.account('pia', { visibility: 'private' });

  for (const name of ['ada', 'guild']) assert.equal((await ada.put(`${BLOCK}/${name}`)).status, 422, name);
  for (const name of ['missing', 'pia']) {
    assert.equal((await ada.put(`${BLOCK}/${name}`)).status, 404, name);
    assert.equal((await ada.put(`${UNBLOCK}/${name}`)).status, 404, name);
  }
  assert.equal((await forge.send('PUT', `${BLOCK}/ben`)).status, 401);
  assert.equal((await forge.get('/api/v1/user/list_blocked')).status, 401);
  assert.deepEqual(await blockedBy(ada), []);
});

test('a blocked user can do none of what the owner could suffer, and the response does not mention the block', async (t) => {
  const forge = await startForge(t);
  const { ada, ben } = await adaAndBen(forge);
  await ada.post(`${ENGINE}/issues`, { title: 'of ada' });
  const own = await ben.post(`${ENGINE}/issues`, { title: 'of ben' });
  await ada.put(`${BLOCK}/ben`);

  const requests: readonly (readonly [string, string, unknown?])[] = [
    ['POST', `${ENGINE}/issues`, { title: 'x' }],
    ['POST', `${ENGINE}/pulls`, { title: 'x', head: 'a', base: 'main' }],
    ['POST', `${ENGINE}/issues/1/comments`, { body: 'x' }],
    ['POST', `${ENGINE}/issues/1/reactions`, { content: '+1' }],
    ['PATCH', `${ENGINE}/issues/${own.body.number}`, { body: 'x' }],
    ['PUT', `${ENGINE}/subscription`],
    ['PUT', '/api/v1/user/starred/ada/engine'],
    ['PUT', '/api/v1/user/following/ada'],
    ['POST', `${ENGINE}/forks`, {}],
    ['POST', '/api/v1/repos/ben/own/transfer', { new_owner: 'ada' }],
  ];
  await ben.repository('own');
  for (const [method, path, json] of requests) {
    const answer = await ben.send(method, path, { json });
    assert.equal(answer.status, 403, `${method} ${path}: ${answer.text}`);
    assert.doesNotMatch(answer.text, /block/i, path);
  }
  assert.equal((await ada.put('/api/v1/user/following/ben')).status, 403);
  assert.equal((await ada.put(`${ENGINE}/collaborators/ben`)).status, 403);
  const given = await ada.post(`${ENGINE}/transfer`, { new_owner: 'ben' });
  assert.equal(given.status, 403, given.text);
});

test('a block ends collaboration, follows, stars, watches and transfers, and its end restores nothing', async (t) => {
  const forge = await startForge(t);
  const { ada, ben } = await adaAndBen(forge);
  await ada.repository('secret', { private: true });
  await ada.repository('gift');
  await ben.repository('offer');
  for (const name of ['engine', 'secret'])
    assert.equal((await ada.put(`/api/v1/repos/ada/${name}/collaborators/ben`)).status, 204);
  for (const path of ['user/starred/ada/engine', 'repos/ada/engine/subscription', 'user/following/ada'])
    assert.ok((await ben.put(`/api/v1/${path}`)).status < 300, path);
  await ada.put('/api/v1/user/following/ben');
  assert.equal((await ada.post('/api/v1/repos/ada/gift/transfer', { new_owner: 'ben' })).status, 202);
  assert.equal((await ben.post('/api/v1/repos/ben/offer/transfer', { new_owner: 'ada' })).status, 202);
  const before = (await ada.get(ENGINE)).body;

  assert.equal((await ada.put(`${BLOCK}/ben`)).status, 204);
  assert.equal((await ada.put(`${UNBLOCK}/ben`)).status, 204);

  const after = (await ada.get(ENGINE)).body;
  assert.deepEqual(
    [before.stars_count, before.watchers_count, after.stars_count, after.watchers_count],
    [1, 2, 0, 1],
  );
  assert.equal((await ada.get(`${ENGINE}/collaborators/ben`)).status, 404);
  assert.equal((await ben.get('/api/v1/repos/ada/secret')).status, 404);
  assert.equal((await ben.get('/api/v1/user/starred/ada/engine')).status, 404);
  assert.equal((await ada.get('/api/v1/repos/ada/gift')).body.repo_transfer, null);
  assert.equal((await ben.get('/api/v1/repos/ben/offer')).body.repo_transfer, null);
  for (const name of ['ada', 'ben']) {
    const { followers_count, following_count, starred_repos_count } = (
      await forge.get(`/api/v1/users/${name}`)
    ).body;
    assert.deepEqual([followers_count, following_count, starred_repos_count], [0, 0, 0], name);
  }
  assert.equal((await ben.put('/api/v1/user/starred/ada/engine')).status, 204);
});

test('a block does not reach repositories of other owners', async (t) => {
  const forge = await startForge(t);
  const { ada, ben } = await adaAndBen(forge);
  const zoe = await forge.account('zoe');
  await zoe.repository('open', { auto_init: true });
  await ben.put('/api/v1/user/starred/zoe/open');
  await ada.put(`${BLOCK}/ben`);

  assert.equal((await ben.post('/api/v1/repos/zoe/open/issues', { title: 'x' })).status, 201);
  assert.equal((await ben.get('/api/v1/user/starred/zoe/open')).status, 204);
  assert.equal((await ada.post('/api/v1/repos/zoe/open/issues/1/comments', { body: 'x' })).status, 201);
});

test('a site administrator is not stopped by a block', async (t) => {
  const forge = await startForge(t);
  const { ada } = await adaAndBen(forge);

  assert.equal((await ada.put(`${BLOCK}/${forge.root.name}`)).status, 204);

  assert.equal((await forge.root.patch(ENGINE, { description: 'x' })).status, 200);
  assert.equal((await forge.root.post(`${ENGINE}/issues`, { title: 'x' })).status, 201);
});

test('an organization blocks users in its repositories, through its owners only', async (t) => {
  const guild = await startGuild(t);
  const { ada, forge } = guild;
  const [ben, eve] = [await forge.account('ben'), await forge.account('eve')];
  await guild.repository('engine');
  await guild.team('readers', { members: [eve] });
  const OF = '/api/v1/orgs/guild';

  for (const person of [ben, eve]) {
    assert.equal((await person.put(`${OF}/block/ben`)).status, 403, person.name);
    assert.equal((await person.get(`${OF}/list_blocked`)).status, 403, person.name);
  }
  assert.equal((await ada.put(`${OF}/block/ben`)).status, 204);
  assert.deepEqual(await blockedBy(ada, `${OF}/list_blocked`), [await idOf(ben)]);
  assert.equal((await ben.post('/api/v1/repos/guild/engine/issues', { title: 'x' })).status, 403);
  assert.equal((await ben.put('/api/v1/user/following/guild')).status, 403);
  const teams = (await ada.get(`${OF}/teams`)).body;
  const readers = teams.find(({ name }: { name: string }) => name === 'readers');
  assert.equal((await ada.put(`/api/v1/teams/${readers.id}/members/ben`)).status, 403);
  assert.equal((await ada.put('/api/v1/repos/guild/engine/collaborators/ben')).status, 403);
  assert.equal((await ada.put(`${OF}/unblock/ben`)).status, 204);
  assert.equal((await ada.put(`/api/v1/teams/${readers.id}/members/ben`)).status, 204);
});

test('422: an organization cannot block its members and owners', async (t) => {
  const guild = await startGuild(t);
  const eve = await guild.forge.account('eve');
  await guild.team('readers', { members: [eve] });

  for (const name of ['ada', 'eve'])
    assert.equal((await guild.ada.put(`/api/v1/orgs/guild/block/${name}`)).status, 422, name);
  assert.deepEqual(names((await guild.ada.get('/api/v1/orgs/guild/members')).body), ['ada', 'eve']);
});

test('a blocked user can be neither assigned nor asked for a review', async (t) => {
  const forge = await startForge(t);
  const { ada, ben } = await adaAndBen(forge);
  await ada.put(`${ENGINE}/collaborators/ben`, { permission: 'write' });
  await ben.put(`${ENGINE}/subscription`);
  await ada.put(`${BLOCK}/ben`);

  assert.equal((await ada.post(`${ENGINE}/issues`, { title: 'x', assignees: ['ben'] })).status, 422);
  for (const list of ['assignees', 'reviewers'])
    assert.deepEqual(names((await ada.get(`${ENGINE}/${list}`)).body).includes('ben'), false, list);
});

test('a blocked user notifies the blocker nowhere, and mentions notify no blocked user', async (t) => {
  const forge = await startForge(t);
  const { ada, ben } = await adaAndBen(forge);
  const zoe = await forge.account('zoe');
  await ben.repository('own');
  await ada.put(`${BLOCK}/ben`);
  const unread = async (who: Person) => (await who.get('/api/v1/notifications/new')).body.new;

  await ben.post('/api/v1/repos/ben/own/issues', { title: 'x', body: '@ada @zoe' });
  await ada.post(`${ENGINE}/issues`, { title: 'x', body: '@ben @zoe' });

  await until(async () => (await unread(zoe)) === 2);
  assert.deepEqual([await unread(ada), await unread(ben)], [0, 0]);
});

test('what a blocked user writes elsewhere adds no reference in a repository of the blocker', async (t) => {
  const forge = await startForge(t);
  const { ada, ben } = await adaAndBen(forge);
  const own = '/api/v1/repos/ben/own';
  await ben.repository('own', { auto_init: true });
  await ada.post(`${ENGINE}/issues`, { title: 'One' });
  const referring = async () => {
    const timeline = (await ada.get(`${ENGINE}/issues/1/timeline`)).body;
    return timeline.map(({ type }: { type: string }) => type);
  };
  await ada.put(`${BLOCK}/ben`);

  await ben.post(`${own}/issues`, { title: 'ada/engine#1', body: 'See ada/engine#1' });
  await ben.post(`${own}/issues/1/comments`, { body: 'See ada/engine#1' });
  await ben.post(`${own}/contents/a.txt`, { content: '', message: 'See ada/engine#1' });
  await forge.forge.running.services.jobs.runDue();
  assert.deepEqual(await referring(), []);

  await ada.put(`${UNBLOCK}/ben`);
  await ben.post(`${own}/issues`, { title: 'Later', body: 'See ada/engine#1' });
  assert.deepEqual(await referring(), ['issue_ref']);
});

test('a repository that the blocker receives loses a blocked collaborator', async (t) => {
  const forge = await startForge(t);
  const { ada, ben } = await adaAndBen(forge);
  await ada.put(`${BLOCK}/ben`);
  const zoe = await forge.account('zoe');
  await zoe.repository('gift');
  await zoe.put('/api/v1/repos/zoe/gift/collaborators/ben');
  await zoe.post('/api/v1/repos/zoe/gift/transfer', { new_owner: 'ada' });

  assert.equal((await ada.post('/api/v1/repos/zoe/gift/transfer/accept')).status, 202);

  assert.equal((await ada.get('/api/v1/repos/ada/gift/collaborators/ben')).status, 404);
  assert.equal((await ben.post('/api/v1/repos/ada/gift/issues', { title: 'x' })).status, 403);
});

test('422: an account blocks a limited number of users', async (t) => {
  const forge = await startForge(t);
  const { ada, ben } = await adaAndBen(forge);
  const [adaId, benId] = [await idOf(ada), await idOf(ben)];
  const { database } = forge.forge.running.engines;
  await database.transaction(async (tx) => {
    const at = Date.now();
    const people = Array.from({ length: BLOCK_LIMITS.blockedPerAccountMax }, (_, index) => index);
    for (let start = 0; start < people.length; start += 500) {
      const made = await tx
        .insertInto('accounts')
        .values(
          people.slice(start, start + 500).map((index) => ({
            kind: 'user' as const,
            name: `u${index}`,
            lower_name: `u${index}`,
            full_name: '',
            email: '',
            lower_email: null,
            password_hash: null,
            last_login_at: null,
            created_at: at,
            updated_at: at,
          })),
        )
        .returning('id')
        .execute();
      await tx
        .insertInto('blocks')
        .values(made.map(({ id }) => ({ blocker_id: adaId, blocked_id: id, created_at: at })))
        .execute();
    }
  });

  const refused = await ada.put(`${BLOCK}/ben`);

  assert.equal(refused.status, 422, refused.text);
  const row = await database.reader
    .selectFrom('blocks')
    .select('blocked_id')
    .where('blocked_id', '=', benId)
    .executeTakeFirst();
  assert.equal(row, undefined);
});

test('only who blocks sees a block in the feed', async (t) => {
  const guild = await startGuild(t);
  const { ada, forge } = guild;
  const [ben, eve] = [await forge.account('ben'), await forge.account('eve')];
  await guild.team('readers', { members: [eve] });
  await ada.put(`${BLOCK}/ben`);
  await ada.put('/api/v1/orgs/guild/block/ben');
  await ada.put(`${UNBLOCK}/ben`);

  const kinds = async (who: Person) => {
    const { body } = await who.get('/api/v1/events?limit=50');
    return body.events
      .map(({ kind, data }: { kind: string; data: Record<string, { login: string }> }) => [
        kind,
        data.blocked?.login,
      ])
      .filter(([kind]: [string]) => kind.includes('block'));
  };
  assert.deepEqual(await kinds(ada), [
    ['account.blocked', 'ben'],
    ['organization.blocked', 'ben'],
    ['account.unblocked', 'ben'],
  ]);
  for (const person of [ben, eve]) assert.deepEqual(await kinds(person), [], person.name);
});

test('concurrent blocks and follows leave no follow behind', async (t) => {
  const forge = await startForge(t);
  const { ada, ben } = await adaAndBen(forge);
  const zoe = await forge.account('zoe');
  await zoe.repository('own');
  const sent = await Promise.all([
    ada.put('/api/v1/user/following/ben'),
    ben.put('/api/v1/user/following/ada'),
    ada.put(`${BLOCK}/ben`),
    ben.put('/api/v1/user/starred/ada/engine'),
    ada.put(`${ENGINE}/collaborators/ben`),
    ben.put(`${ENGINE}/subscription`),
    ben.put(`${BLOCK}/ada`),
  ]);
  for (const { status, text } of sent) assert.ok([200, 204, 403].includes(status), `${status} ${text}`);

  const about = (await ada.get(ENGINE)).body;
  assert.deepEqual([about.stars_count, about.watchers_count], [0, 1]);
  assert.equal((await ada.get(`${ENGINE}/collaborators/ben`)).status, 404);
  for (const person of [ada, ben]) {
    const { followers_count, following_count } = (await person.get('/api/v1/user')).body;
    assert.deepEqual([followers_count, following_count], [0, 0], person.name);
  }
});
