import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ForgeError } from '../../src/base/core/failure.ts';
import { mirrorOf } from '../support/git-folder.ts';
import { buildCommit, commitTo, git, MAIN, NOTHING_MORE, openGitFixture } from './git-fixture.ts';

for (const format of ['sha1', 'sha256'] as const) {
  test(`a commit that was written without git can be read here and by git (${format})`, async (t) => {
    const { storage, id } = await openGitFixture(t, format);
    const first = buildCommit(format, { 'a.txt': 'one\n' });

    const results = await commitTo(storage, id, first.objects, [{ ref: MAIN, old: null, new: first.oid }]);

    assert.deepEqual(results, [{ ref: MAIN, outcome: 'moved' }]);
    const snapshot = await storage.refs.open(id);
    assert.equal(snapshot.ref(MAIN), first.oid);
    const commit = await snapshot.objects.readCommit(first.oid);
    assert.equal(commit.tree, first.tree);
    const { gitDir } = await mirrorOf(storage, snapshot);
    assert.equal(git(gitDir, ['rev-parse', 'HEAD']), first.oid);
    assert.equal(git(gitDir, ['show', 'main:a.txt']), 'one');
    git(gitDir, ['fsck', '--strict']);
  });
}

test('another storage finds committed objects', async (t) => {
  const { storage, id, reopen } = await openGitFixture(t);
  const first = buildCommit('sha1', { a: '1' });
  await commitTo(storage, id, first.objects, [{ ref: MAIN, old: null, new: first.oid }]);
  await storage.close();

  const snapshot = await reopen().refs.open(id);
  assert.equal(snapshot.ref(MAIN), first.oid);
  assert.equal((await snapshot.objects.readTree(first.tree)).length, 1);
});

test('a ref that is not at the expected oid stays, and the other refs of the push move', async (t) => {
  const { storage, id } = await openGitFixture(t);
  const first = buildCommit('sha1', { a: '1' });
  const second = buildCommit('sha1', { a: '2' }, [first.oid]);
  await commitTo(storage, id, first.objects, [{ ref: MAIN, old: null, new: first.oid }]);

  const results = await commitTo(storage, id, second.objects, [
    { ref: MAIN, old: null, new: second.oid },
    { ref: 'refs/heads/other', old: null, new: second.oid },
    { ref: 'refs/heads/absent', old: first.oid, new: null },
  ]);
  assert.deepEqual(results, [
    { ref: MAIN, outcome: 'rejected', why: 'stale' },
    { ref: 'refs/heads/other', outcome: 'moved' },
    { ref: 'refs/heads/absent', outcome: 'rejected', why: 'stale' },
  ]);
  const snapshot = await storage.refs.open(id);
  assert.deepEqual(
    [...snapshot.refs('')],
    [
      [MAIN, first.oid, null],
      ['refs/heads/other', second.oid, null],
    ],
  );
});

test('an atomic push with a stale ref moves no ref and has no other effect', async (t) => {
  const { storage, id } = await openGitFixture(t);
  const first = buildCommit('sha1', { a: '1' });
  await commitTo(storage, id, first.objects, [{ ref: MAIN, old: null, new: first.oid }]);
  const before = await storage.refs.open(id);
  await using session = await storage.writes.begin(id);
  const results = await storage.writes.commit(
    session,
    [
      { ref: 'refs/heads/new', old: null, new: first.oid },
      { ref: MAIN, old: null, new: first.oid },
    ],
    { atomic: true, inTransaction: async () => assert.fail('no ref moved') },
  );

  assert.deepEqual(results, [
    { ref: 'refs/heads/new', outcome: 'rejected', why: 'atomic' },
    { ref: MAIN, outcome: 'rejected', why: 'stale' },
  ]);
  const after = await storage.refs.open(id);
  assert.equal(after.version, before.version);
});

test('of concurrent moves of one ref from the same commit, one succeeds', async (t) => {
  const { storage, id, reopen } = await openGitFixture(t);
  const first = buildCommit('sha1', { a: '1' });
  await commitTo(storage, id, first.objects, [{ ref: MAIN, old: null, new: first.oid }]);
  const other = reopen();
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, async (_, writer) => {
      const next = buildCommit('sha1', { a: `by ${writer}` }, [first.oid]);
      const update = { ref: MAIN, old: first.oid, new: next.oid };
      const [result] = await commitTo(writer % 2 === 0 ? storage : other, id, next.objects, [update]);
      return result?.outcome;
    }),
  );
  assert.equal(outcomes.filter((outcome) => outcome === 'moved').length, 1);
});

