import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { afterTest } from '../support/after-test.ts';

// Runs once: no outcome depends on the database.

const RUNNER = path.resolve(import.meta.dirname, '../run.ts');
const HEAD = "import { describe, test } from 'node:test';\n";

/** Runs the runner on test files with these texts, one after the other. */
function run(t: TestContext, files: Readonly<Record<string, string>>, args: readonly string[] = []) {
  const folder = mkdtempSync(path.join(tmpdir(), 'quire-runner-'));
  afterTest(t, () => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  const flags = ['--database', 'sqlite', '--parallel', '1', ...args];
  const { stdout, status } = spawnSync(process.execPath, [RUNNER, ...flags, folder], { encoding: 'utf8' });
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

test('the report shows a failure with its error and names it again at the end', (t) => {
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
    'throws-late.test.ts': `${HEAD}
      test('ends', () => { setTimeout(() => { throw new Error('too late'); }, 10); });
      test('waits', () => new Promise((resolve) => setTimeout(resolve, 50)));`,
  };

  const { stdout, status, lastLine } = run(t, files);

  assert.equal(lastLine, '3 passed, 4 failed');
  assert.equal(status, 1);
  assert.match(stdout, /ended before its tests did: exit code 0/);
  assert.match(stdout, /contains no test/);
  assert.match(stdout, /does not load: [\s\S]*Cannot find module/);
  assert.match(stdout, /no test caught: Error: too late/);
});

test('a file that leaves something open fails, and the files after it run', (t) => {
  const files = {
    'a.test.ts': `${HEAD}test('listens', async () => {
      const { createServer } = await import('node:http');
      createServer().listen(0, '127.0.0.1');
    });`,
    'b.test.ts': `${HEAD}test('fine', () => {});`,
  };

  const { stdout, lastLine } = run(t, files);

  assert.equal(lastLine, '2 passed, 1 failed');
  assert.match(stdout, /a\.test\.ts {2}1 passed, 1 failed/);
  assert.match(stdout, /its tests ended, but it does not end: TCPServerWrap/);
});

test('what a test opens after its end ends with it', (t) => {
  const support = (name: string) => JSON.stringify(path.resolve(import.meta.dirname, '../support', name));
  const text = `${HEAD}
    import { setTimeout as sleep } from 'node:timers/promises';
    import { startForge } from ${support('forge/forge.ts')};
    import { run } from ${support('process.ts')};
    test('fails', async (t) => {
      const late = async () => { await sleep(100); run(t, 'sleep', ['100']); };
      await Promise.all([late(), startForge(t), Promise.reject(new Error('it broke'))]);
    });
    test('takes long', { timeout: 100 }, async (t) => {
      await sleep(300);
      run(t, 'sleep', ['100']);
      await startForge(t, { fresh: true });
    });
    test('goes on', () => sleep(300));`;

  const { stdout, lastLine } = run(t, { 'a.test.ts': text });

  assert.equal(lastLine, '1 passed, 2 failed', stdout);
});

test('files share a process until a test fails', (t) => {
  const isFirst = 'const isFirst = globalThis.seen === undefined; globalThis.seen = true;';
  const files = {
    'a.test.ts': `${HEAD}${isFirst}test('a', () => { if (!isFirst) throw new Error(); });`,
    'b.test.ts': `${HEAD}${isFirst}test('b', () => { if (!isFirst) throw new Error('shared'); });`,
    'c.test.ts': `${HEAD}${isFirst}test('c', () => { if (!isFirst) throw new Error('not alone'); });`,
  };

  const { stdout, lastLine } = run(t, files);

  assert.equal(lastLine, '2 passed, 1 failed');
  assert.match(stdout, /Error: shared/);
});

test('the report shows the CPU that a file and the processes that it starts use', {
  skip: process.platform === 'linux' ? false : 'this operating system does not report the CPU of a process',
}, (t) => {
  // It counts between its questions, because each question uses CPU of the system, which the condition does not see.
  const burn = 'while (process.cpuUsage().user < 500_000) for (let count = 0; count < 1e6; count += 1);';
  const files = {
    'a.test.ts': `${HEAD}test('burns', async () => {
      const { spawnSync } = await import('node:child_process');
      spawnSync(process.execPath, ['-e', ${JSON.stringify(burn)}]);
      ${burn}
    });`,
  };

  const { stdout } = run(t, files);

  const [, ofFile] = /a\.test\.ts {2}1 passed {2}[\d.]+ s, ([\d.]+) s CPU\n/.exec(stdout) ?? [];
  const [, ofRun] = /The tests took [\d.]+ s, and ([\d.]+) s of CPU\.\n/.exec(stdout) ?? [];
  assert.ok(Number(ofFile) >= 0.9, stdout);
  assert.ok(Number(ofRun) >= Number(ofFile), stdout);
});

test('--only selects tests by name, and a run without a test fails', (t) => {
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

test('options that are wrong fail with a message', () => {
  for (const options of [['--database', 'oracle'], ['no-such-file.ts'], ['--parallel', '0'], ['--unknown']]) {
    const { stdout, status } = spawnSync(process.execPath, [RUNNER, ...options], { encoding: 'utf8' });
    assert.equal(status, 1, options.join(' '));
    assert.match(stdout, /0 passed, 1 failed\n$/);
  }
});
