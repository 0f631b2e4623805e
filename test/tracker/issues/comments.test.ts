import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ISSUE_LIMITS } from '../../../src/tracker/issues/limits.ts';
import { eventsOf } from '../../support/forge/events.ts';
import type { Person } from '../../support/forge/forge.ts';
import { ENGINE, ISSUES, numbersAt, open, startTracker, type Wire } from './tracker.ts';

const OF_FIRST = `${ISSUES}/1/comments`;
const ALL = `${ISSUES}/comments`;

async function comment(who: Person, body: string, at = OF_FIRST): Promise<Wire> {
  const created = await who.post(at, { body });
  assert.equal(created.status, 201, created.text);
  return created.body;
}

/** Sends a comment again for as long as the server is busy. */
async function insist(who: Person, body: string): Promise<number> {
  const { status } = await who.post(OF_FIRST, { body });
  return status === 503 ? insist(who, body) : status;
}

const bodiesOf = (answer: Wire) => answer.body.map(({ body }: Wire) => body);

test('comments are created, read, changed and deleted, each with an event, and the issue counts them', async (t) => {
  const { forge, ada, ben, cid } = await startTracker(t);
  const issue = await open(ada, 'It rattles');
  const created = await comment(cid, 'When it *turns*.');

  const { id, user, created_at, updated_at, ...fields } = created;
  assert.equal(user.login, 'cid');
  assert.equal(created_at, updated_at);
  assert.deepEqual(fields, {
    html_url: `${forge.url}/ada/engine/issues/1#issuecomment-${id}`,
    pull_request_url: '',
    issue_url: `${forge.url}/ada/engine/issues/1`,
    original_author: '',
    original_author_id: 0,
    body: 'When it *turns*.',
    assets: [],
  });
  const read = await forge.get(`${ALL}/${id}`);
  assert.deepEqual({ ...read.body, user: null }, { ...created, user: null });
  for (const at of [`${ALL}/${id}`, `${OF_FIRST}/${id}`]) {
    const changed = await cid.patch(at, { body: `Changed at ${at}` });
    assert.deepEqual([changed.status, changed.body.body], [200, `Changed at ${at}`]);
  }
  const second = await comment(ben, 'Indeed.');
  assert.equal((await forge.get(`${ISSUES}/1`)).body.comments, 2);
  assert.equal((await ben.delete(`${ALL}/${id}`)).status, 204);
  assert.equal((await ben.delete(`${OF_FIRST}/${second.id}`)).status, 204);
  assert.equal((await forge.get(`${ISSUES}/1`)).body.comments, 0);
  for (const method of ['get', 'patch', 'delete'] as const)
    assert.equal((await ben[method](`${ALL}/${id}`, { body: 'Gone' })).status, 404);
  const of = (commentId: number) => ({ issueId: issue.id, number: 1, isPull: false, commentId });
  assert.deepEqual(await eventsOf(forge.forge.running.engines.database, 'issue-comment.'), [
    { kind: 'issue-comment.created', actor: 'cid', ...of(id) },
    { kind: 'issue-comment.changed', actor: 'cid', ...of(id) },
    { kind: 'issue-comment.changed', actor: 'cid', ...of(id) },
    { kind: 'issue-comment.created', actor: 'ben', ...of(second.id) },
    { kind: 'issue-comment.deleted', actor: 'ben', ...of(id) },
    { kind: 'issue-comment.deleted', actor: 'ben', ...of(second.id) },
  ]);
});

test('comments are listed for an issue and for a repository, from the oldest, with a range of time and a total', async (t) => {
  const { ada, ben } = await startTracker(t);
  await open(ada, 'One');
  await open(ada, 'Two');
  for (const body of ['first', 'second']) await comment(ada, body);
  await comment(ben, 'third', `${ISSUES}/2/comments`);
  await ada.patch(`${ISSUES}/1`, { title: 'An entry that is no comment' });

  assert.deepEqual(bodiesOf(await ben.get(OF_FIRST)), ['first', 'second']);
  assert.deepEqual(bodiesOf(await ben.get(ALL)), ['first', 'second', 'third']);
  const page = await ben.get(`${ALL}?limit=1&page=2`);
  assert.deepEqual([bodiesOf(page), page.headers.get('x-total-count')], [['second'], '3']);
  for (const at of [ALL, OF_FIRST]) {
    for (const none of ['since=2100-01-01T00:00:00Z', 'before=2000-01-01T00:00:00Z']) {
      const answer = await ben.get(`${at}?${none}`);
      assert.deepEqual([answer.body, answer.headers.get('x-total-count')], [[], '0']);
    }
    for (const since of ['2000-01-01T00:00:00Z', '2000-01-01T00:00:00+02:00', '2000-01-01T00:00:00%2B02:00'])
      assert.equal((await ben.get(`${at}?since=${since}`)).body.length, at === ALL ? 3 : 2, since);
    assert.equal((await ben.get(`${at}?since=yesterday`)).status, 422);
  }
});