test('an error in the transaction undoes the ref move', async (t) => {
  const { storage, id } = await openGitFixture(t);
  const first = buildCommit('sha1', { a: '1' });
  await using session = await storage.writes.begin(id);
  await session.writeObjects(first.objects);
  const fail = async () => {
    throw new Error('row rejected');
  };
  const update = { ref: MAIN, old: null, new: first.oid };
  await assert.rejects(
    storage.writes.commit(session, [update], { atomic: false, inTransaction: fail }),
    /row rejected/,
  );

  const snapshot = await storage.refs.open(id);
  assert.equal(snapshot.ref(MAIN), undefined);
  assert.deepEqual(await storage.writes.commit(session, [update], NOTHING_MORE), [
    { ref: MAIN, outcome: 'moved' },
  ]);
});

test('refs that follow move in the transaction of the refs that they follow', async (t) => {
  const { storage, id, reopen } = await openGitFixture(t);
  const [first, second] = [buildCommit('sha1', { a: '1' }), buildCommit('sha1', { a: '2' })];
  const follow = 'refs/pull/1/head';
  const move = async (old: string | null, { oid, objects }: typeof first) => {
    await using session = await storage.writes.begin(id);
    await session.writeObjects(objects);
    return storage.writes.commit(session, [{ ref: MAIN, old, new: oid }], {
      atomic: true,
      inTransaction: async () => [{ ref: follow, commit: oid }],
    });
  };
  await move(null, first);
  assert.deepEqual(await move(null, second), [{ ref: MAIN, outcome: 'rejected', why: 'stale' }]);
  assert.equal((await storage.refs.open(id)).ref(follow), first.oid);
  await move(first.oid, second);

  for (const each of [storage, reopen()]) {
    const snapshot = await each.refs.open(id);
    assert.equal(snapshot.ref(MAIN), second.oid);
    assert.equal(snapshot.ref(follow), second.oid);
  }
  const { gitDir } = await mirrorOf(storage, await storage.refs.open(id));
  assert.match(git(gitDir, ['for-each-ref', follow]), new RegExp(second.oid));
});

test('with tips, refs follow although no other ref moves, and their objects are stored', async (t) => {
  const { storage, id } = await openGitFixture(t);
  const { oid, objects } = buildCommit('sha1', { a: '1' });
  await using session = await storage.writes.begin(id);
  await session.writeObjects(objects);
  const ref = 'refs/pull/7/head';
  const options = { atomic: true, tips: [oid], inTransaction: async () => [{ ref, commit: oid }] };
  assert.deepEqual(await storage.writes.commit(session, [], options), []);
  const snapshot = await storage.refs.open(id);
  assert.equal(snapshot.ref(ref), oid);
  assert.equal((await snapshot.objects.readCommit(oid)).parents.length, 0);
});

test('a tip that no object is, or that is no commit, is refused', async (t) => {
  const { storage, id } = await openGitFixture(t);
  const { tree, objects } = buildCommit('sha1', { a: '1' });
  await using session = await storage.writes.begin(id);
  await session.writeObjects(objects);
  for (const tip of ['1'.repeat(40), tree])
    await assert.rejects(
      storage.writes.commit(session, [], { ...NOTHING_MORE, tips: [tip] }),
      (error) => error instanceof ForgeError && error.failure.kind === 'not_found',
    );
});

test('a deleted ref is absent in other processes and in the mirror, and can be created again', async (t) => {
  const { storage, id, reopen } = await openGitFixture(t);
  const { oid, objects } = buildCommit('sha1', { a: '1' });
  const ref = 'refs/heads/short-lived';
  const other = reopen();
  await commitTo(storage, id, objects, [{ ref, old: null, new: oid }]);
  const seen = await other.refs.open(id);
  assert.equal(seen.ref(ref), oid);
  await commitTo(storage, id, [], [{ ref, old: oid, new: null }]);

  const afterwards = await other.refs.open(id);
  assert.equal(afterwards.ref(ref), undefined);
  assert.equal(seen.ref(ref), oid, 'an earlier snapshot does not change');
  const { gitDir } = await mirrorOf(other, afterwards);
  assert.equal(git(gitDir, ['for-each-ref']), '');
  const [result] = await commitTo(other, id, [], [{ ref, old: null, new: oid }]);
  assert.equal(result?.outcome, 'moved');
  const back = await storage.refs.open(id);
  assert.equal(back.ref(ref), oid);
});

