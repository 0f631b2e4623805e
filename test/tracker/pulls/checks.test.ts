import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { GIT_LIMITS } from '../../../src/git/limits.ts';
import { PROCESS_SLOTS } from '../../../src/git/processes/process-slots.ts';
import { afterTest } from '../../support/after-test.ts';
import type { TestForge } from '../../support/forge/forge.ts';
import { holdSlots } from '../../support/git/hold-slots.ts';
import { until } from '../../support/until.ts';
import { commitFile, ENGINE, openPull, PULLS, settle, startEngine } from './pulls.ts';

/** Counts comparisons of files from now on. */
function countingComparisons(t: TestContext, forge: TestForge): () => number {
  const { history } = forge.forge.running.engines.git;
  const compare = history.compareFiles;
  let count = 0;
  history.compareFiles = (...parameters) => {
    count += 1;
    return compare.apply(history, parameters);
  };
  afterTest(t, () => {
    history.compareFiles = compare;
  });
  return () => count;
}

test('a push to the base compares no files again, unless the differences begin elsewhere', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  const first = await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await commitFile(ben, 'valve.txt', 'one\ntwo\n', { branch: 'pump' });
  await openPull(ben);
  await settle(forge);
  const counted = async () => {
    const { mergeable, changed_files: files, additions } = (await ada.get(`${PULLS}/1`)).body;
    return { mergeable, files, additions };
  };
  assert.deepEqual(await counted(), { mergeable: true, files: 2, additions: 3 });
  const comparisons = countingComparisons(t, forge);

  await commitFile(ada, 'plan.md', 'plan\n');
  await settle(forge);
  assert.deepEqual(await counted(), { mergeable: true, files: 2, additions: 3 });
  assert.equal(comparisons(), 0);

  await ada.patch(`${ENGINE}/git/refs/heads/main`, { sha: first, force: true });
  await settle(forge);
  assert.deepEqual(await counted(), { mergeable: true, files: 1, additions: 2 });
  assert.equal(comparisons(), 1);
});

test('a check goes on after the client who asked for it has left', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await commitFile(ada, 'pump.txt', 'plan\n');
  await openPull(ben);
  await settle(forge);
  const { database } = forge.forge.running.engines;
  const unchecked = { checked_base: null, checked_head: null, outcome: null };
  await database.transaction((tx) => tx.updateTable('pulls').set(unchecked).execute());

  const free = await holdSlots(t, PROCESS_SLOTS.merges, GIT_LIMITS.mergesAtOnceMax);
  const asking = new AbortController();
  const asked = fetch(`${forge.url}${PULLS}/1`, { signal: asking.signal }).catch(() => 'left');
  await until(() => PROCESS_SLOTS.merges.waiting === 1);
  asking.abort();
  assert.equal(await asked, 'left');
  assert.equal((await forge.get('/api/v1/version')).status, 200);
  free();
  const stored = () => database.reader.selectFrom('pulls').select('outcome').executeTakeFirst();
  await until(async () => (await stored())?.outcome === 'conflict');
});
