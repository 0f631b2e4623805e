import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setInterval } from 'node:timers/promises';
import { CORE_LIMITS } from '../../src/base/core/limits.ts';
import { temporaryFolder } from '../support/git/git.ts';
import { run } from '../support/process.ts';
import { PROGRAM } from '../support/program.ts';

// Runs once: no outcome depends on the database.

const COLLECTED = /^.*"beforeBytes":(\d+),"afterBytes":(\d+).*"collected the garbage of an idle server".*$/m;

/** How long the server may look busy after its last request. */
const WAIT_MS_MAX = 150_000;

/** A request that often occupies a server for several times `idleBusyShareMax`. */
const REQUEST_EVERY_MS = 10;

// While other programs use the processors, an idle server looks busy at times, and its rest begins anew.
test('an idle server collects its garbage, and a busy one does not', async (t) => {
  const dataFolder = await temporaryFolder(t);
  const words = [PROGRAM, 'serve', '--port', '0', '--log-level', 'debug', '--data', dataFolder];
  const server = run(t, process.execPath, words);
  const [, url = ''] = await server.line(/^ready (\S+)$/m);

  const busyUntil = performance.now() + (CORE_LIMITS.idleChecksMin + 1) * CORE_LIMITS.idleCheckMs;
  for await (const _ of setInterval(REQUEST_EVERY_MS)) {
    if (performance.now() > busyUntil) break;
    const { status } = await fetch(`${url}/api/v1/version`);
    assert.equal(status, 200);
  }
  assert.doesNotMatch(server.output(), COLLECTED);

  const [, used, kept] = await server.line(COLLECTED, { timeoutMs: WAIT_MS_MAX });
  assert.ok(Number(kept) < Number(used), `${kept} bytes instead of ${used}`);
  assert.equal((await fetch(`${url}/api/v1/version`)).status, 200);
  assert.doesNotMatch(server.output(), /ExperimentalWarning/);
});
