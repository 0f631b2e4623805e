import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ISSUE_LIMITS } from '../../../src/tracker/issues/limits.ts';
import { eventsOf } from '../../support/forge/events.ts';
import type { Person } from '../../support/forge/forge.ts';
import { startGuild } from '../../support/forge/organizations.ts';
import { ENGINE, ISSUES, open, startTracker, type Wire } from './tracker.ts';

const LABELS = `${ISSUES}/1/labels`;

async function label(who: Person, name: string, fields: object = {}, at = ENGINE): Promise<number> {
  const made = await who.post(`${at}/labels`, { name, color: 'f00', ...fields });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

const namesOf = ({ status, body }: Wire) => [status, ...body.map(({ name }: Wire) => name)];

test('labels are added to an issue by id or name, replaced, removed and cleared, each with an event', async (t) => {
  const { forge, ada, ben } = await startTracker(t);
  const issue = await open(ada, 'One');
  const [bug, ui, doc] = [await label(ada, 'bug'), await label(ada, 'ui'), await label(ada, 'doc')];

  assert.deepEqual(namesOf(await ben.post(LABELS, { labels: [ui, 'bug'] })), [200, 'bug', 'ui']);
  assert.deepEqual(namesOf(await ben.post(LABELS, { labels: ['ui'] })), [200, 'bug', 'ui']);
  assert.deepEqual(namesOf(await ben.put(LABELS, { labels: ['doc', ui] })), [200, 'doc', 'ui']);
  assert.deepEqual(namesOf(await forge.get(LABELS)), [200, 'doc', 'ui']);
  const page = await forge.get(`${LABELS}?limit=1&page=2`);
  assert.deepEqual([...namesOf(page), page.headers.get('x-total-count')], [200, 'ui', '2']);
  assert.equal((await ben.delete(`${LABELS}/${ui}`)).status, 204);
  assert.equal((await ben.delete(`${LABELS}/doc`)).status, 204);
  assert.equal((await ben.delete(`${LABELS}/doc`)).status, 204, 'it is not on the issue any more');
  await ben.post(LABELS, { labels: [bug] });
  assert.equal((await ben.send('DELETE', LABELS)).status, 204);
  assert.deepEqual((await forge.get(`${ISSUES}/1`)).body.labels, []);

  const of = { kind: 'issue.labels-changed', actor: 'ben', issueId: issue.id, number: 1, isPull: false };
  assert.deepEqual(await eventsOf(forge.forge.running.engines.database, 'issue.labels'), [
    { ...of, added: [ui, bug], removed: [] },
    { ...of, added: [doc], removed: [bug] },
    { ...of, added: [], removed: [ui] },
    { ...of, added: [], removed: [doc] },
    { ...of, added: [bug], removed: [] },
    { ...of, added: [], removed: [bug] },
  ]);
});

test('an exclusive label replaces the one of its scope, and the last one of a request stays', async (t) => {
  const { ada } = await startTracker(t);
  for (const name of ['size/s', 'size/m', 'size/m/x', 'kind/bug'])
    await label(ada, name, { exclusive: true });
  const [plain, large] = [await label(ada, 'size/plain'), await label(ada, 'size/l', { exclusive: true })];
  await open(ada, 'One', { labels: [plain, large] });

  const set = async (method: 'post' | 'put', ...labels: readonly string[]) =>
    namesOf(await ada[method](LABELS, { labels }));
  assert.deepEqual(await set('post', 'size/s'), [200, 'size/plain', 'size/s']);
  assert.deepEqual(await set('post', 'kind/bug', 'size/m/x'), [
    ...[200, 'kind/bug', 'size/m/x', 'size/plain', 'size/s'],
  ]);
  assert.deepEqual(await set('put', 'size/m', 'size/l'), [200, 'size/l']);
  const small = (await ada.get(`${ENGINE}/labels`)).body.find(({ name }: Wire) => name === 'size/s').id;
  const created = await open(ada, 'Two', { labels: [large, small] });
  assert.deepEqual(
    created.labels.map(({ name }: Wire) => name),
    ['size/s'],
  );
});

test('unknown labels, labels of another repository and too many are rejected, and nothing changes', async (t) => {
  const { ada } = await startTracker(t);
  await ada.repository('other');
  const foreign = await label(ada, 'theirs', {}, '/api/v1/repos/ada/other');
  await label(ada, 'bug');
  await open(ada, 'One');
  await ada.post(LABELS, { labels: ['bug'] });

  const many = Array.from({ length: ISSUE_LIMITS.issueLinksMax + 1 }, (_, each) => each + 1);
  const unfit = [['none'], [999_999], [foreign], ['theirs'], ['bug', 'none'], many, [{}], 'bug', [true]];
  for (const labels of unfit) {
    for (const method of ['post', 'put'] as const)
      assert.equal((await ada[method](LABELS, { labels })).status, 422, JSON.stringify(labels).slice(0, 50));
  }
  for (const bad of [{}, { label: ['bug'] }, { labels: null }, { Labels: [] }]) {
    assert.equal((await ada.put(LABELS, bad)).status, 422, 'a missing list does not remove all labels');
    assert.equal((await ada.post(LABELS, bad)).status, 422);
  }
  assert.equal((await ada.send('PUT', LABELS)).status, 422, 'a missing body does not remove all labels');
  for (const key of ['none', '999999', foreign, 'theirs'])
    assert.equal((await ada.delete(`${LABELS}/${key}`)).status, 422);
  assert.deepEqual(namesOf(await ada.get(LABELS)), [200, 'bug']);
  assert.equal((await ada.post('/api/v1/repos/ada/other/issues/1/labels', { labels: [] })).status, 404);
});

test('only people who may write change the labels of an issue, not in an archive, and only the version that If-Match names', async (t) => {
  const { forge, ada, ben, cid } = await startTracker(t);
  await label(ada, 'bug');
  await open(cid, 'One');
  const statuses = async (who: Person) => [
    (await who.post(LABELS, { labels: ['bug'] })).status,
    (await who.put(LABELS, { labels: ['bug'] })).status,
    (await who.delete(LABELS)).status,
    (await who.delete(`${LABELS}/bug`)).status,
  ];

  assert.deepEqual(await statuses(cid), [403, 403, 403, 403]);
  assert.equal((await forge.send('POST', LABELS, { json: { labels: ['bug'] } })).status, 401);
  const then = { labels: ['bug'], updated_at: '2020-01-01T00:00:00Z' };
  assert.deepEqual(
    [(await ben.post(LABELS, then)).status, (await ada.post(LABELS, then)).status],
    [403, 422],
  );
  const etag = (await ben.get(LABELS)).headers.get('etag') ?? '';
  const send = () => ben.send('PUT', LABELS, { json: { labels: ['bug'] }, headers: { 'if-match': etag } });
  assert.deepEqual([(await send()).status, (await send()).status], [200, 412]);
  await ada.patch(ENGINE, { archived: true });
  assert.deepEqual(await statuses(ben), [423, 423, 423, 423]);
  await ada.patch(ENGINE, { archived: false, private: true });
  assert.deepEqual([(await cid.get(LABELS)).status, ...(await statuses(cid))], Array(5).fill(404));
});

test('an archived label stays on its issues, and can still be added over the API, as in the reference', async (t) => {
  const { ada } = await startTracker(t);
  const bug = await label(ada, 'bug');
  await open(ada, 'One', { labels: [bug] });
  await open(ada, 'Two');
  await ada.patch(`${ENGINE}/labels/${bug}`, { is_archived: true });

  const [shown] = (await ada.get(LABELS)).body;
  assert.deepEqual([shown.name, shown.is_archived], ['bug', true]);
  assert.deepEqual(namesOf(await ada.put(LABELS, { labels: [bug] })), [200, 'bug']);
  const added = await ada.post(`${ISSUES}/2/labels`, { labels: ['bug'] });
  assert.deepEqual(namesOf(added), [200, 'bug']);
});

test('labels of the organization that owns the repository are added, too', async (t) => {
  const guild = await startGuild(t);
  const { ada } = guild;
  await guild.repository('engine');
  await label(ada, 'urgent', {}, '/api/v1/orgs/guild');
  await open(ada, 'One', {}, '/api/v1/repos/guild/engine/issues');

  const labels = ['urgent'];
  assert.deepEqual(namesOf(await ada.post('/api/v1/repos/guild/engine/issues/1/labels', { labels })), [
    ...[200, 'urgent'],
  ]);
});
