import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../support/git/git.ts';
import { ROOT } from '../../support/process.ts';
import { PROGRAM, TESTING } from '../../support/program.ts';
import { findPython, isInstalled } from '../../support/tools.ts';
import { filesOfPage } from './page.ts';

// Runs once: a throwaway server has a database of its own.

const RUNNERS = join(ROOT, '.ci/test-runners/node_modules');
const PYTEST = join(ROOT, '.ci/clients/pytest/site');
/** Room for a compiler on a busy machine. */
const RUN_MS_MAX = 240_000;

/** Makes a project with the files of one example, the world beside them, and `quire` in the path. */
async function project(t: TestContext, example: string): Promise<{ folder: string; env: NodeJS.ProcessEnv }> {
  const around = await temporaryFolder(t);
  const folder = join(around, 'project');
  await mkdir(folder);
  const files = await filesOfPage();
  await writeFile(join(folder, 'world.yaml'), files.get('world.yaml') ?? '');
  for (const [path, text] of files)
    if (path.startsWith(`${example}/`)) await writeFile(join(folder, path.slice(example.length + 1)), text);
  const bin = join(folder, 'bin');
  await mkdir(bin);
  const quire = join(bin, 'quire');
  await writeFile(quire, `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`);
  await chmod(quire, 0o755);
  const { PATH: path = '', HOME = '/' } = process.env;
  const PATH = [bin, dirname(process.execPath), path].join(delimiter);
  return { folder, env: { PATH, HOME, TMPDIR: around } };
}

/** Adds packages to a project: the build as `quire`, and what `.ci/install-clients` installs. */
async function addPackages(folder: string, names: readonly string[]): Promise<void> {
  const quire = join(folder, 'node_modules/quire');
  await mkdir(quire, { recursive: true });
  await symlink(dirname(TESTING), join(quire, 'dist'));
  const description = { name: 'quire', exports: { './testing': './dist/testing.mjs' } };
  await writeFile(join(quire, 'package.json'), JSON.stringify(description));
  for (const name of names) await symlink(join(RUNNERS, name), join(folder, 'node_modules', name));
}

async function run(
  { folder, env }: { folder: string; env: NodeJS.ProcessEnv },
  command: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(command, words, {
    cwd: folder,
    env: { ...env, ...environment },
    timeout: RUN_MS_MAX,
  });
  return stdout + stderr;
}

async function skipWithout(t: TestContext, program: string): Promise<boolean> {
  if (await isInstalled(program)) return false;
  t.skip(`this machine has no ${program}`);
  return true;
}

const withoutBuild = TESTING.endsWith('.ts') ? 'needs a build, which the runner of the tests makes' : false;
const withoutRunners = existsSync(RUNNERS) ? false : '".ci/install-clients" installs vitest and jest';
const withoutPytest = existsSync(PYTEST) ? false : '".ci/install-clients" installs pytest';

test('the example for node:test works', { skip: withoutBuild }, async (t) => {
  const place = await project(t, 'node');
  await addPackages(place.folder, []);
  assert.match(
    await run(place, process.execPath, ['--test', '--test-reporter=tap', 'engine.test.mjs']),
    /# pass 2\n# fail 0/,
  );
});

test('the example for vitest works', { skip: withoutBuild || withoutRunners }, async (t) => {
  const place = await project(t, 'vitest');
  await addPackages(place.folder, ['vitest']);
  const vitest = join(place.folder, 'node_modules/vitest/vitest.mjs');
  const output = await run(place, process.execPath, [vitest, 'run'], { NO_COLOR: '1' });
  assert.match(output, /Tests {2}2 passed \(2\)/);
});

test('the example for jest works', { skip: withoutRunners }, async (t) => {
  const place = await project(t, 'jest');
  await addPackages(place.folder, ['jest']);
  await writeFile(join(place.folder, 'package.json'), '{}');
  const jest = join(place.folder, 'node_modules/jest/bin/jest.js');
  assert.match(await run(place, process.execPath, [jest, '--no-watchman']), /Tests: +2 passed, 2 total/);
});

test('the example for pytest works', { skip: withoutPytest }, async (t) => {
  if (await skipWithout(t, 'python3')) return;
  const place = await project(t, 'pytest');
  const words = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider'];
  const output = await run(place, await findPython(), words, {
    PYTHONPATH: PYTEST,
    PYTHONDONTWRITEBYTECODE: '1',
  });
  assert.match(output, /\b2 passed\b/);
});

test('the example for Go works', async (t) => {
  if (await skipWithout(t, 'go')) return;
  const place = await project(t, 'go');
  await writeFile(join(place.folder, 'go.mod'), 'module engine\n\ngo 1.21\n');
  const environment = { GOFLAGS: '-mod=mod', GOPROXY: 'off', GOTOOLCHAIN: 'local' };
  const output = await run(place, 'go', ['test', '-v', './...'], environment);
  assert.equal([...output.matchAll(/^--- PASS: /gm)].length, 2, output);
});

test('the example for Rust works', async (t) => {
  if (await skipWithout(t, 'rustc')) return;
  const place = await project(t, 'rust');
  await run(place, 'rustc', ['--test', '--edition', '2021', 'engine.rs', '-o', 'engine']);
  assert.match(await run(place, join(place.folder, 'engine'), []), /test result: ok\. 2 passed/);
});
