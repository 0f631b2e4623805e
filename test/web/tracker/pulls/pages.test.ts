import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../../support/forge/forge.ts';
import { PageReader } from '../../../support/http/page-reader.ts';
import { until } from '../../../support/until.ts';
import {
  commitFile,
  ENGINE,
  openPull,
  PULLS,
  startEngine,
  startForkPull,
} from '../../../tracker/pulls/pulls.ts';
import { browserOf, formIn, leadsTo, openPage } from './pull-forms.ts';

const PULL = '/ada/engine/pulls/1';
const REVIEWS = `${PULL}/files/reviews`;
const PAGES = ['/ada/engine/pulls', PULL, `${PULL}/commits`, `${PULL}/files`];
const FORMS = [
  'edit',
  'draft',
  'cleanup',
  'restore',
  'merge',
  'cancel_auto_merge',
  'update',
  'request_review',
  'files/reviews/comments',
  'files/reviews/submit',
  'files/reviews/discard',
  'files/reviews/delete',
  'files/reviews/resolve',
  'files/reviews/suggestions',
  'files/reviews/dismiss',
].map((name) => `${PULL}/${name}`);

test('pages and forms of pull requests of a hidden repository are missing for a stranger', async (t) => {
  const { forge, ada, ben, cyd } = await startEngine(t);
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await openPull(ben);
  await ada.patch(ENGINE, { private: true });
  const cyds = await browserOf(forge, cyd);
  for (const page of PAGES) {
    assert.equal((await cyds.get(page)).status, 404, page);
    assert.equal((await forge.get(page)).status, 404, page);
  }
  assert.equal((await cyds.get(`${PULL}/edit`)).status, 404);
  for (const form of [...FORMS, '/ada/engine/compare/main...pump'])
    assert.equal(
      (await cyds.post(form, { title: 'x', reviewer: 'ben', do: 'merge', type: 'comment', comment: '1' }))
        .status,
      404,
      form,
    );
});

test('no form of a pull request is accepted from another site, or without the token of the page', async (t) => {
  const { forge, ben } = await startEngine(t);
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await openPull(ben);
  const bens = await browserOf(forge, ben);
  for (const form of [...FORMS, '/ada/engine/compare/main...pump']) {
    const other = await bens.post(form, { do: 'merge' }, { headers: { 'sec-fetch-site': 'cross-site' } });
    assert.equal(other.status, 403, form);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const without = await bens.send('POST', form, { body: 'do=merge', headers });
    assert.equal(without.status, 403, form);
  }
  const edit = formIn(await openPage(bens, `${PULL}/edit`), `${PULL}/edit`);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams({ ...edit, title: 'With the token' }).toString();
  assert.equal((await bens.send('POST', `${PULL}/edit`, { body, headers })).status, 303);
});

test('a browser that has not signed in is led to the sign-in page by forms and by the edit page', async (t) => {
  const { forge, ben } = await startEngine(t);
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await openPull(ben);
  const reader = new PageReader(forge);
  for (const answer of [
    await reader.get(`${PULL}/edit`),
    await reader.post(`${PULL}/merge`, { do: 'merge' }),
  ]) {
    assert.equal(answer.status, 303);
    assert.match(answer.headers.get('location') ?? '', /^\/user\/login/);
  }
  // After that, the address of the form leads to its page.
  for (const [form, page] of [
    ['merge', PULL],
    ['files/reviews/submit', `${PULL}/files`],
  ])
    assert.equal((await reader.get(`${PULL}/${form}`)).headers.get('location'), page);
  const commit = '1'.repeat(40);
  const ofCommit = await reader.get(`${PULL}/commits/${commit}`);
  assert.equal(ofCommit.headers.get('location'), `/ada/engine/commit/${commit}`);
  assert.equal((await reader.get(`${PULL}/nonsense`)).status, 404);
});

