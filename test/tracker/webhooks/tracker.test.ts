import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { until } from '../../support/until.ts';
import { ALLOWED, addHook, delivered, type Receiver, startReceiver } from './receiver.ts';

const ENGINE = '/api/v1/repos/ada/engine';

interface World {
  readonly forge: TestForge;
  readonly ada: Person;
  readonly receiver: Receiver;
  /** Waits for all deliveries, and returns what has come since the last time. */
  readonly news: () => Promise<readonly Receiver['received'][number][]>;
}

async function startWorld(t: Parameters<typeof startForge>[0], events: readonly string[]): Promise<World> {
  const receiver = await startReceiver(t);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  await addHook(ada, receiver.url, { events });
  const news = async () => {
    await delivered(forge);
    return receiver.received.splice(0);
  };
  return { forge, ada, receiver, news };
}

const shown = (each: Receiver['received'][number]) =>
  `${each.headers['x-gitea-event']} ${each.event} ${each.body.action}`;

/** Returns a record of the API with its accounts as others than themselves see them. */
function seenByOthers<Wire>(record: Wire): Wire {
  const text = JSON.stringify(record, (_, value) =>
    value !== null && typeof value === 'object' && 'last_login' in value
      ? { ...value, last_login: '0001-01-01T00:00:00Z', active: false }
      : value,
  );
  return JSON.parse(text);
}

test('events about issues have the issue as the API has it', async (t) => {
  const { ada, news } = await startWorld(t, ['issues']);
  const { body: label } = await ada.post(`${ENGINE}/labels`, { name: 'bug', color: '#ee0701' });
  const { body: milestone } = await ada.post(`${ENGINE}/milestones`, { title: 'One' });
  const { body: opened } = await ada.post(`${ENGINE}/issues`, { title: 'First', body: 'Text' });
  const [first] = await news();
  assert.equal(first && shown(first), 'issues issues opened');
  assert.deepEqual([first?.body.number, first?.body.issue], [1, seenByOthers(opened)]);
  assert.equal(first?.body.repository.full_name, 'ada/engine');
  assert.equal(first?.body.sender.login, 'ada');
  const change = (body: unknown) => ada.patch(`${ENGINE}/issues/1`, body);
  await change({ title: 'Second' });
  const [edited] = await news();
  assert.equal(edited && shown(edited), 'issues issues edited');
  assert.deepEqual(edited?.body.changes, { title: { from: 'First' } });
  assert.equal(edited?.body.issue.title, 'Second');
  for (const [body, expected] of [
    [{ state: 'closed' }, ['issues issues closed']],
    [{ state: 'open' }, ['issues issues reopened']],
    [{ assignees: ['ada'] }, ['issues issue_assign assigned']],
    [{ assignees: [] }, ['issues issue_assign unassigned']],
    [{ milestone: milestone.id }, ['issues issue_milestone milestoned']],
    [{ milestone: 0 }, ['issues issue_milestone demilestoned']],
    [{ due_date: '2030-01-01T00:00:00Z' }, []],
  ] as const) {
    await change(body);
    assert.deepEqual((await news()).map(shown), expected);
  }
  await ada.put(`${ENGINE}/issues/1/labels`, { labels: [label.id] });
  assert.deepEqual((await news()).map(shown), ['issues issue_label label_updated']);
  await ada.delete(`${ENGINE}/issues/1/labels`);
  assert.deepEqual((await news()).map(shown), ['issues issue_label label_cleared']);
  await ada.delete(`${ENGINE}/issues/1`);
  const [deleted] = await news();
  assert.equal(deleted && shown(deleted), 'issues issues deleted');
  assert.deepEqual([deleted?.body.issue.number, deleted?.body.issue.title], [1, 'Second']);
});

