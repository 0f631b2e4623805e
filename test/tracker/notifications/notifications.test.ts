import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOTIFICATION_LIMITS } from '../../../src/tracker/notifications/limits.ts';
import type { Person, TestForge } from '../../support/forge/forge.ts';
import { until } from '../../support/until.ts';
import { ENGINE, ISSUES, open, startTracker, type Wire } from '../issues/tracker.ts';

const ALL = '/api/v1/notifications';
const IN_ENGINE = `${ENGINE}/notifications`;

async function threads(who: Person, query = 'all=true', at = ALL): Promise<readonly Wire[]> {
  const { status, body, text } = await who.get(`${at}?${query}`);
  assert.equal(status, 200, text);
  return body;
}

async function titles(who: Person, query?: string, at?: string): Promise<readonly string[]> {
  return (await threads(who, query, at)).map(({ subject }) => subject.title);
}

async function countNew(who: Person): Promise<number> {
  return (await who.get(`${ALL}/new`)).body.new;
}

/**
 * Waits until everything that has happened so far is delivered: events are handled in their order, so until a user who
 * watches a repository is notified of what is done now.
 */
async function delivered(forge: TestForge): Promise<void> {
  const at = '/api/v1/repos/root/signals';
  const scout = await scoutOf(forge);
  const { number } = await open(forge.root, 'Signal', {}, `${at}/issues`);
  await until(async () =>
    (await threads(scout, 'limit=1')).some(({ subject }) =>
      subject.url.endsWith(`/signals/issues/${number}`),
    ),
  );
}

const scouts = new WeakMap<TestForge, Person>();

async function scoutOf(forge: TestForge): Promise<Person> {
  const known = scouts.get(forge);
  if (known !== undefined) return known;
  const scout = await forge.account('scout');
  await forge.root.repository('signals');
  await scout.put('/api/v1/repos/root/signals/subscription');
  scouts.set(forge, scout);
  return scout;
}

test('users who watch, have subscribed, take part or are assigned are notified, and neither the actor nor who does not want to', async (t) => {
  const { forge, ada, ben, cid } = await startTracker(t);
  const dan = await forge.account('dan');
  const people = [ada, ben, cid, dan];
  const notified = async (query = '') => {
    await delivered(forge);
    const counts = await Promise.all(
      people.map(async (who) => (await threads(who, query, IN_ENGINE)).length),
    );
    return people.filter((_, index) => counts[index] !== 0).map(({ name }) => name);
  };
  const readAll = () => Promise.all(people.map((who) => who.put(ALL)));

  await open(cid, 'One');
  assert.deepEqual(await notified(), ['ada'], 'who watches');
  await readAll();
  await ben.patch(`${ISSUES}/1`, { state: 'closed' });
  assert.deepEqual(await notified(), ['ada', 'cid'], 'the author');
  await readAll();
  await dan.put(`${ISSUES}/1/subscriptions/dan`);
  await cid.patch(`${ISSUES}/1`, { state: 'open' });
  assert.deepEqual(await notified(), ['ada', 'dan'], 'who has subscribed; not the actor');
  await readAll();
  await ada.patch(`${ISSUES}/1`, { assignees: ['ben', 'ada'] });
  assert.deepEqual(await notified(), ['ben'], 'who is assigned, and only that user');
  await readAll();
  for (const who of [ada, cid, dan]) await who.delete(`${ISSUES}/1/subscriptions/${who.name}`);
  await ada.patch(`${ISSUES}/1`, { state: 'closed' });
  assert.deepEqual(await notified(), ['ben'], 'an explicit choice counts more');
  await readAll();
  await dan.post(`${ISSUES}/1/comments`, { body: 'Mine, too' });
  await dan.put(`${ISSUES}/1/subscriptions/dan`);
  assert.deepEqual(await notified(), ['ben'], 'a comment is news');
  await readAll();
  await cid.patch(`${ISSUES}/1`, { title: 'Two' });
  assert.deepEqual(await notified(), [], 'a new title is no news');
  await open(ben, 'Three', { assignees: ['ben'] });
  assert.deepEqual(await notified(), ['ada'], 'not for what you do yourself');
});

