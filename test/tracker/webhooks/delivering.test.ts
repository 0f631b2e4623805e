import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { WEBHOOK_LIMITS } from '../../../src/tracker/webhooks/limits.ts';
import { eventsOf } from '../../support/forge/events.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { until } from '../../support/until.ts';
import {
  ALLOWED,
  addHook,
  delivered,
  HOOKS,
  hurry,
  onlyOf,
  type Received,
  startReceiver,
} from './receiver.ts';

const ENGINE = '/api/v1/repos/ada/engine';
const DAY_MS = 24 * 60 * 60_000;

async function startAda(t: Parameters<typeof startForge>[0], options: object = ALLOWED) {
  const forge = await startForge(t, options);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  return { forge, ada };
}

function open(ada: Person, title: string) {
  return ada.post(`${ENGINE}/issues`, { title });
}

const titles = (received: readonly Received[]) => received.map(({ body }) => body.issue.title);

function hookRow({ forge }: TestForge) {
  return forge.running.engines.database.reader.selectFrom('webhooks').selectAll().executeTakeFirstOrThrow();
}

/** Moves the times of failures into the past. */
async function age({ forge }: TestForge, ms: number): Promise<void> {
  await forge.running.engines.database.transaction(async (tx) => {
    await tx
      .updateTable('webhooks')
      .set((row) => ({
        waiting_since: row('waiting_since', '-', ms),
        failing_since: row('failing_since', '-', ms),
      }))
      .execute();
  });
}

test('a failed delivery is tried again with growing pauses, under the same id, and later ones wait for it', async (t) => {
  let isBroken = true;
  const receiver = await startReceiver(t, (_, response) => {
    response.writeHead(isBroken ? 500 : 200).end('sorry');
  });
  const { forge, ada } = await startAda(t);
  const { id } = await addHook(ada, receiver.url, { events: ['issues'] });
  for (const title of ['One', 'Two', 'Three']) await open(ada, title);
  await delivered(forge);
  const pauses: number[] = [];
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const { retry_at: retryAt, attempts } = await hookRow(forge);
    assert.equal(attempts, attempt);
    pauses.push(Math.round((Number(retryAt) - Date.now()) / WEBHOOK_LIMITS.retryMsMin));
    await hurry(forge);
    await delivered(forge);
  }
  assert.deepEqual(pauses, [1, 2, 4]);
  assert.deepEqual(titles(receiver.received), Array(4).fill('One'));
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['x-gitea-delivery'])).size, 1);
  const { body: waiting } = await ada.get(`${HOOKS}/${id}/deliveries`);
  assert.deepEqual(
    waiting.map(({ state, attempts, error }: Record<string, unknown>) => [state, attempts, error]),
    [['waiting', 4, 'the receiver answered with status 500']],
  );
  const { metadata } = (await ada.get(`${HOOKS}/${id}`)).body;
  assert.notEqual(metadata.failing_since, null);
  assert.equal(metadata.last_error, 'the receiver answered with status 500');
  isBroken = false;
  await hurry(forge);
  await delivered(forge);
  assert.deepEqual(titles(receiver.received.slice(4)), ['One', 'Two', 'Three']);
  const { failing_since: failingSince, due_at: dueAt, last_error: error } = await hookRow(forge);
  assert.deepEqual([failingSince, dueAt, error], [null, null, '']);
});

test('a delivery is given up after three days, and the next one is tried', async (t) => {
  const receiver = await startReceiver(t, ({ body }, response) => {
    response.writeHead(body.issue.title === 'One' ? 500 : 200).end();
  });
  const { forge, ada } = await startAda(t);
  const { id } = await addHook(ada, receiver.url, { events: ['issues'] });
  for (const title of ['One', 'Two']) await open(ada, title);
  await delivered(forge);
  await age(forge, WEBHOOK_LIMITS.retriedMs);
  await hurry(forge);
  await delivered(forge);
  assert.deepEqual(titles(receiver.received), ['One', 'One', 'Two']);
  const { body } = await ada.get(`${HOOKS}/${id}/deliveries`);
  assert.deepEqual(
    body.map(({ state }: { state: string }) => state),
    ['delivered', 'failed'],
  );
});