test('comments are created, edited and deleted, of issues and of pull requests', async (t) => {
  const { ada, news } = await startWorld(t, ['issue_comment']);
  await ada.post(`${ENGINE}/issues`, { title: 'First' });
  const { body: comment } = await ada.post(`${ENGINE}/issues/1/comments`, { body: 'Hello' });
  const [created] = await news();
  assert.equal(created && shown(created), 'issue_comment issue_comment created');
  assert.deepEqual([created?.body.comment, created?.body.is_pull], [seenByOthers(comment), false]);
  assert.equal(created?.body.issue.comments, 1);
  await ada.patch(`${ENGINE}/issues/comments/${comment.id}`, { body: 'Bye' });
  const [edited] = await news();
  assert.deepEqual(
    [edited && shown(edited), edited?.body.comment.body],
    ['issue_comment issue_comment edited', 'Bye'],
  );
  await ada.delete(`${ENGINE}/issues/comments/${comment.id}`);
  const [deleted] = await news();
  assert.equal(deleted && shown(deleted), 'issue_comment issue_comment deleted');
  assert.equal(deleted?.body.comment.id, comment.id);
});

async function openPull(ada: Person, branch = 'next') {
  await ada.post(`${ENGINE}/contents/${branch}.txt`, {
    content: Buffer.from(branch).toString('base64'),
    message: `Add ${branch}`,
    new_branch: branch,
  });
  const opened = await ada.post(`${ENGINE}/pulls`, { title: `Pull ${branch}`, head: branch, base: 'main' });
  assert.equal(opened.status, 201, opened.text);
  return opened.body;
}

test('events about pull requests have the pull request as the API has it', async (t) => {
  const events = ['pull_request', 'pull_request_comment', 'pull_request_review', 'issues'];
  const { forge, ada, receiver, news } = await startWorld(t, events);
  const ben = await forge.account('ben');
  await ada.put(`${ENGINE}/collaborators/ben`, { permission: 'write' });
  const { number } = await openPull(ada);
  const [opened, ...none] = await news();
  assert.deepEqual([opened && shown(opened), none], ['pull_request pull_request opened', []]);
  const { body: pull } = await ada.get(`${ENGINE}/pulls/${number}`);
  const { mergeable: _, updated_at: __, ...known } = pull;
  const { mergeable: ___, updated_at: ____, ...sent } = opened?.body.pull_request ?? {};
  assert.deepEqual([opened?.body.number, sent], [number, seenByOthers(known)]);
  await ada.post(`${ENGINE}/contents/b.txt`, { content: '', message: 'Add b', branch: 'next' });
  // The event follows from the push, a little later.
  await until(async () => {
    await delivered(forge);
    return receiver.received.length > 0;
  });
  const [pushed] = await news();
  assert.equal(pushed && shown(pushed), 'pull_request pull_request_sync synchronized');
  assert.equal(pushed?.body.commit_id, pushed?.body.pull_request.head.sha);
  await ada.post(`${ENGINE}/pulls/${number}/requested_reviewers`, { reviewers: ['ben'] });
  const [asked] = await news();
  assert.equal(asked && shown(asked), 'pull_request pull_request_review_request review_requested');
  assert.equal(asked?.body.requested_reviewer.login, 'ben');
  for (const [event, expected] of [
    ['COMMENT', 'pull_request_comment pull_request_review_comment reviewed'],
    ['REQUEST_CHANGES', 'pull_request_rejected pull_request_review_rejected reviewed'],
    ['APPROVED', 'pull_request_approved pull_request_review_approved reviewed'],
  ]) {
    await ben.post(`${ENGINE}/pulls/${number}/reviews`, { event, body: `I say ${event}` });
    const [reviewed] = await news();
    assert.equal(reviewed && shown(reviewed), expected);
    assert.deepEqual(reviewed?.body.review, { type: reviewed?.event, content: `I say ${event}` });
    assert.equal(reviewed?.body.sender.login, 'ben');
  }
  await ada.post(`${ENGINE}/issues/${number}/comments`, { body: 'Hello' });
  const [commented] = await news();
  assert.equal(commented && shown(commented), 'issue_comment pull_request_comment created');
  assert.deepEqual([commented?.body.is_pull, commented?.body.pull_request.number], [true, number]);
  await ada.post(`${ENGINE}/branches`, { new_branch_name: 'base' });
  await ada.patch(`${ENGINE}/pulls/${number}`, { base: 'base' });
  const [retargeted] = await news();
  assert.equal(retargeted && shown(retargeted), 'pull_request pull_request edited');
  assert.deepEqual(retargeted?.body.changes, { ref: { from: 'main' } });
  const merged = await ada.post(`${ENGINE}/pulls/${number}/merge`, { Do: 'merge' });
  assert.equal(merged.status, 200, merged.text);
  const closed = await news();
  assert.deepEqual(closed.map(shown), ['pull_request pull_request closed']);
  assert.equal(closed[0]?.body.pull_request.merged, true);
});

