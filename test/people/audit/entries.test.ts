import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { AUDIT_LOG_LIMITS } from '../../../src/base/audit/limits.ts';
import { recordAudits } from '../../../src/base/audit/store.ts';
import { AUDIT_LIMITS } from '../../../src/people/audit/limits.ts';
import { listEntries } from '../../../src/people/audit/store.ts';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { startGuild } from '../../support/forge/organizations.ts';
import { type Entry, entriesOf } from './entries.ts';

const DAY_MS = 24 * 60 * 60_000;
const actions = (entries: readonly Entry[]) => entries.map(({ action }: Entry) => action);

/** Records entries as the server does, all at one time. */
async function record(forge: TestForge, count: number, action = 'account.changed'): Promise<void> {
  const { database } = forge.forge.running.engines;
  const entries = Array.from({ length: count }, (_, index) => ({
    action,
    actorId: null,
    actorKind: 'system' as const,
    target: { kind: 'cron-task' as const, id: index, name: `target ${index}` },
    ownerId: null,
    repositoryId: null,
    details: {},
  }));
  await database.transaction((tx) => recordAudits(tx, entries));
}

test('only site administrators read the audit log of the site, with a token for administration', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const url = '/api/v1/admin/audit';

  const statuses = [
    (await forge.get(url)).status,
    (await ada.get(url)).status,
    (await forge.send('GET', url, { as: { token: await forge.root.tokenFor(['write:user']) } })).status,
    (await forge.send('GET', url, { as: { token: await forge.root.tokenFor(['public-only', 'all']) } }))
      .status,
    (await forge.send('GET', url, { as: { token: await forge.root.tokenFor(['read:admin']) } })).status,
  ];

  assert.deepEqual(statuses, [401, 403, 403, 403, 200]);
});

test('an entry has the actor, the credential, the address, the request and the administrator who acts', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const token = await forge.root.tokenFor(['all']);
  const headers = { sudo: 'ada' };

  const as = { token };
  const created = await forge.send('POST', '/api/v1/user/repos', { as, headers, json: { name: 'engine' } });

  const [entry] = await entriesOf(forge, '&action=repository.created');
  const [made] = await entriesOf(forge, '&action=token.created');
  assert.deepEqual(entry.actor, { kind: 'user', id: entry.actor.id, login: 'ada' });
  assert.equal(entry.administrator.login, 'root');
  assert.deepEqual(entry.credential, { kind: 'token', id: made.target.id });
  assert.match(entry.address, /^(?:::ffff:)?127\.0\.0\.1$/);
  assert.equal(entry.request_id, created.headers.get('x-request-id'));
  assert.deepEqual(entry.target, { kind: 'repository', id: created.body.id, name: 'ada/engine' });
  const [own] = (await ada.get('/api/v1/user/audit?action=repository.created')).body.entries;
  assert.deepEqual([own.administrator.login, own.address, own.request_id], ['root', null, null]);
});

test('entries are filtered by actor, target, action and time, and paged from the newest to the oldest', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await ada.patch('/api/v1/repos/ada/engine', { private: true });
  await forge.root.patch('/api/v1/repos/ada/engine', { private: false });

  const target = '&target=ADA%2Fengine';
  const changes = ['repository.changed', 'repository.visibility-changed'];
  assert.deepEqual(actions(await entriesOf(forge, target)), [...changes, ...changes, 'repository.created']);
  assert.deepEqual(actions(await entriesOf(forge, `${target}&actor=Root`)), changes);
  assert.deepEqual(actions(await entriesOf(forge, `${target}&actor=root&action=repository.changed`)), [
    'repository.changed',
  ]);
  assert.deepEqual(await entriesOf(forge, '&target=ada'.concat('&until=2001-01-01T00:00:00Z')), []);
  assert.deepEqual(await entriesOf(forge, '&since=2999-01-01T00:00:00Z'), []);
  const all = await entriesOf(forge);
  const paged: Entry[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await forge.root.get(`/api/v1/admin/audit?limit=2&cursor=${cursor}`);
    assert.ok(body.entries.length <= 2);
    paged.push(...body.entries);
    cursor = body.cursor;
  }
  assert.deepEqual(paged, all);
});

