import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fragment } from '../../../src/base/database/fragment.ts';
import { query } from '../../../src/base/database/query.ts';
import { refsOf, temporaryFolder } from '../../support/git/git.ts';
import type { Wire } from '../issues/tracker.ts';
import { commitFile, ENGINE, FORK, forkEngine, openPull, PULLS, settle, startEngine } from './pulls.ts';

test('201: a pull request between two branches of a repository', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  const tip = await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });

  const body = await openPull(ben, { body: 'It pumps.' });

  const main = (await ada.get(`${ENGINE}/branches/main`)).body.commit.id;
  assert.deepEqual(
    [body.number, body.title, body.body, body.state, body.user.login],
    [1, 'Add a pump', 'It pumps.', 'open', 'ben'],
  );
  assert.deepEqual([body.url, body.html_url], [`${forge.url}/ada/engine/pulls/1`, body.url]);
  assert.deepEqual([body.diff_url, body.patch_url], [`${body.url}.diff`, `${body.url}.patch`]);
  assert.deepEqual([body.base.label, body.base.ref, body.base.sha], ['main', 'main', main]);
  assert.deepEqual([body.head.label, body.head.ref, body.head.sha], ['pump', 'pump', tip]);
  assert.equal(body.base.repo.full_name, 'ada/engine');
  assert.equal(body.head.repo_id, body.base.repo_id);
  assert.deepEqual(
    [body.merged, body.merged_at, body.merged_by, body.merge_commit_sha],
    [false, null, null, null],
  );

  const read = (await ada.get(`${PULLS}/1`)).body;
  assert.deepEqual([read.mergeable, read.merge_base], [true, main]);
  assert.deepEqual([read.additions, read.deletions, read.changed_files], [1, 0, 1]);
  const refs = (await ada.get(`${ENGINE}/git/refs/pull/1/head`)).body;
  assert.equal(refs.object.sha, tip);
  const issue = (await ada.get(`${ENGINE}/issues/1`)).body;
  assert.deepEqual(issue.pull_request, {
    merged: false,
    merged_at: null,
    draft: false,
    html_url: body.html_url,
  });
  assert.equal((await ada.get(ENGINE)).body.open_pr_counter, 1);
});

test('a pull request is found by its branches, whether slashes in the name of the head are escaped or not', async (t) => {
  const { ben } = await startEngine(t);
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'feature/pump', from: 'main' });
  await openPull(ben, { head: 'feature/pump' });

  for (const head of ['feature/pump', 'feature%2Fpump', 'ada:feature/pump']) {
    assert.equal((await ben.get(`${PULLS}/main/${head}`)).body.number, 1, head);
  }
  assert.equal((await ben.get(`${PULLS}/main/feature/pum`)).status, 404);
});

test('a push to the head moves refs/pull/N/head with it, and its record', async (t) => {
  const { forge, ben } = await startEngine(t);
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await openPull(ben);
  const tip = await commitFile(ben, 'valve.txt', 'valve\n', { branch: 'pump' });
  assert.equal((await ben.get(`${ENGINE}/git/refs/pull/1/head`)).body.object.sha, tip);
  await settle(forge);
  const read = (await ben.get(`${PULLS}/1`)).body;
  assert.deepEqual([read.head.sha, read.changed_files, read.mergeable], [tip, 2, true]);
});

test('a pull request from a fork: its commits come into the repository of the base', async (t) => {
  const { forge, ada, cyd } = await startEngine(t);
  const first = await forkEngine(cyd);
  const body = await openPull(cyd, { head: 'cyd:pump' });
  assert.deepEqual([body.head.label, body.head.sha, body.head.repo.full_name], ['pump', first, 'cyd/engine']);
  assert.equal((await ada.get(`${ENGINE}/git/commits/${first}`)).status, 200);

  const second = await commitFile(cyd, 'valve.txt', 'valve\n', { repository: FORK, branch: 'pump' });
  await settle(forge);
  assert.equal((await ada.get(`${PULLS}/1`)).body.head.sha, second);
  assert.equal((await ada.get(`${ENGINE}/git/refs/pull/1/head`)).body.object.sha, second);

  assert.equal((await cyd.delete(FORK)).status, 204);
  const left = (await ada.get(`${PULLS}/1`)).body;
  assert.deepEqual([left.head.repo, left.head.repo_id, left.head.ref], [null, -1, 'refs/pull/1/head']);
  assert.equal(left.head.sha, second);
});

test('conflicts and drafts are not mergeable', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  await commitFile(ben, 'README.md', 'one\n', { branch: 'pump', from: 'main' });
  await openPull(ben);
  await commitFile(ada, 'README.md', 'two\n');
  await settle(forge);
  assert.equal((await ada.get(`${PULLS}/1`)).body.mergeable, false);
  await commitFile(ben, 'plan.md', 'plan\n', { branch: 'plan', from: 'main' });
  await openPull(ben, { head: 'plan', title: 'WIP: plan' });
  const draft = (await ada.get(`${PULLS}/2`)).body;
  assert.deepEqual([draft.draft, draft.mergeable], [true, false]);
  await ben.patch(`${PULLS}/2`, { title: 'Plan' });
  const ready = (await ada.get(`${PULLS}/2`)).body;
  assert.deepEqual([ready.draft, ready.mergeable], [false, true]);
});

