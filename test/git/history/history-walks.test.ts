import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestCaller, runFor } from '../../../src/base/core/fairness/caller.ts';
import { layOut } from '../../../src/git/changes/chains.ts';
import { NONE } from '../../../src/git/changes/segments/format.ts';
import { buildCommit, commitTo, MAIN, openGitFixture } from '../git-fixture.ts';

// Runs once: no outcome depends on the database.

test('a caller who leaves ends the wait for a comparison, and others still get its result', async (t) => {
  const { storage, id, format } = await openGitFixture(t);
  const first = buildCommit(format, { a: '1' });
  const second = buildCommit(format, { a: '2' }, [first.oid]);
  await commitTo(
    storage,
    id,
    [...first.objects, ...second.objects],
    [{ ref: MAIN, old: null, new: second.oid }],
  );
  const snapshot = await storage.refs.open(id);
  const left = new AbortController();
  const compareAs = (caller: RequestCaller) =>
    runFor(caller, () =>
      storage.history.countBetween({ snapshot, oid: first.oid }, { snapshot, oid: second.oid }),
    );
  const leaving = compareAs(new RequestCaller('10.0.0.1', () => left.signal));
  const staying = compareAs(new RequestCaller('10.0.0.2', () => new AbortController().signal));
  left.abort(new Error('left'));
  await assert.rejects(leaving, /left/);
  assert.deepEqual(await staying, { behind: 0, ahead: 1 });
});

test('the commits that reach a commit, by either parent; missing ones are left out', async (t) => {
  const { storage, id, format } = await openGitFixture(t);
  const root = buildCommit(format, { a: '1' });
  const left = buildCommit(format, { a: '2' }, [root.oid]);
  const right = buildCommit(format, { a: '3' }, [root.oid]);
  const merge = buildCommit(format, { a: '4' }, [left.oid, right.oid]);
  const last = buildCommit(format, { a: '5' }, [merge.oid]);
  const all = [root, left, right, merge, last];
  const update = { ref: MAIN, old: null, new: last.oid };
  await commitTo(
    storage,
    id,
    all.flatMap(({ objects }) => objects),
    [update],
  );
  const snapshot = await storage.refs.open(id);
  const tips = [...all.map(({ oid }) => oid), 'f'.repeat(40)];
  const reaching = async (oid: string, some = tips) =>
    [...(await storage.history.listReaching({ snapshot, oid }, some))].sort();
  const sorted = (...commits: (typeof root)[]) => commits.map(({ oid }) => oid).sort();

  assert.deepEqual(await reaching(root.oid), sorted(...all));
  assert.deepEqual(await reaching(right.oid), sorted(right, merge, last));
  assert.deepEqual(await reaching(last.oid), sorted(last));
  assert.deepEqual(await reaching(left.oid, [right.oid]), []);
  assert.deepEqual(await reaching(left.oid, []), []);
  await assert.rejects(reaching('f'.repeat(40)), /not found/);
  await assert.rejects(reaching(root.tree), /not found/);
});

/** Returns the number of chains between a commit and the root. */
function chainsAbove(position: number, parents: Uint32Array, layout: ReturnType<typeof layOut>): number {
  let count = 1;
  for (let at = position; parents[at] !== NONE; at = parents[at] ?? NONE) {
    if (layout.numbers[at] !== (layout.numbers[parents[at] ?? NONE] ?? NONE) + 1) count += 1;
  }
  return count;
}

test('however a history branches, a way to its root passes few chains', () => {
  const amended = Array.from({ length: 1_000 }, (_, index) => (index === 0 ? NONE : (index - 1) & ~1));
  const combed = Array.from({ length: 1_000 }, (_, index) => (index === 0 ? NONE : index - 1 - (index % 2)));
  const halved = Array.from({ length: 1_000 }, (_, index) => (index === 0 ? NONE : (index - 1) >> 1));
  for (const parents of [amended, combed, halved].map((each) => Uint32Array.from(each))) {
    const layout = layOut(0, parents);
    assert.deepEqual(
      [...layout.numbers].toSorted((a, b) => a - b),
      [...parents.keys()],
    );
    for (const position of parents.keys()) {
      assert.ok(chainsAbove(position, parents, layout) <= Math.log2(parents.length) + 1);
    }
  }
});
