import assert from 'node:assert/strict';
import { test } from 'node:test';
import { git, temporaryFolder } from '../../support/git/git.ts';
import {
  commitFile,
  commitOf,
  delayJobs,
  ENGINE,
  entriesOf,
  FORK,
  merge,
  openPull,
  PULLS,
  protect,
  settle,
  startDiverged,
  startEngine,
  startForkPull,
  tipOf,
} from './pulls.ts';

test('a merge has both branches as parents, and the message of the reference', async (t) => {
  const { forge, ada, ben, head, base } = await startDiverged(t);
  const { status, text } = await merge(ada);
  assert.deepEqual([status, text], [200, '']);
  const commit = await commitOf(ada, await tipOf(ada));
  assert.deepEqual(commit.parents, [base, head]);
  assert.equal(commit.message, "Merge pull request 'Add a pump' (#1) from pump into main\n");
  assert.deepEqual([commit.author.name, commit.committer.name], ['ada', 'ada']);
  await settle(forge);
  const read = (await ben.get(`${PULLS}/1`)).body;
  assert.deepEqual([read.state, read.merged, read.merged_by.login], ['closed', true, 'ada']);
  assert.deepEqual([read.merge_commit_sha, read.head.sha, read.head.ref], [await tipOf(ada), head, 'pump']);
  assert.equal((await ben.get(`${PULLS}/1/merge`)).status, 204);
  assert.equal((await ben.get(`${ENGINE}/issues/1`)).body.pull_request.merged, true);
  assert.equal((await merge(ada)).status, 405);
  assert.equal((await ben.patch(`${PULLS}/1`, { state: 'open' })).status, 412);
  assert.equal((await ben.patch(`${PULLS}/1`, { base: 'pump' })).status, 409);
  assert.equal((await entriesOf(ben, 1, 'merge_pull')).length, 1);
});

test('a squash is one commit of the poster, and its trailers name the committer', async (t) => {
  const { ada, base } = await startDiverged(t);
  assert.equal((await merge(ada, { Do: 'squash', MergeMessageField: 'It pumps.' })).status, 200);
  const commit = await commitOf(ada, await tipOf(ada));
  assert.deepEqual(commit.parents, [base]);
  assert.deepEqual([commit.author.name, commit.committer.name], ['ben', 'ada']);
  const ben = 'ben <ben@example.org>';
  assert.equal(
    commit.message,
    `Add a pump (#1)\n\nIt pumps.\n\nCo-authored-by: ${ben}\nCo-committed-by: ${ben}\n`,
  );
});

test('a rebase applies each commit with its author, and rebase-merge adds a merge', async (t) => {
  for (const style of ['rebase', 'rebase-merge']) {
    await t.test(style, async (inner) => {
      const { ada, base } = await startDiverged(inner);
      assert.equal((await merge(ada, { Do: style })).status, 200);
      const tip = await commitOf(ada, await tipOf(ada));
      const last = style === 'rebase' ? tip : await commitOf(ada, tip.parents[1]);
      if (style === 'rebase-merge') assert.equal(tip.parents[0], base);
      assert.deepEqual(
        [last.message, last.author.name, last.committer.name],
        ['Write valve.txt\n', 'ben', 'ada'],
      );
      const first = await commitOf(ada, last.parents[0]);
      assert.deepEqual([first.message, first.parents], ['Write pump.txt\n', [base]]);
    });
  }
});

test('fast-forward-only moves the base to the head, and fails if it cannot', async (t) => {
  const { ada, ben, head } = await startDiverged(t);
  assert.equal((await merge(ada, { Do: 'fast-forward-only' })).status, 409);
  assert.equal((await ben.post(`${PULLS}/1/update?style=rebase`)).status, 200);
  assert.equal((await merge(ada, { Do: 'fast-forward-only' })).status, 200);
  assert.notEqual(await tipOf(ada), head);
  assert.equal(await tipOf(ada), await tipOf(ada, 'pump'));
});

test('a conflict is 409 and names the files, and nothing moves', async (t) => {
  const { ada, ben } = await startEngine(t);
  await commitFile(ben, 'README.md', 'one\n', { branch: 'pump', from: 'main' });
  const base = await commitFile(ada, 'README.md', 'two\n');
  await openPull(ben);
  for (const style of ['merge', 'squash', 'rebase', 'rebase-merge']) {
    const { status, body } = await merge(ada, { Do: style });
    assert.equal(status, 409, style);
    assert.match(body.message, /README\.md/);
  }
  assert.equal((await ben.post(`${PULLS}/1/update`)).status, 409);
  assert.equal(await tipOf(ada), base);
  assert.equal((await ben.get(`${PULLS}/1`)).body.state, 'open');
});

