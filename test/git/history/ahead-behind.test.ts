import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Oid } from '../../../src/git/format/model.ts';
import { buildCommit, commitTo, openGitFixture } from '../git-fixture.ts';
import { Random } from '../merges/random-merges.ts';
import { countingProcesses } from './counting-processes.ts';

// Runs once: no outcome depends on the database.

const COMMITS = 40;

test('several commits are compared with one without git, and the counts are those of git', async (t) => {
  const { storage, id, format } = await openGitFixture(t);
  const random = new Random(3);
  const objects: ReturnType<typeof buildCommit>['objects'][number][] = [];
  const oids: Oid[] = [];
  for (let made = 0; made < COMMITS; made += 1) {
    const parents = new Set(
      Array.from(
        { length: oids.length === 0 ? 0 : 1 + random.below(2) },
        () => random.of(oids.slice(-8)) ?? '',
      ),
    );
    const commit = buildCommit(format, { a: `${made}` }, [...parents]);
    objects.push(...commit.objects);
    oids.push(commit.oid);
  }
  const updates = oids.map((oid, index) => ({ ref: `refs/heads/b${index}`, old: null, new: oid }));
  await commitTo(storage, id, objects, updates);
  const snapshot = await storage.refs.open(id);
  for (const base of [oids[20], oids.at(-1)]) {
    assert.ok(base !== undefined);
    const find = () => storage.history.countsAgainst({ snapshot, oid: base }, oids);
    const { result: found, processes } = await countingProcesses(t, find);
    assert.equal(processes, 0);
    assert.equal(found.size, COMMITS);
    for (const oid of oids) {
      const counts = await storage.history.countBetween({ snapshot, oid: base }, { snapshot, oid });
      assert.deepEqual(found.get(oid), counts);
    }
    assert.deepEqual(await find(), found);
  }
});