test('people who have commented or are mentioned are notified of what comes later', async (t) => {
  const { forge, ada, ben, cid } = await startTracker(t);
  const dan = await forge.account('dan');
  await open(ada, 'One');
  const comment = async (who: Person) => {
    await who.post(`${ISSUES}/1/comments`, { body: 'Hear, hear' });
    await delivered(forge);
    const counts = await Promise.all([ada, ben, cid, dan].map(countNew));
    for (const each of [ada, ben, cid, dan]) await each.put(ALL);
    return counts;
  };

  assert.deepEqual(await comment(ben), [1, 0, 0, 0]);
  assert.deepEqual(await comment(cid), [1, 1, 0, 0]);
  assert.deepEqual(await comment(ada), [0, 1, 1, 0]);
  await ada.patch(`${ISSUES}/1`, { body: 'For @dan' });
  await delivered(forge);
  assert.deepEqual(await titles(dan), ['One'], 'an edit that mentions someone notifies only that user');
  assert.deepEqual([await countNew(dan), await countNew(ben)], [1, 0]);
  await dan.put(ALL);
  await ada.patch(`${ISSUES}/1`, { body: 'For @dan, as before' });
  await delivered(forge);
  assert.equal(await countNew(dan), 0, 'and only once');
  assert.deepEqual(await comment(cid), [1, 1, 0, 1]);
  const [eve, fay] = [await forge.account('eve'), await forge.account('fay')];
  const { id } = (await ben.post(`${ISSUES}/1/comments`, { body: 'Ask @eve' })).body;
  await delivered(forge);
  assert.deepEqual([await countNew(eve), await countNew(fay)], [1, 0]);
  await ada.put(ALL);
  await ben.patch(`${ISSUES}/comments/${id}`, { body: 'Ask @eve and @fay' });
  await delivered(forge);
  assert.deepEqual([await countNew(eve), await countNew(fay), await countNew(ada)], [1, 1, 0]);
});