test('requests for merges that are not allowed', async (t) => {
  const { ada, ben, cyd, head } = await startDiverged(t);
  assert.equal((await merge(cyd)).status, 405);
  assert.equal((await merge(ada, { Do: 'octopus' })).status, 422);
  assert.equal((await ada.post(`${PULLS}/1/merge`, {})).status, 422);
  assert.equal((await merge(ada, { head_commit_id: '1'.repeat(40) })).status, 409);
  assert.equal((await merge(ada, {}, 2)).status, 404);
  await ben.patch(`${PULLS}/1`, { title: '[WIP] Add a pump' });
  assert.equal((await merge(ada)).status, 405);
  await ben.patch(`${PULLS}/1`, { title: 'Add a pump' });
  await ada.patch(ENGINE, { allow_squash_merge: false });
  assert.equal((await merge(ada, { Do: 'squash' })).status, 405);
  await ben.patch(`${PULLS}/1`, { state: 'closed' });
  assert.equal((await merge(ada)).status, 404);
  await ben.patch(`${PULLS}/1`, { state: 'open' });
  await ada.patch(ENGINE, { archived: true });
  assert.equal((await merge(ada)).status, 423);
  await ada.patch(ENGINE, { archived: false });
  assert.equal((await ada.post(`${PULLS}/1/merge`, { do: 'merge', HEAD_commit_id: head })).status, 200);
});

test('the protection of the base is checked at the merge, and an administrator may skip it', async (t) => {
  const { ada, ben, head } = await startDiverged(t);
  await protect(ada, {
    enable_push: false,
    enable_status_check: true,
    status_check_contexts: ['ci/*'],
  });
  assert.match((await merge(ben)).body.message, /status/);
  await ben.post(`${ENGINE}/statuses/${head}`, { state: 'failure', context: 'ci/test' });
  assert.equal((await merge(ben)).status, 405);
  assert.equal((await merge(ben, { force_merge: true })).status, 405);
  await ben.post(`${ENGINE}/statuses/${head}`, { state: 'success', context: 'ci/test' });
  await ada.patch(`${ENGINE}/branch_protections/main`, { required_approvals: 1 });
  assert.match((await merge(ben)).body.message, /approval/);
  await ada.patch(`${ENGINE}/branch_protections/main`, { apply_to_admins: true });
  assert.equal((await merge(ada, { force_merge: true })).status, 405);
  await ada.patch(`${ENGINE}/branch_protections/main`, {
    apply_to_admins: false,
    enable_merge_whitelist: true,
    merge_whitelist_usernames: ['ada'],
  });
  assert.match((await merge(ben)).body.message, /may not merge/);
  assert.equal((await merge(ada, { force_merge: true })).status, 200);
});

test('405: a merge by hand that shall wait, since its commit is in the base already', async (t) => {
  const { ada } = await startDiverged(t);
  await ada.patch(ENGINE, { allow_manual_merge: true });
  await ada.post(`${ENGINE}/branch_protections`, { rule_name: 'main', required_approvals: 1 });
  assert.equal((await merge(ada, { Do: 'manually-merged', merge_when_checks_succeed: true })).status, 405);
});

test('405: a pull request that depends on an open issue', async (t) => {
  const { ada, ben } = await startDiverged(t);
  await ada.post(`${ENGINE}/issues`, { title: 'The valve leaks' });
  const issue = { owner: 'ada', repo: 'engine', index: 2 };
  assert.equal((await ada.post(`${ENGINE}/issues/1/dependencies`, issue)).status, 201);
  const early = await merge(ben);
  assert.deepEqual([early.status, early.body.message.includes('open issues')], [405, true]);
  assert.equal((await merge(ada, { force_merge: true })).status, 405);
  await ada.patch(`${ENGINE}/issues/2`, { state: 'closed' });
  assert.equal((await merge(ben)).status, 200);
});

test('a pull request that is merged before its check shows what it has changed', async (t) => {
  const { forge, ben } = await startDiverged(t);
  await commitFile(ben, 'gauge.txt', 'one\ntwo\n', { branch: 'pump' });
  assert.equal((await merge(ben)).status, 200);
  await settle(forge);
  const files = (await ben.get(`${PULLS}/1/files`)).body;
  const merged = (await ben.get(`${PULLS}/1`)).body;
  const additions = files.reduce((sum: number, file: { additions: number }) => sum + file.additions, 0);
  assert.deepEqual([merged.changed_files, merged.additions], [files.length, additions]);
});

