import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldIn } from '../../support/http/page-reader.ts';
import { ENGINE, ISSUES, open, type Wire } from '../../tracker/issues/tracker.ts';
import { HOSTILE, manyFields, startReaders } from './readers.ts';

const THREAD = '/ada/engine/issues/1';

test('the page of an issue shows its text, its labels and what happened, in words', async (t) => {
  const { forge, ada, ben } = await startReaders(t);
  const label = (await ada.post(`${ENGINE}/labels`, { name: 'bug', color: 'd73a4a' })).body;
  const goal = (await ada.post(`${ENGINE}/milestones`, { title: 'Soon' })).body;
  await open(ada, 'It rattles', { body: '**Loudly**, see #2' });
  await open(ada, 'It hums', { body: 'Because of #1' });
  await ben.post(`${ISSUES}/1/labels`, { labels: [label.id] });
  const due_date = '2040-01-31T00:00:00Z';
  await ben.patch(`${ISSUES}/1`, { milestone: goal.id, assignees: ['ada'], due_date, title: 'It clatters' });
  await ben.post(`${ISSUES}/1/comments`, { body: 'I hear `it`' });
  await ben.post(`${ISSUES}/1/reactions`, { content: 'heart' });
  await ben.put(`${ISSUES}/1/lock`, { lock_reason: 'Resolved' });
  await ben.patch(`${ISSUES}/1`, { state: 'closed' });

  const { status, text, headers } = await forge.get(THREAD);

  assert.equal(status, 200);
  for (const part of [
    '<title>It clatters #1 · ada/engine</title>',
    '<strong>Loudly</strong>',
    `href="${forge.url}/ada/engine/issues/2"`,
    'added the label <a class="label" href="/ada/engine/issues?labels=bug">',
    'added this to the milestone <strong>Soon</strong>',
    'assigned this to <a href="/ada">ada</a>',
    'set the due date to <strong>2040-01-31</strong>',
    'changed the title from <del>It rattles</del> to <strong>It clatters</strong>',
    'I hear <code>it</code>',
    'locked this conversation as <strong>Resolved</strong>',
    'closed this',
    'referred to this in',
    '1 person reacted with heart',
    '>Closed</span>',
  ])
    assert.ok(text.includes(part), `${part}\n${text}`);
  assert.ok(!text.includes('<form method="post"'));
  assert.equal(headers.get('set-cookie'), null);
});

test('a person comments, closes and reopens with the form of a thread', async (t) => {
  const { ada, browsers } = await startReaders(t);
  await open(ada, 'It rattles');
  const { ada: owner, cid } = browsers;

  const empty = await cid.post(`${THREAD}/comments`, { content: ' ' });
  assert.equal(empty.status, 422);
  assert.match(empty.text, /role="alert"/);
  const said = await cid.post(`${THREAD}/comments`, { content: 'Me too\r\nReally' });
  assert.equal(said.status, 303);
  const [comment] = (await ada.get(`${ISSUES}/1/comments`)).body;
  assert.equal(comment.body, 'Me too\nReally');
  assert.equal(said.headers.get('location'), `${THREAD}#issuecomment-${comment.id}`);
  const denied = await cid.post(`${THREAD}/comments`, { content: '', status: 'close' });
  assert.equal(denied.status, 403);
  assert.equal((await owner.post(`${THREAD}/comments`, { content: 'Done', status: 'close' })).status, 303);
  assert.deepEqual(await stateOf(ada), ['closed', 2]);
  assert.match((await owner.get(THREAD)).text, /value="reopen"/);
  assert.equal((await owner.post(`${THREAD}/comments`, { content: '', status: 'reopen' })).status, 303);
  assert.deepEqual(await stateOf(ada), ['open', 2]);
});

async function stateOf(person: { get(path: string): Promise<Wire> }): Promise<[string, number]> {
  const { state, comments } = (await person.get(`${ISSUES}/1`)).body;
  return [state, comments];
}

