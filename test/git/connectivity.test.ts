import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../src/core/limits.ts';
import { watchProcesses } from '../support/started-processes.ts';
import { buildCommit, openGitFixture } from './git-fixture.ts';

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
  await using session = await storage.write(id);
  await session.writeObjects(commits.flatMap(({ objects }) => objects));
  const tips = commits.map(({ oid }) => oid);
  const missing = [absent(1000), absent(1001)];
  const started = watchProcesses(t);
  const disconnected = await session.findDisconnected([...tips, ...missing]);
  const expected = [...missing, ...[...broken].map((number) => tips[number])];
  assert.deepEqual([...disconnected].sort(), expected.sort());
  assert.ok(started().length <= LIMITS.connectivityWalksMax, `${started().length} processes`);
});

test('after a bounded number of walks, tips in doubt count as incomplete', async (t) => {
  const { storage, id } = await openGitFixture(t);
  const broken = new Set(Array.from({ length: 200 }, (_, number) => number).filter((n) => n % 3 > 0));
  const commits = commitsOf(200, broken);
  await using session = await storage.write(id);
  await session.writeObjects(commits.flatMap(({ objects }) => objects));
  const tips = commits.map(({ oid }) => oid);
  const started = watchProcesses(t);
  const disconnected = new Set(await session.findDisconnected(tips));
  for (const number of broken) assert.ok(disconnected.has(tips[number] ?? ''), `tip ${number}`);
  const walks = started().filter((command) => command.includes('rev-list'));
  assert.equal(walks.length, LIMITS.connectivityWalksMax);
});
