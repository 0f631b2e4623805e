import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../../src/base/database/database.ts';
import { ISSUE_LIMITS } from '../../../src/tracker/issues/limits.ts';
import { durationText } from '../../../src/tracker/issues/planning/times/duration.ts';
import { eventsOf } from '../../support/forge/events.ts';
import type { Person, TestForge } from '../../support/forge/forge.ts';
import { ENGINE, ISSUES, open, startTracker, type Wire } from './tracker.ts';

const HOUR = 3_600;

async function times(who: Person | TestForge, url: string): Promise<readonly [string, number][]> {
  const answer = await who.get(url);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers.get('x-total-count'), String(answer.body.length), url);
  return answer.body.map(({ user_name, time }: Wire) => [user_name, time]);
}

function add(who: Person | TestForge, json: object, url = `${ISSUES}/1/times`): Promise<Wire> {
  return who.send('POST', url, { json });
}

async function entriesOf(database: Database): Promise<readonly (readonly [string, string])[]> {
  const rows = await database.reader
    .selectFrom('issue_entries')
    .select(['kind', 'body'])
    .orderBy('id')
    .execute();
  return rows.map(({ kind, body }) => [kind, body]);
}

const tracker = (fields: object) => ({
  has_issues: true,
  internal_tracker: { enable_time_tracker: true, enable_issue_dependencies: true, ...fields },
});

test('times are added, listed with filters, and deleted, with entries, events and If-Match', async (t) => {
  const { forge, ada, ben, cid } = await startTracker(t);
  const issue = await open(cid, 'One', { assignees: [] });
  const added = await add(ben, { time: HOUR });
  assert.equal(added.status, 200, added.text);
  const { id, created, issue: shown, ...fields } = added.body;
  const { id: benId } = (await ben.get('/api/v1/user')).body;
  assert.deepEqual(fields, { time: HOUR, user_id: benId, user_name: 'ben', issue_id: issue.id });
  assert.deepEqual([shown.number, shown.repository.full_name], [1, 'ada/engine']);
  assert.match(created, /^\d{4}-/);
  await add(ada, { time: 90, user_name: 'Ben', created: '2020-01-01T00:00:00Z' });
  await add(ada, { time: 5, created: '0001-01-01T00:00:00Z' });
  await add(cid, { time: 7 });

  const [one, all] = [`${ISSUES}/1/times`, `${ENGINE}/times`];
  const everything = [
    ['ben', HOUR],
    ['ben', 90],
    ['ada', 5],
    ['cid', 7],
  ] as const;
  for (const url of [one, all]) {
    assert.deepEqual(await times(ben, url), everything);
    assert.deepEqual(await times(ben, `${url}?user=ada`), [['ada', 5]]);
    assert.deepEqual(await times(ada, `${url}?user=Ben&before=2021-01-01T00:00:00Z`), [['ben', 90]]);
    assert.deepEqual(await times(ada, `${url}?user=ben&since=2021-01-01T00:00:00Z`), [['ben', HOUR]]);
    assert.deepEqual(await times(ada, `${url}?user=ben&since=2021-01-01T00:00:00+02:00`), [['ben', HOUR]]);
    // Cid may only read.
    assert.deepEqual(await times(cid, url), [['cid', 7]]);
    assert.equal((await cid.get(`${url}?user=ben`)).status, 403);
    assert.equal((await ada.get(`${url}?user=no-such-user`)).status, 404);
    assert.equal((await ada.get(`${url}?since=yesterday`)).status, 422);
    assert.equal((await forge.get(url)).status, 401);
    const page = await ada.get(`${url}?limit=1&page=2`);
    assert.deepEqual([page.body.length, page.body[0].time, page.headers.get('x-total-count')], [1, 90, '4']);
  }
  assert.deepEqual(await times(ada, `${ENGINE}/times/ben`), everything.slice(0, 2));
  assert.deepEqual(await times(cid, `${ENGINE}/times/cid`), [['cid', 7]]);
  assert.equal((await ben.get(`${ENGINE}/times/ada`)).status, 403);
  assert.deepEqual(await times(ben, '/api/v1/user/times?before=2021-01-01T00:00:00Z'), [['ben', 90]]);

  const of = async (who: Person) => (await who.get(one)).body.map((time: Wire) => time.id);
  const [, second, third] = await of(ada);
  assert.equal((await ben.delete(`${one}/${third}`)).status, 403);
  const headers = { 'if-match': (await ada.get(one)).headers.get('etag') ?? '' };
  assert.equal((await ada.send('DELETE', `${one}/${second}`, { headers })).status, 204);
  assert.equal((await ada.send('DELETE', one, { headers })).status, 412);
  assert.equal((await ada.delete(`${one}/${second}`)).status, 404);
  assert.equal((await ben.delete(`${one}/${id}`)).status, 204);
  assert.equal((await ada.delete(one)).status, 204);
  assert.equal((await ada.delete(one)).status, 404);
  assert.deepEqual(await times(ada, one), [['cid', 7]]);

  const { database } = forge.forge.running.engines;
  const entries = await entriesOf(database);
  assert.deepEqual(entries, [
    ['add_time_manual', '1 hour'],
    ['add_time_manual', '1 minute 30 seconds'],
    ['add_time_manual', '5 seconds'],
    ['add_time_manual', '7 seconds'],
    ['delete_time_manual', '1 minute 30 seconds'],
    ['delete_time_manual', '1 hour'],
    ['delete_time_manual', '5 seconds'],
  ]);
  const events = await eventsOf(database, 'issue.time');
  assert.deepEqual(
    events.map(({ kind, actor }) => [kind, actor]),
    [
      ...['ben', 'ada', 'ada', 'cid'].map((name) => ['issue.time-added', name]),
      ...['ada', 'ben', 'ada'].map((name) => ['issue.times-deleted', name]),
    ],
  );
});

