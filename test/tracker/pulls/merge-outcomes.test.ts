import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOOM, startLoom } from '../../code/commits/history.ts';
import type { Person } from '../../support/forge/forge.ts';
import { commitFile, ENGINE, openPull, PULLS, settle, startEngine } from './pulls.ts';

const LOOM_PULLS = `${LOOM}/pulls`;
const MERGE_STYLES = ['merge', 'squash', 'rebase', 'rebase-merge', 'fast-forward-only'];

async function tipOf(who: Person, branch: string, repository = ENGINE): Promise<string> {
  return (await who.get(`${repository}/branches/${branch}`)).body.commit.id;
}

async function commitOf(who: Person, sha: string, repository = ENGINE) {
  const { body } = await who.get(`${repository}/git/commits/${sha}`);
  return { ...body.commit, parents: body.parents.map((parent: { sha: string }) => parent.sha) };
}

test('unrelated histories are neither merged nor updated, and nothing moves', async (t) => {
  const { forge, ada, ask, commit, push } = await startLoom(t);
  await commit('Begin', { 'a.txt': 'one\n' });
  await push('HEAD:main');
  await ask('checkout', '-q', '--orphan', 'island');
  const island = await commit('Island', { 'b.txt': 'two\n' });
  await push('island');
  const main = await tipOf(ada, 'main', LOOM);
  const opened = await ada.post(LOOM_PULLS, { title: 'Island', base: 'main', head: 'island' });
  assert.equal(opened.status, 201, opened.text);
  await settle(forge);

  assert.equal((await ada.get(`${LOOM_PULLS}/1`)).body.mergeable, false);
  const merges = MERGE_STYLES.map((style) => ['merge', { Do: style }] as const);
  const updates = ['update', 'update?style=merge', 'update?style=rebase'].map((path) => [path, {}] as const);
  for (const [path, body] of [...merges, ...updates]) {
    const { status, text } = await ada.post(`${LOOM_PULLS}/1/${path}`, body);
    assert.equal(status, 409, `${path} ${JSON.stringify(body)}: ${text}`);
    assert.match(text, /no commit in common/);
  }
  assert.deepEqual([await tipOf(ada, 'main', LOOM), await tipOf(ada, 'island', LOOM)], [main, island]);
  assert.equal((await ada.get(`${LOOM_PULLS}/1`)).body.state, 'open');
});

test('a squash names every author of its commits once, from the oldest commit on', async (t) => {
  const { forge, ada, ask, commit, push } = await startLoom(t);
  const ben = await forge.account('ben');
  await ada.put(`${LOOM}/collaborators/ben`, { permission: 'write' });
  await commit('Begin', { 'a.txt': 'one\n' });
  await push('HEAD:main');
  const authors = [
    'Eve <eve@elsewhere.example>',
    'Benjamin <BEN@example.org>',
    'Dan <dan@elsewhere.example>',
    'Eve <eve@elsewhere.example>',
  ];
  for (const [index, author] of authors.entries()) {
    await commit(`Change ${index}`, { [`${index}.txt`]: `${index}\n` });
    await ask('commit', '-q', '--amend', '--no-edit', '--author', author);
  }
  await push('HEAD:work');
  const opened = await ben.post(LOOM_PULLS, { title: 'Work', base: 'main', head: 'work' });
  assert.equal(opened.status, 201, opened.text);

  const merged = await ada.post(`${LOOM_PULLS}/1/merge`, { Do: 'squash' });

  assert.equal(merged.status, 200, merged.text);
  const { author, committer, message } = await commitOf(ada, await tipOf(ada, 'main', LOOM), LOOM);
  // The poster has signed one of the commits.
  assert.deepEqual([author.name, author.email, committer.name], ['Benjamin', 'BEN@example.org', 'ada']);
  const [eve, own, dan] = authors;
  assert.equal(
    message,
    `Work (#1)\n\nCo-authored-by: ${eve}\nCo-authored-by: ${dan}\nCo-authored-by: ${own}\nCo-committed-by: ${own}\n`,
  );
});

test('a merge does not change protected files, unless an administrator forces it', async (t) => {
  const { ada, ben } = await startEngine(t);
  const base = await commitFile(ada, 'pump.lock', '1\n');
  await commitFile(ben, 'pump.lock', '2\n', { branch: 'pump', from: 'main' });
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump' });
  await openPull(ben);
  const rule = { rule_name: 'main', enable_push: true, protected_file_patterns: '*.lock;secret/**' };
  assert.equal((await ada.post(`${ENGINE}/branch_protections`, rule)).status, 201);

  for (const who of [ben, ada])
    for (const style of ['merge', 'squash', 'rebase', 'rebase-merge']) {
      const { status, body } = await who.post(`${PULLS}/1/merge`, { Do: style });
      assert.equal(status, 405, style);
      assert.match(body.message, /pump\.lock/);
    }
  assert.equal((await ben.post(`${PULLS}/1/merge`, { Do: 'merge', force_merge: true })).status, 405);
  assert.equal(await tipOf(ada, 'main'), base);
  await ada.patch(`${ENGINE}/branch_protections/main`, { apply_to_admins: true });
  assert.equal((await ada.post(`${PULLS}/1/merge`, { Do: 'merge', force_merge: true })).status, 405);
  await ada.patch(`${ENGINE}/branch_protections/main`, { apply_to_admins: false });
  assert.equal((await ada.post(`${PULLS}/1/merge`, { Do: 'merge', force_merge: true })).status, 200);
});

