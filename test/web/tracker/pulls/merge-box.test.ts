import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  commitFile,
  ENGINE,
  openPull,
  PULLS,
  protect,
  settle,
  startDiverged,
  startEngine,
  tipOf,
} from '../../../tracker/pulls/pulls.ts';
import { browserOf, formIn, formsIn, leadsTo, openPage } from './pull-forms.ts';

const PULL = '/ada/engine/pulls/1';

test('the merge box names the files in conflict and has no form to merge', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  await commitFile(ben, 'pump.txt', 'ours\n', { branch: 'pump', from: 'main' });
  await commitFile(ada, 'pump.txt', 'theirs\n');
  await openPull(ben);
  const page = await openPage(await browserOf(forge, ada), PULL);
  assert.match(page, /Conflicts with .*in 1 file.*<code>pump\.txt<\/code>/s);
  assert.deepEqual(formsIn(page, `${PULL}/merge`), []);
});

test('a draft is marked as ready and converted back by forms, and cannot be merged meanwhile', async (t) => {
  const { forge, ben, ada } = await startEngine(t);
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await openPull(ben, { title: 'WIP: Add a pump' });
  const [bens, adas] = [await browserOf(forge, ben), await browserOf(forge, ada)];
  const draft = await openPage(bens, PULL);
  assert.match(draft, /This is a draft/);
  assert.deepEqual(formsIn(draft, `${PULL}/merge`), []);
  const early = await adas.post(`${PULL}/merge`, { do: 'merge' });
  assert.equal(early.status, 422);
  assert.match(early.text, /The pull request is a draft: mark it as ready first\./);

  assert.equal(leadsTo(await bens.post(`${PULL}/draft`, formIn(draft, `${PULL}/draft`))), PULL);
  assert.equal((await ben.get(`${PULLS}/1`)).body.title, 'Add a pump');
  const ready = await openPage(bens, PULL);
  assert.equal(formsIn(ready, `${PULL}/merge`).length, 5);
  assert.equal(leadsTo(await bens.post(`${PULL}/draft`, formIn(ready, `${PULL}/draft`))), PULL);
  assert.equal((await ben.get(`${PULLS}/1`)).body.title, 'WIP: Add a pump');
});

test('a merge that cannot be done shows the form again with its message and the reason', async (t) => {
  const { forge, ben } = await startEngine(t);
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await openPull(ben);
  const bens = await browserOf(forge, ben);
  const form = formIn(await openPage(bens, PULL), `${PULL}/merge`, { do: 'squash' });
  await commitFile(ben, 'valve.txt', 'valve\n', { branch: 'pump' });
  const typed = { ...form, merge_title_field: 'Typed <title>', merge_message_field: 'Typed text' };
  const late = await bens.post(`${PULL}/merge`, typed);
  assert.equal(late.status, 422);
  assert.match(late.text, /role="alert">Head out of date\./);
  const again = formIn(late.text, `${PULL}/merge`, { do: 'squash' });
  assert.deepEqual([again.merge_title_field, again.merge_message_field], ['Typed <title>', 'Typed text']);
  const unknown = await bens.post(`${PULL}/merge`, { do: 'octopus' });
  assert.equal(unknown.status, 422);
  assert.match(unknown.text, /Must be one of merge/);
});

