import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Person } from '../../support/forge/forge.ts';
import { git, workingCopy } from '../../support/git/git.ts';
import { until } from '../../support/until.ts';
import { ENGINE, ISSUES, open, startTracker, type Wire } from './tracker.ts';

/** Commits a new file over the API. @returns the id of the commit */
async function commit(who: Person, message: string, options: object = {}, at = ENGINE): Promise<string> {
  const content = Buffer.from(message).toString('base64');
  const path = `${at}/contents/${encodeURIComponent(message.replaceAll(/\W+/g, '-'))}`;
  const made = await who.post(path, { content, message, ...options });
  assert.equal(made.status, 201, made.text);
  return made.body.commit.sha;
}

/** Returns the entries of a timeline, as `kind`, or `kind sha` where a commit refers to the issue. */
async function entriesOf(who: Person, issue: string): Promise<readonly string[]> {
  const { body } = await who.get(`${issue}/timeline`);
  return body.map(({ type, ref_commit_sha: sha }: Wire) => (sha ? `${type} ${sha}` : type));
}

const isClosed = async (who: Person, number: number) =>
  (await who.get(`${ISSUES}/${number}`)).body.state === 'closed';

test('a commit on the default branch closes and reopens issues, and is in the timelines of all that it names', async (t) => {
  const { ada, ben } = await startTracker(t, { auto_init: true });
  await ada.repository('other');
  await ben.repository('hidden', { private: true });
  const [other, hidden] = ['/api/v1/repos/ada/other/issues', '/api/v1/repos/ben/hidden/issues'];
  for (const title of ['One', 'Two', 'Blocked', 'Blocker']) await open(ada, title);
  await open(ada, 'Elsewhere', {}, other);
  await open(ben, 'Secret', {}, hidden);
  await ada.post(`${ISSUES}/3/dependencies`, { index: 4 });

  const first = await commit(ada, 'Fixes #1, closes #3, see #2, ada/other#1, ben/hidden#1 and #99');
  await until(() => isClosed(ada, 1));
  await until(async () => (await entriesOf(ada, `${other}/1`)).includes(`commit_ref ${first}`));

  assert.deepEqual(await entriesOf(ada, `${ISSUES}/1`), [`commit_ref ${first}`, 'close']);
  assert.deepEqual(await entriesOf(ada, `${ISSUES}/2`), [`commit_ref ${first}`]);
  assert.equal(await isClosed(ada, 3), false, 'it depends on an open issue');
  assert.deepEqual(await entriesOf(ben, `${hidden}/1`), [], 'ada does not see it');
  assert.equal((await ada.get(ENGINE)).body.open_issues_count, 3);

  await commit(ben, 'Reopens #1');
  await until(async () => !(await isClosed(ada, 1)));
  // Moving a branch to commits that have had their effect changes nothing.
  await ada.post(`${ENGINE}/branches`, { new_branch_name: 'copy', old_branch_name: 'main' });
  const last = await commit(ada, 'See #4', { branch: 'copy' });
  await until(async () => (await entriesOf(ada, `${ISSUES}/4`)).includes(`commit_ref ${last}`));
  assert.equal(await isClosed(ada, 1), false);
});

test('a commit on another branch closes an issue only when it reaches the default branch, also by a merge', async (t) => {
  const { ada, ben } = await startTracker(t, { auto_init: true });
  for (const title of ['One', 'Two']) await open(ben, title);
  const clone = await workingCopy(t);
  const remote = ben.remote('ada/engine');
  await git(clone, ['pull', '-q', remote, 'main']);
  await git(clone, ['checkout', '-q', '-b', 'topic']);
  await git(clone, ['commit', '-q', '--allow-empty', '-m', 'Fix #1']);
  await git(clone, ['push', '-q', remote, 'topic']);
  await until(async () => (await entriesOf(ada, `${ISSUES}/1`)).length > 0);
  assert.equal(await isClosed(ada, 1), false);

  await git(clone, ['checkout', '-q', 'main']);
  await git(clone, ['commit', '-q', '--allow-empty', '-m', 'Resolves #2']);
  await git(clone, ['merge', '-q', '--no-ff', '-m', 'Merge', 'topic']);
  await git(clone, ['push', '-q', remote, 'main']);
  await until(async () => (await isClosed(ada, 1)) && isClosed(ada, 2));
  const entries = await entriesOf(ada, `${ISSUES}/1`);
  assert.deepEqual(
    entries.map((entry) => entry.split(' ')[0]),
    ['commit_ref', 'close'],
  );
});
