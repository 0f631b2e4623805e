import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Agent, get } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { HTTP_LIMITS } from '../../src/http/limits.ts';
import { startForge } from '../../testing/index.ts';
import { afterTest } from '../support/after-test.ts';
import { databaseLocation } from '../support/database/database-location.ts';
import { startForge as startTestForge } from '../support/forge/forge.ts';
import { collectGarbage } from '../support/garbage.ts';
import { until } from '../support/until.ts';

const SERVERS = 4;
const COLLECTIONS_MAX = 20;

/** Starts a server, sends it a request and stops it. */
async function startAndStop(t: TestContext): Promise<WeakRef<object>> {
  const location = await databaseLocation(t);
  const forge = await startForge(location.kind === 'url' ? { databaseUrl: location.url } : {});
  const answer = await fetch(`${forge.url}/metrics`);
  assert.match(
    await answer.text(),
    /^quire_process_cpu_seconds_total [\s\S]*^quire_http_requests_running 1$/m,
  );
  const services = new WeakRef(forge.running.services);
  await forge.stop();
  return services;
}

test('stopped servers do not stay in memory', async (t) => {
  const stopped: WeakRef<object>[] = [];
  for (let count = 0; count < SERVERS; count += 1) stopped.push(await startAndStop(t));
  const left = () => stopped.filter((services) => services.deref() !== undefined).length;

  // A timer of the process may hold the newest request until it fires.
  for (let count = 0; count < COLLECTIONS_MAX && left() > 1; count += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  assert.ok(left() <= 1, `${left()} of ${SERVERS} stopped servers are in memory`);
});

/** Watches the responses of this process. Returns how many of them are in memory. */
function watchResponses(t: TestContext): () => { sent: number; inMemory: number } {
  const sent: WeakRef<object>[] = [];
  const note = (message: unknown) => {
    sent.push(new WeakRef((message as { response: object }).response));
  };
  subscribe('http.server.response.finish', note);
  afterTest(t, () => unsubscribe('http.server.response.finish', note));
  return () => ({
    sent: sent.length,
    inMemory: sent.filter((response) => response.deref() !== undefined).length,
  });
}

test('an open connection keeps nothing of a response that has ended', async (t) => {
  const forge = await startTestForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const content = Buffer.alloc(HTTP_LIMITS.responseBytesUncounted + 1).toString('base64');
  await ada.post('/api/v1/repos/ada/engine/contents/large.txt', { content });
  await forge.forge.running.engines.git.upkeep.moveFreshToFiles();
  const agent = new Agent({ keepAlive: true });
  afterTest(t, () => agent.destroy());
  const ask = (path: string) =>
    new Promise<Buffer>((resolve, reject) => {
      const headers = { authorization: `token ${ada.token}` };
      get(`${forge.url}${path}`, { agent, headers }, (response) => resolve(buffer(response))).on(
        'error',
        reject,
      );
    });

  const responses = watchResponses(t);
  // The first one starts a git process, which stays open as well. The last one waits for memory, and so asks whether its
  // client has left; the timer of the connection keeps its caller.
  await ask('/api/v1/repos/ada/engine/git/commits/main');
  await ask('/api/v1/repos/ada/engine');
  await ask('/api/v1/repos/ada/engine/raw/large.txt');
  await until(() => responses().sent === 3);

  for (let count = 0; count < COLLECTIONS_MAX && responses().inMemory > 0; count += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  assert.equal(responses().inMemory, 0);
  assert.equal(Object.values(agent.freeSockets).flat().length, 1, 'the connection is open');
});
