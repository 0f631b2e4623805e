import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { commitAll, git, temporaryFolder } from '../../../support/git/git.ts';
import { protect, settle, startEngine } from '../../../tracker/pulls/pulls.ts';
import { browserOf, formIn, leadsTo, openPage } from './pull-forms.ts';

const PULL = '/ada/engine/pulls/1';

test('a pushed branch becomes a pull request by forms, is commented on, approved and merged', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  await protect(ada, { required_approvals: 1 });
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', ben.remote('ada/engine'), '.']);
  await git(folder, ['switch', '-qc', 'add/pump']);
  await writeFile(join(folder, 'pump.txt'), 'valve\npump\npipe\n');
  await commitAll(folder, 'Add a pump\n\nIt lifts water.');
  await git(folder, ['push', '-q', 'origin', 'add/pump']);
  const [adas, bens] = [await browserOf(forge, ada), await browserOf(forge, ben)];

  // ben opens the pull request on the page of the comparison.
  const comparison = '/ada/engine/compare/main...add/pump';
  assert.match(await openPage(bens, comparison), /compare\/main\.\.\.add\/pump\?expand=1/);
  const opening = formIn(await openPage(bens, `${comparison}?expand=1`), comparison);
  assert.deepEqual([opening.title, opening.content], ['Add a pump', 'It lifts water.']);
  assert.equal(leadsTo(await bens.post(comparison, { ...opening, reviewer: 'ada' })), PULL);
  assert.match(await openPage(bens, `${comparison}?expand=1`), /is open for these branches/);

  // ada sees why it cannot be merged yet.
  const before = await openPage(adas, PULL);
  assert.match(before, /1 more approval is required/);
  assert.match(before, /review requested/);
  assert.match(await openPage(adas, '/ada/engine/pulls'), /Add a pump.*1 review requested/s);

  // ada comments on a line by a link, which opens a form.
  const files = await openPage(adas, `${PULL}/files`);
  const [, link = ''] = /href="(\?comment=[^"#]*R2)#comment-form"/.exec(files) ?? [];
  const page = await openPage(adas, `${PULL}/files${link}`);
  const line = formIn(page, `${PULL}/files/reviews/comments`, { line: '2' });
  assert.deepEqual([line.path, line.side], ['pump.txt', 'new']);
  const commented = await adas.post(`${PULL}/files/reviews/comments`, { ...line, content: 'Which *pump*?' });
  assert.equal(leadsTo(commented), `${PULL}/files`);
  const pending = await openPage(adas, `${PULL}/files`);
  assert.match(pending, /1 comment that only you see/);
  assert.match(pending, /Which <em>pump<\/em>\?/);
  assert.doesNotMatch(await openPage(bens, `${PULL}/files`), /Which/);

  // ada approves, which submits the comment.
  const review = formIn(await openPage(adas, `${PULL}/files`), `${PULL}/files/reviews/submit`);
  const approved = await adas.post(`${PULL}/files/reviews/submit`, {
    ...review,
    type: 'approve',
    content: 'Fine.',
  });
  assert.equal(leadsTo(approved), PULL);
  const after = await openPage(bens, PULL);
  assert.match(after, /approved these changes/);
  assert.match(after, /Which <em>pump<\/em>\?/);
  assert.match(after, /No conflicts/);

  // ben merges.
  const merge = formIn(after, `${PULL}/merge`, { do: 'squash' });
  assert.equal(merge.merge_title_field, 'Add a pump (#1)');
  const merged = await bens.post(`${PULL}/merge`, {
    ...merge,
    merge_title_field: 'Pump water',
    delete_branch_after_merge: 'true',
  });
  assert.equal(leadsTo(merged), PULL);
  await settle(forge);
  const done = await openPage(bens, PULL);
  assert.match(done, /merged this<\/strong> into/);
  assert.match(done, /The branch <code>add\/pump<\/code> is deleted/);
  await git(folder, ['fetch', '-q', '--prune']);
  assert.equal(await git(folder, ['log', '-1', '--format=%s', 'origin/main']), 'Pump water');
  assert.equal(await git(folder, ['branch', '-r', '--list', 'origin/add/pump']), '');

  // The branch comes back.
  assert.equal(leadsTo(await bens.post(`${PULL}/restore`, formIn(done, `${PULL}/restore`))), PULL);
  assert.match(await openPage(bens, PULL), /is not needed any more/);
});