test('after a merge, its branch goes, pull requests to it get the base, and issues close', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  await ada.post(`${ENGINE}/issues`, { title: 'It leaks' });
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await commitFile(ben, 'valve.txt', 'valve\n', { branch: 'valve', from: 'pump' });
  await openPull(ben, { title: 'Add a pump (fixes #1)' });
  await openPull(ben, { head: 'valve', base: 'pump' });
  assert.equal((await merge(ben, { delete_branch_after_merge: true }, 2)).status, 200);
  await settle(forge);
  assert.equal((await ada.get(`${ENGINE}/branches/pump`)).status, 404);
  const child = (await ada.get(`${PULLS}/3`)).body;
  assert.deepEqual([child.state, child.base.ref, child.mergeable], ['open', 'main', true]);
  assert.equal((await ada.get(`${ENGINE}/issues/1`)).body.state, 'closed');
  const [entry] = (await ada.get(`${ENGINE}/issues/1/timeline`)).body;
  assert.deepEqual([entry.type, entry.ref_action, entry.ref_issue.number], ['pull_ref', 'closes', 2]);
  const merged = (await ada.get(`${PULLS}/2`)).body;
  assert.deepEqual([merged.merged, merged.head.ref], [true, 'refs/pull/2/head']);
  const deletions = await entriesOf(ada, 2, 'delete_branch');
  assert.deepEqual(
    deletions.map(({ user, old_ref: branch }) => [user.login, branch]),
    [['ben', 'pump']],
  );
});

test('the branch of a merged pull request stays while it is the head of another one', async (t) => {
  const { forge, ada, ben, head } = await startDiverged(t);
  await ada.post(`${ENGINE}/branches`, { new_branch_name: 'release' });
  await openPull(ben, { base: 'release' });
  const wish = { delete_branch_after_merge: true };
  assert.equal((await merge(ben, wish, 1)).status, 200);
  await settle(forge);
  assert.equal(await tipOf(ada, 'pump'), head);
  assert.equal((await ada.get(`${PULLS}/2`)).body.state, 'open');
  assert.equal((await merge(ben, wish, 2)).status, 200);
  await settle(forge);
  assert.equal((await ada.get(`${ENGINE}/branches/pump`)).status, 404);
});

test('the branch of a merged pull request stays if it has moved since', async (t) => {
  const { forge, ada, ben } = await startDiverged(t);
  const { branchChanges } = forge.forge.running.services;
  const { delete: deleteBranch } = branchChanges;
  let pushed = '';
  branchChanges.delete = async (...parameters) => {
    branchChanges.delete = deleteBranch;
    pushed = await commitFile(ben, 'gauge.txt', 'gauge\n', { branch: 'pump' });
    return deleteBranch.apply(branchChanges, parameters);
  };
  const runJobs = delayJobs(t, forge);
  assert.equal((await merge(ben, { delete_branch_after_merge: true })).status, 200);
  await runJobs();
  assert.equal(await tipOf(ada, 'pump'), pushed);
  assert.deepEqual(await entriesOf(ada, 1, 'delete_branch'), []);
});

test('a template of the default branch makes the message of a merge', async (t) => {
  const { ada, head } = await startDiverged(t);
  await commitFile(
    ada,
    '.gitea/default_merge_message/MERGE_TEMPLATE.md',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the variables of a template
    'Take ${HeadBranch} by ${PullRequestPosterName} (${PullRequestReference})\n\n${PullRequestTitle}${Unknown}\n',
  );
  assert.equal((await merge(ada, { head_commit_id: head })).status, 200);
  const commit = await commitOf(ada, await tipOf(ada));
  assert.equal(commit.message, 'Take pump by ben (#1)\n\nAdd a pump\n');
});

test('a merge that someone made by hand is recorded if the repository allows it', async (t) => {
  const { ada, ben } = await startDiverged(t);
  const wish = { Do: 'manually-merged', MergeCommitID: await tipOf(ada) };
  assert.equal((await merge(ada, wish)).status, 405);
  await ada.patch(ENGINE, { allow_manual_merge: true });
  assert.equal((await merge(ada, { ...wish, MergeCommitID: '1'.repeat(40) })).status, 405);
  assert.equal((await merge(ada, { ...wish, MergeCommitID: 'x' })).status, 405);
  assert.equal((await merge(ada, wish)).status, 200);
  assert.equal((await ben.get(`${PULLS}/1`)).body.merge_commit_sha, wish.MergeCommitID);
});