test('requests for pull requests that cannot be opened', async (t) => {
  const { ada, ben, cyd } = await startEngine(t);
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  const create = async (who: typeof ada, fields: Record<string, unknown>) =>
    (await who.post(PULLS, { title: 'Pump', base: 'main', head: 'pump', ...fields })).status;
  assert.equal(await create(ben, { head: 'main' }), 422);
  assert.equal(await create(ben, { head: 'missing' }), 404);
  assert.equal(await create(ben, { base: 'missing' }), 404);
  assert.equal(await create(ben, { head: 'cyd:pump' }), 404);
  assert.equal(await create(ben, { title: '' }), 422);
  assert.equal(await create(ben, { milestone: 999_999 }), 404);
  assert.equal(await create(cyd, {}), 201);
  assert.equal(await create(ben, {}), 409);
  assert.equal((await cyd.patch(`${PULLS}/1`, { state: 'closed' })).status, 201);
  assert.equal(await create(ben, {}), 201);
  // The branches have another open pull request now.
  assert.equal((await cyd.patch(`${PULLS}/1`, { state: 'open' })).status, 409);
  assert.equal((await ada.post(`${ENGINE}/issues`, { title: 'An issue' })).status, 201);
  assert.equal((await ada.get(`${PULLS}/3`)).status, 404);
  assert.equal((await ada.patch(`${PULLS}/3`, { title: 'x' })).status, 404);
  assert.equal((await ada.patch(ENGINE, { has_pull_requests: false })).status, 200);
  for (const path of [`${PULLS}/1`, PULLS, `${ENGINE}/issues/1`])
    assert.equal((await ada.get(path)).status, 404, path);
});

test('a reader who opens a pull request sets its labels, milestone, assignees and due date', async (t) => {
  const { ada, ben, cyd } = await startEngine(t);
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  const label = (await ada.post(`${ENGINE}/labels`, { name: 'wet', color: '#00f' })).body.id;
  const milestone = (await ada.post(`${ENGINE}/milestones`, { title: 'First' })).body.id;
  const statusWith = async (fields: Record<string, unknown>) =>
    (await cyd.post(PULLS, { title: 'Pump', base: 'main', head: 'pump', ...fields })).status;

  for (const fields of [{ assignees: ['nobody'] }, { assignee: 'nobody' }, { assignees: ['cyd'] }])
    assert.equal(await statusWith(fields), 422, JSON.stringify(fields));
  assert.equal(await statusWith({ labels: [label, 999_999] }), 422);
  assert.equal(await statusWith({ milestone: 999_999 }), 404);
  const due = '2030-01-31T12:00:00Z';
  const opened = await openPull(cyd, { labels: [label], milestone, assignees: ['Ben'], due_date: due });
  assert.deepEqual(
    [opened.labels[0].name, opened.milestone.title, opened.assignees[0].login, opened.due_date],
    ['wet', 'First', 'ben', '2030-01-31T23:59:59Z'],
  );
  // Only people who may write change them afterwards, as in the reference.
  const edited = await cyd.patch(`${PULLS}/1`, { labels: [], assignees: ['ada'], title: 'Pump water' });
  const { title, labels, assignees } = edited.body;
  assert.deepEqual(
    [edited.status, title, labels.length, assignees.length, assignees[0].login],
    [201, 'Pump water', 1, 1, 'ben'],
  );
});

test('deleting a branch closes the pull requests from and to it', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await commitFile(ben, 'valve.txt', 'valve\n', { branch: 'valve', from: 'pump' });
  await openPull(ben);
  await openPull(ben, { head: 'valve', base: 'pump' });
  assert.equal((await ada.delete(`${ENGINE}/branches/pump`)).status, 204);
  await settle(forge);
  for (const number of [1, 2]) assert.equal((await ada.get(`${PULLS}/${number}`)).body.state, 'closed');
  assert.equal((await ada.get(`${PULLS}/1`)).body.head.ref, 'refs/pull/1/head');
  assert.equal((await ben.patch(`${PULLS}/1`, { state: 'open' })).status, 422);
});

test('a new pull request is answered with its merge base and its size', async (t) => {
  const { ben } = await startEngine(t);
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  const { merge_base: mergeBase, base, ...opened } = await openPull(ben);
  assert.equal(mergeBase, base.sha);
  assert.deepEqual([opened.additions, opened.deletions, opened.changed_files], [1, 0, 1]);
});

test('a reopened pull request is answered with the commits that came while it was closed', async (t) => {
  const { ben } = await startEngine(t);
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await openPull(ben);
  await ben.patch(`${PULLS}/1`, { state: 'closed' });
  const tip = await commitFile(ben, 'valve.txt', 'valve\n', { branch: 'pump' });
  const reopened = (await ben.patch(`${PULLS}/1`, { state: 'open' })).body;
  assert.deepEqual([reopened.state, reopened.head.sha, reopened.changed_files], ['open', tip, 2]);
});

