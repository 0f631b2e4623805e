import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { afterTest } from '../support/after-test.ts';
import { type Person, startForge, type TestForge } from '../support/forge/forge.ts';
import { NotesApp } from '../support/forge/notes.ts';
import { temporaryFolder } from '../support/git/git.ts';
import { PageReader } from '../support/http/page-reader.ts';
import { startTlsProxy } from '../support/http/tls-proxy.ts';
import { ROOT } from '../support/process.ts';
import { findPython, isInstalled } from '../support/tools.ts';
import { until } from '../support/until.ts';

// Runs once: no outcome depends on the database.

const CLIENTS = join(ROOT, '.ci/clients');
const LIBRARY = join(CLIENTS, 'notes/site');
const COMMANDS = join(CLIENTS, 'python/site');
const PROGRAM = join(CLIENTS, 'notes/client.py');

const withoutLibrary = existsSync(LIBRARY) ? false : '".ci/install-clients" installs the library';
const withoutCommands = !existsSync(join(COMMANDS, 'nncli'))
  ? '".ci/install-clients" installs the client'
  : (await isInstalled('openssl'))
    ? false
    : 'openssl makes the certificate that this client wants';

/** Python keeps what it compiles beside the packages: compiling them takes half of the time of a start. */
function environmentFor(packages: string, more: Readonly<Record<string, string>>) {
  return {
    PATH: process.env.PATH ?? '',
    PYTHONPATH: packages,
    LC_ALL: 'C.UTF-8',
    ...more,
  };
}

test('nc-py-api, a library, signs in on the page and uses everything that it has for notes', {
  skip: withoutLibrary,
}, async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const url = { NEXTCLOUD_URL: forge.url };

  const password = await signInWith(t, forge, ada, environmentFor(LIBRARY, url));
  const { stdout } = await promisify(execFile)('python3', [PROGRAM, 'notes'], {
    env: environmentFor(LIBRARY, { ...url, NC_AUTH_USER: 'ada', NC_AUTH_PASS: password }),
    timeout: 240_000,
  });

  assert.equal(stdout, 'ok\n');
  assert.deepEqual([...(await new NotesApp(forge, ada).byTitle()).keys()], ['Plan']);
});

/** Lets the library sign in, grants it what it asks for, and returns the app password that it received. */
async function signInWith(
  t: TestContext,
  forge: TestForge,
  person: Person,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const client = spawn('python3', [PROGRAM, 'sign-in'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  afterTest(t, () => client.kill());
  const lines = createInterface(client.stdout)[Symbol.asyncIterator]();
  const page = new URL(String((await lines.next()).value)).pathname;
  const reader = new PageReader(forge);
  await reader.signIn(person);
  const granted = await reader.post(page, { device: '', access: 'notes' });
  assert.equal(granted.status, 200, granted.text);
  return String((await lines.next()).value);
}

test('nncli, a command-line client, synchronizes with version 0.2 of the API through a proxy with TLS', {
  skip: withoutCommands,
}, async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const app = new NotesApp(forge, ada);
  const { host, certificate } = await startTlsProxy(t, forge.url);
  const home = await temporaryFolder(t);
  await mkdir(join(home, '.cache'));
  const config = join(home, 'config');
  const settings = {
    username: 'ada',
    password: await ada.tokenFor(['write:repository', 'notes-only']),
    host,
  };
  await writeFile(
    config,
    ['[nncli]', ...Object.entries(settings).map(([name, value]) => `cfg_nn_${name} = ${value}`), ''].join(
      '\n',
    ),
  );
  const python = await findPython();
  const env = environmentFor(COMMANDS, { HOME: home, REQUESTS_CA_BUNDLE: certificate });
  const nncli = async (args: readonly string[], input = '') => {
    const running = promisify(execFile)(python, ['-m', 'nncli', '-c', config, ...args], {
      env,
      timeout: 240_000,
    });
    running.child.stdin?.end(input);
    return (await running).stdout;
  };
  const [there, marked, old] = await Promise.all(
    ['There', 'Marked', 'Old'].map((title) => app.create({ title, content: title, modified: 1_000_000 })),
  );
  assert.ok(there !== undefined && marked !== undefined && old !== undefined);

  await nncli(['create', '-'], '# Groceries\n\n- Brot\n- Käse\n');
  const groceries = (await app.byTitle()).get('Groceries');
  assert.equal(groceries?.content, '# Groceries\n\n- Brot\n- Käse\n');
  const listed = await nncli(['list']);
  assert.match(listed, new RegExp(`^${groceries.id} \\[.*\\] Groceries$`, 'm'));
  assert.match(listed, new RegExp(`^${there.id} \\[.*\\] There$`, 'm'));

  await nextSecond();
  await nncli(['cat', '-k', String(there.id), 'set', 'Home']);
  assert.equal((await app.note(there.id)).category, 'home');
  await nncli(['favorite', '-k', String(marked.id)]);
  assert.equal((await app.note(marked.id)).favorite, true);
  await nncli(['delete', '-k', String(old.id)]);
  await app.update(groceries.id, { content: '# Groceries\n\n- Milch\n' });
  assert.match(await nncli(['dump', '-k', String(groceries.id)]), /- Milch/);
  assert.deepEqual([...(await app.byTitle()).keys()].sort(), ['Groceries', 'Marked', 'There']);
});

/** This client compares whole seconds: it misses a change in the second of the one before. */
async function nextSecond(): Promise<void> {
  const second = () => Math.floor(Date.now() / 1000);
  const now = second();
  await until(() => second() > now);
}