test('the totals of lists of comments follow comments and issues that come and go', async (t) => {
  const { ada } = await startTracker(t);
  const totals = async () =>
    Promise.all(
      [ALL, OF_FIRST, `${ALL}?since=2000-01-01T00:00:00Z`].map(async (at) =>
        Number((await ada.get(`${at}${at === ALL ? '?limit=1' : ''}`)).headers.get('x-total-count')),
      ),
    );
  for (const title of ['One', 'Two']) await open(ada, title);
  assert.deepEqual(await totals(), [0, 0, 0]);
  const { id } = await comment(ada, 'first');
  await comment(ada, 'second');
  for (const body of ['third', 'fourth']) await comment(ada, body, `${ISSUES}/2/comments`);
  assert.deepEqual(await totals(), [4, 2, 4]);
  await ada.delete(`${ALL}/${id}`);
  assert.deepEqual(await totals(), [3, 1, 3]);
  await ada.patch(`${ISSUES}/2`, { state: 'closed' });
  assert.equal((await ada.delete(`${ISSUES}/2`)).status, 204);
  assert.deepEqual(await totals(), [1, 1, 1]);
});

test('only the author of a comment and people who may write change it', async (t) => {
  const { forge, ada, ben, cid } = await startTracker(t);
  const dan = await forge.account('dan');
  await open(dan, 'Theirs');
  const { id } = await comment(cid, 'Mine');
  const statuses = async (method: 'patch' | 'delete', ...people: readonly Person[]) =>
    Promise.all(people.map(async (who) => (await who[method](`${ALL}/${id}`, { body: 'New' })).status));

  assert.deepEqual(await statuses('patch', ada, ben, cid, dan), [200, 200, 200, 403]);
  assert.deepEqual(await statuses('delete', dan), [403]);
  assert.equal((await forge.send('POST', OF_FIRST, { json: { body: 'No one' } })).status, 401);
  const at = '2020-01-01T00:00:00Z';
  assert.equal((await ben.post(OF_FIRST, { body: 'Then', updated_at: at })).status, 403);
  assert.equal((await ada.post(OF_FIRST, { body: 'Then', updated_at: at })).status, 422);
  assert.equal((await ada.post(OF_FIRST, { body: 'Then', updated_at: 'then' })).status, 422);
  const { created_at } = (await ada.get(`${ISSUES}/1`)).body;
  const stated = (await ada.post(OF_FIRST, { body: 'Then', updated_at: created_at })).body;
  assert.deepEqual([stated.created_at, stated.updated_at], [created_at, created_at]);
});

test('a comment without a text, or with an unfit one, is rejected', async (t) => {
  const { ada } = await startTracker(t);
  await open(ada, 'Kept');
  const { id } = await comment(ada, 'Kept');

  const unfit = ['', ' \n', 'nul \0', 'x'.repeat(ISSUE_LIMITS.issueBodyCharsMax + 1), 7, null];
  for (const body of unfit) {
    assert.equal((await ada.post(OF_FIRST, { body })).status, 422);
    assert.equal((await ada.patch(`${ALL}/${id}`, { body })).status, 422);
  }
  assert.equal((await ada.post(OF_FIRST, {})).status, 422);
  assert.deepEqual(bodiesOf(await ada.get(ALL)), ['Kept']);
});

test('a comment mentions people, and refers to other issues', async (t) => {
  const { forge, ada } = await startTracker(t);
  for (const title of ['One', 'Two']) await open(ada, title);
  const { id } = await comment(ada, 'Hello.');

  await ada.patch(`${ALL}/${id}`, { body: '@ben, does this fix #2?' });
  assert.deepEqual(await numbersAt(forge, `${ISSUES}?mentioned_by=ben`), [1]);
  const [{ type, ref_comment, ref_issue }] = (await forge.get(`${ISSUES}/2/timeline`)).body;
  assert.deepEqual([type, ref_comment.id, ref_issue.number], ['comment_ref', id, 1]);
});

test('the page of an issue shows its comments, each at the address that its record names', async (t) => {
  const { forge, ada } = await startTracker(t);
  await open(ada, 'One');
  const { html_url, id } = await comment(ada, '`<b>` is *loud*');

  const { pathname, hash } = new URL(html_url);
  const page = await forge.get(pathname);
  assert.equal(hash, `#issuecomment-${id}`);
  assert.match(page.text, new RegExp(`id="issuecomment-${id}">[^]*<code>&lt;b&gt;</code> is <em>loud</em>`));
});

