import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gitOverSsh, newKeyFile } from '../code/ssh/ssh-stage.ts';
import { afterTest } from '../support/after-test.ts';
import { databaseLocation } from '../support/database/database-location.ts';
import { overTcp } from '../support/database/postgres-databases.ts';
import { git, temporaryFolder } from '../support/git/git.ts';
import { request } from '../support/http/http.ts';
import { type Running, run } from '../support/process.ts';
import { PROGRAM } from '../support/program.ts';

/** Flags for a server with its own data folder and an empty database, which it reaches over TCP. */
async function flags(t: TestContext): Promise<string[]> {
  const location = await databaseLocation(t, { schema: 'empty' });
  const database = location.kind === 'url' ? ['--database-url', overTcp(location.url)] : [];
  return ['--port', '0', '--data', await temporaryFolder(t), ...database];
}

function serve(t: TestContext, words: readonly string[], environment: Record<string, string> = {}) {
  return run(t, process.execPath, [PROGRAM, 'serve', ...words], { environment });
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
  await stop(second);
  assert.doesNotMatch(second.output(), /password|warning/i);

  const third = serve(t, words, { QUIRE_ADMIN_PASSWORD: 'another-password' });
  await third.line(
    /^ready .*\n(?:.*\n)*warning: QUIRE_ADMIN_PASSWORD is not the password of root and has no effect/m,
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

test('the program that users run serves git over SSH', async (t) => {
  const server = serve(t, [...(await flags(t)), '--ssh-port', '0'], {
    QUIRE_ADMIN_PASSWORD: 'a long password',
  });
  const [, port = ''] = await server.line(/^SSH at 127\.0\.0\.1:(\d+)$/m);
  const [, url = ''] = await server.line(/^ready (\S+)$/m);
  const as = { name: 'root', password: 'a long password' };
  const key = await newKeyFile(t);
  await request('POST', `${url}/api/v1/user/keys`, { as, json: { title: 'key', key: key.line } });
  await request('POST', `${url}/api/v1/user/repos`, { as, json: { name: 'engine', auto_init: true } });

  const remote = `ssh://git@127.0.0.1:${port}/${as.name}/engine.git`;
  const refs = await git(await temporaryFolder(t), ['ls-remote', remote], { environment: gitOverSsh(key) });

  assert.match(refs, /\trefs\/heads\/main$/m);
  await stop(server);
});
