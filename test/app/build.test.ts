import assert from 'node:assert/strict';
import { cp, mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import sources from '../../bin/sources.cjs';
import { temporaryFolder } from '../support/git/git.ts';
import { ROOT, run } from '../support/process.ts';

// Runs once: no outcome depends on the database.

/** A small clone, whose sources and whose build print which of them ran. */
async function clone(t: TestContext): Promise<string> {
  const root = await temporaryFolder(t);
  await cp(join(ROOT, 'bin'), join(root, 'bin'), { recursive: true });
  for (const folder of ['src/app', 'testing', 'scripts/build', 'node_modules', 'dist'])
    await mkdir(join(root, folder), { recursive: true });
  await writeFile(join(root, 'src/app/main.mjs'), "process.stdout.write('sources');");
  await writeFile(join(root, 'src/app/version.ts'), 'export const VERSION = 1;');
  await writeFile(join(root, 'package.json'), '{}');
  await writeFile(join(root, 'node_modules/.package-lock.json'), '{ "packages": {} }');
  await writeFile(join(root, 'dist/main.mjs'), "process.stdout.write('build');");
  await writeFile(join(root, 'dist', sources.STATES), sources.statesOfSources(root));
  await writeFile(join(root, 'dist', sources.STAMP), sources.hashOfSources(root));
  return root;
}

async function whatRuns(t: TestContext, root: string): Promise<string> {
  const program = run(t, process.execPath, [join(root, 'bin/main.mjs')]);
  await program.ended();
  return program.output();
}

test('a build runs only while it is of exactly the present sources', async (t) => {
  const root = await clone(t);
  assert.equal(await whatRuns(t, root), 'build');
  const version = join(root, 'src/app/version.ts');

  const changes: readonly (readonly [
    what: string,
    change: () => Promise<void>,
    undo: () => Promise<void>,
  ])[] = [
    [
      'a source has other text of the same length and date',
      async () => {
        await writeFile(version, 'export const VERSION = 2;');
        await utimes(version, 0, 0);
      },
      () => writeFile(version, 'export const VERSION = 1;'),
    ],
    [
      'a source has another name',
      () => rename(version, `${version}.old`),
      () => rename(`${version}.old`, version),
    ],
    [
      'there is one more source',
      () => writeFile(join(root, 'testing/new.ts'), ''),
      () => rm(join(root, 'testing/new.ts')),
    ],
    [
      'another version of a package is installed',
      () => writeFile(join(root, 'node_modules/.package-lock.json'), '{ "packages": { "pg": {} } }'),
      () => writeFile(join(root, 'node_modules/.package-lock.json'), '{ "packages": {} }'),
    ],
    [
      'the build did not end',
      () => rename(join(root, 'dist', sources.STAMP), join(root, 'stamp')),
      () => rename(join(root, 'stamp'), join(root, 'dist', sources.STAMP)),
    ],
  ];
  for (const [what, change, undo] of changes) {
    await change();
    assert.equal(sources.isBuildCurrent(root), false, what);
    await undo();
    assert.equal(sources.isBuildCurrent(root), true, what);
  }

  await utimes(version, 0, 0);
  assert.equal(sources.isBuildCurrent(root), true, 'a source has only another date');

  await writeFile(version, 'export const VERSION = 2;');
  assert.equal(await whatRuns(t, root), 'sources');
});

test('a package, which has no sources, runs its build', async (t) => {
  const root = await clone(t);
  await rm(join(root, 'src'), { recursive: true });

  assert.equal(await whatRuns(t, root), 'build');
});

test('a clone that cannot build says so in one line, and its installation succeeds', async (t) => {
  const root = await clone(t);
  await rm(join(root, 'dist'), { recursive: true });
  await writeFile(join(root, 'scripts/build.ts'), "throw new Error('no bundler');");

  const prepare = run(t, process.execPath, [join(root, 'bin/prepare.cjs')]);

  assert.deepEqual(await prepare.ended(), { code: 0, signal: null });
  assert.match(prepare.output(), /^Quire runs from its sources, [^\n]*: Error: no bundler\n$/);
  assert.equal(await whatRuns(t, root), 'sources');
});
