import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Oid } from '../../../src/git/format/model.ts';
import { newObject } from '../../../src/git/format/new-object.ts';
import { encodeTree } from '../../../src/git/format/tree-format.ts';
import { GIT_LIMITS } from '../../../src/git/limits.ts';
import { mergeTrees } from '../../../src/git/merges/merge-trees.ts';
import { gitSearchPath, setGitSearchPath } from '../../../src/git/processes/child.ts';
import { afterTest } from '../../support/after-test.ts';
import { watchProcesses } from '../../support/git/started-processes.ts';
import { ROOT } from '../../support/process.ts';
import { buildCommit, git, openGitFixture, packOf, temporaryFolder } from '../git-fixture.ts';
import { type Clock, fastImport, Random, randomCommits, steady, stopped, wild } from './random-merges.ts';

const HISTORIES = 6;
const COMMITS = 40;
const PAIRS = 40;
/** Commits of a real history among which some are picked. */
const REAL_COMMITS = 300;
const NEARBY = 20;

/** Opens a session that has these commits of a repository. */
async function openHistory(t: TestContext, folder: string, oids: readonly Oid[]) {
  const fixture = await openGitFixture(t);
  const session = await fixture.storage.writes.begin(fixture.id);
  t.after(() => session[Symbol.asyncDispose]());
  await session.ingestPack(packOf(folder, oids), { bytesMax: 2 ** 30 });
  return { folder, session, oids };
}

/** Makes a random history in a repository of its own, and opens a session that has it, too. */
async function randomHistory(t: TestContext, seed: number, clock: Clock = steady) {
  const folder = temporaryFolder(t);
  git(folder, ['init', '-q', '--bare', '.']);
  git(folder, ['fast-import', '--quiet'], fastImport(randomCommits(seed, COMMITS), clock));
  const branches = Array.from({ length: COMMITS }, (_, index) => `c${index + 1}`);
  return openHistory(t, folder, git(folder, ['rev-parse', ...branches]).split('\n'));
}

/** Merges as git does: the tree, or the paths with conflicts. */
function mergeByGit(folder: string, ours: Oid, theirs: Oid) {
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', ours, theirs];
  const { stdout, status } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
  const [tree, ...names] = stdout.trimEnd().split('\n');
  const paths = names.map((name) => name.replace(/~[0-9a-f]{40}(_\d+)?$/, ''));
  return status === 0 ? { kind: 'clean', tree } : { kind: 'conflict', paths: [...new Set(paths)].sort() };
}

test('a merge has the tree that git makes, or the conflicts that git finds', async (t) => {
  let [clean, withoutGit, conflicts] = [0, 0, 0];
  for (let seed = 1; seed <= HISTORIES; seed += 1) {
    const { folder, session, oids } = await randomHistory(t, seed);
    const random = new Random(seed);
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const [ours = '', theirs = ''] = [random.of(oids), random.of(oids)];
      const expected = mergeByGit(folder, ours, theirs);
      const bases = git(folder, ['merge-base', '--all', ours, theirs]).split('\n');
      assert.deepEqual([...(await session.merges.findBases({ ours, theirs }))].sort(), bases.sort());
      const merged = await session.merges.mergeCommits({ ours, theirs });
      const names = `${seed}: ${ours} ${theirs}`;
      assert.deepEqual(merged, expected, names);
      if (merged?.kind === 'conflict') conflicts += 1;
      else clean += 1;
      const [base = '', ours_ = '', theirs_ = ''] = [bases[0] ?? '', ours, theirs].map((oid) =>
        git(folder, ['rev-parse', `${oid}^{tree}`]),
      );
      const source = { objects: session.objects, objectFormat: 'sha1' } as const;
      const here = await mergeTrees(source, { base, ours: ours_, theirs: theirs_ });
      if (bases.length > 1 || here === undefined) continue;
      withoutGit += 1;
      assert.deepEqual({ kind: 'clean', tree: here.root }, expected, names);
    }
  }
  t.diagnostic(`${clean} clean merges, ${withoutGit} of them without git; ${conflicts} conflicts`);
  assert.ok(clean > 50 && withoutGit > 20 && conflicts > 20, `${clean} ${withoutGit} ${conflicts}`);
});

test('the commits that one history has and another lacks are those that git lists', async (t) => {
  for (const clock of [steady, stopped, wild]) {
    const { folder, session, oids } = await randomHistory(t, 7, clock);
    const random = new Random(7);
    const processes = watchProcesses(t);
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const [tip = '', base = ''] = [random.of(oids), random.of(oids)];
      const expected = git(folder, ['rev-list', tip, `^${base}`]).split('\n');
      const listed = await session.listCommitsSince({ tip, base }, COMMITS);
      assert.deepEqual([...listed].sort(), expected.filter((oid) => oid !== '').sort());
      const isReached = await session.isReached({ ancestor: tip, descendant: base });
      assert.equal(isReached, listed.length === 0);
    }
    const walksByGit = processes().filter((command) => command.includes('rev-list'));
    assert.equal(walksByGit.length > 0, clock === wild, 'only wrong clocks take a walk by git');
  }
});