test('the settings of a repository decide who tracks time, and bad times are rejected', async (t) => {
  const { ada, cid, forge } = await startTracker(t);
  const dan = await forge.account('dan');
  await ada.repository('loom');
  await open(cid, 'One');
  await open(ada, 'Two');
  await open(ada, 'Elsewhere', {}, '/api/v1/repos/ada/loom/issues');

  // Cid is the author, Dan a reader.
  assert.equal((await add(cid, { time: 1 })).status, 200);
  assert.equal((await add(dan, { time: 1 })).status, 403);
  assert.equal((await dan.delete(`${ISSUES}/1/times`)).status, 403);
  await ada.patch(ENGINE, tracker({ allow_only_contributors_to_track_time: false }));
  assert.equal((await add(dan, { time: 2 })).status, 200);
  assert.equal((await add(dan, { time: 2, user_name: 'cid' })).status, 403);
  assert.equal((await add(dan, { time: 2, user_name: 'Dan' })).status, 200);
  assert.equal((await add(ada, { time: 2, user_name: 'no-such-user' })).status, 404);
  assert.equal((await add(forge, { time: 1 })).status, 401);
  for (const bad of [
    { time: 0 },
    { time: -1 },
    { time: ISSUE_LIMITS.trackedSecondsMax + 1 },
    { time: '1' },
    {},
  ])
    assert.equal((await add(ada, bad)).status, 422, JSON.stringify(bad));
  assert.equal((await add(ada, { time: 1, created: 'yesterday' })).status, 422);
  assert.equal((await add(ada, { time: ISSUE_LIMITS.trackedSecondsMax })).status, 200);

  const [time] = (await ada.get(`${ISSUES}/1/times`)).body;
  for (const url of [`${ISSUES}/2`, '/api/v1/repos/ada/loom/issues/1'])
    assert.equal((await ada.delete(`${url}/times/${time.id}`)).status, 404, url);

  const statuses = async () => [
    (await ada.get(`${ISSUES}/1/times`)).status,
    (await ada.get(`${ENGINE}/times`)).status,
    (await ada.get(`${ENGINE}/times/ada`)).status,
    (await add(ada, { time: 1 })).status,
    (await ada.delete(`${ISSUES}/1/times/${time.id}`)).status,
    (await ada.post(`${ISSUES}/1/stopwatch/start`)).status,
  ];
  await ada.patch(ENGINE, tracker({ enable_time_tracker: false }));
  assert.deepEqual(await statuses(), [404, 400, 400, 400, 400, 403]);
  await ada.patch(ENGINE, { ...tracker({}), archived: true });
  assert.deepEqual(await statuses(), [200, 200, 200, 423, 423, 423]);
});

