import assert from 'node:assert/strict';
import { cp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { cachedDataVersionTag } from 'node:v8';
import serverFlags from '../../bin/server-flags.cjs';
import { temporaryFolder } from '../support/git.ts';
import { request } from '../support/http.ts';
import { run } from '../support/process.ts';
import { PROGRAM } from '../support/program.ts';

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

test('a build has the compiled code of a server, with its flags, and of a command, without them', {
  skip,
}, async (t) => {
  const build = await copyOfBuild(t);
  const folders = await readdir(path.join(build, 'code'));
  const tag = 'console.log(process.platform, process.arch, v8.cachedDataVersionTag())';
  for (const flags of [serverFlags.flagsOf(process.versions.node), []]) {
    const asked = run(t, process.execPath, [...flags, '--eval', tag]);
    await asked.ended();
    const folder = asked.output().trim().replaceAll(' ', '-');
    assert.ok(folders.includes(folder), `${folder} is not among ${folders}`);
  }
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
