import assert from 'node:assert/strict';
import { request } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ANONYMOUS } from '../../../src/api/access/viewer.ts';
import { runFor } from '../../../src/base/core/fairness/caller.ts';
import { EVENT_FEED_LIMITS } from '../../../src/tracker/event-feed/limits.ts';
import { EventFeed } from '../../../src/tracker/event-feed/service.ts';
import { inTurns } from '../../../src/tracker/event-feed/waiters.ts';
import { afterTest } from '../../support/after-test.ts';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { until } from '../../support/until.ts';
import { EVENTS, EventStream, kindsOf, readAll } from './feed.ts';

const ENGINE = '/api/v1/repos/ada/engine';
const LATEST = `${EVENTS}?cursor=latest`;
const label = (name: string) => ({ name, color: '#ff0000' });

test('a request that waits gets an event as soon as it is committed', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  for (const path of [EVENTS, `${ENGINE}/events`, '/api/v1/users/ada/events']) {
    const waiting = forge.get(`${path}?cursor=latest&wait=30`);
    await pause(200);
    const began = performance.now();
    await ada.post(`${ENGINE}/labels`, label(`l${path.length}`));
    const { body } = await waiting;
    assert.deepEqual(kindsOf(body.events), ['label.created ada/engine']);
    assert.ok(performance.now() - began < 1_500, `${performance.now() - began} ms`);
  }
});

test('events that the caller does not see do not end the wait, and it ends after its time', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { private: true });
  const began = performance.now();
  const waiting = forge.get(`${LATEST}&wait=1`);
  await pause(200);
  await ada.post(`${ENGINE}/labels`, label('a'));
  const { status, body } = await waiting;
  assert.deepEqual([status, body.events, body.has_more], [200, [], false]);
  assert.ok(performance.now() - began >= 950);
});

test('a request does not wait if there is an event already', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const began = performance.now();
  assert.equal((await forge.get(`${EVENTS}?wait=30`)).body.events.length, 1);
  assert.ok(performance.now() - began < 5_000);
});

test('a wait ends when the client leaves, and makes room for another one', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { waitingPerCallerMax } = EVENT_FEED_LIMITS;
  const send = () =>
    request(`${forge.url}${LATEST}&wait=60`, {
      agent: false,
      headers: { authorization: `token ${ada.token}` },
    })
      .on('error', () => {})
      .end();
  const waiting = Array.from({ length: waitingPerCallerMax }, send);
  await pause(1_000);
  assert.equal((await ada.get(`${LATEST}&wait=1`)).status, 503);
  for (const each of waiting) each.destroy();
  await until(async () => (await ada.get(`${LATEST}&wait=1`)).status === 200);
});

test('the waits of one caller are bounded, and many of them do not delay others', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine');
  const { waitingPerCallerMax } = EVENT_FEED_LIMITS;
  const ofAda = Array.from({ length: waitingPerCallerMax + 4 }, () => ada.get(`${LATEST}&wait=20`));
  const early = await Promise.all(
    ofAda.map((each) => Promise.race([each.then(({ status }) => status), pause(1_500, 'waits')])),
  );
  assert.equal(early.filter((status) => status === 503).length, 4);
  const rejected = (await Promise.all(ofAda.filter((_, index) => early[index] === 503)))[0];
  assert.ok(Number(rejected?.headers.get('retry-after')) > 0);

  const ofBen = ben.get(`${LATEST}&wait=20`);
  await pause(200);
  assert.equal((await ada.get(EVENTS)).status, 200, 'a read that does not wait is not bounded so');
  await ada.post(`${ENGINE}/labels`, label('a'));
  assert.deepEqual(kindsOf((await ofBen).body.events), ['label.created ada/engine']);
  await Promise.all(ofAda);
});