test('a stopwatch adds the time since its start, and starting another one stops it', async (t) => {
  const { forge, ada, ben, cid } = await startTracker(t);
  for (const title of ['One', 'Two']) await open(cid, title);
  const { database } = forge.forge.running.engines;
  const send = async (who: Person | TestForge, method: string, verb: string, number = 1) =>
    (await who.send(method, `${ISSUES}/${number}/stopwatch/${verb}`)).status;
  const begunAgo = (seconds: number) =>
    database.transaction(async (tx) => {
      await tx
        .updateTable('issue_stopwatches')
        .set({ started_at: Date.now() - seconds * 1000 })
        .execute();
    });

  assert.deepEqual([await send(ben, 'POST', 'stop'), await send(ben, 'DELETE', 'delete')], [409, 409]);
  assert.equal(await send(ben, 'POST', 'start'), 201);
  assert.equal(await send(ben, 'POST', 'start'), 409);
  await begunAgo(HOUR + 60);
  const { created, seconds, ...watch } = (await ben.get('/api/v1/user/stopwatches')).body[0];
  assert.ok(seconds >= HOUR + 60 && created < new Date().toISOString());
  assert.deepEqual(watch, {
    duration: '1 hour 1 minute',
    issue_index: 1,
    issue_title: 'One',
    repo_owner_name: 'ada',
    repo_name: 'engine',
  });
  assert.deepEqual((await ada.get('/api/v1/user/stopwatches')).body, []);
  assert.equal(await send(ben, 'POST', 'stop'), 201);
  const [[name, time] = ['', 0]] = await times(ada, `${ISSUES}/1/times`);
  assert.ok(name === 'ben' && time >= HOUR + 60);

  await send(ben, 'POST', 'start');
  assert.equal(await send(ben, 'POST', 'start', 2), 201);
  assert.equal((await times(ada, `${ISSUES}/1/times`)).length, 2);
  assert.equal(await send(ben, 'POST', 'stop'), 409);
  assert.equal(await send(ben, 'DELETE', 'delete', 2), 204);
  assert.deepEqual(await times(ada, `${ISSUES}/2/times`), []);
  assert.deepEqual([await send(cid, 'POST', 'start'), await send(forge, 'POST', 'start')], [403, 401]);
  const kinds = (await entriesOf(database)).map(([kind]) => kind);
  assert.deepEqual(kinds, [
    ...['start_tracking', 'stop_tracking', 'start_tracking', 'stop_tracking'],
    ...['start_tracking', 'cancel_tracking'],
  ]);
  assert.deepEqual(
    (await eventsOf(database, 'issue.stopwatch')).map(({ kind }) => kind.replace('issue.stopwatch-', '')),
    ['started', 'ended', 'started', 'ended', 'started', 'ended'],
  );
});

test('a user who lost a repository sees neither times nor the stopwatch in it, whose time is lost then', async (t) => {
  const { ada, ben } = await startTracker(t, { private: true });
  await ben.repository('loom');
  await open(ada, 'Hidden');
  await open(ben, 'Own', {}, '/api/v1/repos/ben/loom/issues');
  await add(ben, { time: 3 });
  await add(ben, { time: 4 }, '/api/v1/repos/ben/loom/issues/1/times');
  await ben.post(`${ISSUES}/1/stopwatch/start`);
  assert.deepEqual((await times(ben, '/api/v1/user/times')).length, 2);

  await ada.delete(`${ENGINE}/collaborators/ben`);
  assert.deepEqual(await times(ben, '/api/v1/user/times'), [['ben', 4]]);
  assert.deepEqual((await ben.get('/api/v1/user/stopwatches')).body, []);
  for (const url of [`${ISSUES}/1/times`, `${ENGINE}/times`, `${ENGINE}/times/ben`])
    assert.equal((await ben.get(url)).status, 404, url);
  assert.equal((await ben.post('/api/v1/repos/ben/loom/issues/1/stopwatch/start')).status, 201);
  assert.equal((await ben.get('/api/v1/user/stopwatches')).body[0].repo_name, 'loom');
  assert.deepEqual(await times(ada, `${ISSUES}/1/times`), [['ben', 3]]);
  await ben.patch('/api/v1/repos/ben/loom', { has_issues: false });
  assert.deepEqual(await times(ben, '/api/v1/user/times'), []);
});

test('words for a duration are its largest unit and the next one', () => {
  const words: Record<number, string> = {
    0: '',
    1: '1 second',
    66: '1 minute 6 seconds',
    52410: '14 hours 33 minutes',
    563418: '6 days 12 hours',
    1563418: '2 weeks 4 days',
    3937125: '1 month 2 weeks',
    45677465: '1 year 6 months',
    3600: '1 hour',
  };
  for (const [seconds, text] of Object.entries(words)) assert.equal(durationText(Number(seconds)), text);
});