test('a thread has its subject, its repository and its status, and several events make one thread', async (t) => {
  const { forge, ada, cid } = await startTracker(t);
  await open(cid, 'It rattles');
  await delivered(forge);

  const [thread] = await threads(ada, '');
  const { id, repository, updated_at, ...fields } = thread;
  assert.match(updated_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.deepEqual(
    { ...repository, permissions: null },
    { ...(await ada.get(ENGINE)).body, permissions: null },
  );
  assert.deepEqual(fields, {
    subject: {
      title: 'It rattles',
      url: `${forge.url}${ISSUES}/1`,
      html_url: `${forge.url}/ada/engine/issues/1`,
      latest_comment_url: '',
      latest_comment_html_url: '',
      type: 'Issue',
      state: 'open',
    },
    unread: true,
    pinned: false,
    url: `${forge.url}${ALL}/threads/${id}`,
  });
  await cid.patch(`${ISSUES}/1`, { state: 'closed', title: 'It hums' });
  await delivered(forge);
  const [again, ...others] = await threads(ada, '');
  assert.deepEqual(others, []);
  assert.deepEqual([again.id, again.subject.title, again.subject.state], [id, 'It hums', 'closed']);
  assert.deepEqual((await ada.get(`${ALL}/threads/${id}`)).body, again);
  await cid.post(`${ISSUES}/1/comments`, { body: 'Gone now' });
  const { subject } = (await ada.get(`${ALL}/threads/${id}`)).body;
  const comment = (await ada.get(new URL(subject.latest_comment_url).pathname)).body;
  assert.deepEqual([comment.body, comment.html_url], ['Gone now', subject.latest_comment_html_url]);
});

test('a read thread becomes unread with the next event, and a pinned one stays pinned', async (t) => {
  const { forge, ada, cid } = await startTracker(t);
  await open(cid, 'One');
  await delivered(forge);
  const [{ url }] = await threads(ada);
  const path = new URL(url).pathname;
  const states = async () => {
    const { unread, pinned } = (await ada.get(path)).body;
    return [unread, pinned, await countNew(ada)];
  };
  assert.deepEqual(await states(), [true, false, 1]);

  const read = await ada.patch(path);
  assert.deepEqual([read.status, read.body], [205, (await ada.get(path)).body]);
  assert.deepEqual(await states(), [false, false, 0]);
  await ada.get(`${ISSUES}/1`);
  assert.deepEqual((await ada.patch(`${path}?to-status=unread`)).body.unread, true);
  assert.deepEqual(await states(), [true, false, 1]);
  await ada.patch(`${path}?to-status=unknown`);
  assert.deepEqual(await states(), [false, false, 0], 'read is the default');
  await cid.patch(`${ISSUES}/1`, { state: 'closed' });
  await delivered(forge);
  assert.deepEqual(await states(), [true, false, 1]);
  await ada.patch(`${path}?to-status=PINNED`);
  assert.deepEqual(await states(), [false, true, 0]);
  await cid.post(`${ISSUES}/1/comments`, { body: 'Or not' });
  await delivered(forge);
  assert.deepEqual(await states(), [false, true, 0]);
  await ada.patch(path);
  await cid.post(`${ISSUES}/1/comments`, { body: 'Or yes' });
  await delivered(forge);
  assert.deepEqual(await states(), [true, false, 1]);
  const etag = (await ada.get(path)).headers.get('etag') ?? '';
  const mark = () => ada.send('PATCH', path, { headers: { 'if-match': etag } });
  assert.deepEqual([(await mark()).status, (await mark()).status], [205, 412]);
});

test('a list has every filter, and marking a list returns what it has marked', async (t) => {
  const { forge, ada, cid } = await startTracker(t);
  await ada.repository('loom');
  for (const title of ['One', 'Two', 'Three']) await open(cid, title);
  await open(cid, 'Four', {}, '/api/v1/repos/ada/loom/issues');
  await delivered(forge);
  const idOf = async (title: string) => {
    const found = (await threads(ada)).find(({ subject }) => subject.title === title);
    return found.id;
  };
  await ada.patch(`${ALL}/threads/${await idOf('One')}`);
  await ada.patch(`${ALL}/threads/${await idOf('Two')}?to-status=pinned`);

  const cases: Readonly<Record<string, readonly string[]>> = {
    '': ['Four', 'Three', 'Two'],
    'all=true': ['Four', 'Three', 'Two', 'One'],
    'status-types=read': ['One'],
    'status-types=read&status-types=pinned': ['Two', 'One'],
    'status-types=unread': ['Four', 'Three'],
    'status-types=unknown': ['Four', 'Three', 'Two'],
    'all=true&status-types=read': ['Four', 'Three', 'Two', 'One'],
    'subject-type=issue': ['Four', 'Three', 'Two'],
    'subject-type=pull': [],
    'subject-type=repository': [],
    'subject-type=pull&subject-type=issue': ['Four', 'Three', 'Two'],
    'since=2000-01-01T00:00:00Z': ['Four', 'Three', 'Two'],
    'since=2100-01-01T00:00:00Z': [],
    'since=2000-01-01T00:00:00+02:00': ['Four', 'Three', 'Two'],
    'before=2000-01-01T00:00:00+02:00': [],
    'before=2000-01-01T00:00:00Z': [],
    'before=2100-01-01T00:00:00Z': ['Four', 'Three', 'Two'],
  };
  for (const [query, expected] of Object.entries(cases)) {
    const answer = await ada.get(`${ALL}?${query}`);
    assert.equal(answer.headers.get('x-total-count'), String(expected.length), query);
    assert.deepEqual((await titles(ada, query)).toSorted(), expected.toSorted(), query);
    const inEngine = expected.filter((title) => title !== 'Four');
    assert.deepEqual((await titles(ada, query, IN_ENGINE)).toSorted(), inEngine.toSorted(), query);
  }
  const [{ updated_at }] = await threads(ada);
  assert.ok((await titles(ada, `before=${updated_at}`)).length > 0, 'a time of a record includes the record');
  assert.equal((await ada.get(`${ALL}?limit=1&page=2`)).body.length, 1);
  for (const at of [ALL, IN_ENGINE]) {
    for (const bad of ['since=yesterday', 'before=x'])
      assert.equal((await ada.get(`${at}?${bad}`)).status, 422);
    assert.equal((await ada.put(`${at}?last_read_at=yesterday`)).status, 400);
    for (const early of ['2000-01-01T00:00:00Z', '2000-01-01T00:00:00+02:00', '2000-01-01T00:00:00%2B02:00'])
      assert.deepEqual((await ada.put(`${at}?last_read_at=${early}`)).body, [], early);
  }

  const marked = async (url: string) => {
    const { status, body } = await ada.put(url);
    assert.equal(status, 205);
    return body.map(({ subject, unread, pinned }: Wire) => [subject.title, unread, pinned]).toSorted();
  };
  assert.deepEqual(await marked(IN_ENGINE), [['Three', false, false]]);
  assert.equal(await countNew(ada), 1);
  assert.deepEqual(await marked(`${IN_ENGINE}?status-types=pinned&to-status=unread`), [['Two', true, false]]);
  assert.deepEqual(await marked(`${ALL}?last_read_at=2100-01-01T00:00:00Z`), [
    ['Four', false, false],
    ['Two', false, false],
  ]);
  assert.deepEqual(await marked(ALL), []);
  assert.equal((await marked(`${ALL}?all=true&to-status=pinned`)).length, 4);
  assert.deepEqual(await titles(ada, 'status-types=unread&status-types=read'), []);
});

test('a thread is for its user and administrators: others get 403, and anonymous callers 401', async (t) => {
  const { forge, ada, ben, cid } = await startTracker(t);
  await open(cid, 'One');
  await delivered(forge);
  const [{ id }] = await threads(ada);
  const path = `${ALL}/threads/${id}`;

  for (const method of ['GET', 'PATCH']) {
    assert.equal((await ben.send(method, path)).status, 403);
    assert.equal((await forge.send(method, path)).status, 401);
    for (const missing of ['999999', '0', 'x', '9'.repeat(30)])
      assert.equal((await ada.send(method, `${ALL}/threads/${missing}`)).status, 404, missing);
  }
  assert.equal((await ada.get(path)).body.unread, true);
  assert.equal((await forge.root.get(path)).body.id, id);
  assert.deepEqual(await titles(ben), [], 'a list has only your own');
  for (const url of [ALL, IN_ENGINE]) {
    assert.equal((await forge.get(url)).status, 401);
    assert.equal((await forge.send('PUT', url)).status, 401);
    const as = { token: await ada.tokenFor(['read:notification']) };
    assert.equal((await forge.send('GET', url, { as })).status, 200);
    assert.equal((await forge.send('PUT', url, { as })).status, 403);
    const others = { token: await ada.tokenFor(['write:repository', 'write:issue']) };
    assert.equal((await forge.send('GET', url, { as: others })).status, 403);
  }
  assert.equal((await ada.get('/api/v1/repos/ada/missing/notifications')).status, 404);
});

test('without access to the issues of a repository, a user sees no thread and no count', async (t) => {
  const { forge, ada, ben, cid } = await startTracker(t, { private: true });
  const dan = await forge.account('dan');
  const collaborate = (name: string) => ada.put(`${ENGINE}/collaborators/${name}`, { permission: 'read' });
  await collaborate('cid');
  await collaborate('dan');
  for (const who of [ben, cid, dan]) await who.put(`${ENGINE}/subscription`);
  await open(ada, 'Hidden');
  await delivered(forge);
  const [{ id }] = await threads(cid);
  const seen = async (who: Person) => [
    await titles(who),
    (await who.get(ALL)).headers.get('x-total-count'),
    await countNew(who),
    (await who.get(`${ALL}/threads/${id}`)).status,
    (await who.put(`${ALL}?all=true&to-status=unread`)).body.length,
  ];
  const nothing = [[], '0', 0, 404, 0];
  assert.deepEqual(await seen(cid), [['Hidden'], '1', 1, 200, 0]);
  const publicOnly = { token: await cid.tokenFor(['all', 'public-only']) };
  assert.deepEqual((await forge.send('GET', ALL, { as: publicOnly })).body, []);

  await cid.put(ALL);
  await ada.delete(`${ENGINE}/collaborators/cid`);
  assert.deepEqual(await seen(cid), nothing);
  assert.equal((await cid.get(IN_ENGINE)).status, 404);
  assert.equal((await cid.patch(`${ALL}/threads/${id}`)).status, 404);
  await ada.patch(`${ISSUES}/1`, { state: 'closed' });
  await delivered(forge);
  await collaborate('cid');
  const [back] = await threads(cid);
  assert.deepEqual(
    [back.id, back.unread],
    [id, false],
    'it comes back with the access, without what was missed',
  );
  await ada.patch(ENGINE, { has_issues: false });
  assert.deepEqual(await seen(cid), nothing);
  assert.deepEqual((await cid.get(IN_ENGINE)).body, []);
  await ada.patch(ENGINE, { has_issues: true });
  assert.deepEqual(await titles(dan), ['Hidden']);
  await ada.patch(ENGINE, { archived: true });
  assert.equal(
    (await dan.put(IN_ENGINE)).body.length,
    1,
    'what you have read is no change of an archived one',
  );
  await ada.patch(ENGINE, { archived: false });
  await ada.delete(`${ISSUES}/1`);
  for (const who of [cid, dan]) assert.deepEqual(await seen(who), nothing);
});

test('an event reaches more watchers than one transaction notifies, each of them once', async (t) => {
  const { forge, ada } = await startTracker(t);
  const { engines, services } = forge.forge.running;
  const count = 2 * NOTIFICATION_LIMITS.notificationsDeliveredAtOnceMax + 3;
  const repositoryId = (await ada.get(ENGINE)).body.id;
  const now = Date.now();
  const rows = Array.from({ length: count }, (_, each) => `watcher-${each}`);
  const ids = await engines.database.transaction(async (tx) => {
    const made = await tx
      .insertInto('accounts')
      .values(
        rows.map((name) => ({
          kind: 'user' as const,
          name,
          lower_name: name,
          full_name: '',
          email: '',
          lower_email: null,
          password_hash: null,
          created_at: now,
          updated_at: now,
          last_login_at: null,
        })),
      )
      .returning('id')
      .execute();
    const watches = made.map(({ id }) => ({ account_id: id, repository_id: repositoryId, created_at: now }));
    await tx.insertInto('watches').values(watches).execute();
    return made.map(({ id }) => id);
  });
  const last = await services.accounts.get(Math.max(...ids));
  const { token } = await services.tokens.createFor(last, { name: 'all', scopes: ['all'] });
  const lastCount = async () => (await forge.send('GET', `${ALL}/new`, { as: { token } })).body.new;

  await open(ada, 'News');
  await until(async () => (await lastCount()) === 1);

  const stored = await engines.database.reader
    .selectFrom('notification_threads')
    .select(['account_id', 'status'])
    .execute();
  assert.deepEqual(
    stored.map(({ account_id }) => account_id).toSorted((one, other) => one - other),
    ids.toSorted((one, other) => one - other),
  );
});
