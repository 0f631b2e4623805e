import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QUOTA_LIMITS } from '../../../src/hosting/quota/limits.ts';
import { eventsOf } from '../../support/forge/events.ts';
import { startForge } from '../../support/forge/forge.ts';
import { GROUPS, RULES } from './groups.ts';

const GIT = { name: 'git', limit: 1000, subjects: ['size:repos:all'] };

test('site administrators create, read, change and delete rules', async (t) => {
  const forge = await startForge(t);
  const { root } = forge;
  const made = await root.post(RULES, GIT);
  assert.deepEqual([made.status, made.body], [201, GIT]);
  const unlimited = await root.post(RULES, { name: 'all', subjects: ['size:all'] });
  assert.equal(unlimited.body.limit, -1, 'a rule without a limit limits nothing');

  assert.deepEqual((await root.get(`${RULES}/git`)).body, GIT);
  assert.deepEqual((await root.get(RULES)).body, [unlimited.body, GIT]);
  const changed = await root.patch(`${RULES}/git`, { limit: 0 });
  assert.deepEqual([changed.status, changed.body], [200, { ...GIT, limit: 0 }]);
  const widened = await root.patch(`${RULES}/git`, { subjects: ['size:git:all', 'size:assets:wiki'] });
  assert.deepEqual(widened.body.subjects, ['size:git:all', 'size:assets:wiki']);
  assert.equal((await root.delete(`${RULES}/git`)).status, 204);
  assert.equal((await root.get(`${RULES}/git`)).status, 404);

  const events = await eventsOf(forge.forge.running.engines.database, 'quota.rule-changed');
  assert.deepEqual(
    events.map((event) => Reflect.get(event, 'bytesMax')),
    [1000, -1, 0, 0, null],
  );
});

test('groups have rules, which several groups may share, and accounts, also organizations', async (t) => {
  const forge = await startForge(t);
  const { root } = forge;
  const ada = await forge.account('ada');
  await ada.post('/api/v1/orgs', { username: 'guild' });
  await root.post(RULES, GIT);
  const lfs = { name: 'lfs', limit: 5, subjects: ['size:git:lfs'] };

  const made = await root.post(GROUPS, { name: 'small', rules: [{ name: 'git', limit: 7 }, lfs] });

  assert.deepEqual(
    [made.status, made.body],
    [201, { name: 'small', rules: [GIT, lfs] }],
    'git exists already',
  );
  await root.post(GROUPS, { name: 'empty' });
  assert.deepEqual((await root.get(GROUPS)).body, [{ name: 'empty', rules: [] }, made.body]);
  assert.equal((await root.put(`${GROUPS}/empty/rules/git`)).status, 204);
  assert.equal((await root.put(`${GROUPS}/empty/rules/git`)).status, 409);
  assert.deepEqual((await root.get(`${GROUPS}/empty`)).body.rules, [GIT]);
  const removed = await root.delete(`${GROUPS}/empty/rules/git`);
  assert.deepEqual([removed.status, removed.text], [201, '']);
  assert.equal((await root.delete(`${GROUPS}/empty/rules/git`)).status, 404);

  for (const name of ['ada', 'guild'])
    assert.equal((await root.put(`${GROUPS}/small/users/${name}`)).status, 204, name);
  assert.equal((await root.put(`${GROUPS}/small/users/ada`)).status, 409);
  const members = async () =>
    (await root.get(`${GROUPS}/small/users`)).body.map(({ login }: { login: string }) => login);
  assert.deepEqual(await members(), ['ada', 'guild']);
  assert.equal((await root.delete(`${GROUPS}/small/users/guild`)).status, 204);
  assert.equal((await root.delete(`${GROUPS}/small/users/guild`)).status, 404);
  assert.deepEqual(await members(), ['ada']);

  const set = await root.post('/api/v1/admin/users/ada/quota/groups', { groups: ['empty'] });
  assert.deepEqual([set.status, await members()], [204, []]);
  const quota = await root.get('/api/v1/admin/users/ada/quota');
  assert.deepEqual(quota.body.groups, [{ name: 'empty', rules: [] }]);
  await root.delete(`${RULES}/lfs`);
  assert.deepEqual((await root.get(`${GROUPS}/small`)).body.rules, [GIT]);
  assert.equal((await root.delete(`${GROUPS}/small`)).status, 204);
  assert.equal((await root.get(`${RULES}/git`)).status, 200, 'the rules of a deleted group remain');
});

