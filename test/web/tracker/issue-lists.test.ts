import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENGINE, ISSUES, open } from '../../tracker/issues/tracker.ts';
import { startReaders } from './readers.ts';

const LIST = '/ada/engine/issues';

/** Returns the numbers of the issues that a list shows, without the pinned ones. */
function numbersIn(text: string): readonly number[] {
  const list = text.slice(text.indexOf('aria-label="Issues"'));
  return [...list.matchAll(/class="subject" href="[^"]*\/issues\/(\d+)"/g)].map(([, number]) =>
    Number(number),
  );
}

test('the list of issues has the filters of the API, as a form and as links', async (t) => {
  const { ada, ben, cid, browsers } = await startReaders(t);
  const label = (await ada.post(`${ENGINE}/labels`, { name: 'bug', color: 'd73a4a' })).body;
  const goal = (await ada.post(`${ENGINE}/milestones`, { title: 'Soon' })).body;
  await open(ada, 'It rattles', { labels: [label.id] });
  await open(cid, 'It hums');
  await open(ben, 'It sings', { milestone: goal.id, assignees: ['ada'] });
  await open(ada, 'It stops', { closed: true });
  await ada.post(`${ISSUES}/2/pin`);
  for (const [query, numbers] of [
    ['', [3, 2, 1]],
    ['?state=closed', [4]],
    ['?state=all&sort=oldest', [1, 2, 3, 4]],
    ['?labels=bug', [1]],
    ['?milestones=Soon', [3]],
    ['?assigned_by=ada', [3]],
    ['?created_by=cid', [2]],
    ['?q=hums', [2]],
    ['?q=hums&state=closed', []],
    ['?created_by=nobody', []],
    ['?page=2', []],
    ['?page=x', [3, 2, 1]],
  ] as const) {
    const { status, text } = await browsers.cid.get(`${LIST}${query}`);
    assert.deepEqual([status, numbersIn(text)], [200, numbers], query);
  }
  const { text } = await browsers.ada.get(`${LIST}?labels=bug`);
  for (const part of [
    '1 open',
    '0 closed',
    `href="${LIST}?state=closed&amp;labels=bug"`,
    '<option value="bug" selected>bug</option>',
    '>Clear</a>',
    'href="/ada/engine/issues/new/choose"',
  ])
    assert.ok(text.includes(part), part);
  assert.match((await browsers.ada.get(LIST)).text, /aria-label="Pinned"/);
  assert.match((await browsers.ada.get(`${LIST}?created_by=nobody`)).text, /No such user/);
  assert.match((await browsers.ada.get(`${LIST}?q=absent`)).text, /No issues match.*Clear the filter/s);
  assert.ok(!(await browsers.nobody.get(LIST)).text.includes('/issues/new/choose'));

  const milestone = await browsers.nobody.get(`/ada/engine/milestone/${goal.id}`);
  assert.deepEqual([milestone.status, milestone.headers.get('location')], [303, `${LIST}?milestones=Soon`]);
  assert.equal((await browsers.nobody.get('/ada/engine/milestone/999999')).status, 404);
});

test('a list of many issues has pages that keep the filter', async (t) => {
  const { ada, browsers } = await startReaders(t);
  for (let each = 1; each <= 26; each += 1) await open(ada, `Issue ${each}`);
  const first = await browsers.nobody.get(`${LIST}?sort=oldest`);
  assert.equal(numbersIn(first.text).length, 25);
  assert.match(first.text, /rel="next" href="\/ada\/engine\/issues\?sort=oldest&amp;page=2"/);
  assert.deepEqual(numbersIn((await browsers.nobody.get(`${LIST}?sort=oldest&page=2`)).text), [26]);
});

test('a list without issues says what to do, and one that is switched off or hidden is missing', async (t) => {
  const { ada, browsers } = await startReaders(t);
  assert.match((await browsers.cid.get(LIST)).text, /No issue is open.*Open the first one/s);
  assert.match((await browsers.cid.get(`${LIST}?state=closed`)).text, /No issue is closed/);
  await ada.patch(ENGINE, {
    has_issues: true,
    external_tracker: {
      external_tracker_url: 'https://bugs.example.org/engine',
      external_tracker_format: 'https://bugs.example.org/engine/{index}',
      external_tracker_style: 'numeric',
    },
  });
  assert.match(
    (await browsers.cid.get(LIST)).text,
    /href="https:\/\/bugs\.example\.org\/engine" rel="nofollow/,
  );
  await ada.patch(ENGINE, { has_issues: false });
  assert.equal((await browsers.ada.get(LIST)).status, 404);
  await ada.patch(ENGINE, { has_issues: true, internal_tracker: {}, private: true });
  for (const path of [LIST, '/ada/engine/labels', '/ada/engine/milestones', `${LIST}/new`])
    assert.equal((await browsers.cid.get(path)).status, 404, path);
});

test('signed-in people see their own issues and pull requests of all repositories', async (t) => {
  const { ada, cid, browsers } = await startReaders(t);
  await open(cid, 'It hums', { body: '@ada please' });
  await open(ada, 'It rattles', { assignees: ['ada'] });
  for (const [path, titles] of [
    ['/issues', ['It rattles']],
    ['/issues?type=created', ['It rattles']],
    ['/issues?type=mentioned', ['It hums']],
    ['/issues?type=mentioned&state=closed', []],
    ['/issues?type=nonsense', ['It rattles']],
    ['/issues?q=absent', []],
    ['/pulls', []],
    ['/pulls?type=review_requested', []],
  ] as const) {
    const { status, text } = await browsers.ada.get(path);
    const shown = [...text.matchAll(/class="subject" href="[^"]*">([^<]*)</g)].map(([, title]) => title);
    assert.deepEqual([status, shown], [200, titles], path);
  }
  assert.match(
    (await browsers.ada.get('/issues')).text,
    /<a class="quiet" href="\/ada\/engine">ada\/engine<\/a>/,
  );
  for (const path of ['/issues', '/pulls', '/notifications']) {
    const { status, headers } = await browsers.nobody.get(path);
    assert.equal(status, 303);
    assert.equal(headers.get('location'), `/user/login?redirect_to=${encodeURIComponent(path)}`);
    assert.match((await browsers.ada.get('/ada/engine')).text, new RegExp(`href="${path}"`));
    assert.ok(!(await browsers.nobody.get('/ada/engine')).text.includes(`href="${path}"`));
  }
});
