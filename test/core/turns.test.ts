import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turns } from '../../src/core/turns.ts';

/** Adds items whose names begin with their path: `a/b/item`. */
function turnsOf(names: readonly string[]): Turns<string> {
  const turns = new Turns<string>();
  for (const name of names) turns.add(pathOf(name), name);
  return turns;
}

function pathOf(name: string): readonly string[] {
  return name.split('/').slice(0, -1);
}

function takeAll(turns: Turns<string>): readonly string[] {
  const taken: string[] = [];
  for (let [next] = turns.heads(); next !== undefined; [next] = turns.heads()) {
    assert.equal(turns.remove(pathOf(next), next, { endsTurn: true }), true);
    taken.push(next);
  }
  return taken;
}

test('groups take turns at each level, and items of one group keep their order', () => {
  const turns = turnsOf(['a/x/1', 'a/x/2', 'a/x/3', 'a/y/4', 'b/z/5', 'b/z/6', 'c/w/7']);

  assert.deepEqual(takeAll(turns), ['a/x/1', 'b/z/5', 'c/w/7', 'a/y/4', 'b/z/6', 'a/x/2', 'a/x/3']);
  assert.equal(turns.size, 0);
});

test('an item that stops waiting does not end the turn of its groups', () => {
  const turns = turnsOf(['a/x/1', 'a/x/2', 'b/y/3']);

  assert.equal(turns.remove(['a', 'x'], 'a/x/1', { endsTurn: false }), true);
  assert.equal(turns.remove(['a', 'x'], 'a/x/1', { endsTurn: false }), false);
  assert.equal(turns.remove(['missing', 'x'], 'a/x/1', { endsTurn: false }), false);

  assert.deepEqual(
    [turns.size, turns.sizeOf(['a']), turns.sizeOf(['a', 'x']), turns.sizeOf(['c'])],
    [2, 1, 1, 0],
  );
  assert.deepEqual(takeAll(turns), ['a/x/2', 'b/y/3']);
});

test('the heads are the first items of all groups', () => {
  assert.deepEqual([...turnsOf(['a/x/1', 'a/x/2', 'a/y/3', 'b/z/4']).heads()], ['a/x/1', 'a/y/3', 'b/z/4']);
});
