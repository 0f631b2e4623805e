import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type GitDir, NO_REPOSITORY } from '../../../src/git/folders/repository-layout.ts';
import { gitSearchPath, runGit, setGitSearchPath, startGit } from '../../../src/git/processes/child.ts';
import { isOlder, readVersion, requireGit } from '../../../src/git/processes/git-version.ts';
import { afterTest } from '../../support/after-test.ts';
import { ROOT, run } from '../../support/process.ts';
import { until } from '../../support/until.ts';
import { git, temporaryFolder } from '../git-fixture.ts';

const noProc = process.platform === 'linux' ? false : 'needs /proc';

test('D2: a git process inherits no environment variables from the server', { skip: noProc }, async (t) => {
  const gitDir = temporaryFolder(t) as GitDir;
  git(gitDir, ['init', '-q', '--bare']);
  process.env.GIT_EXEC_PATH_TEST_SECRET = 'secret';
  process.env.GIT_CONFIG_COUNT = '1';
  process.env.GIT_CONFIG_KEY_0 = 'user.name';
  process.env.GIT_CONFIG_VALUE_0 = 'from the environment';
  afterTest(t, () => {
    for (const name of [
      'GIT_EXEC_PATH_TEST_SECRET',
      'GIT_CONFIG_COUNT',
      'GIT_CONFIG_KEY_0',
      'GIT_CONFIG_VALUE_0',
    ]) {
      delete process.env[name];
    }
  });
  const child = await startGit(
    { args: ['cat-file', '--batch-command'], gitDir, protocol: 'version=2\nGIT_SSH=x' },
    { slots: null },
  );
  // When the child responds, it runs git, with its own environment instead of a copy of this process's.
  child.stdin.write(`info ${'a'.repeat(40)}\n`);
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    assert.match(chunk.toString(), /missing/);
    const seen = readFileSync(`/proc/${child.pid}/environ`, 'latin1')
      .split('\0')
      .map((line) => line.split('=', 1)[0]);
    assert.deepEqual(seen.filter((name) => name !== '').sort(), EXPECTED_ENVIRONMENT);
    break;
  }
  await child.done;
});

const EXPECTED_ENVIRONMENT = [
  'GIT_ATTR_NOSYSTEM',
  'GIT_CEILING_DIRECTORIES',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_NOSYSTEM',
  'GIT_DIR',
  'GIT_NO_LAZY_FETCH',
  'GIT_NO_REPLACE_OBJECTS',
  'GIT_OPTIONAL_LOCKS',
  'GIT_TERMINAL_PROMPT',
  'HOME',
  'LC_ALL',
  'PATH',
];

test('an output over its limit is a failure, even if git had ended before all of it was read', async (t) => {
  const gitDir = temporaryFolder(t) as GitDir;
  git(gitDir, ['init', '-q', '--bare']);
  const oid = git(gitDir, ['hash-object', '-w', '--stdin'], 'x'.repeat(1_000));
  const print = (stdoutBytesMax: number) =>
    runGit({ args: ['cat-file', 'blob', oid], gitDir }, { slots: null, stdoutBytesMax });

  assert.equal((await print(1_000)).stdout.length, 1_000);
  // Starting the later processes takes this process longer than the earlier ones run.
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => print(999)));
  for (const outcome of outcomes) {
    assert.equal(outcome.status, 'rejected');
    assert.equal(outcome.reason.exitCode, null);
  }
});

test('git processes for long work give way to others, in their session and among sessions', async (t) => {
  const gitDir = temporaryFolder(t) as GitDir;
  git(gitDir, ['init', '-q', '--bare']);
  const start = async (hasLowPriority: boolean) => {
    const command = { args: ['cat-file', '--batch-command'], gitDir };
    const child = await startGit(command, { slots: null, hasLowPriority });
    afterTest(t, () => child.end());
    return child.pid as number;
  };
  const ordinary = await start(false);
  const long = await Promise.all([start(true), start(true), start(true)]);
  const lowered = Math.min(getPriority() + 10, 19);

  assert.equal(getPriority(ordinary), getPriority());
  assert.deepEqual(
    long.map((pid) => getPriority(pid)),
    [lowered, lowered, lowered],
  );
  const sessionOf = (pid: number) => `/proc/${pid}/autogroup`;
  if (!existsSync(sessionOf(ordinary))) return;
  const nicenessOf = (pid: number) => / nice (-?\d+)$/m.exec(readFileSync(sessionOf(pid), 'utf8'))?.[1];
  await until(() => long.every((pid) => nicenessOf(pid) === `${lowered}`));
  assert.notEqual(nicenessOf(ordinary), `${lowered}`);
});