test('a webhook that fails for a week is made inactive, which an event and its record report', async (t) => {
  const receiver = await startReceiver(t, (_, response) => void response.writeHead(503).end());
  const { forge, ada } = await startAda(t);
  const { id } = await addHook(ada, receiver.url, { events: ['issues'] });
  await open(ada, 'One');
  await delivered(forge);
  const { database } = forge.forge.running.engines;
  await database.transaction((tx) =>
    tx
      .updateTable('webhooks')
      .set({ failing_since: Date.now() - WEBHOOK_LIMITS.failingMsMax - DAY_MS })
      .execute(),
  );
  await hurry(forge);
  await delivered(forge);
  const { body: stopped } = await ada.get(`${HOOKS}/${id}`);
  assert.equal(stopped.active, false);
  assert.notEqual(stopped.metadata.stopped_at, null);
  assert.deepEqual(await eventsOf(database, 'webhook.stopped'), [
    { kind: 'webhook.stopped', actor: null, hookId: id, reason: 'the receiver answered with status 503' },
  ]);
  const { body: feed } = await ada.get(`${ENGINE}/events`);
  assert.equal(feed.events.at(-1).kind, 'webhook.stopped');
  await open(ada, 'Two');
  await delivered(forge);
  assert.equal(receiver.received.length, 2);
  // It begins with the next event. Earlier ones can be requested.
  await ada.patch(`${HOOKS}/${id}`, { active: true });
  await delivered(forge);
  assert.equal(receiver.received.length, 2);
  assert.equal((await ada.get(`${HOOKS}/${id}`)).body.metadata.stopped_at, null);
});

test('a delivery can be repeated by hand under its id, and all since a time, in their order', async (t) => {
  const receiver = await startReceiver(t);
  const { forge, ada } = await startAda(t);
  const { id } = await addHook(ada, receiver.url, { events: ['issues'] });
  const start = new Date(Date.now() - 60_000).toISOString();
  for (const title of ['One', 'Two', 'Three']) await open(ada, title);
  await delivered(forge);
  const { body: deliveries } = await ada.get(`${HOOKS}/${id}/deliveries`);
  const [, second] = deliveries;
  assert.equal((await ada.post(`${HOOKS}/${id}/deliveries/${second.id}/redeliver`)).status, 202);
  await delivered(forge);
  assert.deepEqual(titles(receiver.received), ['One', 'Two', 'Three', 'Two']);
  assert.equal(receiver.received[3]?.headers['x-gitea-delivery'], second.uuid);
  const { body: again } = await ada.get(`${HOOKS}/${id}/deliveries/${second.id}`);
  assert.deepEqual([again.state, again.attempts], ['delivered', 2]);
  const since = (time: string) =>
    ada.post(`${HOOKS}/${id}/deliveries/redeliver?since=${encodeURIComponent(time)}`);
  assert.equal((await since(start)).status, 202);
  await delivered(forge);
  assert.deepEqual(titles(receiver.received.slice(4)), ['One', 'Two', 'Three']);
  const ids = (part: readonly Received[]) => part.map(({ headers }) => headers['x-gitea-delivery']);
  assert.deepEqual(ids(receiver.received.slice(4)), ids(receiver.received.slice(0, 3)));
  assert.equal((await since(new Date(Date.now() + 60_000).toISOString())).status, 202);
  await delivered(forge);
  assert.equal(receiver.received.length, 7);
  assert.equal((await since('yesterday')).status, 422);
  assert.equal((await ada.post(`${HOOKS}/${id}/deliveries/redeliver`)).status, 422);
});

test('a delivery is kept with its request, its response and its duration, each cut off at a limit', async (t) => {
  const receiver = await startReceiver(t, (_, response) => {
    response.writeHead(201, { 'content-type': 'text/plain' }).end('x'.repeat(1 << 20));
  });
  const { forge, ada } = await startAda(t);
  const { id } = await addHook(ada, receiver.url, { events: ['issues'], config: { secret: 's' } });
  await ada.post(`${ENGINE}/issues`, { title: 'Long', body: 'y'.repeat(WEBHOOK_LIMITS.requestCharsKeptMax) });
  await delivered(forge);
  const [{ id: first }] = (await ada.get(`${HOOKS}/${id}/deliveries`)).body;
  const { body } = await ada.get(`${HOOKS}/${id}/deliveries/${first}`);
  const sent = onlyOf(receiver.received);
  assert.deepEqual([body.event, body.state, body.attempts, body.error], ['issues', 'delivered', 1, '']);
  assert.equal(body.uuid, sent.headers['x-gitea-delivery']);
  assert.ok(body.duration_ms >= 0);
  assert.equal(body.request.body, sent.text.slice(0, WEBHOOK_LIMITS.requestCharsKeptMax));
  assert.equal(body.request.headers['x-hub-signature-256'], sent.headers['x-hub-signature-256']);
  assert.deepEqual([body.request.method, body.request.url], ['POST', receiver.url]);
  assert.equal(body.response.status, 201);
  assert.equal(body.response.body, 'x'.repeat(WEBHOOK_LIMITS.responseCharsKeptMax));
  assert.equal(body.response.headers['content-type'], 'text/plain');
});