test('an issue that depends on an open one is not closed, and the comment is not written twice', async (t) => {
  const { ada, browsers } = await startReaders(t);
  await open(ada, 'It rattles');
  await open(ada, 'It hums');
  const path = `${THREAD}/dependencies`;
  assert.equal((await browsers.ada.post(path, { other: 'nothing' })).status, 422);
  assert.equal((await browsers.ada.post(path, { other: '#2' })).status, 303);
  assert.match((await browsers.ada.get(THREAD)).text, /Blocked by/);

  const answer = await browsers.ada.post(`${THREAD}/comments`, { content: 'Done', status: 'close' });

  assert.equal(answer.status, 422);
  assert.match(answer.text, /depends on open issues/);
  assert.ok(!/<textarea[^>]*>\s*Done/.test(answer.text));
  assert.deepEqual(await stateOf(ada), ['open', 1]);
  assert.equal((await browsers.ada.post(`${path}/delete`, { other: 'ada/engine#2' })).status, 303);
  assert.equal((await browsers.ada.post(`${THREAD}/comments`, { content: '', status: 'close' })).status, 303);
});

test('a text is edited on a page, and does not replace what someone else has written meanwhile', async (t) => {
  const { ada, ben, browsers } = await startReaders(t);
  await open(ada, 'It rattles', { body: 'Old' });
  const form = await browsers.ada.get(`${THREAD}/edit`);
  const version = fieldIn(form.text, 'version');
  await ben.patch(`${ISSUES}/1`, { body: 'By Ben' });

  const late = await browsers.ada.post(`${THREAD}/edit`, { version, title: 'It sings', content: 'By Ada' });

  assert.equal(late.status, 422);
  for (const part of ['someone else has changed', 'By Ada', 'By Ben'])
    assert.ok(late.text.toLowerCase().includes(part.toLowerCase()), part);
  const again = fieldIn(late.text, 'version');
  const saved = await browsers.ada.post(`${THREAD}/edit`, {
    version: again,
    title: 'It sings',
    content: 'By Ada',
  });
  assert.deepEqual([saved.status, saved.headers.get('location')], [303, THREAD]);
  const { title, body } = (await ada.get(`${ISSUES}/1`)).body;
  assert.deepEqual([title, body], ['It sings', 'By Ada']);
  const bad = await browsers.ada.post(`${THREAD}/edit`, { title: 'x'.repeat(300), content: 'Kept' });
  assert.equal(bad.status, 422);
  assert.match(bad.text, />\s*Kept<\/textarea>/);
  assert.equal((await browsers.cid.post(`${THREAD}/edit`, { title: 'Mine', content: '' })).status, 403);
});

test('a comment is edited and deleted by its author and by people who may write', async (t) => {
  const { ada, ben, cid, browsers } = await startReaders(t);
  await open(ada, 'It rattles');
  const { id } = (await cid.post(`${ISSUES}/1/comments`, { body: 'Old' })).body;
  const path = `${THREAD}/comments/${id}`;
  const form = await browsers.cid.get(`${path}/edit`);
  assert.match(form.text, />\s*Old<\/textarea>/);
  const version = fieldIn(form.text, 'version');
  assert.equal((await browsers.cid.post(`${path}/edit`, { version, content: '' })).status, 422);
  assert.equal((await browsers.cid.post(`${path}/edit`, { version, content: 'New' })).status, 303);
  assert.equal((await ben.get(`${ISSUES}/comments/${id}`)).body.body, 'New');
  const other = (await ada.post(`${ISSUES}/1/comments`, { body: 'Mine' })).body;
  assert.equal((await browsers.cid.post(`${THREAD}/comments/${other.id}/delete`, {})).status, 403);
  assert.equal((await browsers.ben.post(`${path}/delete`, {})).status, 303);
  assert.equal((await browsers.ben.post(`${path}/delete`, {})).status, 404);
  assert.equal((await browsers.ben.get('/ada/engine/issues/2/comments/1/edit')).status, 404);
});

