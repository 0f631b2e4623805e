import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { git, temporaryFolder, tryGit } from '../../../support/git/git.ts';
import { commitFile, ENGINE, FORK, openPull, PULLS, settle, startForkPull, tipOf } from '../pulls.ts';

/** Starts with a pull request from the branch `pump` of cyd's fork, and a clone of the fork by ben. */
async function startFork(t: TestContext) {
  const started = await startForkPull(t);
  const { ben, cyd } = started;
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', '-b', 'pump', ben.remote('cyd/engine'), '.']);
  await git(folder, ['commit', '-q', '--allow-empty', '-m', 'Mend it']);
  const push = (...refs: readonly string[]) => tryGit(folder, ['push', '--porcelain', 'origin', ...refs]);
  const allow = (isAllowed: boolean) => cyd.patch(`${PULLS}/1`, { allow_maintainer_edit: isAllowed });
  const tip = () => tipOf(cyd, 'pump', FORK);
  return { ...started, folder, push, allow, tip };
}

test('people who may write the base update the head of a pull request if its author lets them', async (t) => {
  const { forge, ada, folder, push, allow, tip } = await startFork(t);
  const before = await tip();
  assert.notEqual((await push('HEAD:pump')).exitCode, 0);
  assert.equal(await tip(), before);
  assert.equal((await allow(true)).status, 201);
  const pushed = await push('HEAD:pump');
  assert.equal(pushed.exitCode, 0, pushed.stderr);
  const head = (await git(folder, ['rev-parse', 'HEAD'])).trim();
  assert.equal(await tip(), head);
  await settle(forge);
  assert.equal((await ada.get(`${PULLS}/1`)).body.head.sha, head);
});

test('they update neither other refs of the fork nor delete the head, and only while the pull request is open', async (t) => {
  const { cyd, push, allow, tip } = await startFork(t);
  await allow(true);
  for (const ref of ['HEAD:main', 'HEAD:other', 'HEAD:refs/tags/v1', ':pump'])
    assert.notEqual((await push(ref)).exitCode, 0, ref);
  const before = await tip();
  const { stdout } = await push('HEAD:pump', 'HEAD:other');
  assert.match(stdout, /!.*refs\/heads\/other/);
  assert.notEqual(await tip(), before);
  assert.equal((await cyd.get(`${FORK}/branches/other`)).status, 404);
  await cyd.patch(`${PULLS}/1`, { state: 'closed' });
  assert.notEqual((await push('HEAD~1:pump', '--force')).exitCode, 0);
});

test('they change the files of the head over the API, and nothing else of the fork', async (t) => {
  const { forge, ada, ben, allow, tip } = await startFork(t);
  const write = (path: string, fields: Record<string, unknown>, who = ben) =>
    who.post(`${FORK}/contents/${path}`, { content: Buffer.from(path).toString('base64'), ...fields });
  assert.equal((await write('early.txt', { branch: 'pump' })).status, 403);
  await allow(true);
  const made = await write('valve.txt', { branch: 'pump' });
  assert.equal(made.status, 201, made.text);
  assert.equal(await tip(), made.body.commit.sha);
  await settle(forge);
  assert.equal((await ada.get(`${PULLS}/1`)).body.head.sha, made.body.commit.sha);
  const { sha } = made.body.content;
  const content = Buffer.from('two').toString('base64');
  const changed = await ben.put(`${FORK}/contents/valve.txt`, { content, sha, branch: 'pump' });
  assert.equal(changed.status, 200, changed.text);
  const gone = { sha: changed.body.content.sha, branch: 'pump' };
  assert.equal((await ben.delete(`${FORK}/contents/valve.txt`, gone)).status, 200);
  const patch = '--- /dev/null\n+++ b/tap.txt\n@@ -0,0 +1 @@\n+tap\n';
  const patched = await ben.post(`${FORK}/diffpatch`, { content: patch, branch: 'pump' });
  assert.equal(patched.status, 200, patched.text);
  const before = await tip();
  const others = [{}, { branch: 'main' }, { branch: 'missing' }, { branch: 'pump', new_branch: 'other' }];
  for (const fields of others) {
    const answer = await write('other.txt', fields);
    assert.equal(answer.status, 403, JSON.stringify(fields));
    const patching = await ben.post(`${FORK}/diffpatch`, { content: patch, ...fields });
    assert.equal(patching.status, 403, JSON.stringify(fields));
  }
  const dan = await forge.account('dan');
  assert.equal((await write('other.txt', { branch: 'pump' }, dan)).status, 403);
  await allow(false);
  assert.equal((await write('other.txt', { branch: 'pump' })).status, 403);
  assert.equal(await tip(), before);
});

test('people who may only read the base update no head', async (t) => {
  const { forge, allow } = await startFork(t);
  await allow(true);
  const dan = await forge.account('dan');
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', '-b', 'pump', dan.remote('cyd/engine'), '.']);
  await git(folder, ['commit', '-q', '--allow-empty', '-m', 'Break it']);
  assert.notEqual((await tryGit(folder, ['push', 'origin', 'HEAD:pump'])).exitCode, 0);
});

test('by default of the base, new pull requests from forks let them, if who opens one may write the head', async (t) => {
  const { ada, cyd, allow } = await startFork(t);
  await ada.patch(ENGINE, { default_allow_maintainer_edit: true });
  await allow(false);
  const open = async (who: typeof ada, base: string) => {
    await commitFile(ada, `${base}.md`, base, { branch: base, from: 'main' });
    return (await openPull(who, { head: 'cyd:pump', base })).allow_maintainer_edit;
  };
  assert.equal(await open(cyd, 'one'), true);
  assert.equal(await open(ada, 'two'), false);
});

test('a token that is limited to the base does not update the head in a fork', async (t) => {
  const { forge, ada, allow, tip } = await startFork(t);
  await commitFile(ada, 'plan.md', 'plan\n');
  await allow(true);
  const before = await tip();
  const limited = await forge.send('POST', '/api/v1/users/ada/tokens', {
    as: { name: ada.name, password: ada.password },
    json: { name: 'limited', scopes: ['all'], repositories: ['ada/engine'] },
  });
  const as = { token: limited.body.sha1 };
  assert.equal((await forge.send('POST', `${PULLS}/1/update`, { as })).status, 403);
  assert.equal(await tip(), before);
  assert.equal((await ada.post(`${PULLS}/1/update`)).status, 200);
});
