import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { GitObject } from '../../../src/git/format/model.ts';
import { newObject } from '../../../src/git/format/new-object.ts';
import type { WriteSession } from '../../../src/git/interface/writes.ts';
import { GIT_LIMITS } from '../../../src/git/limits.ts';
import { watchProcesses } from '../../support/git/started-processes.ts';
import { buildCommit, commitFilesTo, git, MAIN, openGitFixture } from '../git-fixture.ts';
import { delta, ENTRY, type HandmadeEntry, handmadePack } from '../packs/handmade-packs.ts';

// Runs once: no outcome depends on the database.

const absent = (number: number) => number.toString(16).padStart(40, 'a');

/** Builds commits of which those in `broken` lack their parent. */
function commitsOf(count: number, broken: ReadonlySet<number>) {
  return Array.from({ length: count }, (_, number) =>
    buildCommit('sha1', { file: `${number}` }, broken.has(number) ? [absent(number)] : []),
  );
}

test('tips that lack history are found among many others in a few walks', async (t) => {
  const { storage, id } = await openGitFixture(t);
  const broken = new Set([5, 90]);
  const commits = commitsOf(100, broken);
  await using session = await storage.writes.begin(id);
  await session.writeObjects(commits.flatMap(({ objects }) => objects));
  const tips = commits.map(({ oid }) => oid);
  const missing = [absent(1000), absent(1001)];
  const started = watchProcesses(t);
  const disconnected = await session.findDisconnected([...tips, ...missing]);
  const expected = [...missing, ...[...broken].map((number) => tips[number])];
  assert.deepEqual([...disconnected].sort(), expected.sort());
  assert.ok(started().length <= GIT_LIMITS.connectivityWalksMax, `${started().length} processes`);
});

test('after a bounded number of walks, tips in doubt count as incomplete', async (t) => {
  const { storage, id } = await openGitFixture(t);
  const broken = new Set(Array.from({ length: 200 }, (_, number) => number).filter((n) => n % 3 > 0));
  const commits = commitsOf(200, broken);
  await using session = await storage.writes.begin(id);
  await session.writeObjects(commits.flatMap(({ objects }) => objects));
  const tips = commits.map(({ oid }) => oid);
  const started = watchProcesses(t);
  const disconnected = new Set(await session.findDisconnected(tips));
  for (const number of broken) assert.ok(disconnected.has(tips[number] ?? ''), `tip ${number}`);
  const walks = started().filter((command) => command.includes('rev-list'));
  assert.equal(walks.length, GIT_LIMITS.connectivityWalksMax);
});

/** Adds a pack by git instead of in this process. */
async function addByGit(session: WriteSession, entries: readonly HandmadeEntry[]): Promise<void> {
  await session.writeObjects([newObject('sha1', 'blob', Buffer.from('apart'))]);
  await session.ingestPack(Readable.from([handmadePack(entries)]), { bytesMax: 1_000_000 });
}

const entryOf = ({ type, content }: GitObject) => ({ type: ENTRY[type], content });

test('a pack whose objects name only each other needs no walk, and one that names others does', async (t) => {
  const { storage, id } = await openGitFixture(t);
  const first = buildCommit('sha1', { file: 'first' });
  const started = watchProcesses(t);
  const walks = () => started().filter((command) => command.includes('rev-list')).length;
  {
    await using session = await storage.writes.begin(id);
    await addByGit(session, first.objects.map(entryOf));
    assert.deepEqual(await session.findDisconnected([first.oid]), []);
    assert.equal(walks(), 0);
    assert.deepEqual(await session.findDisconnected([first.oid, absent(1)]), [absent(1)]);
  }
  await commitFilesTo(storage, id, first.objects, [{ ref: MAIN, old: null, new: first.oid }]);
  const second = buildCommit('sha1', { file: 'second' }, [first.oid]);
  await using session = await storage.writes.begin(id);
  await addByGit(session, second.objects.map(entryOf));
  assert.deepEqual(await session.findDisconnected([second.oid]), []);
  assert.equal(walks(), 1);
});

test('a commit that completes a thin pack is not taken for whole because the pack is', async (t) => {
  const { storage, id, folder } = await openGitFixture(t);
  const whole = buildCommit('sha1', { file: 'whole' });
  await commitFilesTo(storage, id, whole.objects, [{ ref: MAIN, old: null, new: whole.oid }]);
  const broken = buildCommit('sha1', {}, [absent(1)]);
  const [tree, commit] = broken.objects;
  assert.ok(tree && commit);
  const bare = join(folder, '07', '7.git');
  for (const { type, content } of [tree, commit])
    git(bare, ['hash-object', '-t', type, '-w', '--stdin', '--literally'], content);
  const treeBytes = `tree ${broken.tree}\n`.length;
  const parentBytes = `parent ${absent(1)}\n`.length;
  const restBytes = commit.content.length - treeBytes - parentBytes;
  // The same commit without its parent.
  const changed = [0x90, treeBytes, 0x91, treeBytes + parentBytes, restBytes];
  const base = Buffer.from(broken.oid, 'hex');
  const content = delta(commit.content.length, treeBytes + restBytes, changed);
  await using session = await storage.writes.begin(id);
  await addByGit(session, [entryOf(tree), { type: ENTRY.referenceDelta, base, content }]);
  assert.deepEqual(await session.findDisconnected([broken.oid]), [broken.oid]);
});