test('a merge waits for approvals by a form, is canceled by another one, and an administrator skips the protection', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  await protect(ada, { required_approvals: 1 });
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await openPull(ben);
  const [adas, bens] = [await browserOf(forge, ada), await browserOf(forge, ben)];
  const page = await openPage(bens, PULL);
  assert.doesNotMatch(page, /force_merge/);
  const form = formIn(page, `${PULL}/merge`, { do: 'merge' });
  const denied = await bens.post(`${PULL}/merge`, form);
  assert.equal(denied.status, 422);
  assert.match(denied.text, /1 more approval is required\./);
  const waits = { ...form, merge_when_checks_succeed: 'true' };
  assert.equal(leadsTo(await bens.post(`${PULL}/merge`, waits)), PULL);
  const waiting = await openPage(bens, PULL);
  assert.match(waiting, /has scheduled the merge/);
  const cancel = formIn(waiting, `${PULL}/cancel_auto_merge`);
  assert.equal(leadsTo(await bens.post(`${PULL}/cancel_auto_merge`, cancel)), PULL);
  assert.doesNotMatch(await openPage(bens, PULL), /has scheduled the merge/);

  const forced = formIn(await openPage(adas, PULL), `${PULL}/merge`, { do: 'merge' });
  assert.equal(leadsTo(await adas.post(`${PULL}/merge`, { ...forced, force_merge: 'true' })), PULL);
  assert.equal((await ada.get(`${PULLS}/1/merge`)).status, 204);
});

test('a branch that is behind is updated by merge or by rebase', async (t) => {
  const { forge, ada, ben, base } = await startDiverged(t);
  const bens = await browserOf(forge, ben);
  const page = await openPage(bens, PULL);
  assert.match(page, /This branch lacks commits of/);
  const form = formIn(page, `${PULL}/update`);
  assert.equal(leadsTo(await bens.post(`${PULL}/update`, { ...form, style: 'rebase' })), PULL);
  await settle(forge);
  assert.doesNotMatch(await openPage(bens, PULL), /This branch lacks commits of/);
  const commits: readonly { sha: string }[] = (await ada.get(`${ENGINE}/commits?sha=pump`)).body;
  assert.ok(commits.some(({ sha }) => sha === base));
});

test('a pull request is marked as merged by hand, with a commit of the base', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  await ada.patch(ENGINE, { allow_manual_merge: true });
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await openPull(ben);
  const bens = await browserOf(forge, ben);
  const form = formIn(await openPage(bens, PULL), `${PULL}/merge`, { do: 'manually-merged' });
  const wrong = await bens.post(`${PULL}/merge`, { ...form, merge_commit_id: '1'.repeat(40) });
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /names no commit of the base/);
  const right = await bens.post(`${PULL}/merge`, { ...form, merge_commit_id: await tipOf(ada) });
  assert.equal(leadsTo(right), PULL);
  assert.match(await openPage(bens, PULL), /merged this<\/strong> into/);
});

test('people who may not write see the merge box without forms, and cannot merge', async (t) => {
  const { forge, ben, cyd } = await startEngine(t);
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await openPull(ben);
  const cyds = await browserOf(forge, cyd);
  const page = await openPage(cyds, PULL);
  assert.match(page, /You cannot merge this: you may not merge: you may not write the code/);
  assert.deepEqual(formsIn(page, `${PULL}/merge`), []);
  assert.equal((await cyds.post(`${PULL}/merge`, { do: 'merge' })).status, 422);
  const anonymous = await forge.get(PULL, { headers: { accept: 'text/html' } });
  assert.equal(anonymous.status, 200);
  assert.doesNotMatch(anonymous.text, /<form method="post"/);
});

test('a closed pull request keeps its branch until a form deletes it, and an open one cannot lose it', async (t) => {
  const { forge, ben, ada } = await startEngine(t);
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await openPull(ben);
  const bens = await browserOf(forge, ben);
  const open = await bens.post(`${PULL}/cleanup`, {});
  assert.equal(open.status, 422);
  assert.match(open.text, /The pull request is open: close or merge it first\./);
  await ben.patch(`${PULLS}/1`, { state: 'closed' });
  const closed = await openPage(bens, PULL);
  assert.match(closed, /This pull request is closed/);
  assert.equal(leadsTo(await bens.post(`${PULL}/cleanup`, formIn(closed, `${PULL}/cleanup`))), PULL);
  assert.equal((await ada.get(`${ENGINE}/branches/pump`)).status, 404);
});
