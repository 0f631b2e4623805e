import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../../src/base/database/database.ts';
import { MAINTENANCE_LIMITS } from '../../../src/hosting/maintenance/limits.ts';
import { startForge } from '../../support/forge/forge.ts';
import { git as gitIn, workingCopy } from '../../support/git/git.ts';
import { commitTo, MAIN } from '../git-fixture.ts';
import { usedRepository } from '../used-repository.ts';

async function namesOfRows({ reader }: Database, id: number): Promise<readonly string[]> {
  const rows = await reader.selectFrom('git_refs').select('name').where('repository_id', '=', id).execute();
  return rows.map(({ name }) => name).toSorted();
}

test('the row of a deleted ref remains until the second compaction, and no cache misses the deletion', async (t) => {
  const { storage, database, id, first, third, reopen } = await usedRepository(t);
  const side = 'refs/heads/side';
  await commitTo(storage, id, [], [{ ref: side, old: null, new: first.oid }]);
  const early = reopen();
  assert.equal((await early.refs.open(id)).ref(side), first.oid);
  await commitTo(storage, id, [], [{ ref: side, old: first.oid, new: null }]);

  assert.equal(await storage.refs.compactRefs(id), true);
  assert.deepEqual(await namesOfRows(database, id), [MAIN, side]);
  assert.equal(await storage.refs.compactRefs(id), false);
  assert.deepEqual(await namesOfRows(database, id), [MAIN]);

  for (const reader of [storage, early, reopen()]) {
    const snapshot = await reader.refs.open(id);
    assert.deepEqual([...snapshot.refs('')], [[MAIN, third.oid, null]]);
  }
  await commitTo(storage, id, [], [{ ref: side, old: null, new: third.oid }]);
  assert.equal((await early.refs.open(id)).ref(side), third.oid);
});

test('a push that deletes a branch requests compactions, and the last one deletes its row', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { id } = await ada.repository('engine', { auto_init: true });
  const { services, engines } = forge.forge.running;
  const folder = await workingCopy(t);
  await gitIn(folder, ['pull', '-q', ada.remote('ada/engine'), 'main']);
  await gitIn(folder, ['push', '-q', ada.remote('ada/engine'), 'HEAD:side']);
  await gitIn(folder, ['push', '-q', ada.remote('ada/engine'), ':side']);
  await services.jobs.runDue({ aheadMs: MAINTENANCE_LIMITS.deletedRefsKeptMs - 60_000 });
  assert.equal((await namesOfRows(engines.database, id)).length, 2);

  await services.jobs.runDue({ aheadMs: MAINTENANCE_LIMITS.deletedRefsKeptMs });
  assert.deepEqual(await namesOfRows(engines.database, id), [MAIN]);
});