test('names and texts that are HTML stay text on all pages of a pull request', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  const hostile = '<script>alert(1)</script>';
  const branch = 'it\'s-<script>-"branch"';
  const path = 'a "<script>.txt';
  const file = encodeURIComponent(path);
  const sha = await commitFile(ben, file, `${hostile}\n`, { branch, from: 'main' });
  await ada.post(`${ENGINE}/labels`, { name: hostile, color: '#ff0000', description: hostile });
  await ben.patch('/api/v1/user/settings', { full_name: hostile });
  await ben.post(PULLS, { title: hostile, body: hostile, base: 'main', head: branch });
  await ada.post(`${ENGINE}/issues/1/labels`, { labels: [hostile] });
  await ada.post(`${ENGINE}/statuses/${sha}`, {
    context: hostile,
    description: hostile,
    state: 'failure',
    target_url: 'javascript:alert(1)',
  });
  const comments = [{ path, new_position: 1, body: `${hostile}\n\n\`\`\`suggestion\n${hostile}\n\`\`\`` }];
  await ada.post(`${PULLS}/1/reviews`, { event: 'COMMENT', body: hostile, comments });
  await ada.post(`${ENGINE}/issues/1/comments`, { body: hostile });
  const adas = await browserOf(forge, ada);
  const comparison = `/ada/engine/compare/main...${encodeURIComponent(branch)}?expand=1`;
  for (const page of [...PAGES, `${PULL}/edit`, comparison]) {
    const text = await openPage(adas, page);
    assert.doesNotMatch(text, /<script(?! type="module" src="\/assets\/)|javascript:/, page);
    assert.match(text, /&lt;script&gt;/, page);
  }
  const sent = { title: '', content: hostile, reviewer: hostile };
  const again = await adas.post(comparison.replace(/\?.*/, ''), sent);
  assert.equal(again.status, 422);
  assert.doesNotMatch(again.text, /<script/);
});

test('the list has filters, shows bases, reviews and states, and says what to do if it is empty', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  const adas = await browserOf(forge, ada);
  assert.match(await openPage(adas, '/ada/engine/pulls'), /No pull request is open/);
  for (const head of ['pump', 'valve', 'pipe'])
    await commitFile(ben, `${head}.txt`, `${head}\n`, { branch: head, from: 'main' });
  await openPull(ben);
  await openPull(ben, { title: 'WIP: Add a valve', head: 'valve' });
  await openPull(ada, { title: 'Add a pipe', head: 'pipe', base: 'valve' });
  await ada.post(`${PULLS}/1/reviews`, { event: 'APPROVED' });
  await ben.post(`${PULLS}/3/reviews`, { event: 'REQUEST_CHANGES', body: 'No' });
  await ada.post(`${PULLS}/1/merge`, { Do: 'merge' });
  const { head } = (await ada.get(`${PULLS}/2`)).body;
  await ada.post(`${ENGINE}/statuses/${head.sha}`, { context: 'tests', state: 'failure' });
  const open = await openPage(adas, '/ada/engine/pulls');
  assert.match(open, /title="Checks: failure"/);
  assert.match(open, /Draft<\/span>.*Add a valve/s);
  assert.match(open, /into <code>valve<\/code>.*changes requested/s);
  assert.match(open, /2 open.*1 closed/s);
  const closed = await openPage(adas, '/ada/engine/pulls?state=closed');
  assert.match(closed, /Merged<\/span>.*Add a pump.*1 approval/s);
  assert.doesNotMatch(closed, /Add a valve/);
  const ofAda = await openPage(adas, '/ada/engine/pulls?created_by=ada');
  assert.match(ofAda, /Add a pipe/);
  assert.doesNotMatch(ofAda, /Add a valve/);
  assert.match(await openPage(adas, '/ada/engine/pulls?created_by=nobody'), /No pull request matches/);
  const words = await openPage(adas, '/ada/engine/pulls?q=valve');
  assert.match(words, /Add a valve/);
  assert.doesNotMatch(words, /Add a pipe/);
  const intoValve = await openPage(adas, '/ada/engine/pulls?base=valve');
  assert.match(intoValve, /Only pull requests into <code>valve<\/code>/);
  assert.doesNotMatch(intoValve, /Add a valve<\/a>/);
});

test('the title, the text and the base are edited, and the text of someone else is not overwritten unseen', async (t) => {
  const { forge, ben, ada, cyd } = await startEngine(t);
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await commitFile(ben, 'plan.txt', 'plan\n', { branch: 'plans', from: 'main' });
  await openPull(ben, { body: 'First' });
  const bens = await browserOf(forge, ben);
  const form = formIn(await openPage(bens, `${PULL}/edit`), `${PULL}/edit`);
  const missing = await bens.post(`${PULL}/edit`, { ...form, base: 'no-branch', content: 'Typed' });
  assert.equal(missing.status, 422);
  assert.match(missing.text, /The branch no-branch does not exist\./);
  assert.equal(formIn(missing.text, `${PULL}/edit`).content, 'Typed');
  await ada.patch(`${PULLS}/1`, { body: 'Theirs' });
  const stale = await bens.post(`${PULL}/edit`, { ...form, content: 'Mine' });
  assert.equal(stale.status, 422);
  assert.match(stale.text, /Someone else has changed this meanwhile/);
  const again = formIn(stale.text, `${PULL}/edit`);
  assert.equal(again.content, 'Mine');
  const saved = await bens.post(`${PULL}/edit`, { ...again, title: 'Add pumps', base: 'plans' });
  assert.equal(leadsTo(saved), PULL);
  const { title, body, base } = (await ben.get(`${PULLS}/1`)).body;
  assert.deepEqual([title, body, base.ref], ['Add pumps', 'Mine', 'plans']);
  const cyds = await browserOf(forge, cyd);
  assert.equal((await cyds.post(`${PULL}/edit`, { ...again, title: 'Not mine' })).status, 403);
});

test('the address of an issue below pulls leads to the issue', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await ada.post(`${ENGINE}/issues`, { title: 'Steam' });
  const moved = await forge.get(PULL);
  assert.deepEqual([moved.status, moved.headers.get('location')], [303, '/ada/engine/issues/1']);
  assert.equal((await forge.get('/ada/engine/pulls/2')).status, 404);
  assert.equal((await forge.get('/ada/engine/pulls/x')).status, 404);
});