test('a branch cannot point to a tree, and no ref to a missing object', async (t) => {
  const { storage, id } = await openGitFixture(t);
  const { tree, objects } = buildCommit('sha1', { a: '1' });
  await assert.rejects(commitTo(storage, id, objects, [{ ref: MAIN, old: null, new: tree }]), /not a commit/);
  const absent = { ref: MAIN, old: null, new: 'a'.repeat(40) };
  await assert.rejects(commitTo(storage, id, [], [absent]), /no object/);
});

test('a push cannot name one ref twice', async (t) => {
  const { storage, id } = await openGitFixture(t);
  const { oid, objects } = buildCommit('sha1', { a: '1' });
  const update = { ref: MAIN, old: null, new: oid };
  await assert.rejects(commitTo(storage, id, objects, [update, update]), /twice/);
});

test('HEAD moves with its transaction, and the mirror follows', async (t) => {
  const { storage, id, database } = await openGitFixture(t);
  const { oid, objects } = buildCommit('sha1', { a: '1' });
  await commitTo(storage, id, objects, [{ ref: 'refs/heads/trunk', old: null, new: oid }]);
  const before = await storage.refs.open(id);
  await mirrorOf(storage, before);
  await database.transaction((tx) => storage.refs.setHead(id, 'refs/heads/trunk', tx));

  const after = await storage.refs.open(id);
  assert.equal(before.head, MAIN);
  assert.equal(after.head, 'refs/heads/trunk');
  const { gitDir } = await mirrorOf(storage, after);
  assert.equal(git(gitDir, ['symbolic-ref', 'HEAD']), 'refs/heads/trunk');
});

test('HEAD must be a valid ref name', async (t) => {
  const { storage, id, database } = await openGitFixture(t);
  for (const head of ['main', 'refs/heads/a\nb', 'refs/heads/a b', '../../HEAD', 'refs/heads/..']) {
    await assert.rejects(
      database.transaction((tx) => storage.refs.setHead(id, head, tx)),
      { name: 'ForgeError' },
    );
  }
});

test('annotated tags, even nested ones, are peeled in the rows and in the mirror', async (t) => {
  const { storage, id, reopen } = await openGitFixture(t);
  const { oid, objects } = buildCommit('sha1', { a: '1' });
  await commitTo(storage, id, objects, [{ ref: MAIN, old: null, new: oid }]);
  const snapshot = await storage.refs.open(id);
  const { gitDir } = await mirrorOf(storage, snapshot);
  const inner = git(gitDir, ['mktag'], `object ${oid}\ntype commit\ntag v1\ntagger A <a@b> 1 +0000\n\nx\n`);
  const outer = git(gitDir, ['mktag'], `object ${inner}\ntype tag\ntag v2\ntagger A <a@b> 1 +0000\n\nx\n`);
  await commitTo(
    storage,
    id,
    [],
    [
      { ref: 'refs/tags/v1', old: null, new: inner },
      { ref: 'refs/tags/v2', old: null, new: outer },
    ],
  );

  const tagged = await reopen().refs.open(id);
  assert.equal(tagged.peeled('refs/tags/v1'), oid);
  assert.equal(tagged.peeled('refs/tags/v2'), oid);
  assert.equal(tagged.peeled(MAIN), undefined);
  assert.equal(await tagged.objects.peelToCommit(outer), oid);
  await mirrorOf(storage, tagged);
  assert.match(git(gitDir, ['show-ref', '--dereference']), new RegExp(`${oid} refs/tags/v2\\^\\{\\}`));
  assert.deepEqual((await storage.upkeep.verify(id)).problems, []);
});

