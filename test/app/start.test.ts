import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { warningsFor } from '../../src/app/serve.ts';
import { databaseLocation } from '../support/database-location.ts';
import { temporaryFolder } from '../support/git.ts';
import { ROOT, run } from '../support/process.ts';

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

test('the first start creates an administrator, prints its password once and reports when the server is ready', async (t) => {
  const words = await flags(t);
  const first = serve(t, words);
  const [, url] = await first.line(/^ready (http:\/\/127\.0\.0\.1:\d+)$/m);
  const password = /site administrator root with the password (\S+)/.exec(first.output())?.[1];
  assert.ok(password);
  const me = await fetch(`${url}/api/v1/user`, {
    headers: { authorization: `Basic ${Buffer.from(`root:${password}`).toString('base64')}` },
  });
  assert.equal(me.status, 200);
  assert.equal(((await me.json()) as { is_admin: boolean }).is_admin, true);
  first.child.kill('SIGTERM');
  assert.deepEqual(await first.ended(), { code: 0, signal: null });

  const second = serve(t, words);
  await second.line(/^ready /m);
  assert.doesNotMatch(second.output(), /password/);
  second.child.kill('SIGTERM');
  assert.deepEqual(await second.ended(), { code: 0, signal: null });
});

test('npm start passes its flags on, and SIGTERM to npm stops the server with exit status 0', async (t) => {
  const npm = run(t, 'npm', ['start', '--', ...(await flags(t))]);
  await npm.line(/^ready http:\/\/127\.0\.0\.1:\d+$/m);
  npm.child.kill('SIGTERM');
  assert.deepEqual(await npm.ended(), { code: 0, signal: null });
});

test('starting on a port in use fails with one line', async (t) => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  t.after(() => other.close());
  const { port } = other.address() as { port: number };
  const words = [...(await flags(t)), '--port', String(port)];
  const server = serve(t, words);
  assert.equal((await server.ended()).code, 1);
  assert.match(server.output(), new RegExp(`^quire: port ${port} on 127\\.0\\.0\\.1 is in use.*\\n$`));
});

test('starting a second server on the same folder fails with one line', async (t) => {
  const words = await flags(t);
  const first = serve(t, words);
  await first.line(/^ready /m);
  const second = serve(t, words);
  assert.equal((await second.ended()).code, 1);
  assert.match(second.output(), /^quire: another server is running on the data folder .*\n$/);
});

test('starting with a file as the data folder fails with one line', async (t) => {
  const file = join(await temporaryFolder(t), 'data');
  await writeFile(file, '');
  const server = serve(t, ['--port', '0', '--data', file]);
  assert.equal((await server.ended()).code, 1);
  assert.match(server.output(), /^quire: cannot write the data folder .*\n$/);
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

test('starting with an invalid setting fails with one line that names the valid values', async (t) => {
  const folder = await temporaryFolder(t);
  for (const [words, reason] of [
    [['--port', '99999'], /the port must be 0 to 65535/],
    [['--base-url', 'ftp://x'], /the base URL must be an http or https address/],
    [['--database-url', 'mysql://x'], /the database URL must begin with postgres:/],
    [['--config', join(folder, 'none.json')], /cannot read the configuration file/],
  ] as const) {
    const server = serve(t, ['--data', folder, ...words]);
    assert.equal((await server.ended()).code, 1);
    assert.match(server.output(), reason);
    assert.equal(server.output().trim().split('\n').length, 1);
  }
});

test('listening on a public address without a base URL prints a warning', () => {
  const [warning] = warningsFor({ host: '0.0.0.0', baseUrl: null });
  assert.match(warning ?? '', /^listening on 0\.0\.0\.0 without --base-url/);
  assert.deepEqual(warningsFor({ host: '0.0.0.0', baseUrl: 'https://forge.example' }), []);
  assert.deepEqual(warningsFor({ host: '127.0.0.1', baseUrl: null }), []);
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
  const answer = await fetch(`${url}/api/v1/user`, {
    headers: { authorization: `Basic ${Buffer.from('fileadmin:long-enough-1').toString('base64')}` },
  });
  const me = (await answer.json()) as { html_url: string };
  assert.equal(me.html_url, 'https://flag.example/forge/fileadmin');
});