test('500 comments of several people at once all arrive, and the issue counts them', async (t) => {
  const { ada, ben, cid } = await startTracker(t);
  const people = [ada, ben, cid];
  await open(ada, 'Busy');
  const bodies = Array.from({ length: 500 }, (_, each) => `Comment ${each}`);

  const arrived = await Promise.all(
    bodies.map((body, each) => insist(people[each % people.length] ?? ada, body)),
  );

  assert.deepEqual(new Set(arrived), new Set([201]));
  assert.equal((await ada.get(`${ISSUES}/1`)).body.comments, 500);
  const pages = await Promise.all(
    Array.from({ length: 10 }, (_, each) => ada.get(`${OF_FIRST}?limit=50&page=${each + 1}`)),
  );
  assert.deepEqual(pages.flatMap(bodiesOf).toSorted(), bodies.toSorted());
});

test('an entry that is no comment is answered with 204, and a comment is missing below any other issue or repository', async (t) => {
  const { forge, ada, cid } = await startTracker(t);
  await ada.repository('other');
  for (const title of ['One', 'Two']) await open(ada, title);
  const { id } = await comment(ada, 'Mine');
  const entry = id + 1;
  await ada.patch(`${ISSUES}/1`, { state: 'closed' });
  const calls = async (at: string) =>
    Promise.all([
      ...['GET', 'DELETE'].map(async (method) => (await ada.send(method, at)).status),
      (await ada.patch(at, { body: 'New' })).status,
    ]);

  assert.deepEqual(await calls(`${ALL}/${entry}`), [204, 204, 204]);
  assert.equal((await ada.patch(`${OF_FIRST}/${entry}`, { body: 'New' })).status, 204);
  assert.equal((await cid.patch(`${ALL}/${entry}`, { body: 'New' })).status, 204);
  for (const other of ['999999', '0', 'x', '9'.repeat(30)])
    assert.deepEqual(await calls(`${ALL}/${other}`), [404, 404, 404], other);
  assert.deepEqual(await calls(`/api/v1/repos/ada/other/issues/comments/${id}`), [404, 404, 404]);
  for (const method of ['patch', 'delete'] as const)
    assert.equal((await ada[method](`${ISSUES}/2/comments/${id}`, { body: 'New' })).status, 404);
  assert.equal((await ada.get(`${ISSUES}/9/comments`)).status, 404);
  assert.equal((await forge.get(`${ALL}/${id}`)).body.body, 'Mine');
});

test('comments follow the repository: hidden, archived or without issues', async (t) => {
  const { forge, ada, ben, cid } = await startTracker(t);
  await open(ada, 'One');
  const { id } = await comment(cid, 'Mine');
  const reads = async (who: Pick<Person, 'get'>) =>
    Promise.all([ALL, OF_FIRST, `${ALL}/${id}`].map(async (url) => (await who.get(url)).status));
  const writes = async (who: Person) => [
    (await who.post(OF_FIRST, { body: 'New' })).status,
    (await who.patch(`${ALL}/${id}`, { body: 'New' })).status,
    (await who.delete(`${ALL}/${id}`)).status,
  ];

  await ada.patch(ENGINE, { private: true });
  for (const who of [forge, cid]) assert.deepEqual(await reads(who), [404, 404, 404]);
  assert.deepEqual(await writes(cid), [404, 404, 404]);
  await ada.patch(ENGINE, { archived: true });
  assert.deepEqual(await reads(ben), [200, 200, 200]);
  assert.deepEqual(await writes(ben), [423, 423, 423]);
  await ada.patch(ENGINE, { archived: false, has_issues: false });
  // The list has comments on pull requests, too.
  assert.deepEqual([...(await reads(ben)), ...(await writes(ben))], [200, 404, 404, 404, 404, 404]);
  assert.deepEqual((await ben.get(ALL)).body, []);
});

test('a comment changes only while it is the version that If-Match names', async (t) => {
  const { ada } = await startTracker(t);
  await open(ada, 'One');
  const at = `${ALL}/${(await comment(ada, 'First')).id}`;
  const etag = (await ada.get(at)).headers.get('etag') ?? '';
  const send = (method: string) =>
    ada.send(method, at, { json: { body: 'Second' }, headers: { 'if-match': etag } });

  assert.equal((await send('PATCH')).status, 200);
  assert.deepEqual([(await send('PATCH')).status, (await send('DELETE')).status], [412, 412]);
  assert.equal((await ada.get(at)).body.body, 'Second');
});

test('the author of a comment is shown as a ghost when the account is gone or hidden', async (t) => {
  const { forge, ada, cid } = await startTracker(t);
  await open(ada, 'One');
  const { id } = await comment(cid, 'Mine');

  await forge.root.patch('/api/v1/admin/users/cid', { visibility: 'private' });
  assert.equal((await forge.get(`${ALL}/${id}`)).body.user.login, 'Ghost');
  assert.equal((await cid.get(`${ALL}/${id}`)).body.user.login, 'cid');
  assert.equal((await forge.root.delete('/api/v1/admin/users/cid?purge=true')).status, 204);
  assert.equal((await ada.get(`${ALL}/${id}`)).body.user.login, 'Ghost');
});