test('callers take turns when they are woken', () => {
  const of = (share: string, n: number) => Array.from({ length: n }, (_, index) => ({ share, index }));
  const woken = inTurns([...of('a', 3), ...of('b', 1), ...of('c', 2)]);
  assert.deepEqual(
    woken.map(({ share, index }) => `${share}${index}`),
    ['a0', 'b0', 'c0', 'a1', 'c1', 'a2'],
  );
});

test('a stream has the events from its cursor on, and continues after the last id without gap or double', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const { token } = ada;
  const stream = new EventStream(`${forge.url}${EVENTS}`, { token });
  afterTest(t, () => stream.close());
  await stream.until(({ text }) => text.includes('repository.created'));
  assert.equal(await stream.status, 200);
  await ada.post(`${ENGINE}/labels`, label('a'));
  await stream.until(({ text }) => text.includes('label.created'));
  stream.close();
  await ada.post(`${ENGINE}/labels`, label('b'));

  const again = new EventStream(`${forge.url}${EVENTS}`, { token, lastEventId: stream.lastId() ?? '' });
  afterTest(t, () => again.close());
  await again.until(({ text }) => text.includes('label.created'));
  await ada.post(`${ENGINE}/labels`, label('c'));
  await again.until((each) => each.events().length >= 2);
  assert.deepEqual([...stream.events(), ...again.events()], (await readAll(ada)).events);
});

test('a stream of an unknown cursor, of a hidden repository and beyond the bound gets a status', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine', { private: true });
  const statusOf = async (path: string, token: string, lastEventId?: string) => {
    const stream = new EventStream(`${forge.url}${path}`, { token, ...(lastEventId && { lastEventId }) });
    afterTest(t, () => stream.close());
    return stream.status;
  };
  assert.equal(await statusOf(EVENTS, ben.token, 'nonsense'), 422);
  assert.equal(await statusOf(`${ENGINE}/events`, ben.token), 404);
  const { waitingPerCallerMax } = EVENT_FEED_LIMITS;
  for (let n = 0; n < waitingPerCallerMax; n += 1) assert.equal(await statusOf(EVENTS, ada.token), 200);
  assert.equal(await statusOf(EVENTS, ada.token), 503);
  assert.equal(await statusOf(EVENTS, ben.token), 200);
});

test('a stream ends when its token is deleted, and shows nothing that happens after', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { private: true });
  const as = { name: 'ada', password: ada.password };
  const made = await forge.send('POST', '/api/v1/users/ada/tokens', {
    as,
    json: { name: 'short', scopes: ['all'] },
  });
  const stream = new EventStream(`${forge.url}${LATEST}`, { token: made.body.sha1 });
  afterTest(t, () => stream.close());
  await stream.until(({ text }) => text.includes('alive'));
  await forge.send('DELETE', '/api/v1/users/ada/tokens/short', { as });
  await ada.post(`${ENGINE}/labels`, label('a'));
  await stream.ended();
  assert.deepEqual(stream.events(), []);
});

test('a stream stops showing a repository that becomes hidden', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await ada.repository('other');
  const stream = new EventStream(`${forge.url}${LATEST}`, {});
  afterTest(t, () => stream.close());
  await stream.until(({ text }) => text.includes('alive'));
  await ada.patch(ENGINE, { private: true });
  await ada.post(`${ENGINE}/labels`, label('a'));
  await ada.post('/api/v1/repos/ada/other/labels', label('b'));
  await stream.until(({ text }) => text.includes('ada/other'));
  assert.deepEqual(kindsOf(stream.events()), ['label.created ada/other']);
});

