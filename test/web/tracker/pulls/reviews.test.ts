import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { PageReader } from '../../../support/http/page-reader.ts';
import { commitFile, openPull, PULLS, settle, startEngine } from '../../../tracker/pulls/pulls.ts';
import { browserOf, formIn, formsIn, leadsTo, openPage } from './pull-forms.ts';

const PULL = '/ada/engine/pulls/1';
const FILES = `${PULL}/files`;
const REVIEWS = `${FILES}/reviews`;

/** Starts with ben's pull request that adds a file of three lines. */
async function startPumped(t: TestContext) {
  const engine = await startEngine(t);
  const { forge, ada, ben, cyd } = engine;
  await commitFile(ben, 'pump.txt', 'valve\npump\npipe\n', { branch: 'pump', from: 'main' });
  await openPull(ben);
  const [adas, bens, cyds] = [
    await browserOf(forge, ada),
    await browserOf(forge, ben),
    await browserOf(forge, cyd),
  ];
  return { ...engine, adas, bens, cyds };
}

/** Opens the form for a comment on a line of the new side. */
async function lineForm(reader: PageReader, line: number): Promise<Record<string, string>> {
  const files = await openPage(reader, FILES);
  const [, link = ''] = new RegExp(`href="(\\?comment=[^"#]*R${line})#comment-form"`).exec(files) ?? [];
  return formIn(await openPage(reader, `${FILES}${link}`), `${REVIEWS}/comments`, { line: `${line}` });
}

test('a single comment on several lines appears at once, and is replied to and resolved', async (t) => {
  const { adas, bens, ben } = await startPumped(t);
  const form = await lineForm(adas, 3);
  const single = { ...form, content: 'Both <b>lines</b>', before: '1', single: 'true' };
  assert.equal(leadsTo(await adas.post(`${REVIEWS}/comments`, single)), FILES);
  const [review] = (await ben.get(`${PULLS}/1/reviews`)).body;
  const [comment] = (await ben.get(`${PULLS}/1/reviews/${review.id}/comments`)).body;
  assert.deepEqual([comment.position, comment.extra_lines_count, review.state], [2, 1, 'COMMENT']);

  const conversation = await openPage(bens, PULL);
  assert.match(conversation, /lines 2 to 3/);
  assert.ok(conversation.includes(`id="review-comment-${comment.id}"`));
  const reply = formIn(conversation, `${REVIEWS}/comments`, { comment: `${comment.id}` });
  const empty = await bens.post(`${REVIEWS}/comments`, { ...reply, content: ' ' });
  assert.equal(empty.status, 422);
  assert.match(empty.text, /role="alert">A comment has a text\./);
  assert.equal(leadsTo(await bens.post(`${REVIEWS}/comments`, { ...reply, content: 'Done' })), PULL);

  const resolve = formIn(await openPage(bens, FILES), `${REVIEWS}/resolve`);
  assert.equal(leadsTo(await bens.post(`${REVIEWS}/resolve`, { ...resolve, action: 'resolve' })), FILES);
  assert.match(await openPage(adas, PULL), /<strong>Resolved<\/strong> by .*ben.*2 comments/s);
  assert.equal(leadsTo(await bens.post(`${REVIEWS}/resolve`, { ...resolve, action: 'unresolve' })), FILES);
  assert.doesNotMatch(await openPage(adas, PULL), /Resolved/);
});

test('a comment that cannot be added shows its form again with what was typed', async (t) => {
  const { adas } = await startPumped(t);
  const form = await lineForm(adas, 2);
  const wrong = await adas.post(`${REVIEWS}/comments`, { ...form, content: 'Typed "text"', before: '9' });
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /role="alert">/);
  const again = formIn(wrong.text, `${REVIEWS}/comments`, { line: '2' });
  assert.deepEqual([again.content, again.before], ['Typed "text"', '9']);
  const noLine = await adas.post(`${REVIEWS}/comments`, { ...form, line: 'x', content: 'a' });
  assert.equal(noLine.status, 422);
});

test('a review that is not submitted is seen by its author only, and is discarded with its comments', async (t) => {
  const { adas, bens, ada } = await startPumped(t);
  assert.equal(
    leadsTo(await adas.post(`${REVIEWS}/comments`, { ...(await lineForm(adas, 1)), content: 'First' })),
    FILES,
  );
  assert.equal(
    leadsTo(await adas.post(`${REVIEWS}/comments`, { ...(await lineForm(adas, 2)), content: 'Second' })),
    FILES,
  );
  const own = await openPage(adas, FILES);
  assert.match(own, /2 comments that only you see/);
  assert.match(own, /<span class="badge">Pending<\/span>/);
  assert.doesNotMatch(await openPage(bens, FILES), /First|Second/);
  const [first] = formsIn(own, `${REVIEWS}/delete`);
  assert.equal(leadsTo(await adas.post(`${REVIEWS}/delete`, { ...first })), FILES);
  const left = await openPage(adas, FILES);
  assert.match(left, /1 comment that only you see/);
  const [, review = ''] = /name="review" value="(\d+)">Discard/.exec(left) ?? [];
  assert.equal(leadsTo(await adas.post(`${REVIEWS}/discard`, { review, back: FILES })), FILES);
  assert.deepEqual((await ada.get(`${PULLS}/1/reviews`)).body, []);
});

