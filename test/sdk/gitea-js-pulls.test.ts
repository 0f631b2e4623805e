import assert from 'node:assert/strict';
import { test } from 'node:test';
import { giteaApi } from 'gitea-js';
import { startForge } from '../support/forge/forge.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

test('gitea-js opens a pull request, changes, updates and merges it', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const { repos } = giteaApi(forge.url, { token: ada.token });
  const commit = (path: string, branch: string) =>
    repos.repoCreateFile('ada', 'engine', path, { content: base64(path), branch });
  await repos.repoCreateBranch('ada', 'engine', { new_branch_name: 'pump' });
  await commit('pump.txt', 'pump');
  await commit('plan.md', 'main');

  const wanted = { base: 'main', head: 'pump', title: 'WIP: Add a pump', body: 'It pumps.' };
  const { data: opened } = await repos.repoCreatePullRequest('ada', 'engine', wanted);
  const number = opened.number ?? 0;
  assert.deepEqual([opened.state, opened.head?.ref, opened.base?.ref], ['open', 'pump', 'main']);
  const edit = { title: 'Add a pump', assignees: ['ada'] };
  await repos.repoEditPullRequest('ada', 'engine', number, edit);
  const { data: read } = await repos.repoGetPullRequest('ada', 'engine', number);
  assert.deepEqual([read.title, read.mergeable, read.assignees?.[0]?.login], ['Add a pump', true, 'ada']);
  const { data: listed } = await repos.repoListPullRequests('ada', 'engine', { state: 'open' });
  assert.deepEqual(
    listed.map((pull) => pull.number),
    [number],
  );
  await repos.repoUpdatePullRequest('ada', 'engine', number, { style: 'merge' });
  await assert.rejects(
    repos.repoPullRequestIsMerged('ada', 'engine', number),
    (error: { status?: number }) => error.status === 404,
  );
  await repos.repoMergePullRequest('ada', 'engine', number, {
    Do: 'squash',
    MergeTitleField: 'A pump',
    delete_branch_after_merge: true,
  });
  const { status } = await repos.repoPullRequestIsMerged('ada', 'engine', number);
  assert.equal(status, 204);
  const { data: merged } = await repos.repoGetPullRequest('ada', 'engine', number);
  assert.deepEqual([merged.merged, merged.merged_by?.login], [true, 'ada']);
  const { data: branches } = await repos.repoListBranches('ada', 'engine');
  assert.deepEqual(
    branches.map(({ name }) => name),
    ['main'],
  );
});