test('a git process gives way to others once it has run for long', async (t) => {
  const gitDir = temporaryFolder(t) as GitDir;
  git(gitDir, ['init', '-q', '--bare']);
  const start = async (lowPriorityAfterMs: number) => {
    const command = { args: ['cat-file', '--batch-command'], gitDir };
    const child = await startGit(command, { slots: null, lowPriorityAfterMs });
    afterTest(t, () => child.end());
    return child.pid as number;
  };
  const [soon, later] = [await start(1), await start(60_000)];

  await until(() => getPriority(soon) === Math.min(getPriority() + 10, 19));
  assert.equal(getPriority(later), getPriority());
});

test('C4: git ignores hooks of a repository', async (t) => {
  const gitDir = temporaryFolder(t) as GitDir;
  git(gitDir, ['init', '-q', '--bare']);
  const { stdout } = await runGit({ args: ['rev-parse', '--git-path', 'hooks'], gitDir }, { slots: null });
  assert.equal(stdout.toString().trim(), '/dev/null');
});

test('git is searched for once, and again when the search path changes', async (t) => {
  const [first, second] = [temporaryFolder(t), temporaryFolder(t)];
  const before = gitSearchPath();
  afterTest(t, () => setGitSearchPath(before));
  const putGit = (folder: string, says: string) => {
    writeFileSync(join(folder, 'git'), `#!/bin/sh\necho ${says}\n`, { mode: 0o755 });
  };
  const ask = async () => {
    const { stdout } = await runGit({ args: ['version'], gitDir: NO_REPOSITORY }, { slots: null });
    return stdout.toString().trim();
  };
  mkdirSync(join(first, 'git'));
  putGit(second, 'second');
  setGitSearchPath(`relative:${first}:${second}:/bin`);
  assert.equal(await ask(), 'second');

  rmdirSync(join(first, 'git'));
  putGit(first, 'first');
  assert.equal(await ask(), 'second');
  setGitSearchPath(`${first}:${second}:/bin`);
  assert.equal(await ask(), 'first');
});

test('a child ends when its signal aborts and at its deadline', async (t) => {
  const gitDir = temporaryFolder(t) as GitDir;
  git(gitDir, ['init', '-q', '--bare']);
  const command = { args: ['cat-file', '--batch-command'], gitDir };
  const caller = new AbortController();
  const aborted = await startGit(command, { slots: null, signal: caller.signal });
  caller.abort();
  assert.equal((await aborted.done).exitCode, null);
  const late = await startGit(command, { slots: null, deadlineMs: 20 });
  assert.equal((await late.done).exitCode, null);
  const already = AbortSignal.abort(new Error('aborted before'));
  await assert.rejects(startGit(command, { slots: null, signal: already }), /aborted before/);
});

test('a failed command reports the message of git', async (t) => {
  const gitDir = join(temporaryFolder(t), 'absent') as GitDir;
  await assert.rejects(
    runGit({ args: ['rev-parse', 'HEAD'], gitDir }, { slots: null }),
    /not a git repository/,
  );
});

test('git on this machine is new enough, and older versions are rejected', async () => {
  assert.match(await requireGit(), /^\d+\.\d+/);
  const cases = {
    'git version 2.38.9': true,
    'git version 2.39.0': false,
    'git version 3.0': false,
    'git version 1.99': true,
  };
  for (const [line, expected] of Object.entries(cases)) {
    const version = readVersion(line);
    assert.equal(version === undefined ? undefined : isOlder(version), expected, line);
  }
  assert.equal(readVersion('hg 6'), undefined);
  assert.equal(readVersion('git version 2.39.2 (Apple Git-143)')?.text, '2.39.2');
});

test('without free descriptors, starting git is busy, and works again later', {
  skip: process.platform === 'win32',
}, async (t) => {
  const script = 'ulimit -n 100 && exec "$@"';
  const node = [process.execPath, join(ROOT, 'test/git/processes/without-files.ts')];
  const running = run(t, '/bin/sh', ['-c', script, 'sh', ...node]);

  assert.deepEqual(await running.ended(), { code: 0, signal: null }, running.output());
  assert.deepEqual(JSON.parse(running.output()), {
    failure: {
      kind: 'busy',
      what: 'the server has too many files or processes open: try again later',
      retryAfterSeconds: 1,
    },
    code: 'EMFILE',
    version: 'git version',
  });
});
