import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { loggedError, readableLine } from '../../src/http/log-lines.ts';
import { ROOT } from '../support/process.ts';

// Runs once: no outcome depends on the database.

const AT = new Date(2026, 10, 22, 3, 5, 7, 9).getTime();

const LINES: readonly (readonly [fields: object, readable: string])[] = [
  [{ level: 30, msg: 'ready' }, '03:05:07.009 info  ready\n'],
  [
    { level: 30, reqId: 'req-1', method: 'GET', path: '/a', status: 200, msg: 'request' },
    '03:05:07.009 info  request reqId=req-1 method=GET path=/a status=200\n',
  ],
  [
    { level: 10, why: 'two words', none: null, list: ['a', 1], msg: '' },
    '03:05:07.009 trace  why="two words" none=null list=["a",1]\n',
  ],
  [{ level: 35, msg: 'own level' }, '03:05:07.009 35    own level\n'],
  [{ level: 30, text: 'a=b', msg: 'x' }, '03:05:07.009 info  x text="a=b"\n'],
];

test('a line of the log for a person has time, level, message and fields', () => {
  for (const [fields, readable] of LINES) {
    assert.equal(readableLine(JSON.stringify({ time: AT, ...fields })), readable);
  }
});

test('the stack of an error follows on lines of its own', () => {
  const err = { type: 'Error', message: 'no', stack: 'Error: no\n    at here' };
  const line = readableLine(JSON.stringify({ level: 30, time: AT, err, msg: 'failed' }));
  assert.equal(line, '03:05:07.009 info  failed\n    Error: no\n        at here\n');
});

test('the end of a request that its client has left is an error like others in the log', () => {
  const left = loggedError(new DOMException('the client has left', 'AbortError'));
  const logged: Record<string, unknown> = JSON.parse(JSON.stringify(left));
  assert.deepEqual(Object.keys(logged).sort(), ['message', 'stack', 'type']);
  assert.deepEqual([logged.type, logged.message], ['AbortError', 'the client has left']);
});

test('no value of the log can control the terminal', () => {
  const bad = 'a\u001b[2Jb\u009b2Jc\u202ed\r\ne\u0007';
  const err = { stack: `Error: ${bad}` };
  const line = readableLine(JSON.stringify({ level: 30, time: AT, one: bad, two: [bad], err, msg: bad }));
  assert.doesNotMatch(line, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  assert.equal(line.split('\n').length, 4, 'the message, two lines of the stack, the end');
});

test('no line of the log is lost or out of order when the process exits in the same turn', () => {
  const module = join(ROOT, 'src/http/log-lines.ts');
  const script = `
    import { logStream } from ${JSON.stringify(module)};
    const log = logStream('json');
    const line = (level, msg) => log.write(JSON.stringify({ level, msg }) + '\\n');
    line(30, 'first');
    line(20, 'second');
    line(40, 'third');
    process.stderr.write('written at once\\n');
    line(30, 'last');
    process.exit(3);
  `;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script]);
  const lines = stderr.toString().trim().split('\n');
  const messages = lines.map((line) => (line.startsWith('{') ? JSON.parse(line).msg : line));
  assert.deepEqual(messages, ['first', 'second', 'third', 'written at once', 'last']);
  assert.equal(status, 3);
});
