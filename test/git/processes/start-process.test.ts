import assert from 'node:assert/strict';
import { existsSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { test } from 'node:test';
import type { ProcessCommand, StartedProcess } from '../../../src/git/processes/model.ts';
import { startProcess } from '../../../src/git/processes/start-process.ts';
import { until } from '../../support/until.ts';
import { temporaryFolder } from '../git-fixture.ts';

// Runs once: no outcome depends on the database.

const noProc = process.platform === 'linux' ? false : 'needs /proc';
const PLAIN = { args: [], environment: {}, inputFile: undefined };

const started = (program: string, more: Partial<ProcessCommand> = {}) =>
  startProcess({ ...PLAIN, program, ...more });
const shell = (script: string, more?: Partial<ProcessCommand>) =>
  started('/bin/sh', { args: ['-c', script], ...more });
const outputOf = async (child: StartedProcess) => {
  child.stdin?.end();
  return text(child.stdout);
};

test('a process gets its words, its environment and the root folder as they are', async () => {
  const words = ['', 'two words', `'"$HOME\\`, 'Zoë 🎈', '-n'] as const;
  const script = 'printf "[%s]" "$@"; echo; pwd; exec env';
  const child = started('/bin/sh', {
    args: ['-c', script, 'sh', ...words],
    environment: { PATH: '/usr/bin:/bin', NAME: 'ä=b', EMPTY: '' },
  });

  const [first, folder, ...variables] = (await outputOf(child)).trimEnd().split('\n');

  assert.equal(first, words.map((word) => `[${word}]`).join(''));
  assert.equal(folder, '/');
  const own = variables.filter((line) => !/^(PWD|OLDPWD|SHLVL|_)=/.test(line));
  assert.deepEqual(own.sort(), ['EMPTY=', 'NAME=ä=b', 'PATH=/usr/bin:/bin']);
  assert.deepEqual(await child.closed, { exitCode: 0, error: undefined });
});

test('a process reads its input to the end, and sends all of its output', async () => {
  const sent = Buffer.alloc(3 * 2 ** 20, 'input ');
  const child = started('/bin/cat');
  child.stdin?.end(sent);
  assert.ok((await buffer(child.stdout)).equals(sent));
  assert.equal((await child.closed).exitCode, 0);
});

test('a process reads a file as its input', async (t) => {
  const path = join(temporaryFolder(t), 'input');
  writeFileSync(path, 'from a file');
  const child = started('/bin/cat', { inputFile: openSync(path, 'r') });
  assert.equal(child.stdin, null);
  assert.equal(await text(child.stdout), 'from a file');
  assert.equal((await child.closed).exitCode, 0);
});

test('each of many processes reports its own end, also one that a signal ended', async () => {
  const codes = Array.from({ length: 40 }, (_, index) => index);
  const ends = codes.map((code) => shell(`exit ${code}`).closed);
  const killed = shell('kill -KILL $$').closed;
  assert.deepEqual(
    (await Promise.all(ends)).map(({ exitCode }) => exitCode),
    codes,
  );
  assert.equal((await killed).exitCode, null);
});

test('unread output does not keep a process from being closed', async () => {
  const child = shell('echo out; echo error >&2; exit 3');
  assert.equal((await child.closed).exitCode, 3);
  assert.ok(child.hasExited());
});

test('a process has a session of its own, and no signal is ignored or blocked', {
  skip: noProc,
}, async () => {
  const child = shell('exec cat /proc/self/stat /proc/self/status');
  const shown = await outputOf(child);
  const [, group, session] = /\) \S \d+ (\d+) (\d+) /.exec(shown) ?? [];
  assert.deepEqual([Number(group), Number(session)], [child.pid, child.pid]);
  const maskOf = (field: string) => BigInt(`0x${new RegExp(`^${field}:\\s*(\\w+)$`, 'm').exec(shown)?.[1]}`);
  // The C library uses the signals 32 and 33 itself.
  const ordinary = (1n << 31n) - 1n;
  assert.equal(maskOf('SigIgn') & ordinary, 0n);
  assert.equal(maskOf('SigBlk'), 0n);
});

test('a process inherits no file of the server, and leaves neither files nor itself behind', {
  skip: noProc,
}, async (t) => {
  const path = join(temporaryFolder(t), 'secret');
  writeFileSync(path, '');
  const file = openSync(path, 'r');
  const openFiles = () => readdirSync('/proc/self/fd').length;
  await shell('exit').closed;
  const before = openFiles();

  const children = Array.from({ length: 10 }, () =>
    shell('exec ls -l /proc/self/fd', { environment: { PATH: '/bin:/usr/bin' } }),
  );
  const lists = await Promise.all(children.map(outputOf));
  await Promise.all(children.map(({ closed }) => closed));

  assert.ok(existsSync(`/proc/self/fd/${file}`));
  for (const list of lists) assert.doesNotMatch(list, /secret/);
  await until(() => openFiles() <= before);
  assert.deepEqual(
    children.filter(({ pid }) => existsSync(`/proc/${pid}`)),
    [],
  );
});

test('a program that does not exist is reported, and is not an error of the server', async () => {
  const child = startProcess({ ...PLAIN, program: '/nonexistent/git' });
  const { exitCode, error } = await child.closed;
  assert.equal(child.pid, undefined);
  assert.equal(exitCode, null);
  assert.match(error?.message ?? '', /ENOENT/);
});

test('a word with a zero byte, where C ends a text, is rejected', () => {
  const cut = (word: string) => () => startProcess({ ...PLAIN, program: '/bin/echo', args: [word] });
  assert.throws(cut('shown\0hidden'), { code: 'ERR_INVALID_ARG_VALUE' });
});
