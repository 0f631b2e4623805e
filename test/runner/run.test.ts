import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';

const RUNNER = path.resolve(import.meta.dirname, '../run.ts');
const HEAD = "import { describe, test } from 'node:test';\n";

/** Runs the runner itself on test files with these texts. */
function run(t: TestContext, files: Readonly<Record<string, string>>, args: readonly string[] = []) {
  const folder = mkdtempSync(path.join(tmpdir(), 'quire-runner-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  const { stdout, status } = spawnSync(process.execPath, [RUNNER, '--database', 'sqlite', ...args, folder], {
    encoding: 'utf8',
  });
  return { stdout, status, lastLine: stdout.trimEnd().split('\n').at(-1) };
}

test('the last line counts tests, not the suites and tests around them', (t) => {
  const text = `${HEAD}
    describe('suite', () => { test('a', () => {}); });
    test('around', async (t) => { await t.test('b', () => {}); await t.test('c', () => {}); });
    test('d', { skip: 'the moon is up' }, () => {});
    test('e', { todo: true }, () => { throw new Error('not yet'); });`;

  const { stdout, status, lastLine } = run(t, { 'a.test.ts': text });

  assert.equal(lastLine, '3 passed, 0 failed, 2 skipped');
  assert.equal(status, 0);
  assert.match(stdout, /Skipped \(the moon is up\):\n.*a\.test\.ts:5 {2}d\n/);
});

test('a failure is shown with its error and named again at the end', (t) => {
  const text = `${HEAD}
    test('fine', () => {});
    test('around', async (t) => { await t.test('b', () => { throw new Error('it broke'); }); });`;

  const { stdout, status, lastLine } = run(t, { 'a.test.ts': text });

  assert.equal(lastLine, '1 passed, 1 failed');
  assert.equal(status, 1);
  assert.match(stdout, /Error: it broke\n/);
  assert.match(stdout, /Failed:\n.*a\.test\.ts:4 {2}around > b\n/);
});

test('a file that hides failures from its exit code fails nonetheless', (t) => {
  const files = {
    'ends-early.test.ts': `${HEAD}
      test('fine', () => {});
      test('leaves', async () => { await new Promise(setImmediate); process.exit(0); });`,
    'is-empty.test.ts': 'export {};\n',
    'does-not-load.test.ts': "import './missing.ts';\n",
  };

  const { stdout, status, lastLine } = run(t, files);

  assert.equal(lastLine, '1 passed, 3 failed');
  assert.equal(status, 1);
  assert.match(stdout, /ended before its tests did: exit code 0/);
  assert.match(stdout, /holds no test/);
  assert.match(stdout, /ended before its tests did: exit code 1[\s\S]*Cannot find module/);
});

test('--only narrows to names, and a run of nothing is no success', (t) => {
  const files = {
    'a.test.ts': `${HEAD}test('one (1)', () => {}); test('two', () => { throw new Error(); });`,
  };

  const narrowed = run(t, files, ['--only', 'one (1)']);
  assert.equal(narrowed.lastLine, '1 passed, 0 failed');
  assert.equal(narrowed.status, 0);

  const nothing = run(t, files, ['--only', 'three']);
  assert.equal(nothing.lastLine, '0 passed, 0 failed');
  assert.equal(nothing.status, 1);
});

test('a wish that cannot be met says so and fails', () => {
  for (const wish of [['--database', 'oracle'], ['no-such-file.ts'], ['--parallel', '0'], ['--unknown']]) {
    const { stdout, status } = spawnSync(process.execPath, [RUNNER, ...wish], { encoding: 'utf8' });
    assert.equal(status, 1, wish.join(' '));
    assert.match(stdout, /0 passed, 1 failed\n$/);
  }
});
