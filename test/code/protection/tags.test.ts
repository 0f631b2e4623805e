import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf } from '../../support/forge/events.ts';
import { cloneFor, ENGINE, startEngine, TAG_PROTECTIONS } from './world.ts';

const TAGS = `${ENGINE}/tags`;

test('only the users of a tag protection create, move and delete its tags', async (t) => {
  const { ada, ben, forge } = await startEngine(t);
  const created = await ada.post(TAG_PROTECTIONS, { name_pattern: 'v*', whitelist_usernames: ['ben'] });
  assert.equal(created.status, 201, created.text);
  const [ofAda, ofBen] = [await cloneFor(t, ada), await cloneFor(t, ben)];
  for (const clone of [ofAda, ofBen]) await clone.git('tag', 'v1');

  await ofAda.requireDenied(/the tag v1 is protected/, 'v1');
  for (const who of [ada, forge.root])
    assert.equal((await who.post(TAGS, { tag_name: 'v1' })).status, 422, 'not even for administrators');
  await ofBen.requireTaken('v1');
  assert.equal((await ada.delete(`${TAGS}/v1`)).status, 422);
  await ofAda.requireDenied(/the tag v1 is protected/, '--delete', 'v1');
  await ofAda.commit('plan.md');
  await ofAda.git('tag', '-f', 'v1');
  await ofAda.requireDenied(/the tag v1 is protected/, '--force', 'v1');
  await ofBen.commit('plan.md');
  await ofBen.git('tag', '-f', 'v1');
  await ofBen.requireTaken('--force', 'v1');
  assert.equal((await ben.delete(`${TAGS}/v1`)).status, 204);
  assert.equal((await ben.post(TAGS, { tag_name: 'v2', message: 'Two' })).status, 201);
  assert.equal((await ada.post(TAGS, { tag_name: 'w1' })).status, 201, 'other tags are free');
});

test('a tag is free for the users of any protection that matches it', async (t) => {
  const { ada, ben } = await startEngine(t);
  await ada.post(TAG_PROTECTIONS, { name_pattern: 'v*', whitelist_usernames: ['ben'] });
  await ada.post(TAG_PROTECTIONS, { name_pattern: 'v1.*', whitelist_usernames: ['ada'] });
  await ada.post(TAG_PROTECTIONS, { name_pattern: 'v9', whitelist_usernames: ['ada'] });
  const make = async (who: typeof ada, name: string) => (await who.post(TAGS, { tag_name: name })).status;
  assert.deepEqual(
    [await make(ada, 'v1.1'), await make(ben, 'v1.2'), await make(ada, 'v2'), await make(ben, 'v2')],
    [201, 201, 422, 201],
  );
  assert.deepEqual([await make(ben, 'v9'), await make(ada, 'V9')], [201, 201]);
});

test('tag protections are listed, read, edited and deleted, with an event for each change', async (t) => {
  const { ada, database } = await startEngine(t);
  const { body: created } = await ada.post(TAG_PROTECTIONS, {
    name_pattern: ' v* ',
    whitelist_usernames: ['ben', 'ada', 'ben'],
  });
  const { id, created_at: at, updated_at: updated, ...fields } = created;
  assert.deepEqual(fields, { name_pattern: 'v*', whitelist_usernames: ['ada', 'ben'], whitelist_teams: [] });
  assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000 && updated === at);
  assert.deepEqual((await ada.get(TAG_PROTECTIONS)).body, [created]);
  assert.deepEqual((await ada.get(`${TAG_PROTECTIONS}/${id}`)).body, created);

  const edited = await ada.patch(`${TAG_PROTECTIONS}/${id}`, {
    name_pattern: 'w*',
    whitelist_usernames: ['ada'],
  });
  assert.deepEqual([edited.status, edited.body.name_pattern], [200, 'w*']);
  assert.deepEqual(edited.body.whitelist_usernames, ['ada']);
  assert.deepEqual((await ada.patch(`${TAG_PROTECTIONS}/${id}`, {})).body.whitelist_usernames, ['ada']);
  assert.equal((await ada.delete(`${TAG_PROTECTIONS}/${id}`)).status, 204);
  assert.equal((await ada.get(`${TAG_PROTECTIONS}/${id}`)).status, 404);
  assert.equal((await ada.delete(`${TAG_PROTECTIONS}/${id}`)).status, 404);
  assert.equal((await ada.patch(`${TAG_PROTECTIONS}/${id}`, {})).status, 404);
  const kinds = (await eventsOf(database, 'protection.')).map(({ kind }) => kind);
  assert.deepEqual(kinds, [
    'protection.created',
    'protection.changed',
    'protection.changed',
    'protection.deleted',
  ]);
});

test('422: a tag protection needs a glob and users or teams that exist', async (t) => {
  const { ada } = await startEngine(t);
  const bad = [
    {},
    { name_pattern: ' ', whitelist_usernames: ['ben'] },
    { name_pattern: 'v*' },
    { name_pattern: 'v*', whitelist_usernames: ['missing'] },
    { name_pattern: 'v*', whitelist_usernames: ['b\0'] },
    { name_pattern: 'v*', whitelist_teams: ['owners'] },
    { name_pattern: 'v[', whitelist_usernames: ['ben'] },
    { name_pattern: '/^v[0-9]+$/', whitelist_usernames: ['ben'] },
    { name_pattern: 'x'.repeat(300), whitelist_usernames: ['ben'] },
    { name_pattern: 'a\nb', whitelist_usernames: ['ben'] },
    { name_pattern: 7, whitelist_usernames: ['ben'] },
  ];
  for (const body of bad) {
    const created = await ada.post(TAG_PROTECTIONS, body);
    assert.equal(created.status, 422, `${JSON.stringify(body)}: ${created.text}`);
  }
  assert.deepEqual((await ada.get(TAG_PROTECTIONS)).body, []);
});

test('403: the same tags are not protected twice; 423: nor those of an archived repository', async (t) => {
  const { ada } = await startEngine(t);
  const wanted = { name_pattern: 'v*', whitelist_usernames: ['ben'] };
  const { body: first } = await ada.post(TAG_PROTECTIONS, wanted);
  assert.equal((await ada.post(TAG_PROTECTIONS, wanted)).status, 403);
  const other = await ada.post(TAG_PROTECTIONS, { ...wanted, name_pattern: 'w*' });
  assert.equal((await ada.patch(`${TAG_PROTECTIONS}/${other.body.id}`, wanted)).status, 403);
  await ada.patch(ENGINE, { archived: true });
  assert.equal((await ada.post(TAG_PROTECTIONS, { ...wanted, name_pattern: 'x' })).status, 423);
  assert.equal((await ada.patch(`${TAG_PROTECTIONS}/${first.id}`, {})).status, 423);
});

test('404: a protection is found only in its own repository, and by its own kind', async (t) => {
  const { ada } = await startEngine(t);
  await ada.repository('other');
  const { body } = await ada.post(TAG_PROTECTIONS, { name_pattern: 'v*', whitelist_usernames: ['ben'] });
  for (const url of ['/api/v1/repos/ada/other/tag_protections', `${ENGINE}/branch_protections`])
    assert.equal((await ada.get(`${url}/${body.id}`)).status, 404);
  for (const id of ['x', '0', '-1', '9'.repeat(30)])
    assert.equal((await ada.get(`${TAG_PROTECTIONS}/${id}`)).status, 404, id);
});
