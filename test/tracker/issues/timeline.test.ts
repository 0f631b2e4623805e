import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Person, TestForge } from '../../support/forge/forge.ts';
import { ENGINE, ISSUES, open, startTracker, type Wire } from './tracker.ts';

const TIMELINE = `${ISSUES}/1/timeline`;

async function timelineOf(who: Person | TestForge, query = ''): Promise<readonly Wire[]> {
  const answer = await who.get(`${TIMELINE}${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

test('the timeline of an issue has its comments and every change, each with what it is about', async (t) => {
  const { forge, ada, ben, cid } = await startTracker(t);
  const label = (await ada.post(`${ENGINE}/labels`, { name: 'bug', color: 'f00' })).body;
  const milestones = [];
  for (const title of ['First', 'Second'])
    milestones.push((await ada.post(`${ENGINE}/milestones`, { title })).body.id);
  for (const title of ['One', 'Two']) await open(cid, title);
  const edit = (fields: object) => ada.patch(`${ISSUES}/1`, fields);
  const said = (await cid.post(`${ISSUES}/1/comments`, { body: 'Loudly.' })).body;
  await edit({ title: 'Uno', ref: 'main' });
  for (const milestone of [...milestones, 0]) await edit({ milestone });
  for (const assignees of [['ben'], []]) await edit({ assignees });
  await ben.post(`${ISSUES}/1/labels`, { labels: ['bug'] });
  await ben.delete(`${ISSUES}/1/labels/bug`);
  for (const day of ['2030-01-01', '2030-01-02']) await edit({ due_date: `${day}T12:00:00Z` });
  await edit({ unset_due_date: true });
  await ada.post(`${ISSUES}/1/dependencies`, { index: 2 });
  await ada.delete(`${ISSUES}/1/dependencies`, { index: 2 });
  for (const state of ['closed', 'open']) await edit({ state });

  const entries = await timelineOf(ada);
  const shown = entries.map((entry) => [
    entry.type,
    entry.body,
    [entry.old_title, entry.new_title, entry.old_ref, entry.new_ref].join('|'),
    [entry.old_milestone?.title, entry.milestone?.title, entry.label?.name].join('|'),
    [entry.assignee?.login, entry.removed_assignee, entry.dependent_issue?.number].join('|'),
  ]);
  const plain = ['|||', '||', '|false|'] as const;
  assert.deepEqual(shown, [
    ['comment', 'Loudly.', ...plain],
    ['change_title', '', 'One|Uno||', ...plain.slice(1)],
    ['change_issue_ref', '', '|||main', ...plain.slice(1)],
    ['milestone', '', '|||', '|First|', '|false|'],
    ['milestone', '', '|||', 'First|Second|', '|false|'],
    ['milestone', '', '|||', 'Second||', '|false|'],
    ['assignees', '', '|||', '||', 'ben|false|'],
    ['assignees', '', '|||', '||', 'ben|true|'],
    ['label', '1', '|||', '||bug', '|false|'],
    ['label', '', '|||', '||bug', '|false|'],
    ['added_deadline', '2030-01-01', ...plain],
    ['modified_deadline', '2030-01-02|2030-01-01', ...plain],
    ['removed_deadline', '2030-01-02', ...plain],
    ['add_dependency', '', '|||', '||', '|false|2'],
    ['remove_dependency', '', '|||', '||', '|false|2'],
    ['close', '', ...plain],
    ['reopen', '', ...plain],
  ]);
  const [first] = entries;
  assert.deepEqual(
    [first.id, first.html_url, first.issue_url, first.user.login, first.created_at],
    [said.id, said.html_url, said.issue_url, 'cid', said.created_at],
  );
  const nothing = {
    tracked_time: null,
    ref_issue: null,
    ref_comment: null,
    assignee_team: null,
    resolve_doer: null,
    ref_action: 'none',
    ref_commit_sha: '',
    pull_request_url: '',
    ...{ review_id: 0, project_id: 0, old_project_id: 0 },
  };
  for (const entry of entries) assert.deepEqual({ ...entry, ...nothing }, entry, entry.type);

  const page = await forge.get(`${TIMELINE}?limit=2&page=2`);
  assert.deepEqual(
    [page.body.map(({ type }: Wire) => type), page.headers.get('x-total-count')],
    [['change_issue_ref', 'milestone'], '17'],
  );
  assert.equal((await timelineOf(forge, '?since=2100-01-01T00:00:00Z')).length, 0);
  assert.equal((await forge.get(`${TIMELINE}?before=soon`)).status, 422);
  await ada.delete(`${ENGINE}/labels/${label.id}`);
  await ada.delete(`${ENGINE}/milestones/${milestones[0]}`);
  await ada.delete(`${ISSUES}/2`);
  await forge.root.patch('/api/v1/admin/users/ben', { visibility: 'private' });
  const left = await timelineOf(forge);
  assert.deepEqual(
    [3, 4, 6, 8, 13].map((at) => {
      const { milestone, old_milestone, assignee, label: marked, dependent_issue } = left[at];
      return [milestone?.title, old_milestone, assignee, marked, dependent_issue];
    }),
    [
      [undefined, ...Array(4).fill(null)],
      ['Second', ...Array(4).fill(null)],
      ...Array(3).fill([undefined, ...Array(4).fill(null)]),
    ],
  );
  assert.equal(left[8].user.login, 'Ghost');
});

test('entries about issues that the viewer may not read are left out of the timeline and of its total', async (t) => {
  const { forge, ada, cid } = await startTracker(t);
  const loom = '/api/v1/repos/ada/loom';
  await ada.repository('loom');
  await open(cid, 'One');
  await open(ada, 'Elsewhere', {}, `${loom}/issues`);
  const added = await ada.post(`${ISSUES}/1/dependencies`, { owner: 'ada', repo: 'loom', index: 1 });
  assert.equal(added.status, 201, added.text);
  const reference = { body: 'As ada/engine#1 says, @ben.' };
  const said = (await ada.post(`${loom}/issues/1/comments`, reference)).body;
  await ada.patch(`${ISSUES}/1`, { title: 'Uno' });
  const seen = async (who: Person | TestForge) => {
    const answer = await who.get(TIMELINE);
    return [
      answer.headers.get('x-total-count'),
      ...answer.body.map(
        (entry: Wire) => (entry.dependent_issue ?? entry.ref_issue)?.repository.full_name ?? entry.type,
      ),
    ];
  };
  const all = ['3', 'ada/loom', 'ada/loom', 'change_title'];
  const { type, ref_comment, ref_action } = (await timelineOf(cid))[1];
  assert.deepEqual(
    [type, ref_comment.id, ref_comment.html_url, ref_action],
    [...['comment_ref', said.id, said.html_url, 'none']],
  );

  assert.deepEqual(await seen(cid), all);
  await ada.patch(loom, { private: true });
  for (const who of [forge, cid]) assert.deepEqual(await seen(who), ['1', 'change_title']);
  assert.deepEqual(await seen(ada), all);
  await ada.patch(loom, { private: false, has_issues: false });
  assert.deepEqual(await seen(ada), ['1', 'change_title']);
  await ada.patch(ENGINE, { private: true });
  assert.equal((await cid.get(TIMELINE)).status, 404);
});