test('deliveries are kept for 30 days, and a bounded number of each webhook', async (t) => {
  const receiver = await startReceiver(t);
  const { forge, ada } = await startAda(t);
  const { id } = await addHook(ada, receiver.url, { events: ['issues'] });
  const { database } = forge.forge.running.engines;
  const kept = WEBHOOK_LIMITS.deliveriesKeptPerHookMax;
  await database.transaction(async (tx) => {
    const rows = Array.from({ length: kept }, (_, number) => ({
      hook_id: id,
      uuid: `old ${number}`,
      part: 0,
      event: 'push',
      state: 'delivered' as const,
      attempts: 1,
      created_at: number < 3 ? 1 : Date.now(),
      error: '',
    }));
    await tx.insertInto('webhook_deliveries').values(rows).execute();
  });
  const count = async () => Number((await ada.get(`${HOOKS}/${id}/deliveries`)).headers.get('x-total-count'));
  await open(ada, 'One');
  await delivered(forge);
  assert.equal(await count(), kept);
  await forge.forge.running.services.jobs.runDue({ aheadMs: WEBHOOK_LIMITS.oldDeliveriesLookedForEveryMs });
  assert.equal(await count(), kept - 2);
});

test('H10: a receiver that hangs, answers without end or ends early delays no other webhook', async (t) => {
  const hanging: ServerResponse[] = [];
  const slow = await startReceiver(t, (_, response) => void hanging.push(response));
  const endless = await startReceiver(t, (_, response) => {
    response.writeHead(200);
    const chunk = Buffer.alloc(1 << 20, 'x');
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', more);
    more();
  });
  const early = await startReceiver(t, (_, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('only this');
    response.socket?.end();
  });
  const good = await startReceiver(t);
  const { ada } = await startAda(t);
  const options = { events: ['issues'] };
  const hooks = new Map<string, number>();
  for (const [name, { url }] of Object.entries({ slow, endless, early, good }))
    hooks.set(name, (await addHook(ada, url, options)).id);
  for (const title of ['One', 'Two']) await open(ada, title);
  await until(
    () => good.received.length === 2 && early.received.length === 2 && endless.received.length === 2,
  );
  assert.equal(hanging.length, 1);
  assert.deepEqual(titles(slow.received), ['One']);
  const last = async (name: string) => (await ada.get(`${HOOKS}/${hooks.get(name)}/deliveries`)).body[0];
  await until(async () => (await last('slow'))?.state === 'waiting');
  assert.equal((await last('slow')).error, 'the receiver took too long');
  const responses = await Promise.all(['endless', 'early'].map(last));
  assert.deepEqual(
    responses.map(({ state, response }) => [state, response.body.length]),
    [
      ['delivered', WEBHOOK_LIMITS.responseCharsKeptMax],
      ['delivered', 'only this'.length],
    ],
  );
});

test('E1: redirects of receivers to addresses that are not allowed are not followed', async (t) => {
  const inner = await startReceiver(t);
  const outer = await startReceiver(t, (_, response) => {
    response.writeHead(307, { location: `http://127.0.0.2:${inner.port}/secret` }).end();
  });
  const { forge, ada } = await startAda(t);
  const { id } = await addHook(ada, outer.url, { events: ['issues'] });
  await open(ada, 'One');
  await delivered(forge);
  assert.equal(inner.received.length, 0);
  const [delivery] = (await ada.get(`${HOOKS}/${id}/deliveries`)).body;
  assert.deepEqual([delivery.state, delivery.error], ['waiting', 'this site does not connect to this host']);
});