test('an update brings the base into the head of a fork, also for people who maintain the base', async (t) => {
  const { forge, ada, cyd } = await startForkPull(t);
  const base = await commitFile(ada, 'plan.md', 'plan\n');
  assert.equal((await ada.post(`${PULLS}/1/update`)).status, 403);
  assert.equal((await ada.patch(`${PULLS}/1`, { allow_maintainer_edit: true })).status, 403);
  assert.equal((await cyd.patch(`${PULLS}/1`, { allow_maintainer_edit: true })).status, 201);
  assert.equal((await ada.post(`${PULLS}/1/update`)).status, 200);
  await settle(forge);
  const read = (await ada.get(`${PULLS}/1`)).body;
  const { message, parents } = await commitOf(ada, read.head.sha);
  assert.deepEqual([message, parents[1]], ["Merge branch 'main' into pump\n", base]);
  assert.deepEqual([read.merge_base, read.mergeable], [base, true]);
  const timeline = (await ada.get(`${ENGINE}/issues/1/timeline`)).body;
  const push = timeline.find(({ type }: { type: string }) => type === 'pull_push');
  assert.equal(push.user.login, 'ada', 'who has updated it, also in a fork');
});

test('a push to the base that has all commits of the head merges it, if the repository notices that', async (t) => {
  const { forge, ada, ben, cyd } = await startEngine(t);
  await ada.patch(ENGINE, { autodetect_manual_merge: true });
  for (const branch of ['pump', 'valve']) {
    await commitFile(ben, `${branch}.txt`, branch, { branch, from: 'main' });
    await openPull(ben, { head: branch });
  }
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', ada.remote('ada/engine'), '.']);
  const { email } = (await cyd.get('/api/v1/user')).body;
  await git(folder, ['merge', '-q', '--no-ff', '-m', 'Take it', 'origin/pump'], {
    environment: { GIT_COMMITTER_EMAIL: email },
  });
  const merged = (await git(folder, ['rev-parse', 'HEAD'])).trim();
  await git(folder, ['push', '-q', 'origin', 'HEAD:main']);
  await settle(forge);
  const taken = (await ada.get(`${PULLS}/1`)).body;
  assert.deepEqual([taken.state, taken.merged, taken.merge_commit_sha], ['closed', true, merged]);
  assert.equal(taken.merged_by.login, 'cyd', 'who made the merge commit, by its e-mail address');
  assert.deepEqual((await ada.get(`${PULLS}/2`)).body.merged, false);
});

test('an update by rebase works for the head of a fork', async (t) => {
  const { ada, cyd } = await startForkPull(t);
  const base = await commitFile(ada, 'plan.md', 'plan\n');
  const updated = await cyd.post(`${PULLS}/1/update?style=rebase`);
  assert.equal(updated.status, 200, updated.text);
  const tip = await tipOf(cyd, 'pump', FORK);
  const { parents } = (await cyd.get(`${FORK}/git/commits/${tip}`)).body;
  assert.equal(parents[0].sha, base);
});

test('a merge does not fail because a branch stays that only the repository wants to delete', async (t) => {
  const { ada } = await startForkPull(t);
  await ada.patch(ENGINE, { default_delete_branch_after_merge: true });
  assert.equal((await merge(ada)).status, 200);
});

test('a branch takes the name of a deleted branch when no open pull request has it any more', async (t) => {
  const { forge, ada } = await startEngine(t);
  for (const branch of ['a', 'b']) {
    await commitFile(ada, `${branch}.txt`, branch, { branch, from: 'main' });
    await openPull(ada, { head: branch });
  }
  const runJobs = delayJobs(t, forge);
  await ada.delete(`${ENGINE}/branches/b`);
  const rename = () => ada.patch(`${ENGINE}/branches/a`, { name: 'b' });
  const refused = await rename();
  assert.equal(refused.status, 422, refused.text);
  assert.match(refused.text, /still name the branch b/);
  await runJobs();
  assert.equal((await ada.get(`${PULLS}/2`)).body.state, 'closed');
  assert.equal((await rename()).status, 204);
  const { state, head } = (await ada.get(`${PULLS}/1`)).body;
  assert.deepEqual([state, head.ref], ['open', 'b']);
});
