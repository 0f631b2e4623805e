import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENGINE, open, type Wire } from '../../tracker/issues/tracker.ts';
import { startReaders } from './readers.ts';

const LABELS = '/ada/engine/labels';
const MILESTONES = '/ada/engine/milestones';

test('people who may write create, change and delete labels on their page', async (t) => {
  const { ada, browsers } = await startReaders(t);
  const { ben, cid } = browsers;
  assert.match((await cid.get(LABELS)).text, /No label yet/);
  const fields = { title: 'a <bug>', color: '#d73a4a', description: 'It is "broken"', exclusive: 'on' };
  assert.equal((await cid.post(`${LABELS}/new`, fields)).status, 403);
  const bad = await ben.post(`${LABELS}/new`, { ...fields, color: 'red' });
  assert.equal(bad.status, 422);
  assert.ok(bad.text.includes('value="a &lt;bug&gt;"') && bad.text.includes('role="alert"'));
  const made = await ben.post(`${LABELS}/new`, fields);
  assert.deepEqual([made.status, made.headers.get('location')], [303, LABELS]);
  const [label] = (await ada.get(`${ENGINE}/labels`)).body;
  assert.deepEqual([label.name, label.color, label.exclusive], ['a <bug>', 'd73a4a', true]);
  const page = await cid.get(LABELS);
  assert.match(page.text, /<circle [^>]*fill="#d73a4a"\/><\/svg>a &lt;bug&gt;/);
  assert.ok(!page.text.includes('<form method="post"'));

  const id = String(label.id);
  const edit = { id, title: '', color: '#00aabb', description: '' };
  assert.match((await ben.post(`${LABELS}/edit`, edit)).text, /<details class="wide" open>/);
  assert.equal((await ben.post(`${LABELS}/edit`, { ...edit, title: 'bug', archived: 'on' })).status, 303);
  const [changed] = (await ada.get(`${ENGINE}/labels`)).body;
  assert.deepEqual([changed.name, changed.exclusive, changed.is_archived], ['bug', false, true]);
  for (const path of ['edit', 'delete']) {
    assert.equal((await ben.post(`${LABELS}/${path}`, { ...edit, id: '999999' })).status, 404);
    const options = { headers: { 'sec-fetch-site': 'cross-site' } };
    assert.equal((await ben.post(`${LABELS}/${path}`, { id }, options)).status, 403);
  }
  assert.equal((await ben.post(`${LABELS}/delete`, { id })).status, 303);
  assert.deepEqual((await ada.get(`${ENGINE}/labels`)).body, []);
});

test('the page of labels also shows those of the organization', async (t) => {
  const { ada, browsers } = await startReaders(t);
  await ada.post('/api/v1/orgs', { username: 'guild' });
  await ada.post('/api/v1/orgs/guild/repos', { name: 'loom' });
  await ada.post('/api/v1/orgs/guild/labels', { name: 'shared', color: '00aabb' });
  assert.match((await browsers.nobody.get('/guild/loom/labels')).text, /Labels of guild.*shared/s);
});

test('people who may write create, change, close and delete milestones', async (t) => {
  const { ada, browsers } = await startReaders(t);
  const { ben, cid } = browsers;
  assert.match((await cid.get(MILESTONES)).text, /No milestone is open/);
  assert.equal((await cid.get(`${MILESTONES}/new`)).status, 403);
  const fields = { title: 'The <end>', content: 'It is *near*', deadline: '2040-01-31' };
  const bad = await ben.post(`${MILESTONES}/new`, { ...fields, deadline: 'soon' });
  assert.equal(bad.status, 422);
  assert.ok(bad.text.includes('value="The &lt;end&gt;"') && bad.text.includes('It is *near*</textarea>'));
  assert.equal((await ben.post(`${MILESTONES}/new`, fields)).status, 303);
  const [{ id, due_on }] = (await ada.get(`${ENGINE}/milestones`)).body;
  assert.equal(due_on, '2040-01-31T23:59:59Z');
  await open(ada, 'One', { milestone: id });
  await open(ada, 'Two', { milestone: id, closed: true });

  const page = (await cid.get(MILESTONES)).text;

  for (const part of [
    'The &lt;end&gt;',
    '<em>near</em>',
    'value="50"',
    '1 open issue, 1 closed',
    '2040-01-31',
  ])
    assert.ok(page.includes(part), part);
  const one = `${MILESTONES}/${id}`;
  assert.match((await ben.get(`${one}/edit`)).text, /value="2040-01-31"/);
  assert.equal((await ben.post(`${one}/edit`, { title: '', content: '', deadline: '' })).status, 422);
  assert.equal((await ben.post(`${one}/edit`, { title: 'End', content: '', deadline: '' })).status, 303);
  assert.equal((await ben.post(`${one}/state`, { status: 'closed' })).status, 303);
  assert.ok(!(await cid.get(MILESTONES)).text.includes('>End</a>'));
  assert.match((await cid.get(`${MILESTONES}?state=closed`)).text, />End<\/a>/);
  assert.equal((await ben.post(`${one}/state`, { status: 'open' })).status, 303);
  for (const path of ['edit', 'state', 'delete']) {
    const sent = { title: 'x', content: '', deadline: '' };
    assert.equal((await cid.post(`${one}/${path}`, sent)).status, 403, path);
    assert.equal((await ben.post(`${MILESTONES}/999999/${path}`, sent)).status, 404, path);
    const options = { headers: { 'sec-fetch-site': 'cross-site' } };
    assert.equal((await ben.post(`${one}/${path}`, sent, options)).status, 403, path);
  }
  assert.equal((await ben.post(`${one}/delete`, {})).status, 303);
  const left = (await ada.get(`${ENGINE}/milestones?state=all`)).body;
  assert.deepEqual(
    left.map(({ title }: Wire) => title),
    [],
  );
});