test('E1: a name of a receiver that resolves to an internal address later is denied then', async (t) => {
  const receiver = await startReceiver(t);
  let address = '127.0.0.1';
  const { forge, ada } = await startAda(t, {
    settings: { outboundAllow: '127.0.0.1' },
    resolveHost: async () => [address],
  });
  const { id } = await addHook(ada, `http://hooks.example.org:${receiver.port}/hook`, { events: ['issues'] });
  await open(ada, 'One');
  await delivered(forge);
  address = '127.0.0.2';
  await open(ada, 'Two');
  await delivered(forge);
  assert.deepEqual(titles(receiver.received), ['One']);
  const [delivery] = (await ada.get(`${HOOKS}/${id}/deliveries`)).body;
  assert.deepEqual([delivery.state, delivery.error], ['waiting', 'this site does not connect to this host']);
});

test('H10: payloads are what the last one who changed the webhook may see: without access, nothing is delivered', async (t) => {
  const receiver = await startReceiver(t);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  const ben = await forge.account('ben');
  await ada.repository('engine', { auto_init: true, private: true });
  const collaborate = (permission: string) => ada.put(`${ENGINE}/collaborators/ben`, { permission });
  await collaborate('admin');
  const { id } = await addHook(ben, receiver.url, { events: ['issues', 'push'] });
  await open(ada, 'One');
  await delivered(forge);
  assert.equal((await ada.delete(`${ENGINE}/collaborators/ben`)).status, 204);
  await open(ada, 'Two');
  await delivered(forge);
  assert.deepEqual(titles(receiver.received), ['One']);
  await ada.patch(`${HOOKS}/${id}`, { active: true });
  await open(ada, 'Three');
  await delivered(forge);
  assert.deepEqual(titles(receiver.received), ['One', 'Three']);
  // An account that may not sign in sees nothing.
  await forge.root.patch('/api/v1/admin/users/ada', {
    prohibit_login: true,
    login_name: 'ada',
    source_id: 0,
  });
  await forge.root.post(`${ENGINE}/issues`, { title: 'Four' });
  await delivered(forge);
  assert.deepEqual(titles(receiver.received), ['One', 'Three']);
});

test('events cost the same while a receiver is down, however many wait', async (t) => {
  let isBroken = true;
  const receiver = await startReceiver(
    t,
    (_, response) => void response.writeHead(isBroken ? 500 : 204).end(),
  );
  const { forge, ada } = await startAda(t);
  await addHook(ada, receiver.url, { events: ['issues'] });
  await open(ada, 'First');
  // The webhook does not want it, so it reads more events at once than it delivers.
  await ada.post(`${ENGINE}/issues/1/comments`, { body: 'Hello' });
  await delivered(forge);
  const { database } = forge.forge.running.engines;
  const count = async () => {
    const rows = await database.reader.selectFrom('webhook_deliveries').select('id').execute();
    const jobs = await database.reader
      .selectFrom('jobs')
      .select('id')
      .where('kind', 'like', 'webhooks.del%')
      .execute();
    return [rows.length, jobs.length];
  };
  const before = await count();
  const many = 120;
  for (let number = 1; number <= many; number += 1) await open(ada, `Issue ${number}`);
  await delivered(forge);
  assert.deepEqual(await count(), before);
  isBroken = false;
  receiver.received.splice(0);
  await hurry(forge);
  await delivered(forge);
  const expected = Array.from({ length: many }, (_, number) => `Issue ${number + 1}`);
  assert.deepEqual(titles(receiver.received), ['First', ...expected]);
});

test('one push reaches all of many webhooks', async (t) => {
  const receiver = await startReceiver(t);
  const { forge, ada } = await startAda(t);
  const { id } = await addHook(ada, receiver.url);
  const { database } = forge.forge.running.engines;
  const many = 300;
  await database.transaction(async (tx) => {
    const { id: _, ...row } = await tx
      .selectFrom('webhooks')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const rows = Array.from({ length: many - 1 }, (_, number) => ({ ...row, key: `key ${number}` }));
    await tx.insertInto('webhooks').values(rows).execute();
  });
  await ada.post(`${ENGINE}/contents/a`, { content: '', message: 'Add a' });
  await delivered(forge);
  assert.equal(receiver.received.length, many);
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['x-gitea-delivery'])).size, many);
});