test('the name of an account follows a group, and a deleted account leaves it', async (t) => {
  const forge = await startForge(t);
  const { root } = forge;
  await forge.account('ada');
  await root.post(GROUPS, { name: 'small' });
  await root.put(`${GROUPS}/small/users/ada`);
  await root.post('/api/v1/admin/users/ada/rename', { new_username: 'eve' });
  assert.equal((await root.get(`${GROUPS}/small/users`)).body[0].login, 'eve');
  assert.equal((await root.delete('/api/v1/admin/users/eve')).status, 204);
  assert.deepEqual((await root.get(`${GROUPS}/small/users`)).body, []);
});

test('bad rules and groups: 422, 409 and 404, and nothing is half done', async (t) => {
  const forge = await startForge(t);
  const { root } = forge;
  await forge.account('ada');
  await root.post(RULES, GIT);
  await root.post(GROUPS, { name: 'small' });
  const long = 'x'.repeat(QUOTA_LIMITS.quotaNameCharsMax + 1);
  for (const bad of [
    { ...GIT, name: '' },
    { ...GIT, name: long },
    { ...GIT, name: 'a\nb' },
    { ...GIT, name: 'x', limit: -2 },
    { ...GIT, name: 'x', limit: 1.5 },
    { ...GIT, name: 'x', limit: 2 ** 53 },
    { ...GIT, name: 'x', limit: 2 ** 63 },
    { ...GIT, name: 'x', subjects: [] },
    { ...GIT, name: 'x', subjects: ['size:none'] },
    { ...GIT, name: 'x', subjects: ['size:all', 'size:all'] },
    { name: 'x', limit: 1 },
    {},
  ])
    assert.equal((await root.post(RULES, bad)).status, 422, JSON.stringify(bad).slice(0, 80));
  assert.equal((await root.post(RULES, GIT)).status, 409);
  assert.equal((await root.patch(`${RULES}/git`, { limit: -2 })).status, 422);
  assert.equal((await root.patch(`${RULES}/git`, { limit: 2 ** 53 })).status, 422);
  assert.equal((await root.patch(`${RULES}/git`, { limit: 2 ** 53 - 1 })).body.limit, 2 ** 53 - 1);
  assert.equal((await root.get(`${RULES}/git`)).body.limit, 2 ** 53 - 1);
  await root.patch(`${RULES}/git`, { limit: GIT.limit });
  assert.equal((await root.patch(`${RULES}/git`, { subjects: [] })).status, 422);
  assert.equal((await root.patch(`${RULES}/none`, { limit: 1 })).status, 404);
  assert.equal((await root.post(GROUPS, { name: 'small' })).status, 409);
  const half = [
    { name: 'new', limit: 1, subjects: ['size:all'] },
    { name: 'bad', subjects: ['size:none'] },
  ];
  assert.equal((await root.post(GROUPS, { name: 'half', rules: half })).status, 422);
  assert.equal((await root.get(`${GROUPS}/half`)).status, 404);
  assert.equal((await root.get(`${RULES}/new`)).status, 404);
  for (const path of ['none/rules/git', 'small/rules/none', 'none/users/ada', 'small/users/none'])
    assert.equal((await root.put(`${GROUPS}/${path}`)).status, 404, path);
  assert.equal((await root.get(`${GROUPS}/none/users`)).status, 404);
  const groups = '/api/v1/admin/users/ada/quota/groups';
  await root.post(groups, { groups: ['small'] });
  assert.equal((await root.post(groups, { groups: ['none'] })).status, 422);
  assert.equal((await root.post(groups, {})).status, 422);
  assert.equal((await root.get(`${GROUPS}/small/users`)).body.length, 1);
  assert.deepEqual((await root.get(RULES)).body, [GIT]);
});

test('403: other users neither read nor change rules and groups', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  for (const send of [
    () => ada.get(RULES),
    () => ada.get(GROUPS),
    () => ada.post(RULES, GIT),
    () => ada.put(`${GROUPS}/small/users/ada`),
    () => ada.get('/api/v1/admin/users/ada/quota'),
    () => ada.post('/api/v1/admin/users/ada/quota/groups', { groups: [] }),
  ])
    assert.equal((await send()).status, 403);
  assert.equal((await forge.get(RULES)).status, 401);
});
