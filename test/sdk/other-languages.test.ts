import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { type Person, startForge, type TestForge } from '../support/forge/forge.ts';
import { ROOT } from '../support/process.ts';
import { findPython } from '../support/tools.ts';
import { until } from '../support/until.ts';

const CLIENTS = join(ROOT, '.ci/clients');
const GO_CLIENT = join(CLIENTS, 'go/bin/client');
const COMMAND_LINE_CLIENT = join(CLIENTS, 'python/site/bin/forj');
/** Python keeps what it compiles beside them: compiling them takes half of the time of a start. */
const PYTHON_PACKAGES = join(CLIENTS, 'python/site');
/** What each program does, in this order. */
const PARTS = ['files', 'commits', 'branches'];

const missing = (path: string) => (existsSync(path) ? false : '".ci/install-clients" installs the client');

/** Runs a program that uses a published client, and returns what it prints at the end. */
async function run(
  forge: TestForge,
  [command, ...args]: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>>,
  prepare: (ada: Person) => Promise<void> = async () => {},
): Promise<string> {
  const ada = await forge.account('ada');
  await prepare(ada);
  const { stdout } = await promisify(execFile)(command, args, {
    env: { PATH: process.env.PATH ?? '', FORGE_URL: forge.url, FORGE_TOKEN: ada.token, ...environment },
    timeout: 240_000,
  });
  return stdout;
}

/** Has another user open two issues, of which the user is notified. */
async function notify({ root }: TestForge, ada: Person): Promise<void> {
  await ada.repository('loom');
  for (const [index, title] of ['It hums', 'It stops'].entries()) {
    assert.equal((await root.post('/api/v1/repos/ada/loom/issues', { title })).status, 201);
    await until(async () => (await ada.get('/api/v1/notifications')).body.length === index + 1);
  }
}

test('the Go client writes, reads, branches, tags and compares, works through the life of an issue, and reads notifications', {
  skip: missing(GO_CLIENT),
}, async (t) => {
  const forge = await startForge(t);

  const command = [GO_CLIENT, 'notifications', ...PARTS, 'issues'] as const;
  assert.equal(await run(forge, command, { HOME: CLIENTS }, (ada) => notify(forge, ada)), 'ok\n');
});

test('the Go client works through the life of a pull request with reviews', {
  skip: missing(GO_CLIENT),
}, async (t) => {
  const forge = await startForge(t);

  const environment = { HOME: CLIENTS, FORGE_REVIEWER_TOKEN: forge.root.token };
  assert.equal(await run(forge, [GO_CLIENT, 'pulls'], environment), 'ok\n');
});

test('the Go client drafts a release with a file, publishes it and deletes it', {
  skip: missing(GO_CLIENT),
}, async (t) => {
  const forge = await startForge(t);

  assert.equal(await run(forge, [GO_CLIENT, 'releases'], { HOME: CLIENTS }), 'ok\n');
});

test('the Python client writes, reads, branches, tags, compares, plans and works through the lives of an issue and a pull request', {
  skip: missing(PYTHON_PACKAGES),
}, async (t) => {
  const forge = await startForge(t);
  const program = join(CLIENTS, 'python/client.py');
  const environment = { PYTHONPATH: PYTHON_PACKAGES, LC_ALL: 'C.UTF-8' };

  assert.equal(
    await run(forge, ['python3', program, ...PARTS, 'plans', 'issues', 'pulls'], environment),
    'ok\n',
  );
});

test('the command-line client forj works through the life of an issue', {
  skip: missing(COMMAND_LINE_CLIENT),
}, async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const python = await findPython();
  const forj = async (...args: readonly string[]) => {
    const { stdout } = await promisify(execFile)(python, [COMMAND_LINE_CLIENT, '--json', ...args], {
      env: {
        PATH: process.env.PATH ?? '',
        PYTHONPATH: PYTHON_PACKAGES,
        FORJ_REPO: 'ada/engine',
        FORJ_API_ROOT: `${forge.url}/api/v1`,
        FORJ_TOKEN: ada.token,
        FORJ_ALLOW_DELETE: '1',
      },
      timeout: 240_000,
    });
    return stdout;
  };
  const listed = async (...filter: readonly string[]) =>
    JSON.parse(await forj('issue', 'list', ...filter)).map(({ title }: { title: string }) => title);

  await forj('label', 'create', 'bug', '--color', 'ff0000');
  await forj('issue', 'create', 'The bearing is dry', 'Since May.');
  await forj('issue', 'create', 'It rattles', 'When it turns.');
  await forj('issue', 'label', 'add', '2', 'bug');
  await forj('comment', 'create', '2', 'Oil it.');
  await forj('issue', 'dep', 'add', '2', '1');
  assert.deepEqual(await listed('--label', 'bug'), ['It rattles']);
  assert.deepEqual(await listed('--blocked'), ['It rattles']);
  await forj('issue', 'edit', '1', '--state', 'closed');
  await forj('issue', 'edit', '2', '--state', 'closed', '--title', 'It hums');
  assert.deepEqual(await listed(), []);
  assert.match(await forj('comment', 'list', '2'), /Oil it\./);
  await forj('issue', 'delete', '2', '--yes');
  assert.deepEqual(await listed('--state', 'all'), ['The bearing is dry']);
});