test('a client that does not read its stream makes the server read no more pages for it', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const { id, owner } = (await ada.get(ENGINE)).body;
  const { engines, services } = forge.forge.running;
  const events = 400;
  const payload = JSON.stringify({ labelId: 1, name: 'x'.repeat(200_000) });
  const row = { kind: 'label.created', repository_id: id, owner_id: owner.id, payload, created_at: 0 };
  await engines.database.transaction(async (tx) => {
    for (let n = 0; n < events; n += 20)
      await tx
        .insertInto('events')
        .values(Array.from({ length: 20 }, () => row))
        .execute();
  });
  const { eventFeed } = services;
  const { stream } = eventFeed;
  let pagesRead = 0;
  const counted = async function* (pages: Awaited<ReturnType<typeof stream>>) {
    for await (const page of pages) {
      pagesRead += 1;
      yield page;
    }
  };
  forge.stopAfterTest();
  eventFeed.stream = async (...call) => counted(await stream.apply(eventFeed, call));
  const { hostname, port } = new URL(forge.url);
  const socket = connect(Number(port), hostname);
  afterTest(t, () => void socket.destroy());
  socket.pause();
  socket.write(
    `GET ${EVENTS} HTTP/1.1\r\nhost: ${hostname}\r\naccept: text/event-stream\r\nauthorization: token ${ada.token}\r\n\r\n`,
  );
  // Another client reads everything meanwhile: a page has five of these events.
  for (let round = 0; round < 2; round += 1) assert.ok((await readAll(ada)).events.length > events);
  assert.ok(pagesRead >= 1 && pagesRead < events / 10, `${pagesRead} pages`);
  let received = 0;
  socket.on('data', (part: Buffer) => {
    received += part.length;
  });
  socket.resume();
  await until(() => received > events * 200_000);
  assert.ok(pagesRead >= events / 5);
});

/** A feed with limits of its own, on the data of a forge. */
function feedWith({ forge }: TestForge, limits: Partial<Record<keyof typeof EVENT_FEED_LIMITS, number>>) {
  const { engines, services } = forge.running;
  return new EventFeed({
    database: engines.database,
    authentication: services.authentication,
    cursors: services.eventCursors,
    limits: { ...EVENT_FEED_LIMITS, ...limits },
  });
}

const ALL_LATEST = { scope: { of: 'all' }, after: 'latest', limit: 10 } as const;

test('a stream without news has an empty page at each heartbeat, and ends after its time', async (t) => {
  const forge = await startForge(t);
  const beating = feedWith(forge, { heartbeatMs: 1 });
  afterTest(t, () => beating.stop());
  const pages = await beating.stream(ANONYMOUS, ALL_LATEST);
  for (let beat = 0; beat < 3; beat += 1) assert.deepEqual((await pages.next()).value?.events, []);
  await pages.return(undefined);

  const short = feedWith(forge, { streamMs: 0 });
  afterTest(t, () => short.stop());
  const read: unknown[] = [];
  for await (const page of await short.stream(ANONYMOUS, ALL_LATEST)) read.push(page);
  assert.equal(read.length, 1);
});

test('the requests of all callers that wait are bounded, and an ended one makes room', async (t) => {
  const forge = await startForge(t);
  const feed = feedWith(forge, { waitingMax: 4, waitingPerCallerMax: 2, waitingForSignedIn: 0 });
  afterTest(t, () => feed.stop());
  const open = (share: string) =>
    runFor({ share, isAnonymous: true, isServer: false }, () => feed.stream(ANONYMOUS, ALL_LATEST));
  const streams = [await open('a'), await open('a'), await open('b'), await open('b')];
  await assert.rejects(open('c'), /wait for events/);
  await streams[0]?.next();
  await streams[0]?.return(undefined);
  const another = await open('c');
  for (const stream of [...streams, another]) {
    await stream.next();
    await stream.return(undefined);
  }
});

test('a server that stops ends waits and streams', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  forge.stopAfterTest();
  const waiting = ada.get(`${LATEST}&wait=60`);
  const stream = new EventStream(`${forge.url}${LATEST}`, { token: ada.token });
  await stream.until(({ text }) => text.includes('alive'));
  const began = performance.now();
  await forge.forge.stop();
  assert.equal((await waiting).status, 200);
  await stream.ended();
  assert.ok(performance.now() - began < 10_000);
});
