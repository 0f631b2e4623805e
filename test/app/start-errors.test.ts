import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { warningsFor } from '../../src/app/serve.ts';
import { temporaryFolder } from '../support/git/git.ts';
import { run } from '../support/process.ts';
import { PROGRAM } from '../support/program.ts';

// Runs once: no outcome depends on the database.

// What starts show and why they fail, apart from the database. These tests do not see it, so they run once.

/** Flags for a server with its own data folder. */
async function flags(t: TestContext): Promise<string[]> {
  return ['--port', '0', '--data', await temporaryFolder(t)];
}

function serve(t: TestContext, words: readonly string[], environment: Record<string, string> = {}) {
  return run(t, process.execPath, [PROGRAM, 'serve', ...words], { environment });
}

test('npm start passes its flags on, and SIGTERM to npm stops the server with exit status 0', async (t) => {
  const npm = run(t, 'npm', ['start', '--', ...(await flags(t))]);
  await npm.line(/^ready http:\/\/127\.0\.0\.1:\d+$/m);
  npm.child.kill('SIGTERM');
  assert.deepEqual(await npm.ended(), { code: 0, signal: null });
});

/** Runs a command on a terminal of its own. */
const SCRIPT = '/usr/bin/script';
const whyNoTerminal =
  process.platform === 'linux' && existsSync(SCRIPT) ? false : `needs ${SCRIPT} of util-linux`;

test('the log is readable text on a terminal', { skip: whyNoTerminal }, async (t) => {
  const command = [process.execPath, PROGRAM, 'serve', ...(await flags(t))]
    .map((word) => `'${word}'`)
    .join(' ');
  const server = run(t, SCRIPT, ['--quiet', '--return', '--command', command, '/dev/null']);
  await server.line(/^\d\d:\d\d:\d\d\.\d{3} info {2}Server listening at \S+\r$/m);
});

test('starting with a data folder that cannot be created fails with one line', async (t) => {
  const file = join(await temporaryFolder(t), 'data');
  await writeFile(file, '');
  for (const folder of [file, join(file, 'below'), '/proc/quire', '/proc/quire/below']) {
    const server = serve(t, ['--port', '0', '--data', folder]);
    assert.equal((await server.ended()).code, 1);
    assert.match(server.output(), /^quire: cannot write the data folder .*\n$/);
  }
});

test('starting on a machine without git fails with one line', async (t) => {
  const server = serve(t, await flags(t), { PATH: await temporaryFolder(t) });
  assert.equal((await server.ended()).code, 1);
  assert.match(server.output(), /^quire: git cannot be run.*\n$/);
});

test('D7: starting with a git that is too old fails with one line', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'git'), '#!/bin/sh\necho git version 2.38.1\n');
  await chmod(join(folder, 'git'), 0o755);
  const server = serve(t, await flags(t), { PATH: `${folder}:${process.env.PATH}` });
  assert.equal((await server.ended()).code, 1);
  assert.match(server.output(), /^quire: git 2\.39 or newer is needed; this machine has 2\.38\.1\n$/);
});

test('starting with an unreachable database fails with one line', async (t) => {
  const server = serve(t, [
    '--port',
    '0',
    '--data',
    await temporaryFolder(t),
    '--database-url',
    'postgres://127.0.0.1:1/x',
  ]);
  assert.equal((await server.ended()).code, 1);
  assert.match(server.output(), /^quire: the database cannot be reached: .*\n$/);
});

test('starting with an invalid setting fails with one line', async (t) => {
  const server = serve(t, ['--data', await temporaryFolder(t), '--trusted-proxies', 'foo']);
  assert.equal((await server.ended()).code, 1);
  assert.match(server.output(), /^quire: a trusted proxy must be an address or a network, .*\n$/);
});

test('listening on a public address without a base URL or trusted proxies prints warnings', () => {
  const proxied = { baseUrl: 'https://forge.example', trustedProxies: ['192.0.2.1'] };
  const direct = { baseUrl: null, trustedProxies: [] };
  const [about, proxies] = warningsFor({ host: '0.0.0.0', ...direct });
  assert.match(
    about ?? '',
    /^listening on 0\.0\.0\.0 without --base-url: .* unless --allowed-hosts lists it$/,
  );
  assert.match(proxies ?? '', /^listening on 0\.0\.0\.0 without --trusted-proxies/);
  assert.equal(warningsFor({ host: '0.0.0.0', ...proxied, trustedProxies: [] }).length, 1);
  assert.deepEqual(warningsFor({ host: '0.0.0.0', ...proxied }), []);
  assert.deepEqual(warningsFor({ host: '127.0.0.1', ...direct }), []);
});