test('people who may write set labels, assignees, milestone and due date beside a thread', async (t) => {
  const { ada, browsers } = await startReaders(t);
  await open(ada, 'It rattles');
  const ids: number[] = [];
  for (const name of ['bug', 'loud'])
    ids.push((await ada.post(`${ENGINE}/labels`, { name, color: 'd73a4a' })).body.id);
  const goal = (await ada.post(`${ENGINE}/milestones`, { title: 'Soon' })).body;
  const { ben, cid } = browsers;
  const labels = manyFields(['label', String(ids[0])], ['label', String(ids[1])]);
  const form = await ben.get(THREAD);
  for (const part of ['name="label"', 'name="assignee" value="ben"', 'name="milestone"', 'name="deadline"'])
    assert.ok(form.text.includes(part), part);
  assert.ok(!(await cid.get(THREAD)).text.includes('name="assignee"'));

  const sent = [
    await ben.send('POST', `${THREAD}/labels`, labels),
    await ben.send('POST', `${THREAD}/assignees`, manyFields(['assignee', 'ada'], ['assignee', 'ben'])),
    await ben.post(`${THREAD}/milestone`, { milestone: String(goal.id) }),
    await ben.post(`${THREAD}/deadline`, { deadline: '2040-01-31' }),
  ];

  assert.deepEqual(
    sent.map(({ status, headers }) => [status, headers.get('location')]),
    [
      [303, THREAD],
      [303, THREAD],
      [303, THREAD],
      [303, THREAD],
    ],
  );
  const issue = (await ada.get(`${ISSUES}/1`)).body;
  assert.deepEqual(
    issue.labels.map(({ name }: Wire) => name),
    ['bug', 'loud'],
  );
  assert.deepEqual(
    issue.assignees.map(({ login }: Wire) => login),
    ['ada', 'ben'],
  );
  assert.deepEqual([issue.milestone.title, issue.due_date], ['Soon', '2040-01-31T23:59:59Z']);
  for (const [path, fields] of [
    ['labels', { label: '999999' }],
    ['assignees', { assignee: 'cid' }],
    ['milestone', { milestone: 'x' }],
    ['deadline', { deadline: 'tomorrow' }],
  ] as const) {
    const bad = await ben.post(`${THREAD}/${path}`, fields);
    assert.equal(bad.status, 422, path);
    assert.match(bad.text, /role="alert"/);
    assert.equal((await cid.post(`${THREAD}/${path}`, {})).status, 403, path);
  }
  for (const path of ['labels', 'assignees', 'milestone', 'deadline'])
    assert.equal((await ben.post(`${THREAD}/${path}`, {})).status, 303, path);
  const empty = (await ada.get(`${ISSUES}/1`)).body;
  assert.deepEqual([empty.labels, empty.assignees, empty.milestone, empty.due_date], [[], null, null, null]);
});

test('people react, subscribe, lock and pin with buttons', async (t) => {
  const { ada, ben, browsers } = await startReaders(t);
  await open(ada, 'It rattles');
  const { id } = (await ben.post(`${ISSUES}/1/comments`, { body: 'Yes' })).body;
  const { ada: owner, cid } = browsers;
  assert.equal((await cid.post(`${THREAD}/reactions`, { content: '+1', comment: '' })).status, 303);
  assert.equal(
    (await cid.post(`${THREAD}/reactions`, { content: 'heart', comment: String(id) })).status,
    303,
  );
  assert.equal((await cid.post(`${THREAD}/reactions`, { content: 'boo', comment: '' })).status, 403);
  assert.match((await cid.get(THREAD)).text, /name="undo" value="heart"[^>]*aria-pressed="true"/);
  assert.match((await owner.get(THREAD)).text, /name="content" value="heart"[^>]*aria-pressed="false"/);
  await cid.post(`${THREAD}/reactions`, { undo: 'heart', comment: String(id) });
  assert.deepEqual((await ada.get(`${ISSUES}/comments/${id}/reactions`)).body, []);

  assert.equal((await cid.post(`${THREAD}/watch`, { watch: '1' })).status, 303);
  const check = async () => (await ada.get(`${ISSUES}/1/subscriptions`)).body.map(({ login }: Wire) => login);
  assert.deepEqual(await check(), ['cid']);
  assert.equal((await cid.post(`${THREAD}/watch`, { watch: '0' })).status, 303);
  assert.deepEqual(await check(), []);

  for (const [path, field, value] of [
    ['lock', 'is_locked', true],
    ['unlock', 'is_locked', false],
    ['pin', 'pin_order', 1],
    ['unpin', 'pin_order', 0],
  ] as const) {
    assert.equal((await cid.post(`${THREAD}/${path}`, {})).status, 403, path);
    assert.equal((await owner.post(`${THREAD}/${path}`, {})).status, 303, path);
    assert.equal((await ada.get(`${ISSUES}/1`)).body[field], value, path);
    if (path === 'lock') assert.match((await cid.get(THREAD)).text, /This conversation is locked/);
  }
  assert.equal((await cid.post(`${THREAD}/delete`, {})).status, 403);
  assert.match((await owner.get(`${THREAD}/delete`)).text, /cannot be undone/);
  assert.equal((await owner.post(`${THREAD}/delete`, {})).status, 303);
  assert.equal((await ada.get(`${ISSUES}/1`)).status, 404);
});

