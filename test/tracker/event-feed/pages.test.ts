import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deleteOldEvents } from '../../../src/base/events/store.ts';
import { Cursors } from '../../../src/tracker/event-feed/cursors.ts';
import { EVENT_FEED_LIMITS } from '../../../src/tracker/event-feed/limits.ts';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { EVENTS, kindsOf, queryOf, readAll } from './feed.ts';

const FAR_AHEAD = Date.UTC(2200, 0, 1);
const ENGINE = '/api/v1/repos/ada/engine';

async function startWithEngine(forge: TestForge) {
  const ada = await forge.account('ada');
  await ada.repository('engine');
  return ada;
}

test('pages of any size add up to the same events in the same order, with the same ids', async (t) => {
  const forge = await startForge(t);
  const ada = await startWithEngine(forge);
  for (const name of ['a', 'b', 'c', 'd']) await ada.post(`${ENGINE}/labels`, { name, color: '#ff0000' });
  const whole = (await readAll(ada)).events;
  assert.equal(new Set(whole.map(({ id }) => id)).size, whole.length);
  for (const limit of [1, 2, 3, 7]) assert.deepEqual((await readAll(ada, EVENTS, { limit })).events, whole);
  const [, second] = whole;
  assert.deepEqual((await readAll(ada, EVENTS, { cursor: second?.id ?? '' })).events, whole.slice(2));
});

test('a cursor is for every feed, and shows neither positions nor that there were hidden events', async (t) => {
  const forge = await startForge(t);
  const ada = await startWithEngine(forge);
  const { cursor } = await readAll(ada);
  await ada.repository('secret', { private: true });
  await ada.post(`${ENGINE}/labels`, { name: 'a', color: '#ff0000' });

  assert.deepEqual(kindsOf((await readAll(forge, `${ENGINE}/events`, { cursor })).events), [
    'label.created ada/engine',
  ]);
  const later = await readAll(forge, EVENTS, { cursor });
  assert.deepEqual(kindsOf(later.events), ['label.created ada/engine']);
  const [one, other] = [await readAll(forge, EVENTS, later), await readAll(forge, EVENTS, later)];
  assert.deepEqual([one.events, other.events], [[], []]);
  assert.notEqual(one.cursor, other.cursor);
});

test('an unknown cursor is rejected with 422', async (t) => {
  const forge = await startForge(t);
  await startWithEngine(forge);
  const foreign = new Cursors(new Uint8Array(32)).ofEvent(1);
  for (const cursor of ['7', 'x', '%00', 'a'.repeat(22), 'a'.repeat(5_000), foreign]) {
    const { status, body } = await forge.get(`${EVENTS}?cursor=${cursor}`);
    assert.equal(status, 422, cursor);
    assert.match(body.message, /unknown cursor/);
  }
  assert.equal((await forge.get(`${EVENTS}?cursor=`)).status, 200);
});

test('latest begins with what happens from now on', async (t) => {
  const forge = await startForge(t);
  const ada = await startWithEngine(forge);
  const { body } = await ada.get(`${EVENTS}?cursor=latest`);
  assert.deepEqual([body.events, body.has_more], [[], false]);
  await ada.post(`${ENGINE}/labels`, { name: 'a', color: '#ff0000' });
  assert.deepEqual(kindsOf((await readAll(ada, EVENTS, { cursor: body.cursor })).events), [
    'label.created ada/engine',
  ]);
});

test('a cursor from before the oldest event that is kept gets 410 and what to do, and its end is still good', async (t) => {
  const forge = await startForge(t, { fresh: true });
  const ada = await startWithEngine(forge);
  const [first] = (await readAll(ada)).events;
  const { cursor } = await readAll(ada);
  const { database } = forge.forge.running.engines;
  await database.transaction(async (tx) => {
    await tx.deleteFrom('event_readers').execute();
    await deleteOldEvents(tx, FAR_AHEAD);
  });

  const { status, body } = await ada.get(`${EVENTS}?cursor=${first?.id}`);
  assert.equal(status, 410);
  assert.match(body.message, /no longer kept.*cursor=latest/);
  assert.deepEqual((await readAll(ada)).events, []);
  assert.deepEqual((await readAll(ada, EVENTS, { cursor })).events, []);
  await ada.post(`${ENGINE}/labels`, { name: 'a', color: '#ff0000' });
  assert.deepEqual(kindsOf((await readAll(ada, EVENTS, { cursor })).events), ['label.created ada/engine']);
});

test('a cursor from after the newest event, as after a restored backup, gets 410', async (t) => {
  const forge = await startForge(t);
  const ada = await startWithEngine(forge);
  const { secret } = forge.forge.running.services;
  const ahead = new Cursors(secret).ofEvent(1_000_000);
  assert.equal((await ada.get(`${EVENTS}?cursor=${ahead}`)).status, 410);
});

