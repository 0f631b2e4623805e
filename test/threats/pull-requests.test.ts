import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startForge } from '../support/forge/forge.ts';
import { git, temporaryFolder, tryGit } from '../support/git/git.ts';
import {
  commitFile,
  ENGINE,
  FORK,
  merge,
  openPull,
  PULLS,
  settle,
  startEngine,
} from '../tracker/pulls/pulls.ts';

/** Starts with ada's repository `lib`, and eve's fork of it, in which eve is whatever `permission` says. */
async function startLib(
  t: TestContext,
  { permission, isPrivate }: { permission: string; isPrivate: boolean },
) {
  const forge = await startForge(t);
  const [ada, eve] = [await forge.account('ada'), await forge.account('eve')];
  await ada.repository('lib', { auto_init: true, private: isPrivate });
  const [lib, fork] = ['/api/v1/repos/ada/lib', '/api/v1/repos/eve/lib'];
  await ada.put(`${lib}/collaborators/eve`, { permission });
  assert.equal((await eve.post(`${lib}/forks`, {})).status, 202);
  await commitFile(ada, 'first.txt', 'one', { repository: lib });
  const opened = await eve.post(`${fork}/pulls`, { title: 'x', base: 'main', head: 'ada:main' });
  assert.equal(opened.status, 201, opened.text);
  return { forge, ada, eve, lib, fork };
}

test('C2: edits by maintainers end when the user who allowed them may not write the head any more', async (t) => {
  const { ada, eve, lib, fork } = await startLib(t, { permission: 'write', isPrivate: false });
  const allowed = await eve.patch(`${fork}/pulls/1`, { allow_maintainer_edit: true });
  assert.equal(allowed.body.allow_maintainer_edit, true);
  await ada.delete(`${lib}/collaborators/eve`);
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', eve.remote('ada/lib'), '.']);
  await git(folder, ['commit', '-q', '--allow-empty', '-m', 'Break it']);
  assert.notEqual((await tryGit(folder, ['push', 'origin', 'HEAD:main'])).exitCode, 0);
  await commitFile(eve, 'evil.txt', 'evil', { repository: fork });
  assert.equal((await eve.post(`${fork}/pulls/1/update`)).status, 403);
  const file = { content: 'ZXZpbA==', branch: 'main' };
  assert.equal((await eve.post(`${lib}/contents/evil.txt`, file)).status, 403);
  assert.equal((await ada.get(`${lib}/contents/evil.txt`)).status, 404);
});

test('B3: new commits of a head reach a pull request only while its author may read them', async (t) => {
  const { forge, ada, eve, lib, fork } = await startLib(t, { permission: 'read', isPrivate: true });
  await ada.delete(`${lib}/collaborators/eve`);
  await commitFile(ada, 'secret.txt', 'secret', { repository: lib });
  await settle(forge);
  assert.equal((await eve.get(`${fork}/contents/secret.txt?ref=refs/pull/1/head`)).status, 404);
  await ada.patch(`${lib}/branches/main`, { name: 'codename' });
  const { head } = (await eve.get(`${fork}/pulls/1`)).body;
  assert.deepEqual([head.label, head.ref, head.repo], ['refs/pull/1/head', 'refs/pull/1/head', null]);
});

test('C2: a scheduled merge happens neither into another base nor with commits of people who may not merge', async (t) => {
  const { forge, ada, cyd } = await startEngine(t);
  await ada.post(`${ENGINE}/branches`, { new_branch_name: 'release' });
  await ada.post(`${ENGINE}/branch_protections`, {
    rule_name: 'main',
    enable_push: true,
    required_approvals: 1,
  });
  await cyd.post(`${ENGINE}/forks`, {});
  for (const branch of ['one', 'two']) {
    await commitFile(cyd, `${branch}.txt`, branch, { repository: FORK, branch, from: 'main' });
    await openPull(cyd, { head: `cyd:${branch}` });
  }
  for (const number of [1, 2])
    assert.equal((await merge(ada, { merge_when_checks_succeed: true }, number)).status, 201);
  await cyd.patch(`${PULLS}/1`, { base: 'release' });
  await commitFile(cyd, 'evil.txt', 'evil', { repository: FORK, branch: 'two' });
  await settle(forge);
  await ada.delete(`${ENGINE}/branch_protections/main`);
  await ada.post(`${ENGINE}/statuses/main`, { state: 'success', context: 'ci' });
  await settle(forge);
  for (const number of [1, 2]) assert.equal((await ada.get(`${PULLS}/${number}`)).body.merged, false);
});

test('C2: approvals count by the rights that reviewers have at the merge, for the base as it is then', async (t) => {
  const { ada, ben, cyd } = await startEngine(t);
  await ada.put(`${ENGINE}/collaborators/cyd`, { permission: 'write' });
  await ada.post(`${ENGINE}/branches`, { new_branch_name: 'dev' });
  const rule = { rule_name: 'main', required_approvals: 1 };
  const listed = { enable_approvals_whitelist: true, approvals_whitelist_username: ['ada'] };
  await ada.post(`${ENGINE}/branch_protections`, { ...rule, ...listed });
  await commitFile(ben, 'pump.txt', 'pump', { branch: 'pump', from: 'main' });
  await openPull(ben, { base: 'dev' });
  assert.equal((await cyd.post(`${PULLS}/1/reviews`, { event: 'APPROVED' })).body.official, true);
  await ben.patch(`${PULLS}/1`, { base: 'main' });
  assert.equal((await merge(ben)).status, 405);
  await ada.patch(`${ENGINE}/branch_protections/main`, { enable_approvals_whitelist: false });
  await ada.delete(`${ENGINE}/collaborators/cyd`);
  assert.equal((await merge(ben)).status, 405);
  await ada.put(`${ENGINE}/collaborators/cyd`, { permission: 'write' });
  assert.equal((await merge(ben)).status, 200);
});

test('C4: a merge by a limited token changes nothing that the token does not reach', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  await ada.repository('hidden', { private: true });
  await ada.post('/api/v1/repos/ada/hidden/issues', { title: 'Stays open' });
  await commitFile(ben, 'pump.txt', 'pump', { branch: 'pump', from: 'main' });
  await openPull(ben, { body: 'Fixes ada/hidden#1' });
  const token = await ada.tokenFor(['write:repository', 'public-only']);
  const merged = await forge.send('POST', `${PULLS}/1/merge`, { as: { token }, json: { Do: 'merge' } });
  assert.equal(merged.status, 200);
  await settle(forge);
  assert.equal((await ada.get('/api/v1/repos/ada/hidden/issues/1')).body.state, 'open');
});
