import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServices } from '../../../src/app/compose.ts';
import { SILENT_LOG } from '../../../src/base/core/log.ts';
import { addressesOf } from '../../../src/http/app.ts';
import { createRepository, serveSite, startServerProcess } from '../../code/transport/server-process.ts';
import { afterTest } from '../../support/after-test.ts';
import { endLeases } from '../../support/database/job-leases.ts';
import { startForge } from '../../support/forge/forge.ts';
import { type Answer, request } from '../../support/http/http.ts';
import { severalAtOnce } from '../../support/several-at-once.ts';
import { until } from '../../support/until.ts';
import { ALLOWED, addHook, delivered, type Received, startReceiver } from './receiver.ts';

const ENVIRONMENT = { QUIRE_OUTBOUND_ALLOW: '127.0.0.1' };
const ENGINE = '/api/v1/repos/root/engine';

/** Titles in the order in which their deliveries first arrived. */
function firstSeen(received: readonly Received[]): readonly string[] {
  const byId = new Map(received.map(({ headers, body }) => [headers['x-gitea-delivery'], body.issue.title]));
  return [...byId.values()];
}

test('a server that is killed while it delivers loses no delivery and keeps their order', async (t) => {
  let kill: (() => void) | null = null;
  let isBroken = true;
  /** numbers of requests at which the server is killed: before the answer, or after it */
  const kills = new Map([
    [4, 'before'],
    [9, 'after'],
    [13, 'before'],
    [14, 'after'],
  ]);
  let count = 0;
  const receiver = await startReceiver(t, (_, response) => {
    if (isBroken) return void response.writeHead(500).end();
    count += 1;
    const when = kills.get(count);
    if (when === undefined) return void response.writeHead(204).end();
    kills.delete(count);
    if (when === 'before') return kill?.();
    response.writeHead(204).end(() => kill?.());
  });
  const first = await startServerProcess(t, ENVIRONMENT);
  await createRepository(first, 'engine');
  let { url, running } = first as { url: string; running: typeof first.running };
  const send = (method: string, path: string, json: unknown): Promise<Answer> =>
    request(method, `${url}${path}`, { as: first.admin, json });
  const config = { url: receiver.url, content_type: 'json' };
  const hook = await send('POST', `${ENGINE}/hooks`, {
    type: 'gitea',
    config,
    events: ['issues'],
    active: true,
  });
  assert.equal(hook.status, 201, hook.text);
  const titles = Array.from({ length: 25 }, (_, number) => `Issue ${number + 1}`);
  for (const title of titles) {
    const { status } = await send('POST', `${ENGINE}/issues`, { title });
    assert.equal(status, 201);
  }
  await until(() => receiver.received.length > 0);
  receiver.received.splice(0);
  isBroken = false;
  const wanted = kills.size;
  for (let killed = 0; killed < wanted; killed += 1) {
    const { child } = running;
    kill = () => child.kill('SIGKILL');
    // A changed webhook tries again at once.
    void send('PATCH', `${ENGINE}/hooks/${hook.body.id}`, { active: true }).catch(() => {});
    assert.deepEqual(await running.ended(), { code: null, signal: 'SIGKILL' });
    await endLeases(first);
    ({ url, running } = await serveSite(t, first, ENVIRONMENT));
  }
  await send('PATCH', `${ENGINE}/hooks/${hook.body.id}`, { active: true });
  await until(() => receiver.received.at(-1)?.body.issue.title === titles.at(-1));
  assert.deepEqual(firstSeen(receiver.received), titles);
  // A delivery is repeated at most where the server was killed.
  assert.ok(receiver.received.length <= titles.length + wanted);
});

test('two servers on one database deliver each event once, in the order of each webhook', async (t) => {
  const receiver = await startReceiver(t);
  const forge = await startForge(t, { ...ALLOWED, fresh: true });
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const { engines } = forge.forge.running;
  const second = createServices(engines, addressesOf(forge.url));
  second.jobs.start();
  const stop = second.webhookWaking.start({ log: SILENT_LOG });
  afterTest(t, async () => {
    await stop();
    await second.jobs.stop();
  });
  const paths = ['a', 'b', 'c'];
  for (const path of paths) await addHook(ada, `${receiver.url}/${path}`, { events: ['issues'] });
  const titles = Array.from({ length: 40 }, (_, number) => `Issue ${number + 1}`);
  await severalAtOnce(titles, (title) => ada.post('/api/v1/repos/ada/engine/issues', { title }));
  await delivered(forge);
  const { body: issues } = await ada.get('/api/v1/repos/ada/engine/issues?limit=50&sort=oldest');
  const expected = issues.map(({ title }: { title: string }) => title);
  for (const path of paths) {
    const seen = receiver.received.filter((each) => each.path === `/hook/${path}`);
    assert.deepEqual(
      seen.map(({ body }) => body.issue.title),
      expected,
    );
  }
});