test('a pull request of a fork is opened by a form, which is shown again if it cannot be done', async (t) => {
  const { forge, cyd } = await startForkPull(t);
  const cyds = await browserOf(forge, cyd);
  const toParent = '/ada/engine/compare/main...cyd/engine%3Amain';
  assert.ok((await openPage(cyds, '/cyd/engine/pulls')).includes(`href="${toParent}"`));
  assert.match(await openPage(cyds, toParent), /There is nothing to compare/);
  const comparison = '/ada/engine/compare/main...cyd%3Apump';
  const twice = await cyds.post(comparison, { title: 'Again', content: 'Typed <b>' });
  assert.equal(twice.status, 422);
  assert.match(twice.text, /These branches have an open pull request already/);
  assert.match(twice.text, /href="\/ada\/engine\/pulls\/1"/);
  assert.equal(formIn(twice.text, comparison).content, 'Typed <b>');
  await cyd.patch(`${PULLS}/1`, { state: 'closed' });
  const form = formIn(await openPage(cyds, `${comparison}?expand=1`), comparison);
  const draft = await cyds.post(comparison, { ...form, title: 'Pump again', draft: 'true' });
  assert.equal(leadsTo(draft), '/ada/engine/pulls/2');
  const { title, head } = (await cyd.get(`${PULLS}/2`)).body;
  assert.deepEqual([title, head.label], ['WIP: Pump again', 'pump']);
  assert.equal((await cyds.post('/ada/engine/compare/main...cyd:no-branch', { title: 'x' })).status, 422);
});

test('a new pull request begins with the template of the repository', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  await commitFile(ada, '.gitea/PULL_REQUEST_TEMPLATE.md', '---\nname: x\n---\nWhat and why?\n');
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'add-pump', from: 'main' });
  await commitFile(ben, 'pump.txt', 'pumps\n', { branch: 'add-pump' });
  const page = await openPage(await browserOf(forge, ben), '/ada/engine/compare/main...add-pump?expand=1');
  const { title, content } = formIn(page, '/ada/engine/compare/main...add-pump');
  assert.deepEqual([title, content], ['Add pump', 'What and why?\n']);
});

test('forms lead back to pages of the same pull request only', async (t) => {
  const { forge, ben } = await startEngine(t);
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await openPull(ben);
  const bens = await browserOf(forge, ben);
  const comments = [{ path: 'pump.txt', new_position: 1, body: 'Hm' }];
  const review = await ben.post(`${PULLS}/1/reviews`, { event: 'COMMENT', comments });
  const [{ id }] = (await ben.get(`${PULLS}/1/reviews/${review.body.id}/comments`)).body;
  const comment = String(id);
  for (const back of [
    'https://evil.example/',
    '//evil.example',
    '/ada/engine/pulls/2/files',
    '/user/settings',
  ]) {
    const resolved = await bens.post(`${REVIEWS}/resolve`, { comment, action: 'resolve', back });
    assert.equal(leadsTo(resolved), PULL, back);
  }
  const back = `${PULL}/files?style=split`;
  assert.equal(leadsTo(await bens.post(`${REVIEWS}/resolve`, { comment, back })), back);
});

test('people who may not read the code see the conversation, and no commits or files', async (t) => {
  const { forge, ada, ben, cyd } = await startEngine(t);
  await commitFile(ben, 'pump.txt', 'secret valve\n', { branch: 'pump', from: 'main' });
  await ada.post('/api/v1/orgs', { username: 'guild' });
  await ada.post(`${ENGINE}/transfer`, { new_owner: 'guild' });
  const engine = '/api/v1/repos/guild/engine';
  await ada.patch(engine, { private: true });
  const team = await ada.post('/api/v1/orgs/guild/teams', {
    name: 'talkers',
    units_map: { 'repo.pulls': 'read', 'repo.issues': 'read' },
    includes_all_repositories: true,
  });
  assert.equal((await ada.put(`/api/v1/teams/${team.body.id}/members/cyd`)).status, 204, team.text);
  assert.equal(
    (await ada.post(`${engine}/pulls`, { title: 'Pump', base: 'main', head: 'pump' })).status,
    201,
  );
  const cyds = await browserOf(forge, cyd);
  assert.match(await openPage(cyds, '/guild/engine/pulls/1'), /Pump/);
  for (const part of ['commits', 'files'])
    assert.match(await openPage(cyds, `/guild/engine/pulls/1/${part}`), /You may not read the code/);
});

test('a page of a pull request marks its notification as read, and an address finds the page of a comment', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await openPull(ben);
  const comment = await ben.post(`${ENGINE}/issues/1/comments`, { body: 'Look @ada' });
  const unread = async (): Promise<number> => (await ada.get('/api/v1/notifications/new')).body.new;
  // The pull request itself has notified ada before the comment does.
  await until(async () => {
    const [newest] = (await ada.get('/api/v1/notifications')).body;
    return newest?.subject.latest_comment_url.endsWith(`/comments/${comment.body.id}`) === true;
  });
  const adas = await browserOf(forge, ada);
  assert.match(await openPage(adas, `${PULL}?comment=${comment.body.id}`), /Look/);
  assert.equal(await unread(), 0);
});