test('a preview shows a text before it is saved, and keeps what was typed', async (t) => {
  const { ada, ben, browsers } = await startReaders(t);
  await open(ada, 'It rattles', { body: 'Old' });
  const { id } = (await ada.post(`${ISSUES}/1/comments`, { body: 'Old' })).body;
  const version = fieldIn((await browsers.ada.get(`${THREAD}/edit`)).text, 'version');
  await ben.patch(`${ISSUES}/1`, { body: 'By Ben' });
  const fields = { title: 'It sings', content: '**loud** <script>x</script>', version, preview: 'on' };
  for (const path of [
    `${THREAD}/comments`,
    `${THREAD}/edit`,
    `${THREAD}/comments/${id}/edit`,
    '/ada/engine/issues/new',
  ]) {
    const { status, text } = await browsers.ada.post(path, fields);
    assert.equal(status, 200, path);
    assert.ok(text.includes('<strong>loud</strong>') && text.includes('**loud** &lt;script&gt;'), path);
    assert.ok(!text.includes('<script>'), path);
    if (path === `${THREAD}/edit`) assert.equal(fieldIn(text, 'version'), version);
  }
  const wiki = await browsers.ada.post('/ada/engine/wiki?action=_new', { ...fields, title: 'Home' });
  assert.ok(wiki.text.includes('<strong>loud</strong>') && wiki.text.includes('value="Home"'));
  assert.deepEqual(await stateOf(ada), ['open', 1]);
  assert.equal((await ada.get(`${ISSUES}/2`)).status, 404);
});