test('422: a malformed time or cursor', async (t) => {
  const forge = await startForge(t);
  for (const query of ['since=yesterday', 'until=2026-13-01T00:00:00Z', 'cursor=x', 'cursor=1-2-3'])
    assert.equal((await forge.root.get(`/api/v1/admin/audit?${query}`)).status, 422, query);
});

test('a page of several conditions ends after a number of entries, and the next one continues', async (t) => {
  const forge = await startForge(t);
  await record(forge, 1, 'token.created');
  for (let left = AUDIT_LIMITS.auditEntriesScannedMax; left > 0; left -= 1_000) await record(forge, 1_000);
  const query = 'target=target%200&action=token.created';
  const found: Entry[] = [];
  const request = { filter: { action: 'account.changed', ownerId: 1 }, limit: 10 };

  const { body } = await forge.root.get(`/api/v1/admin/audit?${query}`);
  found.push(...body.entries);

  assert.deepEqual([found.length, body.cursor], [1, null]);
  const { database } = forge.forge.running.engines;
  await database.transaction((tx) => tx.updateTable('audit_entries').set({ owner_id: 1 }).execute());
  const page = await listEntries(database.reader, { ...request, filter: { action: 'x', ownerId: 1 } });
  assert.deepEqual(page.entries, []);
  assert.notEqual(page.next, null);
  const next = { ...request, filter: { action: 'x', ownerId: 1 }, after: page.next ?? undefined };
  assert.equal((await listEntries(database.reader, next)).next, null);
});

test('each filter finds its page by an index, without sorting', async (t) => {
  const forge = await startForge(t);
  const { database } = forge.forge.running.engines;
  if (database.dialect !== 'sqlite')
    return t.skip('PostgreSQL chooses by statistics, which a small table lacks');
  for (const [index, condition] of [
    ['audit_entries_time', '1 = 1'],
    ['audit_entries_actor', `lower(e.actor_name) = lower('Ada')`],
    ['audit_entries_target', `lower(e.target_name) = lower('Ada')`],
    ['audit_entries_action', `e.action = 'token.created'`],
    ['audit_entries_owner', 'e.owner_id = 1'],
  ]) {
    const { rows } = await sql
      .raw<{ detail: string }>(
        `explain query plan select * from audit_entries e indexed by ${index} where ${condition}
          and e.created_at <= 5 and (e.created_at < 5 or e.id < 7) order by e.created_at desc, e.id desc limit 50`,
      )
      .execute(database.reader);
    const plan = rows.map(({ detail }) => detail).join('; ');
    assert.match(plan, new RegExp(`SEARCH e USING INDEX ${index} .*created_at<`), plan);
    assert.doesNotMatch(plan, /TEMP B-TREE/);
  }
});

test('an owner of an organization reads what happened to it and its repositories, not from where others work', async (t) => {
  const { forge, ada } = await startGuild(t);
  const ben = await forge.account('ben');
  const repository = await ada.post('/api/v1/orgs/guild/repos', { name: 'engine', private: true });
  await ada.put('/api/v1/repos/guild/engine/collaborators/ben', { permission: 'admin' });
  await ben.patch('/api/v1/repos/guild/engine', { private: false });
  await ada.repository('own');

  const { status, body } = await ada.get('/api/v1/orgs/guild/audit');

  assert.equal(status, 200);
  const [byBen, , byAda] = body.entries;
  assert.deepEqual(actions(body.entries).slice(0, 4), [
    'repository.changed',
    'repository.visibility-changed',
    'collaborator.changed',
    'repository.created',
  ]);
  assert.deepEqual([byBen.actor.login, byBen.address, byBen.credential.id], ['ben', null, null]);
  assert.notEqual(byAda.address, null);
  assert.equal(byBen.repository.id, repository.body.id);
  assert.ok(!JSON.stringify(body).includes('ada/own'));
  assert.equal((await ben.get('/api/v1/orgs/guild/audit')).status, 403);
  assert.equal((await forge.root.get('/api/v1/orgs/guild/audit')).status, 200);
});

