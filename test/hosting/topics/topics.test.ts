import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOPIC_LIMITS } from '../../../src/hosting/topics/limits.ts';
import { eventsOf } from '../../support/forge/events.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';

const TOPICS = '/api/v1/repos/ada/engine/topics';

async function adaWithEngine(forge: TestForge, options: Record<string, unknown> = {}): Promise<Person> {
  const ada = await forge.account('ada');
  await ada.repository('engine', options);
  return ada;
}

async function topicsOf(who: Person | TestForge, path = TOPICS): Promise<readonly string[]> {
  const answer = await who.get(path);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.topics;
}

interface Found {
  readonly topic_name: string;
  readonly repo_count: number;
}

async function search(who: Person | TestForge, q: string): Promise<Record<string, number>> {
  const answer = await who.get(`/api/v1/topics/search?q=${encodeURIComponent(q)}`);
  assert.equal(answer.status, 200, answer.text);
  const found: Found[] = answer.body.topics;
  assert.equal(answer.headers.get('x-total-count'), String(found.length));
  return Object.fromEntries(found.map((topic) => [topic.topic_name, topic.repo_count]));
}

test('a new list of topics replaces the old one, sorted, in lowercase and without duplicates', async (t) => {
  const forge = await startForge(t);
  const ada = await adaWithEngine(forge);

  const first = await ada.put(TOPICS, { topics: [' Looms', 'go', 'looms ', '', 'c-1.2'] });
  assert.deepEqual([first.status, first.text], [204, '']);
  assert.deepEqual(await topicsOf(ada), ['c-1.2', 'go', 'looms']);
  assert.equal((await ada.put(TOPICS, { topics: ['go', 'ada'] })).status, 204);
  assert.equal((await ada.put(TOPICS, { topics: ['ada', 'go'] })).status, 204);

  assert.deepEqual(await topicsOf(forge), ['ada', 'go']);
  assert.deepEqual((await ada.get('/api/v1/repos/ada/engine')).body.topics, ['ada', 'go']);
  const { database } = forge.forge.running.engines;
  assert.deepEqual(await eventsOf(database, 'repository.topics'), [
    { kind: 'repository.topics-changed', actor: 'ada', topics: ['c-1.2', 'go', 'looms'] },
    { kind: 'repository.topics-changed', actor: 'ada', topics: ['ada', 'go'] },
  ]);
});

test('an empty list removes all topics', async (t) => {
  const forge = await startForge(t);
  const ada = await adaWithEngine(forge);
  await ada.put(TOPICS, { topics: ['go'] });

  for (const bad of [{}, { topic: ['x'] }, { topics: null }])
    assert.equal((await ada.put(TOPICS, bad)).status, 422, 'a missing list does not remove all topics');
  assert.equal((await ada.put(TOPICS, { topics: [] })).status, 204);

  assert.deepEqual(await topicsOf(ada), []);
});

test('the list of topics of a repository is paged', async (t) => {
  const forge = await startForge(t);
  const ada = await adaWithEngine(forge);
  await ada.put(TOPICS, { topics: ['a', 'b', 'c'] });

  const page = await ada.get(`${TOPICS}?limit=2&page=2`);

  assert.deepEqual(page.body, { topics: ['c'] });
  assert.equal(page.headers.get('x-total-count'), '3');
  assert.equal(page.headers.get('access-control-expose-headers'), 'Link, X-Total-Count');
});

test('invalid topics are named in the error, and nothing changes', async (t) => {
  const forge = await startForge(t);
  const ada = await adaWithEngine(forge);
  await ada.put(TOPICS, { topics: ['go'] });
  const long = 'x'.repeat(TOPIC_LIMITS.topicCharsMax + 1);
  const bad = ['-a', 'a b', 'a/b', 'a_b', 'é', 'a\u0000', '.', long];

  const answer = await ada.put(TOPICS, { topics: ['fine', ...bad] });

  assert.equal(answer.status, 422);
  assert.deepEqual(answer.body, { message: 'Topic names are invalid', invalidTopics: bad.toSorted() });
  for (const topic of bad.filter((name) => name !== '.')) {
    const one = await ada.put(`${TOPICS}/${encodeURIComponent(topic)}`);
    assert.equal(one.status, 422, topic);
    assert.deepEqual(one.body.invalidTopics, [topic]);
    assert.equal((await ada.delete(`${TOPICS}/${encodeURIComponent(topic)}`)).status, 422, topic);
  }
  for (const topics of ['go', [1], [null], { a: 1 }])
    assert.equal((await ada.put(TOPICS, { topics })).status, 422, JSON.stringify(topics));
  assert.deepEqual(await topicsOf(ada), ['go']);
});

test('the number of topics of a repository is limited', async (t) => {
  const forge = await startForge(t);
  const ada = await adaWithEngine(forge);
  const most = Array.from({ length: TOPIC_LIMITS.topicsPerRepositoryMax }, (_, index) => `t${index}`);

  assert.equal((await ada.put(TOPICS, { topics: most })).status, 204);
  const many = await ada.put(TOPICS, { topics: [...most, 'more'] });
  const more = await ada.put(`${TOPICS}/more`);

  for (const answer of [many, more]) {
    assert.equal(answer.status, 422);
    assert.deepEqual(answer.body, { message: 'a repository has at most 25 topics', invalidTopics: [] });
  }
  assert.equal((await ada.put(`${TOPICS}/t3`)).status, 204, 'an existing topic');
  assert.deepEqual(await topicsOf(ada), most.toSorted());
});