test('a long thread has pages, and a new comment is on the last one', async (t) => {
  const { ada, browsers } = await startReaders(t);
  await open(ada, 'Long');
  for (let each = 1; each <= 101; each += 1)
    await ada.post(`${ISSUES}/1/comments`, { body: `Comment ${each}` });
  const first = await browsers.ada.get(THREAD);
  assert.match(first.text, /Page 1 of 2/);
  assert.ok(first.text.includes('Comment 100<') && !first.text.includes('Comment 101<'));
  const last = await browsers.ada.get(`${THREAD}?page=2`);
  assert.ok(last.text.includes('Comment 101<') && !last.text.includes('Comment 100<'));
  const [, id = ''] = /id="issuecomment-(\d+)">[\s\S]*Comment 101</.exec(last.text) ?? [];
  assert.equal((await browsers.ada.get(`${THREAD}?comment=${id}`)).text, last.text);
  assert.equal((await browsers.ada.get(`${THREAD}?comment=1`)).text, first.text);
  const said = await browsers.ada.post(`${THREAD}/comments`, { content: 'The end' });
  assert.match(said.headers.get('location') ?? '', /\/issues\/1\?page=2#issuecomment-\d+$/);
});

test('people add and delete time, and run a stopwatch', async (t) => {
  const { ada, browsers } = await startReaders(t);
  await open(ada, 'It rattles');
  const { ben } = browsers;
  for (const fields of [
    { hours: 'x', minutes: '' },
    { hours: '0', minutes: '0' },
  ])
    assert.equal((await ben.post(`${THREAD}/times`, fields)).status, 422);
  assert.equal((await ben.post(`${THREAD}/times`, { hours: '1', minutes: '30' })).status, 303);
  const page = (await ben.get(THREAD)).text;
  assert.ok(page.includes('1 hour 30 minutes') && page.includes('value="start"'), page);
  const [{ id, time }] = (await ada.get(`${ISSUES}/1/times`)).body;
  assert.equal(time, 5400);
  assert.equal((await browsers.cid.post(`${THREAD}/times`, { hours: '1', minutes: '' })).status, 403);
  assert.equal((await ben.post(`${THREAD}/times/delete`, { time: String(id) })).status, 303);
  assert.equal((await ben.post(`${THREAD}/stopwatch`, { watch: 'start' })).status, 303);
  assert.equal((await ben.post(`${THREAD}/stopwatch`, { watch: 'start' })).status, 422);
  assert.match((await ben.get(THREAD)).text, /value="stop".*value="cancel"/s);
  assert.equal((await ben.post(`${THREAD}/stopwatch`, { watch: 'cancel' })).status, 303);
  assert.deepEqual((await ada.get(`${ISSUES}/1/times`)).body, []);
  await ben.post(`${THREAD}/stopwatch`, { watch: 'start' });
  assert.equal((await ben.post(`${THREAD}/stopwatch`, { watch: 'stop' })).status, 303);
  assert.equal((await ada.get(`${ISSUES}/1/times`)).body.length, 1);
});

test('files are attached to issues and comments with forms, and deleted', async (t) => {
  const { ada, ben, browsers } = await startReaders(t);
  await open(ada, 'It rattles');
  const { id } = (await ben.post(`${ISSUES}/1/comments`, { body: 'See' })).body;
  const file = (name: string) => ({
    headers: { 'content-type': 'multipart/form-data; boundary=b', 'sec-fetch-site': 'same-origin' },
    body: `--b\r\nContent-Disposition: form-data; name="attachment"; filename="${name}"\r\n\r\nText\r\n--b--\r\n`,
  });
  for (const path of [THREAD, `${THREAD}/comments/${id}`]) {
    assert.equal((await browsers.cid.send('POST', `${path}/assets`, file('a.txt'))).status, 403);
    assert.equal((await browsers.ben.send('POST', `${path}/assets`, file(''))).status, 422);
    const added = await browsers.ben.send('POST', `${path}/assets`, file('a<b>.txt'));
    assert.deepEqual([added.status, added.headers.get('location')], [303, `${path}/edit`]);
    const edit = await browsers.ben.get(`${path}/edit`);
    const [, deletion = ''] = /action="([^"]+\/assets\/\d+\/delete)"/.exec(edit.text) ?? [];
    assert.ok(edit.text.includes('a&lt;b&gt;.txt'));
    assert.match((await browsers.cid.get(THREAD)).text, /href="\/attachments\/[0-9a-f-]+">a&lt;b&gt;\.txt/);
    assert.equal((await browsers.ben.post(deletion, {})).status, 303);
    assert.equal((await browsers.ben.post(deletion, {})).status, 404);
  }
});

