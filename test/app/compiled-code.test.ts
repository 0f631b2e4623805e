import assert from 'node:assert/strict';
import { cp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { cachedDataVersionTag } from 'node:v8';
import { temporaryFolder } from '../support/git/git.ts';
import { request } from '../support/http/http.ts';
import { run } from '../support/process.ts';
import { PROGRAM } from '../support/program.ts';

// Runs once: no outcome depends on the database.

const skip =
  path.basename(PROGRAM) === 'main.mjs' && PROGRAM.includes('src') ? 'npm test makes a build' : false;
/** Folder of the compiled code that this Node accepts. */
const CODE = `code/${process.platform}-${process.arch}-${cachedDataVersionTag()}`;

/** A copy of the build of this run, which a test may damage. */
async function copyOfBuild(t: TestContext): Promise<string> {
  const build = path.join(await temporaryFolder(t), 'dist');
  await cp(path.dirname(PROGRAM), build, { recursive: true });
  return build;
}

/** Starts the server of a build, asks it for its version, and stops it. */
async function startAndStop(t: TestContext, build: string): Promise<void> {
  const flags = ['--port', '0', '--data', await temporaryFolder(t), '--log-level', 'silent'];
  const server = run(t, process.execPath, [path.join(build, 'main.mjs'), 'serve', ...flags]);
  const [, url = ''] = await server.line(/^ready (\S+)$/m);
  assert.equal((await request('GET', `${url}/api/v1/version`)).status, 200);
  server.child.kill('SIGTERM');
  assert.deepEqual(await server.ended(), { code: 0, signal: null });
}

/** Inodes and dates of the files with compiled code, by name. */
async function statesOfCode(build: string): Promise<ReadonlyMap<string, string>> {
  const states = new Map<string, string>();
  for (const name of await readdir(path.join(build, CODE))) {
    const { ino, mtimeMs } = await stat(path.join(build, CODE, name));
    states.set(name, `${ino} ${mtimeMs}`);
  }
  return states;
}

test('the compiled code of a build fits a server, whose young generation is small', { skip }, async (t) => {
  const tag = 'console.log(v8.cachedDataVersionTag())';
  const asked = run(t, process.execPath, ['--max-semi-space-size=8', '--eval', tag]);
  await asked.ended();
  assert.equal(asked.output().trim(), String(cachedDataVersionTag()));
});

test('a start takes the compiled code of its build, and leaves it as it is', { skip }, async (t) => {
  const build = await copyOfBuild(t);
  const before = await statesOfCode(build);
  assert.ok(before.has('main.cjs'));
  await startAndStop(t, build);
  assert.deepEqual(await statesOfCode(build), before);
});

test('a start keeps compiled code for the next one if the build has none for this Node', {
  skip,
}, async (t) => {
  const build = await copyOfBuild(t);
  await rm(path.join(build, 'code'), { recursive: true });
  await startAndStop(t, build);
  const before = await statesOfCode(build);
  assert.ok(before.has('main.cjs'));
  await startAndStop(t, build);
  assert.deepEqual(await statesOfCode(build), before);
});

test('a start replaces compiled code that is cut off', { skip }, async (t) => {
  const build = await copyOfBuild(t);
  const main = path.join(build, CODE, 'main.cjs');
  const { size } = await stat(main);
  await truncate(main, size / 2);
  await startAndStop(t, build);
  assert.ok((await stat(main)).size > size / 2);
});

test('a server starts from a build to which it cannot add compiled code', { skip }, async (t) => {
  const build = await copyOfBuild(t);
  await rm(path.join(build, 'code'), { recursive: true });
  await writeFile(path.join(build, 'code'), 'a file where the folder would be');
  await startAndStop(t, build);
  assert.match(await readFile(path.join(build, 'code'), 'utf8'), /^a file/);
});
