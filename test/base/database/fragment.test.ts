import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Fragment,
  flag,
  fragment,
  joined,
  literal,
  raw,
  values,
} from '../../../src/base/database/fragment.ts';

// Runs once: no outcome depends on the database.

function shown({ sql, parameters }: Fragment): { sql: string; parameters: readonly unknown[] } {
  return { sql, parameters };
}

test('values become parameters in the order of the text, even in nested fragments', () => {
  const inner = fragment`b = ${2} or c = ${'three'}`;

  const outer = fragment`a = ${1} and (${inner}) and d = ${null}`;

  assert.deepEqual(shown(outer), {
    sql: 'a = ? and (b = ? or c = ?) and d = ?',
    parameters: [1, 2, 'three', null],
  });
});

test('a fragment can be used several times, each time with its parameters', () => {
  const isOwner = fragment`r.owner_id = ${7}`;

  assert.deepEqual(shown(fragment`${isOwner} or not ${isOwner}`), {
    sql: 'r.owner_id = ? or not r.owner_id = ?',
    parameters: [7, 7],
  });
});

test('a value that looks like SQL becomes a parameter, not part of the statement', () => {
  const hostile = "x' or 1 = 1 --";

  assert.deepEqual(shown(fragment`name = ${hostile}`), { sql: 'name = ?', parameters: [hostile] });
});

test('lists, joined conditions, constants and flags become SQL and parameters', () => {
  const any = joined([fragment`a = ${1}`, fragment`b in (${values([2, 3])})`], ' or ');

  assert.deepEqual(shown(fragment`select ${raw('x.y')}, ${literal(4)} where ${any} and c = ${flag(true)}`), {
    sql: 'select x.y, 4 where a = ? or b in (?, ?) and c = ?',
    parameters: [1, 2, 3, 1],
  });
  assert.deepEqual(shown(joined([], ' and ')), { sql: '', parameters: [] });
  assert.throws(() => literal(0.5), /not a whole number/);
});

test('one template produces a different text for each form of its fragments', () => {
  const where = (condition: Fragment, limit: number) => fragment`where ${condition} limit ${limit}`;

  const texts = [fragment`a = ${1}`, fragment`b = ${1}`, fragment`a = ${2}`].map((each) => where(each, 9));

  assert.deepEqual(texts.map(shown), [
    { sql: 'where a = ? limit ?', parameters: [1, 9] },
    { sql: 'where b = ? limit ?', parameters: [1, 9] },
    { sql: 'where a = ? limit ?', parameters: [2, 9] },
  ]);
});

test('a template with more forms than the cache stores still builds each form', () => {
  const where = (condition: Fragment) => fragment`where ${condition}`;

  for (let form = 0; form < 5_000; form += 1)
    assert.equal(where(raw(`a = ${form}`)).sql, `where a = ${form}`);
});