test('a page has at most its limit of events, and odd limits count as the default', async (t) => {
  const forge = await startForge(t);
  const ada = await startWithEngine(forge);
  await addEvents(forge, EVENT_FEED_LIMITS.eventsPerPageMax + 10, (n) => `{"labelId":${n},"name":"a"}`);
  const sizeAt = async (limit: string | number) =>
    (await ada.get(`${ENGINE}/events?limit=${limit}`)).body.events.length;
  assert.equal(await sizeAt(3), 3);
  assert.equal(await sizeAt(1e9), EVENT_FEED_LIMITS.eventsPerPageMax);
  for (const odd of [0, -1, 'x', '']) assert.equal(await sizeAt(odd), EVENT_FEED_LIMITS.eventsPerPageDefault);
});

test('a page of large events ends early, and the next one continues', async (t) => {
  const forge = await startForge(t);
  const ada = await startWithEngine(forge);
  const name = 'x'.repeat(EVENT_FEED_LIMITS.pageBytesMax / 2);
  await addEvents(forge, 3, (n) => `{"labelId":${n},"name":"${name}"}`);
  const { body } = await ada.get(`${ENGINE}/events`);
  assert.equal(body.has_more, true);
  const { events } = await readAll(ada, `${ENGINE}/events`);
  assert.deepEqual(
    events.filter(({ kind }) => kind === 'label.created').map(({ data }) => data.label_id),
    [0, 1, 2],
  );
});

test('a caller who sees few of many events gets all of them, over pages that may be empty', async (t) => {
  const forge = await startForge(t);
  const ada = await startWithEngine(forge);
  await ada.repository('secret', { private: true });
  const { eventsScannedAtOnceMax, scansPerPageMax } = EVENT_FEED_LIMITS;
  await addEvents(
    forge,
    eventsScannedAtOnceMax * (2 * scansPerPageMax + 1),
    (n) => `{"labelId":${n},"name":"a"}`,
    'secret',
  );
  await ada.post(`${ENGINE}/labels`, { name: 'a', color: '#ff0000' });

  const pages: number[] = [];
  const counting = {
    async get(path: string) {
      const answer = await forge.get(path);
      pages.push(answer.body.events.length);
      return answer;
    },
  };
  const { events } = await readAll(counting);
  assert.deepEqual(kindsOf(events), ['repository.created ada/engine', 'label.created ada/engine']);
  assert.ok(pages.includes(0), 'one request reads a bounded part of the log');
  assert.equal((await readAll(ada)).events.filter(({ kind }) => kind === 'label.created').length, 18_001);
});

async function addEvents(
  forge: TestForge,
  count: number,
  payload: (n: number) => string,
  repository = 'engine',
): Promise<void> {
  const { database } = forge.forge.running.engines;
  const row = await database.reader
    .selectFrom('repositories')
    .select(['id', 'owner_id'])
    .where('name', '=', repository)
    .executeTakeFirstOrThrow();
  const rows = Array.from({ length: count }, (_, n) => ({
    kind: 'label.created',
    repository_id: row.id,
    owner_id: row.owner_id,
    payload: payload(n),
    created_at: 0,
  }));
  await database.transaction(async (tx) => {
    for (let from = 0; from < rows.length; from += 1_000)
      await tx
        .insertInto('events')
        .values(rows.slice(from, from + 1_000))
        .execute();
  });
}

test('the headers of a page are those of a GET, and a HEAD neither waits nor streams', async (t) => {
  const forge = await startForge(t);
  await startWithEngine(forge);
  const began = performance.now();
  const head = await forge.send('HEAD', `${EVENTS}?cursor=latest&wait=30`, {
    headers: { accept: 'text/event-stream' },
  });
  assert.deepEqual([head.status, head.text, head.headers.get('vary')], [200, '', 'Accept']);
  assert.match(head.headers.get('content-type') ?? '', /json/);
  assert.ok(performance.now() - began < 5_000);
  assert.equal(queryOf({ a: 1, b: undefined }), 'a=1');
});

test('one page has what several reads of the log have found', async (t) => {
  const forge = await startForge(t);
  const ada = await startWithEngine(forge);
  await ada.repository('secret', { private: true });
  for (const name of ['a', 'b']) {
    await addEvents(
      forge,
      EVENT_FEED_LIMITS.eventsScannedAtOnceMax,
      (n) => `{"labelId":${n},"name":"a"}`,
      'secret',
    );
    await ada.post(`${ENGINE}/labels`, { name, color: '#ff0000' });
  }
  const { body } = await forge.get(EVENTS);
  assert.deepEqual(
    [kindsOf(body.events), body.has_more],
    [['repository.created ada/engine', 'label.created ada/engine', 'label.created ada/engine'], false],
  );
});
