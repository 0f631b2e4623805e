// Runs once: it uses no database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findExceeded } from '../../../src/hosting/quota/evaluate.ts';
import type { QuotaGroup, UsedBytes } from '../../../src/hosting/quota/model.ts';
import { type ByteKind, KINDS, kindsOf } from '../../../src/hosting/quota/subjects.ts';

const NOTHING = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<ByteKind, number>;

function group(...rules: readonly (readonly [bytesMax: number, ...subjects: string[]])[]): QuotaGroup {
  return {
    name: 'g',
    rules: rules.map(([bytesMax, ...subjects], index) => ({ name: `r${index}`, bytesMax, subjects })),
  };
}

function isWithin(
  groups: readonly QuotaGroup[],
  used: Partial<UsedBytes>,
  subject: string,
  { moreBytes = 0, otherwise = [] }: { moreBytes?: number; otherwise?: readonly QuotaGroup[] } = {},
): boolean {
  const kinds = kindsOf(subject) ?? [];
  return findExceeded({ groups, otherwise }, { ...NOTHING, ...used }, { kinds, moreBytes }) === undefined;
}

test('without a rule, everything is permitted', () => {
  assert.equal(isWithin([], { 'size:repos:public': 9e15 }, 'size:all'), true);
  assert.equal(isWithin([group()], { 'size:repos:public': 9e15 }, 'size:all'), true);
});

test('a rule limits the sum of all that its subjects cover', () => {
  const groups = [group([100, 'size:repos:all', 'size:git:lfs'])];
  const used = { 'size:repos:public': 30, 'size:repos:private': 30, 'size:git:lfs': 30 };
  assert.equal(isWithin(groups, used, 'size:git:lfs', { moreBytes: 10 }), true);
  assert.equal(isWithin(groups, used, 'size:git:lfs', { moreBytes: 11 }), false);
  assert.equal(isWithin(groups, used, 'size:assets:artifacts', { moreBytes: 11 }), true);
});

test('subjects that overlap count each byte once', () => {
  const groups = [group([100, 'size:all', 'size:git:lfs'])];
  assert.equal(isWithin(groups, { 'size:git:lfs': 60 }, 'size:git:lfs', { moreBytes: 40 }), true);
});

test('all rules of a group must permit the bytes', () => {
  const groups = [group([1000, 'size:all'], [0, 'size:git:lfs'])];
  assert.equal(isWithin(groups, {}, 'size:git:lfs', { moreBytes: 1 }), false);
  assert.equal(isWithin(groups, {}, 'size:repos:public', { moreBytes: 1 }), true);
  assert.equal(isWithin(groups, { 'size:git:lfs': 1 }, 'size:all'), false);
  assert.equal(isWithin(groups, { 'size:repos:public': 1001 }, 'size:git:lfs'), false);
});

test('one group that permits the bytes suffices', () => {
  const denied = group([0, 'size:all']);
  const used = { 'size:repos:public': 1024 };
  assert.equal(isWithin([denied, group([-1, 'size:all'])], used, 'size:all'), true);
  assert.equal(isWithin([denied, group([1023, 'size:all'])], used, 'size:all'), false);
  assert.equal(isWithin([denied, group([-1, 'size:git:lfs'])], used, 'size:repos:public'), false);
});

test('the limit of the server applies to what no group of the owner covers', () => {
  const otherwise = [group([10, 'size:git:lfs', 'size:assets:all'])];
  const used = { 'size:git:lfs': 11 };
  assert.equal(isWithin([], used, 'size:git:lfs', { otherwise }), false);
  assert.equal(isWithin([group([100, 'size:git:all'])], used, 'size:git:lfs', { otherwise }), true);
  assert.equal(isWithin([group([100, 'size:repos:all'])], used, 'size:git:lfs', { otherwise }), false);
});

test('a rule covers each subject below its own, and a check each rule that it overlaps', () => {
  const covers: readonly (readonly [string, string, boolean])[] = [
    ['size:all', 'size:assets:attachments:issues', true],
    ['size:assets:all', 'size:assets:attachments:releases', true],
    ['size:assets:attachments:all', 'size:assets:artifacts', false],
    ['size:git:all', 'size:repos:private', true],
    ['size:repos:all', 'size:git:lfs', false],
    ['size:git:lfs', 'size:git:all', true],
    ['size:assets:packages:all', 'size:all', true],
  ];
  for (const [ofRule, checked, isCovered] of covers) {
    const used = Object.fromEntries(KINDS.map((kind) => [kind, 1]));
    assert.equal(isWithin([group([0, ofRule])], used, checked), !isCovered, `${ofRule} and ${checked}`);
  }
});