test('a repository that was never written reads as empty and can be cloned', async (t) => {
  const { storage, id } = await openGitFixture(t);
  const snapshot = await storage.refs.open(id);
  assert.deepEqual([...snapshot.refs('')], []);
  assert.equal(await snapshot.objects.info('a'.repeat(40)), undefined);
  const { gitDir } = await mirrorOf(storage, snapshot);
  assert.equal(git(gitDir, ['rev-parse', '--is-bare-repository']), 'true');
});

test('repositories are listed by id, and a missing one cannot be opened', async (t) => {
  const { storage, id, database } = await openGitFixture(t);
  await database.transaction((tx) => storage.refs.create(300, { head: MAIN, objectFormat: 'sha256' }, tx));
  assert.deepEqual(await storage.refs.list(), [id, 300]);
  await assert.rejects(storage.refs.open(8), /repository not found/);
  await assert.rejects(storage.writes.begin(8), /repository not found/);
});

test('an object of one repository is not found in another', async (t) => {
  const { storage, id, database } = await openGitFixture(t);
  await database.transaction((tx) => storage.refs.create(8, { head: MAIN, objectFormat: 'sha1' }, tx));
  const { oid, objects } = buildCommit('sha1', { a: 'secret' });
  await commitTo(storage, id, objects, [{ ref: MAIN, old: null, new: oid }]);
  const mine = await storage.refs.open(id);
  await mine.objects.readCommit(oid);
  const theirs = await storage.refs.open(8);
  assert.equal(await theirs.objects.info(oid), undefined);
});

test('objects are found by an unambiguous abbreviated oid', async (t) => {
  const { storage, id } = await openGitFixture(t);
  const { oid, tree, objects } = buildCommit('sha1', { a: '1' });
  await commitTo(storage, id, objects, [{ ref: MAIN, old: null, new: oid }]);
  const snapshot = await storage.refs.open(id);
  assert.equal(await snapshot.objects.resolvePrefix(oid.slice(0, 7)), oid);
  assert.equal(await snapshot.objects.resolvePrefix(tree.slice(0, 10).toUpperCase()), tree);
  assert.equal(await snapshot.objects.resolvePrefix(oid), oid);
  for (const wrong of [oid.slice(0, 3), 'ffffffff', '', 'HEAD', '--all', `${oid}0`]) {
    assert.equal(await snapshot.objects.resolvePrefix(wrong), undefined, wrong);
  }
  const wanted = [oid.slice(0, 7), 'ffffffff', tree.slice(0, 9), oid, 'f'.repeat(40), '--all'];
  assert.deepEqual(
    await snapshot.objects.resolvePrefixes(wanted),
    new Map([
      [oid, oid],
      [oid.slice(0, 7), oid],
      [tree.slice(0, 9), tree],
    ]),
  );
  assert.deepEqual(await snapshot.objects.resolvePrefixes([]), new Map());
});

test('reading an object as another type finds nothing', async (t) => {
  const { storage, id } = await openGitFixture(t);
  const { oid, tree, objects } = buildCommit('sha1', { a: '1' });
  await commitTo(storage, id, objects, [{ ref: MAIN, old: null, new: oid }]);
  const snapshot = await storage.refs.open(id);
  await assert.rejects(snapshot.objects.readTree(oid), { name: 'ForgeError' });
  await assert.rejects(snapshot.objects.readBlob(tree, { blobBytesMax: 100 }), { name: 'ForgeError' });
  await assert.rejects(snapshot.objects.readCommit('HEAD'), { name: 'ForgeError' });
});

test('a read succeeds even if its git process ends midway', async (t) => {
  const { storage, id, reopen } = await openGitFixture(t);
  const commits = Array.from({ length: 50 }, (_, number) => buildCommit('sha1', { a: `${number}` }));
  const updates = commits.map(({ oid }, number) => ({ ref: `refs/heads/b${number}`, old: null, new: oid }));
  await commitTo(
    storage,
    id,
    commits.flatMap(({ objects }) => objects),
    updates,
  );
  const reader = reopen();
  const snapshot = await reader.refs.open(id);
  const reads = commits.map(({ oid }) => snapshot.objects.readCommit(oid));
  await reads[0];
  // A repack ends the git processes that read this repository.
  await reader.upkeep.maintain(id, 'repack');
  const trees = await Promise.all(reads);
  assert.deepEqual(
    trees.map(({ tree }) => tree),
    commits.map(({ tree }) => tree),
  );
});
