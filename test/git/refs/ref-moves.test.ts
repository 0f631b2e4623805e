import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RefUpdate } from '../../../src/git/interface/refs.ts';
import { mirrorOf } from '../../support/git-folder.ts';
import { buildCommit, commitTo, gitBytes, openGitFixture } from '../git-fixture.ts';

const CONFLICTS: readonly (readonly [
  name: string,
  existing: readonly string[],
  pushed: string,
  isConflict: boolean,
])[] = [
  ['a name below another ref', ['refs/heads/a'], 'refs/heads/a/b', true],
  ['a name far below another ref', ['refs/heads/a'], 'refs/heads/a/b/c', true],
  ['the name of a folder of another ref', ['refs/heads/a/b'], 'refs/heads/a', true],
  ['a name that sorts next to others', ['refs/heads/a-b', 'refs/heads/a.b'], 'refs/heads/a', false],
  ['a name that extends another one', ['refs/heads/a'], 'refs/heads/ab', false],
];

for (const [name, existing, pushed, isConflict] of CONFLICTS) {
  test(`a new ref with ${name} is ${isConflict ? 'rejected' : 'created'}`, async (t) => {
    const { storage, id } = await openGitFixture(t);
    const { oid, objects } = buildCommit('sha1', { a: '1' });
    await commitTo(
      storage,
      id,
      objects,
      existing.map((ref) => ({ ref, old: null, new: oid })),
    );
    const [result] = await commitTo(storage, id, [], [{ ref: pushed, old: null, new: oid }]);
    const conflict = { ref: pushed, outcome: 'rejected', why: 'name-conflict' };
    assert.deepEqual(result, isConflict ? conflict : { ref: pushed, outcome: 'moved' });
  });
}

test('of two conflicting refs in one push, the first is created', async (t) => {
  const { storage, id } = await openGitFixture(t);
  const { oid, objects } = buildCommit('sha1', { a: '1' });
  const results = await commitTo(storage, id, objects, [
    { ref: 'refs/heads/a/b', old: null, new: oid },
    { ref: 'refs/heads/a', old: null, new: oid },
  ]);
  assert.deepEqual(results[1], { ref: 'refs/heads/a', outcome: 'rejected', why: 'name-conflict' });
});

test('a push that deletes a ref can create one below it', async (t) => {
  const { storage, id } = await openGitFixture(t);
  const { oid, objects } = buildCommit('sha1', { a: '1' });
  await commitTo(storage, id, objects, [{ ref: 'refs/heads/a', old: null, new: oid }]);
  const results = await commitTo(
    storage,
    id,
    [],
    [
      { ref: 'refs/heads/a/b', old: null, new: oid },
      { ref: 'refs/heads/a', old: oid, new: null },
    ],
  );
  assert.deepEqual(
    results.map(({ outcome }) => outcome),
    ['moved', 'moved'],
  );
});

test('a push creates, moves or deletes 10,000 refs', async (t) => {
  const { storage, id, reopen } = await openGitFixture(t);
  const first = buildCommit('sha1', { a: '1' });
  const second = buildCommit('sha1', { a: '2' }, [first.oid]);
  const names = Array.from({ length: 10_000 }, (_, number) => `refs/heads/topic/${number}`);
  const push = async (objects: typeof first.objects, old: string | null, next: string | null) => {
    const updates: RefUpdate[] = names.map((ref) => ({ ref, old, new: next }));
    const results = await commitTo(storage, id, objects, updates);
    assert.ok(results.every(({ outcome }) => outcome === 'moved'));
  };
  await push(first.objects, null, first.oid);
  await push(second.objects, first.oid, second.oid);

  const snapshot = await reopen().refs.open(id);
  const listed = [...snapshot.refs('refs/heads/topic/99')];
  assert.equal(listed.length, 111);
  assert.deepEqual(listed[0], ['refs/heads/topic/99', second.oid, null]);
  const { gitDir } = await mirrorOf(storage, snapshot);
  const mirrored = gitBytes(gitDir, ['for-each-ref', '--format=%(objectname)']).toString().trim().split('\n');
  assert.equal(mirrored.length, 10_000);
  assert.deepEqual([...new Set(mirrored)], [second.oid]);
  await push([], second.oid, null);
  const empty = await storage.refs.open(id);
  assert.deepEqual([...empty.refs('')], []);
});