test('the ref of a deleted pull request is deleted', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await openPull(ben);
  const refs = async () => refsOf(await temporaryFolder(t), ada.remote('ada/engine'));
  assert.ok((await refs()).some((line) => line.includes('refs/pull/1/head')));
  assert.equal((await ada.delete(`${ENGINE}/issues/1`)).status, 204);
  await settle(forge);
  assert.ok(!(await refs()).some((line) => line.includes('refs/pull/1/head')));
  assert.equal((await openPull(ben)).number, 2);
});

test('a list of pull requests by state, branch, author and label', async (t) => {
  const { ada, ben } = await startEngine(t);
  for (const branch of ['pump', 'valve', 'gauge']) {
    await commitFile(ben, `${branch}.txt`, branch, { branch, from: 'main' });
    await openPull(branch === 'gauge' ? ada : ben, { head: branch, title: branch });
  }
  const label = (await ada.post(`${ENGINE}/labels`, { name: 'wet', color: '#00f' })).body.id;
  await ada.patch(`${PULLS}/1`, { labels: [label] });
  await ben.patch(`${PULLS}/2`, { state: 'closed' });
  const titles = async (query: string) =>
    (await ada.get(`${PULLS}?${query}`)).body.map(({ title }: { title: string }) => title);
  assert.deepEqual(await titles(''), ['gauge', 'pump']);
  assert.deepEqual(await titles('state=closed'), ['valve']);
  assert.deepEqual(await titles('state=all&sort=oldest'), ['pump', 'valve', 'gauge']);
  assert.deepEqual(await titles('state=all&poster=ben'), ['valve', 'pump']);
  const missing = await ada.get(`${PULLS}?poster=no-such-user`);
  assert.deepEqual([missing.status, missing.body.message], [400, 'there is no account no-such-user']);
  assert.equal((await ada.get('/api/v1/repos/ada/missing/pulls?poster=no-such-user')).status, 404);
  assert.deepEqual(await titles(`labels=${label}`), ['pump']);
  assert.deepEqual(await titles('head=gauge'), ['gauge']);
  assert.deepEqual(await titles('base=other'), []);
  assert.equal((await ada.get(`${PULLS}/main/gauge`)).body.number, 3);
  assert.equal((await ada.get(`${PULLS}/main/ada:valve`)).body.number, 2);
});

test('sort=recentclose: the pull request that was closed last comes first, and open ones come last', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  const branches = ['pump', 'valve', 'gauge', 'pipe'];
  for (const branch of branches) {
    await commitFile(ben, `${branch}.txt`, branch, { branch, from: 'main' });
    await openPull(ben, { head: branch, title: branch });
  }
  const label = (await ada.post(`${ENGINE}/labels`, { name: 'wet', color: '#00f' })).body.id;
  for (const number of [1, 2, 3, 4]) {
    await ada.patch(`${PULLS}/${number}`, { labels: [label] });
    await ben.patch(`${PULLS}/${number}`, { state: 'closed' });
  }
  await ben.patch(`${PULLS}/4`, { state: 'open' });
  const { database } = forge.forge.running.engines;
  const closedAt = async (number: number, at: number) =>
    database.transaction((tx) =>
      query(tx, fragment`update issues set closed_at = ${at} where number = ${number}`),
    );
  for (const [number, at] of [
    [1, 2_000],
    [2, 3_000],
    [3, 1_000],
  ] as const)
    await closedAt(number, at);
  await ada.post(`${ENGINE}/issues/3/comments`, { body: 'Changed last' });
  const titles = async (filter: string) =>
    (await ada.get(`${PULLS}?sort=recentclose&${filter}`)).body.map(({ title }: Wire) => title);

  for (const filter of ['', `labels=${label}&`, 'poster=ben&', `labels=${label}&poster=ben&`, 'base=main&']) {
    assert.deepEqual(await titles(`${filter}state=closed`), ['valve', 'pump', 'gauge'], filter);
    assert.deepEqual(await titles(`${filter}state=all`), ['valve', 'pump', 'gauge', 'pipe'], filter);
    assert.deepEqual(await titles(`${filter}state=open`), ['pipe'], filter);
    assert.deepEqual(await titles(`${filter}state=all&limit=2&page=2`), ['gauge', 'pipe'], filter);
  }
});

test('a job that records a move ends quietly if its pull request is deleted meanwhile', async (t) => {
  const { forge, ben } = await startEngine(t);
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  const { base, head } = await openPull(ben);
  const { jobs, database } = forge.forge.running.services;
  const [before, after] = [base.sha, head.sha];
  const move = { issueId: 999_999, repositoryId: base.repo.id, number: 9, before, after, pusherId: null };
  const kind = { name: 'pulls.record-move' };
  await database.transaction((tx) => jobs.enqueue(tx, kind, { key: 'late', payload: move }));
  await settle(forge);
  assert.equal(await jobs.find(kind, 'late'), undefined);
});
