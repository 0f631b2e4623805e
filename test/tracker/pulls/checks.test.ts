import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { afterTest } from '../../support/after-test.ts';
import type { TestForge } from '../../support/forge/forge.ts';
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
