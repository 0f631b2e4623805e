import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContentType, giteaApi } from 'gitea-js';
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

test('gitea-js requests a review of a pull request, reads its files and commits, and reviews it', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const bob = await forge.account('bob');
  await ada.repository('engine', { auto_init: true });
  const { repos } = giteaApi(forge.url, { token: ada.token });
  const { repos: ofBob } = giteaApi(forge.url, { token: bob.token });
  const file = { content: base64('one\ntwo\n'), new_branch: 'pump', message: 'Add a pump' };
  await repos.repoCreateFile('ada', 'engine', 'pump.txt', file);
  const wanted = { base: 'main', head: 'pump', title: 'Add a pump' };
  const { data: opened } = await repos.repoCreatePullRequest('ada', 'engine', wanted);
  const pull = ['ada', 'engine', opened.number ?? 0] as const;

  const { data: files } = await repos.repoGetPullRequestFiles(...pull);
  assert.deepEqual(
    files.map(({ filename, status, additions }) => [filename, status, additions]),
    [['pump.txt', 'added', 2]],
  );
  const { data: commits } = await repos.repoGetPullRequestCommits(...pull);
  assert.deepEqual(
    commits.map(({ sha }) => sha),
    [opened.head?.sha],
  );
  const requested = async () =>
    (await repos.repoGetPullRequest(...pull)).data.requested_reviewers?.map(({ login }) => login) ?? [];
  // The client names no type for the bodies of these two calls by itself.
  const json = { type: ContentType.Json };
  await repos.repoCreatePullReviewRequests(...pull, { reviewers: ['bob'] }, json);
  assert.deepEqual(await requested(), ['bob']);
  await repos.repoDeletePullReviewRequests(...pull, { reviewers: ['bob'] }, json);
  assert.deepEqual(await requested(), []);

  const comments = [{ path: 'pump.txt', body: 'Why two?', new_position: 2 }];
  const { data: pending } = await ofBob.repoCreatePullReview(...pull, { event: 'PENDING', comments });
  const id = pending.id ?? 0;
  await ofBob.repoSubmitPullReview(...pull, id, { event: 'REQUEST_CHANGES', body: 'Nearly.' });
  const { data: remarks } = await repos.repoGetPullReviewComments(...pull, id);
  assert.deepEqual(
    remarks.map(({ path, position, body }) => [path, position, body]),
    [['pump.txt', 2, 'Why two?']],
  );
  await repos.repoDismissPullReview(...pull, id, { message: 'Done' });
  assert.equal((await repos.repoGetPullReview(...pull, id)).data.dismissed, true);
  await repos.repoUnDismissPullReview(...pull, id);
  await ofBob.repoCreatePullReview(...pull, { event: 'APPROVED' });
  const { data: reviews } = await repos.repoListPullReviews(...pull);
  assert.deepEqual(
    reviews
      .filter(({ state }) => state !== 'REQUEST_REVIEW')
      .map(({ state, dismissed }) => [state, dismissed]),
    [
      ['REQUEST_CHANGES', false],
      ['APPROVED', false],
    ],
  );
});