test('F1: a thread escapes hostile names and texts in every field', async (t) => {
  const { ada, browsers } = await startReaders(t, { description: HOSTILE });
  const label = (
    await ada.post(`${ENGINE}/labels`, { name: HOSTILE.slice(0, 50), color: 'd73a4a', description: HOSTILE })
  ).body;
  const goal = (await ada.post(`${ENGINE}/milestones`, { title: HOSTILE, description: HOSTILE })).body;
  await open(ada, HOSTILE, { body: HOSTILE, labels: [label.id], milestone: goal.id });
  await ada.post(`${ISSUES}/1/comments`, { body: HOSTILE });
  await ada.patch(`${ISSUES}/1`, { title: `${HOSTILE} again` });
  await ada.put(`${ISSUES}/1/lock`, { lock_reason: HOSTILE });
  await ada.post(`${ISSUES}/1/pin`);
  for (const path of [
    THREAD,
    `${THREAD}/edit`,
    `${THREAD}/delete`,
    '/ada/engine/issues',
    `/ada/engine/issues?q=${encodeURIComponent(HOSTILE)}&labels=${encodeURIComponent(HOSTILE)}`,
    `/ada/engine/issues?created_by=${encodeURIComponent(HOSTILE)}&sort=${encodeURIComponent(HOSTILE)}`,
    '/ada/engine/labels',
    '/ada/engine/milestones',
    `/ada/engine/milestones/${goal.id}/edit`,
    `/ada/engine/issues/new?title=${encodeURIComponent(HOSTILE)}&body=${encodeURIComponent(HOSTILE)}`,
    `/issues?type=created&q=${encodeURIComponent(HOSTILE)}`,
    '/issues?type=created',
  ]) {
    const { status, text, headers } = await browsers.ada.get(path);
    assert.equal(status, 200, path);
    assert.ok(!/<script>|<img src=x/.test(text), path);
    assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none';/);
    assert.doesNotMatch(headers.get('content-security-policy') ?? '', /unsafe/);
  }
  const typed = await browsers.ada.post(`${THREAD}/edit`, { title: '', content: HOSTILE, version: 'x' });
  assert.ok(!/<script>|<img src=x/.test(typed.text));
});

test('a hidden issue is missing for strangers, also its forms, and signed-out people are sent to sign in', async (t) => {
  const { ada, browsers } = await startReaders(t);
  await open(ada, 'It rattles');
  assert.match((await browsers.nobody.get(THREAD)).text, /Sign in<\/a> to comment/);
  const sent = await browsers.nobody.post(`${THREAD}/comments`, { content: 'Hi' });
  assert.equal(sent.status, 303);
  assert.match(sent.headers.get('location') ?? '', /^\/user\/login/);
  await ada.patch(ENGINE, { private: true });
  for (const browser of [browsers.cid, browsers.nobody]) {
    for (const path of ['', '/edit', '/delete'])
      assert.equal((await browser.get(`${THREAD}${path}`)).status, 404, path);
    for (const path of ['comments', 'edit', 'labels', 'reactions', 'watch', 'pin', 'delete', 'dependencies'])
      assert.equal((await browser.post(`${THREAD}/${path}`, {})).status, 404, path);
  }
});

test('F1: a page of another site can send none of the forms of a thread', async (t) => {
  const { ada, browsers } = await startReaders(t);
  await open(ada, 'It rattles');
  const forms = [
    'comments',
    'edit',
    'delete',
    'labels',
    'assignees',
    'milestone',
    'deadline',
    'lock',
    'unlock',
  ];
  for (const path of [...forms, 'pin', 'unpin', 'reactions', 'watch', 'dependencies', 'dependencies/delete'])
    for (const site of ['cross-site', 'same-site']) {
      const fields = { content: 'x', title: 'x', other: '2', label: '' };
      const answer = await browsers.ada.post(`${THREAD}/${path}`, fields, {
        headers: { 'sec-fetch-site': site },
      });
      assert.equal(answer.status, 403, path);
    }
  assert.equal((await ada.get(`${ISSUES}/1`)).body.comments, 0);
});

test('nothing of an archived repository can be changed on its pages', async (t) => {
  const { ada, browsers } = await startReaders(t);
  await open(ada, 'It rattles');
  await ada.patch(ENGINE, { archived: true });
  const { text } = await browsers.ada.get(THREAD);
  assert.match(text, /This repository is archived/);
  assert.ok(!text.includes('name="content"'));
  const answer = await browsers.ada.post(`${THREAD}/comments`, { content: 'Hi' });
  assert.equal(answer.status, 422);
});