test('a reviewer requests changes with a text, an administrator dismisses the review and lets it count again', async (t) => {
  const { adas, bens, cyds } = await startPumped(t);
  const form = formIn(await openPage(cyds, FILES), `${REVIEWS}/submit`);
  const empty = await cyds.post(`${REVIEWS}/submit`, { ...form, type: 'reject', content: '' });
  assert.equal(empty.status, 422);
  assert.match(empty.text, /A review that does not approve has a text/);
  assert.match(empty.text, /value="reject" checked/);
  assert.equal(
    leadsTo(await cyds.post(`${REVIEWS}/submit`, { ...form, type: 'reject', content: 'Not so.' })),
    PULL,
  );
  const page = await openPage(adas, PULL);
  assert.match(page, /requested changes/);
  assert.match(page, /Changes are requested<\/strong> by 1 reviewer/);
  assert.deepEqual(formsIn(await openPage(bens, PULL), `${REVIEWS}/dismiss`), []);
  const dismiss = { ...formIn(page, `${REVIEWS}/dismiss`), message: 'It is so.' };
  assert.equal((await bens.post(`${REVIEWS}/dismiss`, dismiss)).status, 403);
  assert.equal(leadsTo(await adas.post(`${REVIEWS}/dismiss`, dismiss)), PULL);
  const dismissed = await openPage(adas, PULL);
  assert.match(dismissed, /dismissed a review: It is so\./);
  assert.doesNotMatch(dismissed, /Changes are requested/);
  const back = { ...formIn(dismissed, `${REVIEWS}/dismiss`), action: 'undismiss' };
  assert.equal(leadsTo(await adas.post(`${REVIEWS}/dismiss`, back)), PULL);
  assert.match(await openPage(adas, PULL), /Changes are requested/);
});

test('the author of a pull request cannot approve it on the page', async (t) => {
  const { bens } = await startPumped(t);
  const page = await openPage(bens, FILES);
  assert.doesNotMatch(page, /value="approve"/);
  const form = formIn(page, `${REVIEWS}/submit`);
  const own = await bens.post(`${REVIEWS}/submit`, { ...form, type: 'approve' });
  assert.equal(own.status, 422);
  assert.match(own.text, /You cannot approve your own pull request\./);
  assert.equal((await bens.post(`${REVIEWS}/submit`, { ...form, type: 'sing' })).status, 422);
});

test('a suggestion is shown as lines, and becomes a commit by its button', async (t) => {
  const { forge, adas, bens, cyds, ben } = await startPumped(t);
  const link = /href="(\?comment=[^"#]*R2)#comment-form"/.exec(await openPage(adas, FILES))?.[1] ?? '';
  const form = formIn(await openPage(adas, `${FILES}${link}&suggest=1`), `${REVIEWS}/comments`, {
    line: '2',
  });
  assert.equal(form.content, '```suggestion\npump\n```\n');
  const content = 'Better:\r\n\r\n```suggestion\r\n<pump> & co\r\n```\r\n';
  assert.equal(leadsTo(await adas.post(`${REVIEWS}/comments`, { ...form, content, single: 'true' })), FILES);
  const page = await openPage(bens, PULL);
  assert.match(page, /Suggested change/);
  assert.match(page, /<tr class="del">.*pump.*<tr class="add">.*&lt;pump&gt; &amp; co/s);
  assert.deepEqual(formsIn(await openPage(cyds, PULL), `${REVIEWS}/suggestions`), []);
  const apply = formIn(page, `${REVIEWS}/suggestions`);
  assert.equal(leadsTo(await bens.post(`${REVIEWS}/suggestions`, apply)), PULL);
  await settle(forge);
  const raw = await ben.get('/ada/engine/raw/branch/pump/pump.txt');
  assert.equal(raw.text, 'valve\n<pump> & co\npipe\n');
  assert.match(await openPage(bens, PULL), /Outdated/);
});

test('reviews are requested and taken back beside the thread, and an unknown user is an error', async (t) => {
  const { adas, bens, ben, cyds } = await startPumped(t);
  const request = `${PULL}/request_review`;
  const unknown = await bens.post(request, { reviewer: 'zed' });
  assert.equal(unknown.status, 422);
  assert.match(unknown.text, /There is no user zed\./);
  assert.equal(leadsTo(await bens.post(request, { reviewer: 'cyd' })), PULL);
  assert.deepEqual(
    (await ben.get(`${PULLS}/1`)).body.requested_reviewers.map(({ login }: { login: string }) => login),
    ['cyd'],
  );
  assert.match(await openPage(adas, PULL), /1 requested review is missing/);
  const refuse = formIn(await openPage(cyds, PULL), request, { action: 'remove' });
  assert.equal(leadsTo(await cyds.post(request, refuse)), PULL);
  assert.deepEqual((await ben.get(`${PULLS}/1`)).body.requested_reviewers, []);
  const denied = await cyds.post(request, { reviewer: 'ada' });
  assert.equal(denied.status, 422);
});