/** Applies the changes of random commits to others nearby, as git does. @returns how these merges end */
async function mergeNearby(
  { folder, session, oids }: Awaited<ReturnType<typeof openHistory>>,
  seed: number,
): Promise<readonly string[]> {
  const random = new Random(seed);
  const kinds = new Set<string>();
  const commit = (tree: Oid, ...parents: readonly Oid[]) =>
    git(folder, ['commit-tree', tree, ...parents.flatMap((oid) => ['-p', oid])]);
  for (let count = 0; count < PAIRS; count += 1) {
    const at = random.below(oids.length);
    const picked = oids[at] ?? '';
    const nearby = oids[Math.min(at + random.below(NEARBY), oids.length - 1)];
    const [parent = picked] = git(folder, ['rev-list', '--parents', '-1', picked]).split(' ').slice(1);
    const [base = '', theirs = '', ours = ''] = [parent, picked, nearby].map((oid) =>
      git(folder, ['rev-parse', `${oid}^{tree}`]),
    );
    const from = commit(base);
    const expected = mergeByGit(folder, commit(ours, from), commit(theirs, from));
    const merged = await session.merges.mergeTrees({ base, ours, theirs });
    assert.deepEqual(merged, expected, `${base} ${ours} ${theirs}`);
    kinds.add(merged.kind);
  }
  return [...kinds].sort();
}

test('the changes between two trees are applied to a third one as git applies them', async (t) => {
  assert.deepEqual(await mergeNearby(await randomHistory(t, 100), 100), ['clean', 'conflict']);
});

test('the changes of commits of a real history are applied to others as git applies them', async (t) => {
  const folder = temporaryFolder(t);
  // The history of Quire itself, unless this is a package or a shallow clone.
  const cloned = spawnSync('git', ['clone', '-q', '--bare', '--reject-shallow', ROOT, folder]);
  const commits = cloned.status === 0 ? git(folder, ['rev-list', 'HEAD']).split('\n') : [];
  if (commits.length < COMMITS) return t.skip('this is no clone with a history');
  const oids = commits.filter((_, index) => index % Math.ceil(commits.length / REAL_COMMITS) === 0);
  assert.deepEqual(await mergeNearby(await openHistory(t, folder, oids), 300), ['clean', 'conflict']);
});

test('unrelated histories have no common ancestor and are not merged', async (t) => {
  const { folder, session, oids } = await randomHistory(t, 200);
  git(folder, ['fast-import', '--quiet', '--force'], fastImport(randomCommits(201, 1)));
  const other = git(folder, ['rev-parse', 'c1']);
  await session.ingestPack(packOf(folder, [other]), { bytesMax: 2 ** 30 });
  const merge = { ours: oids.at(-1) ?? '', theirs: other };
  assert.deepEqual(await session.merges.findBases(merge), []);
  assert.equal(await session.merges.mergeCommits(merge), undefined);
});

/** Makes git wait until its priority is lower, and record its merges. */
function recordMerges(t: TestContext): () => readonly string[] {
  const folder = temporaryFolder(t);
  const path = gitSearchPath();
  const log = join(folder, 'log');
  const untilLowered = `until [ "$(cut -d " " -f 19 /proc/$$/stat)" -ge ${getPriority() + 1} ]; do sleep 0.01; done`;
  const script = `PATH='${path}'; case "$*" in *merge-tree*) ${untilLowered}; echo "$*" >>'${log}';; esac; exec git "$@"`;
  writeFileSync(join(folder, 'git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  setGitSearchPath(`${folder}:${path}`);
  afterTest(t, () => setGitSearchPath(path));
  return () => readFileSync(log, 'utf8').trim().split('\n');
}

/** Commits two changes of one file, which are left to git. */
async function conflicting(t: TestContext) {
  const fixture = await openGitFixture(t);
  const session = await fixture.storage.writes.begin(fixture.id);
  t.after(() => session[Symbol.asyncDispose]());
  const base = buildCommit('sha1', { a: '0' });
  const [ours, theirs] = ['1', '2'].map((a) => buildCommit('sha1', { a }, [base.oid]));
  assert.ok(ours !== undefined && theirs !== undefined);
  await session.writeObjects([base, ours, theirs].flatMap(({ objects }) => objects));
  return { session, ours, theirs };
}

test('a merge by git gives way to other processes, and compares a bounded number of files for renames', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const { session, ours, theirs } = await conflicting(t);
  const merges = recordMerges(t);

  const merged = await session.merges.mergeCommits({ ours: ours.oid, theirs: theirs.oid });

  assert.deepEqual(merged, { kind: 'conflict', paths: ['a'] });
  assert.equal(merges().length, 1);
  assert.match(merges()[0] ?? '', / -c merge\.renameLimit=7000 merge-tree /);
});

test('H9: folders that are nested too deeply are not merged', async (t) => {
  const fixture = await openGitFixture(t);
  const session = await fixture.storage.writes.begin(fixture.id);
  t.after(() => session[Symbol.asyncDispose]());
  const nested = async (depth: number, files: Record<string, string>) => {
    const { tree, objects } = buildCommit('sha1', files);
    const trees = [...objects];
    let oid = tree;
    for (let level = 0; level < depth; level += 1) {
      const content = encodeTree('sha1', [{ mode: '040000', name: 'a', oid }]);
      const folder = newObject('sha1', 'tree', content);
      trees.push(folder);
      oid = folder.oid;
    }
    await session.writeObjects(trees);
    return oid;
  };
  const mergeAt = async (depth: number) => ({
    base: await nested(depth, { a: '0', b: '0' }),
    ours: await nested(depth, { a: '1', b: '0' }),
    theirs: await nested(depth, { a: '0', b: '1' }),
  });

  const deep = await mergeAt(GIT_LIMITS.mergedFolderDepthMax + 1);
  await assert.rejects(session.merges.mergeTrees(deep), /nested deeper than 2048/);
  const least = await mergeAt(20);
  const tree = await nested(20, { a: '1', b: '1' });
  assert.deepEqual(await session.merges.mergeTrees(least), { kind: 'clean', tree });
});
