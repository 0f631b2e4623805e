import assert from 'node:assert/strict';
import { test } from 'node:test';
import { realTimeMs } from '../../../src/base/core/time/clock.ts';
import { batch, follow, objectOf } from '../../hosting/lfs/objects.ts';
import { startWorld } from './world.ts';

// Runs once: a throwaway server has a database of its own.
// Runs alone: the clock of a throwaway server is that of its process.

const ENGINE = '/api/v1/repos/ada/engine';
const CLOCK = '/-/test/clock';

test('the clock can be set, advanced and frozen, and what happens then has its time', async (t) => {
  const { send } = await startWorld(t);
  const json = { set: '2031-05-06T07:08:09Z', freeze: true };
  const set = await send('POST', CLOCK, { json });
  assert.deepEqual([set.status, set.body], [200, { now: '2031-05-06T07:08:09.000Z', frozen: true }]);
  const content = Buffer.from('b').toString('base64');
  const { commit } = (await send('POST', `${ENGINE}/contents/b.txt`, { json: { content } })).body;
  assert.equal(new Date(commit.committer.date).toISOString(), '2031-05-06T07:08:09.000Z');

  const moved = await send('POST', CLOCK, { json: { advance: '90m' } });
  assert.deepEqual(moved.body, { now: '2031-05-06T08:38:09.000Z', frozen: true });
  const issue = await send('POST', `${ENGINE}/issues`, { json: { title: 'Late' } });
  assert.equal(new Date(issue.body.created_at).toISOString(), '2031-05-06T08:38:09.000Z');
  assert.deepEqual((await send('GET', CLOCK)).body, moved.body);

  const runs = (await send('POST', CLOCK, { json: { freeze: false } })).body;
  assert.equal(runs.frozen, false);
  assert.ok(Date.parse(runs.now) >= Date.parse(moved.body.now));
});

test('a token that expires is denied once the clock has passed its time', async (t) => {
  const { send } = await startWorld(t);
  const object = objectOf('a large file');
  const upload = async () =>
    (await batch({ send }, 'ada/engine', 'upload', [object])).body.objects[0].actions.upload;
  const first = await upload();
  await send('POST', CLOCK, { json: { advance: 31 * 60 } });
  assert.equal((await follow('PUT', first, 'a large file')).status, 401);
  assert.equal((await follow('PUT', await upload(), 'a large file')).status, 200);
});

test('jobs that become due have run when a move of the clock returns', async (t) => {
  const { send } = await startWorld(t);
  const { cursor } = (await send('GET', '/api/v1/events?limit=1')).body;
  assert.equal((await send('GET', `/api/v1/events?cursor=${cursor}`)).status, 200);

  await send('POST', CLOCK, { json: { advance: '40d' } });

  // The server deletes old events, so the feed cannot continue from there.
  assert.equal((await send('GET', `/api/v1/events?cursor=${cursor}`)).status, 410);
});

test('a stopwatch counts the time of the clock', async (t) => {
  const { send } = await startWorld(t);
  const issue = `${ENGINE}/issues/1`;
  await send('POST', CLOCK, { json: { freeze: true } });
  assert.equal((await send('POST', `${issue}/stopwatch/start`)).status, 201);
  await send('POST', CLOCK, { json: { advance: '2h' } });
  assert.equal((await send('POST', `${issue}/stopwatch/stop`)).status, 201);
  assert.deepEqual(
    (await send('GET', `${issue}/times`)).body.map(({ time }: { time: number }) => time),
    [7_200],
  );
});

test('a reset brings back the clock of the seed, which is the real time without one', async (t) => {
  const seed = { clock: { set: '2031-01-01T00:00:00Z', freeze: true } };
  const { forge, send } = await startWorld(t, { seed });
  assert.equal(forge.clock.now().toISOString(), '2031-01-01T00:00:00.000Z');
  await forge.clock.advance('7d');
  await forge.clock.unfreeze();
  await forge.reset();
  assert.deepEqual((await send('GET', CLOCK)).body, { now: '2031-01-01T00:00:00.000Z', frozen: true });
  await forge.stop();

  const before = realTimeMs();
  const real = await startWorld(t, { seed: {} });
  await real.forge.clock.set(new Date('2040-01-01T00:00:00Z'));
  await real.forge.reset();
  const now = real.forge.clock.now().getTime();
  assert.ok(now >= before && now <= realTimeMs());
});

test('a change of the clock that makes no sense says what to send, and changes nothing', async (t) => {
  const { send } = await startWorld(t, { seed: { clock: { set: '2031-01-01T00:00:00Z', freeze: true } } });
  for (const [json, problem] of [
    [{}, /^send a JSON object with "set"/],
    [[], /^send a JSON object/],
    [{ advanced: 1 }, /^advanced: unknown: send/],
    [{ set: '2031-01-01' }, /^set: not a time .* with a time zone/],
    [{ set: 5 }, /^set: /],
    [{ advance: 'soon' }, /^advance: not a number of seconds/],
    [{ advance: '10y' }, /^advance: /],
    [{ advance: 1e18 }, /^advance: /],
    [{ freeze: 'yes' }, /^freeze: neither true nor false$/],
    [{ advance: '2920000d' }, /^the time would leave the years 1970 to 9998$/],
    [{ advance: -3e9 }, /^the time would leave/],
  ] as const) {
    const { status, body } = await send('POST', CLOCK, { json });
    assert.equal(status, 400, JSON.stringify(json));
    assert.match(body.message, problem);
  }
  const broken = await send('POST', CLOCK, { body: '{"set":' });
  assert.equal(broken.status, 400);
  const large = await send('POST', CLOCK, { body: ' '.repeat(5_000) });
  assert.equal(large.status, 413);
  assert.equal((await send('GET', CLOCK)).body.now, '2031-01-01T00:00:00.000Z');
});
