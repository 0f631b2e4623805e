import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { afterTest } from '../../support/after-test.ts';
import { temporaryFolder } from '../../support/git/git.ts';
import { request } from '../../support/http/http.ts';
import { ROOT } from '../../support/process.ts';
import { PROGRAM } from '../../support/program.ts';
import { until } from '../../support/until.ts';
import { quire } from '../quire.ts';
import { startChild } from './child.ts';

// Runs once: a throwaway server has a database of its own.

/** Starts one with its data in a folder of the test, and returns which folders of data there are. */
async function startIn(t: TestContext, input: 'pipe' | 'ignore' = 'pipe') {
  const folder = await temporaryFolder(t);
  const forge = await startChild(t, ['--on-disk'], { folder, input });
  const data = () => dataIn(folder);
  assert.equal(data().length, 1);
  return { folder, forge, data };
}

function dataIn(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => name.startsWith('quire-throwaway-'));
}

test('a throwaway server prints one line of JSON, with which a client can use it, and logs to standard error', async (t) => {
  const forge = await startChild(t, ['--log-level', 'info']);

  assert.match(forge.url, /^http:\/\/127\.0\.0\.1:\d+$/);
  const { admin, token, pid } = forge;
  assert.equal(pid, forge.child.pid);
  const byToken = await request('GET', `${forge.url}/api/v1/user`, { as: { token } });
  assert.deepEqual([byToken.body.login, byToken.body.is_admin], [admin.name, true]);
  const byPassword = await request('GET', `${forge.url}/api/v1/user`, { as: admin });
  assert.equal(byPassword.body.login, 'root');
  assert.equal(forge.rest(), '');
  await until(() => forge.log().includes('/api/v1/user'));
});

test('a throwaway server ends without its data when its standard input closes', async (t) => {
  const { forge, data } = await startIn(t);
  forge.child.stdin?.end();
  assert.deepEqual(await forge.ended(), { code: 0, signal: null });
  assert.deepEqual(data(), []);
});

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
  test(`a throwaway server ends without its data on ${signal}, even during a request`, async (t) => {
    const { forge, data } = await startIn(t);
    const waiting = fetch(`${forge.url}/api/v1/events?cursor=latest&wait=60`, {
      headers: { authorization: `token ${forge.token}` },
    }).catch(() => 'cut off');
    await until(async () => /running 2$/m.test(await metricsOf(forge.url)));
    forge.child.kill(signal);
    assert.deepEqual(await forge.ended(), { code: 0, signal: null });
    assert.equal(await waiting, 'cut off');
    assert.deepEqual(data(), []);
  });

async function metricsOf(url: string): Promise<string> {
  const { text } = await request('GET', `${url}/metrics`);
  return text
    .split('\n')
    .filter((line) => line.startsWith('quire_http_requests_running'))
    .join('\n');
}

for (const input of ['pipe', 'ignore'] as const)
  test(`a throwaway server ends without its data when its parent is killed, with standard input as ${input}`, async (t) => {
    const folder = await temporaryFolder(t);
    const code = `
      const words = [${JSON.stringify(PROGRAM)}, 'forge', '--on-disk'];
      require('node:child_process').spawn(process.execPath, words, { stdio: ['${input}', 'inherit', 'inherit'] });`;
    const parent = spawn(process.execPath, ['-e', code], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    afterTest(t, () => parent.kill('SIGKILL'));
    const [line] = await once(createInterface(parent.stdout), 'line');
    const { url, pid } = JSON.parse(line);
    assert.equal((await request('GET', `${url}/api/v1/version`)).status, 200);

    parent.kill('SIGKILL');

    await until(() => !runs(pid));
    assert.deepEqual(dataIn(folder), []);
  });

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('a start removes the data of a throwaway server that was killed, and not that of one that runs', async (t) => {
  const { folder, forge, data } = await startIn(t);
  const running = await startChild(t, ['--on-disk'], { folder });
  forge.child.kill('SIGKILL');
  await forge.ended();
  assert.equal(data().length, 2);

  const next = await startChild(t, ['--on-disk'], { folder });

  assert.equal(data().length, 2);
  for (const { url } of [running, next])
    assert.equal((await request('GET', `${url}/api/v1/version`)).status, 200);
});

test('a throwaway server does not read the settings of a server with data', async (t) => {
  const data = await temporaryFolder(t);
  const environment = {
    QUIRE_DATA: data,
    QUIRE_PORT: '1',
    QUIRE_CONFIG: join(data, 'missing.json'),
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
  };
  const forge = await startChild(t, [], { environment });
  assert.equal((await request('GET', `${forge.url}/api/v1/version`)).status, 200);
  assert.deepEqual(readdirSync(data), []);
});

test('a throwaway server takes settings of the server as flags, but none for its data or its port', async (t) => {
  const forge = await startChild(t, ['--push-to-create', 'true', '--lfs', 'false']);
  assert.equal((await request('GET', `${forge.url}/api/v1/version`)).status, 200);
  for (const flag of ['--data', '--database-url', '--objects', '--port', '--host', '--config']) {
    const { code, output } = await quire(t, ['forge', flag, 'x']);
    assert.deepEqual([code, output.split('\n')[0]], [1, `error: unknown option '${flag}'`]);
  }
  const { code, output } = await quire(t, ['forge', '--lfs', 'perhaps']);
  assert.equal(code, 1);
  assert.match(output, /^quire: --lfs .* must be true or false, not perhaps\n$/);
});