test('groups of events cover their parts, and names with _only cover one', async (t) => {
  const { ada, receiver, forge } = await startWorld(t, ['issues_only']);
  await addHook(ada, `${receiver.url}/labels`, { events: ['issue_label'] });
  await addHook(ada, `${receiver.url}/all`, { events: ['issues'] });
  const { body: label } = await ada.post(`${ENGINE}/labels`, { name: 'bug', color: '#ee0701' });
  await ada.post(`${ENGINE}/issues`, { title: 'First' });
  await ada.put(`${ENGINE}/issues/1/labels`, { labels: [label.id] });
  await delivered(forge);
  const at = (path: string) =>
    receiver.received.filter((each) => each.path === path).map(({ event }) => event);
  assert.deepEqual(at('/hook'), ['issues']);
  assert.deepEqual(at('/hook/labels'), ['issue_label']);
  assert.deepEqual(at('/hook/all'), ['issues', 'issue_label']);
});

test('a fork names the new repository, and a status names its commit', async (t) => {
  const { forge, ada, news } = await startWorld(t, ['fork', 'status']);
  const ben = await forge.account('ben');
  assert.equal((await ben.post(`${ENGINE}/forks`, {})).status, 202);
  const [forked] = await news();
  assert.deepEqual(
    [
      forked?.event,
      forked?.body.forkee.full_name,
      forked?.body.repository.full_name,
      forked?.body.sender.login,
    ],
    ['fork', 'ben/engine', 'ada/engine', 'ben'],
  );
  const { body: main } = await ada.get(`${ENGINE}/branches/main`);
  const sha = main.commit.id;
  await ada.post(`${ENGINE}/statuses/${sha}`, {
    state: 'success',
    context: 'ci',
    description: 'All right',
    target_url: 'https://ci.example.org/1',
  });
  const [status] = await news();
  const { body } = status ?? {};
  assert.deepEqual(
    [status?.event, body.sha, body.state, body.context, body.description, body.target_url, body.commit.id],
    ['status', sha, 'success', 'ci', 'All right', 'https://ci.example.org/1', sha],
  );
});

test('a release is published, updated and deleted, and drafts are not delivered', async (t) => {
  const { ada, news } = await startWorld(t, ['release']);
  const draft = await ada.post(`${ENGINE}/releases`, { tag_name: 'v0', draft: true });
  assert.equal(draft.status, 201, draft.text);
  const { body: release } = await ada.post(`${ENGINE}/releases`, {
    tag_name: 'v1',
    name: 'One',
    body: 'Text',
  });
  const [published, ...none] = await news();
  assert.deepEqual([published && shown(published), none], ['release release published', []]);
  assert.deepEqual(published?.body.release, seenByOthers(release));
  await ada.patch(`${ENGINE}/releases/${release.id}`, { name: 'Uno' });
  const [updated] = await news();
  assert.deepEqual(
    [updated && shown(updated), updated?.body.release.name],
    ['release release updated', 'Uno'],
  );
  await ada.delete(`${ENGINE}/releases/${release.id}`);
  const [deleted] = await news();
  assert.deepEqual(
    [deleted && shown(deleted), deleted?.body.release.tag_name],
    ['release release deleted', 'v1'],
  );
});

test('pages of a wiki are created, edited and deleted', async (t) => {
  const { ada, news } = await startWorld(t, ['wiki']);
  const page = { title: 'Looms', content_base64: Buffer.from('Text').toString('base64'), message: 'Begin' };
  const created = await ada.post(`${ENGINE}/wiki/new`, page);
  assert.equal(created.status, 201, created.text);
  const edited = { content_base64: Buffer.from('More').toString('base64'), message: 'Go on' };
  await ada.patch(`${ENGINE}/wiki/page/Looms`, edited);
  await ada.delete(`${ENGINE}/wiki/page/Looms`);
  const seen = await news();
  assert.deepEqual(
    seen.map((each) => `${shown(each)} ${each.body.page}`),
    ['created', 'edited', 'deleted'].map((action) => `wiki wiki ${action} Looms`),
  );
  assert.match(seen[0]?.body.comment, /^Begin/);
});
