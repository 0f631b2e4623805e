import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANONYMOUS } from '../../../src/api/access/viewer.ts';
import { type FinishedPush, type Remark, Remarks } from '../../../src/code/transport/remarks.ts';

const PUSH: FinishedPush = {
  pusher: ANONYMOUS,
  // No remark of these tests reads the repository.
  permitted: {} as FinishedPush['permitted'],
  moved: [{ ref: 'refs/heads/main', old: null, new: 'ab'.repeat(20) }],
};

const NEVER = new Promise<never>(() => {});

/** Returns what is said, and the messages of failures. */
async function said(push: FinishedPush, ...sources: Remark[]): Promise<readonly [string, readonly string[]]> {
  const remarks = new Remarks();
  remarks.add(...sources);
  const failures: string[] = [];
  const text = await remarks.about(push, (error) => failures.push(`${error}`));
  return [text, failures];
}

test('remarks of several features are lines in their order, in which each character is visible', async () => {
  const one = async () => ['', 'one'];
  const two = async () => ['two\u202e\u001b[31m', ''];
  assert.deepEqual(await said(PUSH, one, two), ['\none\ntwo\\u{202e}\\u{1b}[31m\n\n', []]);
});

test('a remark that fails is left out', async () => {
  const fails = async () => {
    throw new Error('broken');
  };
  assert.deepEqual(await said(PUSH, fails, async () => ['one']), ['one\n', ['Error: broken']]);
});

test('a remark that fails before it returns a promise is left out', async () => {
  const fails = () => {
    throw new Error('broken');
  };
  assert.deepEqual(await said(PUSH, fails, async () => ['one']), ['one\n', ['Error: broken']]);
});

test('a push that has moved no ref gets no remark', async () => {
  assert.deepEqual(await said({ ...PUSH, moved: [] }, async () => ['one']), ['', []]);
});

test('a remark that takes too long is left out', async (t) => {
  const late = new AbortController();
  t.mock.method(AbortSignal, 'timeout', () => late.signal);
  const text = said(
    PUSH,
    async () => ['one'],
    () => NEVER,
  );
  await new Promise(setImmediate);
  late.abort();
  assert.deepEqual(await text, ['one\n', []]);
});
