import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { warningsFor } from '../../src/app/serve.ts';
import { afterTest } from '../support/after-test.ts';
import { databaseLocation } from '../support/database-location.ts';
import { temporaryFolder } from '../support/git.ts';
import { request } from '../support/http.ts';
import { ROOT, type Running, run } from '../support/process.ts';

const MAIN = join(ROOT, 'src/app/main.mjs');

/** Flags for a server with its own data folder and an empty database. */
async function flags(t: TestContext): Promise<string[]> {
  const location = await databaseLocation(t, { schema: 'empty' });
  const database = location.kind === 'url' ? ['--database-url', location.url] : [];
  return ['--port', '0', '--data', await temporaryFolder(t), ...database];
}

function serve(t: TestContext, words: readonly string[], environment: Record<string, string> = {}) {
  return run(t, process.execPath, [MAIN, 'serve', ...words], { environment });
}

async function whoIs(url: string, name: string, password: string) {
  return (await request('GET', `${url}/api/v1/user`, { as: { name, password } })).body;
}

async function stop({ child, ended }: Running): Promise<void> {
  child.kill('SIGTERM');
  assert.deepEqual(await ended(), { code: 0, signal: null });
}

const PASSWORD_LINE = /^creating the site administrator root with the password (\S+)\nwrite it down/m;

test('the first start creates an administrator, prints its password once and reports when the server is ready', async (t) => {
  const words = await flags(t);
  const first = serve(t, words);
  const [, url = ''] = await first.line(/^ready (http:\/\/127\.0\.0\.1:\d+)$/m);
  assert.match(first.output(), /^\{"level":30,"time":\d+,"msg":"Server listening at [^"]*"\}$/m);
  const password = PASSWORD_LINE.exec(first.output())?.[1] ?? '';
  const me = await whoIs(url, 'root', password);
  assert.deepEqual([me.is_admin, me.email], [true, 'root@localhost']);
  await stop(first);

  const second = serve(t, words, { QUIRE_ADMIN_PASSWORD: password });
  await second.line(/^ready /m);
  assert.doesNotMatch(second.output(), /password|warning/i);
  await stop(second);

  const third = serve(t, words, { QUIRE_ADMIN_PASSWORD: 'another-password' });
  await third.line(/^ready /m);
  assert.match(
    third.output(),
    /^warning: QUIRE_ADMIN_PASSWORD is not the password of root and has no effect/m,
  );
  await stop(third);
});

test('a start that cannot print the generated password creates no administrator', async (t) => {
  const words = await flags(t);
  const mute = serve(t, words);
  mute.child.stdout?.destroy();
  assert.equal((await mute.ended()).code, 1);
  assert.match(mute.output(), /^quire: cannot print the password of the new site administrator: /m);

  const next = serve(t, words);
  const [, url = ''] = await next.line(/^ready (\S+)$/m);
  const password = PASSWORD_LINE.exec(next.output())?.[1] ?? '';
  assert.equal((await whoIs(url, 'root', password)).is_admin, true);
});

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
  const command = [process.execPath, MAIN, 'serve', ...(await flags(t))].map((word) => `'${word}'`).join(' ');
  const server = run(t, SCRIPT, ['--quiet', '--return', '--command', command, '/dev/null']);
  await server.line(/^\d\d:\d\d:\d\d\.\d{3} info {2}Server listening at \S+\r$/m);
});

test('starting on a port in use fails with one line and creates no administrator', async (t) => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  afterTest(t, () => other.close());
  const { port } = other.address() as { port: number };
  const words = await flags(t);
  const server = serve(t, [...words, '--port', String(port)]);
  assert.equal((await server.ended()).code, 1);
  assert.match(server.output(), new RegExp(`^quire: port ${port} on 127\\.0\\.0\\.1 is in use.*\\n$`));

  const next = serve(t, words);
  await next.line(/^ready /m);
  assert.match(next.output(), PASSWORD_LINE);
});

test('starting a second server on the same folder fails with one line', async (t) => {
  const words = await flags(t);
  const first = serve(t, words);
  await first.line(/^ready /m);
  const second = serve(t, words);
  assert.equal((await second.ended()).code, 1);
  assert.match(second.output(), /^quire: another server is running on the data folder .*\n$/);
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
  assert.match(about ?? '', /^listening on 0\.0\.0\.0 without --base-url/);
  assert.match(proxies ?? '', /^listening on 0\.0\.0\.0 without --trusted-proxies/);
  assert.equal(warningsFor({ host: '0.0.0.0', ...proxied, trustedProxies: [] }).length, 1);
  assert.deepEqual(warningsFor({ host: '0.0.0.0', ...proxied }), []);
  assert.deepEqual(warningsFor({ host: '127.0.0.1', ...direct }), []);
});

test('flags override the environment, and the environment overrides the file', async (t) => {
  const words = await flags(t);
  const file = join(await temporaryFolder(t), 'quire.json');
  await writeFile(
    file,
    JSON.stringify({ baseUrl: 'https://file.example', adminName: 'fileadmin', pushToCreate: true }),
  );
  const environment = {
    QUIRE_BASE_URL: 'https://environment.example',
    QUIRE_ADMIN_PASSWORD: 'long-enough-1',
  };
  const server = serve(
    t,
    [...words, '--config', file, '--base-url', 'https://flag.example/forge/'],
    environment,
  );
  const [, url] = await server.line(/^ready (\S+)$/m);
  const me = await whoIs(url ?? '', 'fileadmin', 'long-enough-1');
  assert.equal(me.html_url, 'https://flag.example/forge/fileadmin');
  assert.equal(me.email, 'fileadmin@flag.example');
});