test('a single topic can be added, and removed if present', async (t) => {
  const forge = await startForge(t);
  const ada = await adaWithEngine(forge);
  await ada.put(TOPICS, { topics: ['go'] });

  const statuses = [
    (await ada.put(`${TOPICS}/Ada`)).status,
    (await ada.put(`${TOPICS}/ada`)).status,
    (await ada.delete(`${TOPICS}/GO`)).status,
    (await ada.delete(`${TOPICS}/go`)).status,
  ];

  assert.deepEqual(statuses, [204, 204, 204, 404]);
  assert.deepEqual(await topicsOf(ada), ['ada']);
});

test('concurrent additions of topics all succeed', async (t) => {
  const forge = await startForge(t);
  const ada = await adaWithEngine(forge);
  const expected = ['a', 'b', 'c', 'd', 'e', 'f'];

  const answers = await Promise.all([...expected, ...expected].map((topic) => ada.put(`${TOPICS}/${topic}`)));

  assert.deepEqual(new Set(answers.map((answer) => answer.status)), new Set([204]));
  assert.deepEqual(await topicsOf(ada), expected);
  assert.deepEqual(await search(ada, ''), { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 });
});

test('only an administrator of a repository can change its topics, even if it is archived', async (t) => {
  const forge = await startForge(t);
  const ada = await adaWithEngine(forge);
  const ben = await forge.account('ben');
  await ada.put('/api/v1/repos/ada/engine/collaborators/ben', { permission: 'write' });

  for (const [method, path] of [
    ['PUT', TOPICS],
    ['PUT', `${TOPICS}/go`],
    ['DELETE', `${TOPICS}/go`],
  ] as const) {
    assert.equal((await ben.send(method, path, { json: { topics: [] } })).status, 403, `${method} ${path}`);
    assert.equal((await forge.send(method, path, { json: { topics: [] } })).status, 401, `${method} ${path}`);
  }
  const { database } = forge.forge.running.engines;
  await database.transaction(async (tx) => {
    await tx.updateTable('repositories').set({ archived_at: 1 }).execute();
  });
  assert.equal((await ada.put(`${TOPICS}/go`)).status, 204);
});

test('topics are found by a part of their name, most frequent first', async (t) => {
  const forge = await startForge(t);
  const ada = await adaWithEngine(forge);
  await ada.repository('loom');
  await ada.put(TOPICS, { topics: ['weaving', 'wool', 'go'] });
  await ada.put('/api/v1/repos/ada/loom/topics', { topics: ['wool'] });

  const answer = await forge.get('/api/v1/topics/search?q=W');
  assert.deepEqual(
    answer.body.topics.map((topic: Found) => [topic.topic_name, topic.repo_count]),
    [
      ['wool', 2],
      ['weaving', 1],
    ],
  );
  assert.deepEqual(Object.keys(answer.body.topics[0]).toSorted(), [
    'created',
    'id',
    'repo_count',
    'topic_name',
    'updated',
  ]);
  const page = await forge.get('/api/v1/topics/search?limit=1&page=2');
  assert.deepEqual(
    page.body.topics.map((topic: Found) => topic.topic_name),
    ['go'],
  );
  assert.equal(page.headers.get('x-total-count'), '3');
  for (const q of ['%', '_', '\\', 'x'.repeat(4000), '\u0000'])
    assert.deepEqual(await search(forge, q), {}, q);
});

test('B7: a topic that only hidden repositories have is found only by viewers who see one of them', async (t) => {
  const forge = await startForge(t);
  const ada = await adaWithEngine(forge, { private: true });
  const ben = await forge.account('ben');
  await ada.put(TOPICS, { topics: ['hush'] });

  assert.deepEqual(await search(ada, 'hush'), { hush: 1 });
  assert.deepEqual(await search(forge.root, 'hush'), { hush: 1 });
  for (const who of [forge, ben]) assert.deepEqual(await search(who, 'hush'), {});
  const token = await ada.tokenFor(['public-only', 'read:repository']);
  assert.deepEqual((await ada.get('/api/v1/topics/search?q=hush', { as: { token } })).body, { topics: [] });
  assert.equal((await ben.get(TOPICS)).status, 404);
  assert.equal((await ben.put(`${TOPICS}/go`)).status, 404);
});

test('a deleted repository no longer counts for its topics', async (t) => {
  const forge = await startForge(t);
  const ada = await adaWithEngine(forge);
  await ada.repository('loom');
  await ada.put(TOPICS, { topics: ['wool', 'go'] });
  await ada.put('/api/v1/repos/ada/loom/topics', { topics: ['wool'] });

  assert.equal((await ada.delete('/api/v1/repos/ada/engine')).status, 204);

  assert.deepEqual(await search(ada, ''), { wool: 1 });
  const { database } = forge.forge.running.engines;
  const kept = await database.reader.selectFrom('topics').select('name').execute();
  assert.deepEqual(kept, [{ name: 'wool' }], 'an unused topic is deleted');
});
