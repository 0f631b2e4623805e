import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startForge } from '../../testing/index.ts';
import { databaseLocation } from '../support/database-location.ts';

const SERVERS = 4;
const COLLECTIONS_MAX = 20;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

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