test('a token that is limited to repositories reads no entries of its account', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const json = { name: 'limited', scopes: ['all'], repositories: ['ada/engine'] };
  const as = { name: 'ada', password: ada.password };
  const { body } = await forge.send('POST', '/api/v1/users/ada/tokens', { as, json });

  const limited = await forge.send('GET', '/api/v1/user/audit', { as: { token: body.sha1 } });

  assert.equal(limited.status, 403);
});

test('names stay readable after what they name was renamed and deleted', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await ada.delete('/api/v1/repos/ada/engine');
  await forge.root.post('/api/v1/admin/users/ada/rename', { new_username: 'lovelace' });
  await forge.root.delete('/api/v1/admin/users/lovelace');

  const byAda = await entriesOf(forge, '&actor=ada');
  const [deleted] = await entriesOf(forge, '&target=lovelace&action=account.deleted');

  assert.ok(actions(byAda).includes('repository.deleted'));
  assert.equal(byAda.find(({ action }) => action === 'repository.deleted').target.name, 'ada/engine');
  assert.deepEqual([deleted.actor.login, deleted.target.name], ['root', 'lovelace']);
});

test('a start with other settings leaves an entry with what has changed, without secrets', async (t) => {
  const settings = {
    auditDays: '30',
    mail: 'smtp://127.0.0.1:25',
    mailUser: 'the-user',
    mailPassword: 'the-secret',
  };
  const forge = await startForge(t, { settings });
  const { auditLog } = forge.forge.running.services;
  const entries = () => entriesOf(forge, '&action=settings.changed');
  const [first, ...others] = await entries();
  const known = first.details.settings;

  await auditLog.recordSettings(known);
  assert.equal((await entries()).length, 1);
  await auditLog.recordSettings({ ...known, auditDays: '60' });
  const [changed] = await entries();

  assert.deepEqual([others, known.auditDays, known.mail], [[], '30', 'smtp://127.0.0.1:25']);
  assert.deepEqual(changed.details.changed, ['audit_days']);
  assert.deepEqual(
    [changed.details.former, changed.details.new],
    [{ audit_days: '30' }, { audit_days: '60' }],
  );
  assert.deepEqual([changed.actor.kind, changed.target.kind], ['system', 'site']);
  assert.ok(!JSON.stringify([first, changed]).includes('the-'));
});

test('a change that is undone leaves no entry', async (t) => {
  const forge = await startForge(t);
  await forge.root.post('/api/v1/orgs', { username: 'guild' });
  const ada = await forge.account('ada', { admin: true });
  const { body: teams } = await forge.root.get('/api/v1/orgs/guild/teams');
  await forge.root.put(`/api/v1/teams/${teams[0].id}/members/ada`);
  await forge.root.post('/api/v1/orgs/guild/teams', { name: 'writers' });
  await forge.root.patch('/api/v1/admin/users/ada', { login_name: 'ada', source_id: 0, admin: false });
  const before = await entriesOf(forge);

  // Root leaves the organization first, and only then proves to be the last administrator.
  const { services } = forge.forge.running;
  const root = await services.accounts.findByName('root');
  await assert.rejects(
    services.accounts.deleteUser('operator', root?.name ?? '', { purge: true }),
    /last site administrator/,
  );

  assert.deepEqual((await entriesOf(forge)).length, before.length);
  assert.equal((await ada.get('/api/v1/orgs/guild')).status, 200);
});

test('entries are deleted after the time of the setting, however many there are', async (t) => {
  const forge = await startForge(t, { settings: { auditDays: '30' } });
  const { running } = forge.forge;
  const { database } = running.engines;
  const many = AUDIT_LOG_LIMITS.entriesDeletedAtOnceMax + 1;
  for (let left = many; left > 0; left -= 500) await record(forge, Math.min(left, 500), 'old');
  const old = Date.now() - 30 * DAY_MS - 1;
  await database.transaction((tx) => tx.updateTable('audit_entries').set({ created_at: old }).execute());
  await record(forge, 1, 'young');

  await running.services.jobs.runDue({ aheadMs: AUDIT_LIMITS.auditDeleteEveryMs + 1 });

  const rows = await database.reader.selectFrom('audit_entries').select('action').execute();
  assert.deepEqual(
    rows.filter(({ action }) => action !== 'cron-task.requested').map(({ action }) => action),
    ['young'],
  );
});
