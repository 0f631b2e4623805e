import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../../src/base/database/database.ts';
import { formerValues, type RecordedEvent } from '../../../src/base/events/model.ts';
import { deleteOldEvents, readEvents } from '../../../src/base/events/store.ts';
import { startForge, type TestForge } from '../../support/forge/forge.ts';

const FAR_AHEAD = Date.UTC(2200, 0, 1);

async function latest(forge: TestForge, kind: string): Promise<RecordedEvent> {
  const { reader } = databaseOf(forge);
  const { events } = await readEvents(reader, { after: 0, limit: 1_000, kinds: [{ name: kind }] });
  const event = events.at(-1);
  assert.ok(event !== undefined, kind);
  return event;
}

function databaseOf(forge: TestForge): Database {
  return forge.forge.running.engines.database;
}

test('an event has the owner and the names of its time, also of a repository that is gone', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { id: repositoryId, owner } = await ada.repository('engine', { auto_init: true });
  await ada.patch('/api/v1/repos/ada/engine', { name: 'analytical' });
  await ada.delete('/api/v1/repos/ada/analytical');
  await forge.root.post('/api/v1/admin/users/ada/rename', { new_username: 'lovelace' });

  const at = { repositoryId, ownerId: owner.id, ownerName: 'ada', actorName: 'ada', actorKind: 'user' };
  const partOf = ({ payload: _p, at: _a, position: _o, kind: _k, actorId: _i, ...rest }: RecordedEvent) =>
    rest;
  const named = (repositoryName: string) => ({ ...at, repositoryName, former: null, accountNames: null });
  assert.deepEqual(partOf(await latest(forge, 'repository.created')), named('engine'));
  assert.deepEqual(partOf(await latest(forge, 'refs.changed')), named('engine'));
  assert.deepEqual(partOf(await latest(forge, 'repository.renamed')), named('analytical'));
  assert.deepEqual(partOf(await latest(forge, 'repository.deleted')), named('analytical'));
});

test('an event without a repository belongs to the account or organization that it is about', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { id } = (await ada.get('/api/v1/user')).body;
  const organization = (await ada.post('/api/v1/orgs', { username: 'engines' })).body;

  const { ownerId, ownerName, repositoryName } = await latest(forge, 'organization.created');
  assert.deepEqual([ownerId, ownerName, repositoryName], [organization.id, 'engines', null]);
  const created = await latest(forge, 'account.created');
  assert.deepEqual([created.ownerId, created.ownerName], [id, 'ada']);
});

test('events of changes have the former values, but neither texts nor addresses', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { description: 'old' });
  await forge.account('ben');
  const at = '/api/v1/repos/ada/engine';
  await ada.patch(at, { description: 'new' });
  await ada.put(`${at}/topics`, { topics: ['math'] });
  await ada.put(`${at}/topics`, { topics: ['brass'] });
  await ada.put(`${at}/collaborators/ben`, { permission: 'read' });
  await ada.put(`${at}/collaborators/ben`, { permission: 'write' });
  await ada.post(`${at}/issues`, { title: 'One', body: 'old text' });
  await ada.patch(`${at}/issues/1`, { title: 'Uno', body: 'new text' });
  const label = (await ada.post(`${at}/labels`, { name: 'bug', color: '#ff0000' })).body;
  await ada.patch(`${at}/labels/${label.id}`, { color: '#00ff00' });
  await forge.root.patch('/api/v1/admin/users/ben', { email: 'new@example.org', full_name: 'Ben' });
  await ada.delete(`${at}/collaborators/ben`);
  await ada.post(`${at}/branch_protections`, { rule_name: 'main', required_approvals: 1 });
  await ada.patch(`${at}/branch_protections/main`, { required_approvals: 2, enable_push: true });
  const milestone = (await ada.post(`${at}/milestones`, { title: 'Soon' })).body;
  await ada.patch(`${at}/milestones/${milestone.id}`, { title: 'Later' });

  const former = async (kind: string) => (await latest(forge, kind)).former;
  assert.deepEqual(await former('repository.changed'), { description: 'old' });
  assert.deepEqual(await former('repository.topics-changed'), { topics: ['math'] });
  assert.deepEqual(await former('collaborator.changed'), { level: 'read' });
  assert.deepEqual(await former('issue.changed'), { title: 'One' });
  assert.deepEqual(Object.keys((await former('label.changed')) ?? {}), ['color']);
  assert.deepEqual(await former('account.changed'), { fullName: '' });
  assert.deepEqual(await former('collaborator.removed'), { level: 'write' });
  assert.deepEqual(await former('protection.changed'), { allowsPush: false, requiredApprovals: 1 });
  assert.deepEqual(await former('milestone.changed'), { title: 'Soon' });
});

test('a field that has no former value is left out', () => {
  assert.deepEqual(formerValues({ name: 'a', color: 'b' }, ['name', 'password']), { name: 'a' });
});

test('an event of an earlier version can still be read', async (t) => {
  const forge = await startForge(t);
  const database = databaseOf(forge);
  await database.transaction((tx) =>
    tx
      .insertInto('events')
      .values({ kind: 'old.kind', actor_id: 1, repository_id: 5, payload: '{"number":3}', created_at: 7 })
      .execute(),
  );

  const { position: _, ...event } = await latest(forge, 'old.kind');
  assert.deepEqual(event, {
    kind: 'old.kind',
    actorId: 1,
    repositoryId: 5,
    payload: { number: 3 },
    at: 7,
    actorKind: 'user',
    actorName: null,
    ownerId: null,
    ownerName: null,
    repositoryName: null,
    former: null,
    accountNames: null,
  });
});

test('the log remembers up to which position its events are deleted', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const database = databaseOf(forge);
  forge.stopAfterTest();
  const { position } = await latest(forge, 'repository.created');

  await database.transaction((tx) => tx.deleteFrom('event_readers').execute());
  await database.transaction((tx) => deleteOldEvents(tx, FAR_AHEAD));

  const row = await database.reader.selectFrom('event_log').selectAll().executeTakeFirst();
  assert.deepEqual(row, { id: 1, deleted_to: position });
});
