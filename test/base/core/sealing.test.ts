import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { Sealer, sealingKeyOf } from '../../../src/base/core/sealing.ts';
import { formatDuration, parseDuration } from '../../../src/base/core/time/durations.ts';

// Runs once: no outcome depends on the database.

const [first, second] = [sealingKeyOf(randomBytes(32)), sealingKeyOf(randomBytes(32))];

test('E3: a sealed text opens only with its key, for its purpose, and unchanged', () => {
  const sealer = new Sealer([first]);
  const sealed = sealer.seal('secret ü', 'mirror 1');
  assert.equal(sealer.open(sealed, 'mirror 1'), 'secret ü');
  assert.notEqual(sealer.seal('secret ü', 'mirror 1'), sealed);
  assert.doesNotMatch(sealed, /secret/);
  const [version, id, content = ''] = sealed.split('.');
  const bytes = Buffer.from(content, 'base64url');
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    const text = `${version}.${id}.${changed.toString('base64url')}`;
    assert.throws(() => sealer.open(text, 'mirror 1'), { name: 'SealError' });
  }
  for (const text of ['', 'v1', `v1.${id}.`, `v1.${id}.AAAA`, `v2.${id}.${content}`, `v1..${content}`])
    assert.throws(() => sealer.open(text, 'mirror 1'), { name: 'SealError' }, text);
  assert.throws(() => sealer.open(sealed, 'mirror 2'), { name: 'SealError' });
  assert.throws(() => new Sealer([second]).open(sealed, 'mirror 1'), { name: 'SealError' });
  assert.throws(() => new Sealer([]).seal('x', 'mirror 1'), { name: 'SealError' });
});

test('a new key seals, and an old one still opens', () => {
  const old = new Sealer([first]).seal('secret', 'mirror 1');
  const both = new Sealer([second, first]);
  assert.equal(both.open(old, 'mirror 1'), 'secret');
  const fresh = both.seal('secret', 'mirror 1');
  assert.equal(new Sealer([second]).open(fresh, 'mirror 1'), 'secret');
});

test('durations are read and written as 8h0m0s', () => {
  for (const [text, ms] of [
    ['8h0m0s', 28_800_000],
    ['90m', 5_400_000],
    ['1.5h', 5_400_000],
    ['10m30s', 630_000],
    ['1500ms', 1500],
    ['0', 0],
    ['0s', 0],
  ] as const)
    assert.equal(parseDuration(text), ms, text);
  for (const text of ['', '8', '-1h', 'h', '1d', '1h ', '1 h', '1e3s', `${'9'.repeat(48)}h`])
    assert.equal(parseDuration(text), undefined, text);
  assert.deepEqual([28_800_000, 5_400_000, 630_000, 1500, 0].map(formatDuration), [
    '8h0m0s',
    '1h30m0s',
    '10m30s',
    '1s',
    '0s',
  ]);
});