test('an update has the default style of the repository', async (t) => {
  const { ada, ben } = await startEngine(t);
  for (const style of ['merge', 'rebase']) {
    const edited = await ada.patch(ENGINE, { default_update_style: style });
    assert.deepEqual([edited.status, edited.body.default_update_style], [200, style]);
    const head = await commitFile(ben, `${style}.txt`, 'pump\n', { branch: style, from: 'main' });
    const base = await commitFile(ada, `plan-${style}.md`, 'plan\n');
    const { number } = await openPull(ben, { head: style });

    assert.equal((await ben.post(`${PULLS}/${number}/update`)).status, 200);

    const { parents } = await commitOf(ada, await tipOf(ada, style));
    assert.deepEqual(parents, style === 'merge' ? [head, base] : [base], style);
    // There is nothing to do now.
    const tip = await tipOf(ada, style);
    assert.equal((await ben.post(`${PULLS}/${number}/update`)).status, 200);
    assert.equal(await tipOf(ada, style), tip);
  }
});

test('a repository that forbids updates by rebase updates by merge only', async (t) => {
  const { ada, ben } = await startEngine(t);
  const head = await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  const base = await commitFile(ada, 'plan.md', 'plan\n');
  await openPull(ben);
  const edited = await ada.patch(ENGINE, { allow_rebase_update: false, default_update_style: 'rebase' });
  assert.equal(edited.status, 200, edited.text);
  assert.equal(edited.body.allow_rebase_update, false);

  for (const who of [ben, ada]) assert.equal((await who.post(`${PULLS}/1/update?style=rebase`)).status, 403);
  assert.equal((await ben.post(`${PULLS}/1/update`)).status, 403);
  assert.equal(await tipOf(ada, 'pump'), head);
  assert.equal((await ben.post(`${PULLS}/1/update?style=merge`)).status, 200);
  assert.deepEqual((await commitOf(ada, await tipOf(ada, 'pump'))).parents, [head, base]);
});

test('a merge stands when the deletion of its branch is denied, and the branch stays', async (t) => {
  const { forge, ada, ben, cyd } = await startEngine(t);
  await cyd.post(`${ENGINE}/forks`, {});
  const fork = '/api/v1/repos/cyd/engine';
  await commitFile(cyd, 'fork.txt', 'fork\n', { repository: fork, branch: 'fork', from: 'main' });
  await commitFile(ben, 'guarded.txt', 'pump\n', { branch: 'guarded', from: 'main' });
  await ada.post(`${ENGINE}/branches`, { new_branch_name: 'release', old_branch_name: 'main' });
  await commitFile(ben, 'main.txt', 'pump\n');
  await ada.post(`${ENGINE}/branch_protections`, { rule_name: 'guarded', enable_push: false });
  const heads = [
    { what: 'the default branch', head: 'main', base: 'release', kept: `${ENGINE}/branches/main` },
    { what: 'a protected branch', head: 'guarded', base: 'main', kept: `${ENGINE}/branches/guarded` },
    { what: 'a branch of another repository', head: 'cyd:fork', base: 'main', kept: `${fork}/branches/fork` },
  ];
  for (const { what, head, base, kept } of heads) {
    const { number } = await openPull(cyd, { title: what, head, base });
    const before = (await cyd.get(kept)).body.commit.id;

    const merged = await ben.post(`${PULLS}/${number}/merge`, {
      Do: 'merge',
      delete_branch_after_merge: true,
    });

    assert.equal(merged.status, 403, `${what}: ${merged.text}`);
    await settle(forge);
    const read = (await ben.get(`${PULLS}/${number}`)).body;
    assert.deepEqual([read.merged, read.merged_by.login, read.state], [true, 'ben', 'closed'], what);
    const after = await cyd.get(kept);
    assert.deepEqual([after.status, after.body.commit?.id], [200, before], what);
  }
});

test('404: a merge stands when its branch is in a fork that is hidden from the merger', async (t) => {
  const { forge, ada, ben, cyd } = await startEngine(t);
  await cyd.post(`${ENGINE}/forks`, {});
  const fork = '/api/v1/repos/cyd/engine';
  await commitFile(cyd, 'fork.txt', 'fork\n', { repository: fork, branch: 'fork', from: 'main' });
  await openPull(cyd, { head: 'cyd:fork' });
  await ada.patch(ENGINE, { private: true });
  await ada.patch(ENGINE, { private: false });
  assert.equal((await ben.get(fork)).status, 404);
  const merged = await ben.post(`${PULLS}/1/merge`, { Do: 'merge', delete_branch_after_merge: true });
  assert.equal(merged.status, 404, merged.text);
  await settle(forge);
  const read = (await ben.get(`${PULLS}/1`)).body;
  assert.equal(read.merged, true);
  assert.equal((await cyd.get(`${fork}/branches/fork`)).status, 200);
  const { commit } = (await ben.get(`${ENGINE}/git/commits/${read.merge_commit_sha}`)).body;
  assert.doesNotMatch(commit.message, /cyd/, 'the message names no hidden repository');
});

test('a merge keeps a branch that another open pull request has as its head', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  await ada.post(`${ENGINE}/branches`, { new_branch_name: 'release', old_branch_name: 'main' });
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await openPull(ben);
  await openPull(ben, { base: 'release' });
  const wish = { Do: 'merge', delete_branch_after_merge: true };

  assert.equal((await ben.post(`${PULLS}/1/merge`, wish)).status, 200);
  await settle(forge);
  assert.equal((await ben.get(`${ENGINE}/branches/pump`)).status, 200);
  assert.equal((await ben.get(`${PULLS}/2`)).body.state, 'open');
  assert.equal((await ben.post(`${PULLS}/2/merge`, wish)).status, 200);
  await settle(forge);
  assert.equal((await ben.get(`${ENGINE}/branches/pump`)).status, 404);
});
