import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Person, TestForge } from '../../../support/forge/forge.ts';
import { startGuild } from '../../../support/forge/organizations.ts';
import { ENGINE, ISSUES, numbersAt, open, startTracker, type Wire } from '../tracker.ts';

const SEARCH = '/api/v1/repos/issues/search';

/** Texts without words, encoded for a query. */
const SIGNS = ['%25', '???', '.', '%20.%20', '_', '%5C', '%22%22', '-', '%23', '%2B', "'", '%E2%80%A6'];

/** Searches all repositories, and returns the titles; the total must be their number. */
async function titlesAt(who: Person | TestForge, query: string): Promise<readonly string[]> {
  const answer = await who.get(`${SEARCH}?${query}`);
  assert.equal(answer.status, 200, answer.text);
  const titles = answer.body.map(({ title }: Wire) => title);
  assert.equal(answer.headers.get('x-total-count'), String(titles.length), query);
  return titles;
}

test('words of titles, texts and comments find issues of a repository: titles first, then texts, then comments', async (t) => {
  const { ada, ben } = await startTracker(t);
  await ada.repository('other');
  await open(ada, 'A pump', {}, '/api/v1/repos/ada/other/issues');
  const label = (await ada.post(`${ENGINE}/labels`, { name: 'bug', color: 'f00' })).body.id;
  await open(ada, 'The PUMP rattles', { labels: [label] });
  await open(ben, 'Valves', { body: 'The pump leaks' });
  await open(ada, 'Pipes');
  await ada.post(`${ISSUES}/3/comments`, { body: 'Near the pump' });
  await open(ada, 'Pümp', { body: 'leaks' });
  await open(ada, 'Closed pump', { closed: true });
  const cases: Readonly<Record<string, readonly number[]>> = {
    'q=pump': [4, 1, 2, 3],
    'q=pump&sort=oldest': [1, 2, 3, 4],
    'q=pump&sort=latest': [4, 3, 2, 1],
    'q=pump&sort=mostcomment': [3, 4, 2, 1],
    'q=pump&sort=nearduedate': [1, 2, 3, 4],
    'q=pump&state=all': [5, 4, 1, 2, 3],
    'q=pump&labels=bug': [1],
    'q=pump&created_by=ben': [2],
    'q=pump&type=pulls': [],
    'q=pump+leaks': [4, 2],
    'q=%22pump+leaks%22': [2],
    'q=%22rattles+pump%22': [],
    'q=pum': [4, 1, 2, 3],
    'q=%22pum%22': [],
    'q=p': [],
    'q=leak+PUM': [4, 2],
    'q=ump': [],
    'q=no-such-word': [],
    'q=%20': [4, 3, 2, 1],
    ...Object.fromEntries(SIGNS.map((signs) => [`q=${signs}`, []])),
    'q=%25&state=all&labels=bug': [],
    'q=%25+pump': [4, 1, 2, 3],
    'q=pump&limit=2&page=2': [2, 3],
  };
  for (const [query, numbers] of Object.entries(cases))
    assert.deepEqual(await numbersAt(ada, `${ISSUES}?${query}`), numbers, query);
  assert.equal((await ada.get(`${ISSUES}?q=pump&limit=1`)).headers.get('x-total-count'), '4');
  assert.equal((await ada.get(`${ISSUES}?q=${'x'.repeat(501)}`)).status, 422);

  const [comment] = (await ada.get(`${ISSUES}/3/comments`)).body;
  await ada.patch(`${ENGINE}/issues/comments/${comment.id}`, { body: 'Near the tank' });
  await ada.patch(`${ISSUES}/1`, { title: 'The engine rattles' });
  await ada.patch(`${ISSUES}/2`, { body: 'Nothing' });
  await ada.delete(`${ISSUES}/4`);
  assert.deepEqual(await numbersAt(ada, `${ISSUES}?q=pump`), []);
  assert.deepEqual(await numbersAt(ada, `${ISSUES}?q=tank`), [3]);
  await ada.delete(`${ENGINE}/issues/comments/${comment.id}`);
  assert.deepEqual(await numbersAt(ada, `${ISSUES}?q=tank`), []);
});

test('a search over all repositories finds issues that the viewer may read, and counts no others', async (t) => {
  const { forge, ada, ben, cid } = await startTracker(t);
  for (const [name, fields] of Object.entries({ hidden: { private: true }, off: {}, pub: {} }))
    await ada.repository(name, fields);
  const at = (name: string) => `/api/v1/repos/ada/${name}/issues`;
  await open(ada, 'Seen pump', { assignees: ['ben'], body: 'For @cid' });
  await open(ada, 'Hidden pump', {}, at('hidden'));
  await open(ada, 'Off pump', {}, at('off'));
  await ada.patch('/api/v1/repos/ada/off', { has_issues: false });
  await open(cid, 'Other pump', {}, at('pub'));
  await open(cid, 'Closed pump', { body: '' }, at('pub'));
  await cid.patch(`${at('pub')}/2`, { state: 'closed' });
  const hiddenId = (await ada.get('/api/v1/repos/ada/hidden')).body.id;

  for (const signs of SIGNS) assert.deepEqual(await titlesAt(ada, `q=${signs}`), [], signs);
  for (const query of ['', 'q=pump']) {
    assert.deepEqual(await titlesAt(forge, query), ['Other pump', 'Seen pump']);
    assert.deepEqual(await titlesAt(ben, query), ['Other pump', 'Seen pump']);
    assert.deepEqual(await titlesAt(ada, query), ['Other pump', 'Hidden pump', 'Seen pump']);
    assert.deepEqual(await titlesAt(ada, `${query}&owner=ada`), ['Other pump', 'Hidden pump', 'Seen pump']);
    assert.deepEqual(await titlesAt(ben, `${query}&owner=ada`), ['Other pump', 'Seen pump']);
    assert.deepEqual(await titlesAt(ada, `${query}&owner=ben`), []);
    assert.deepEqual(await titlesAt(ben, `${query}&state=closed`), ['Closed pump']);
    assert.deepEqual(await titlesAt(ben, `${query}&assigned=true`), ['Seen pump']);
    assert.deepEqual(await titlesAt(cid, `${query}&created=true`), ['Other pump']);
    assert.deepEqual(await titlesAt(cid, `${query}&mentioned=true`), ['Seen pump']);
    assert.deepEqual(await titlesAt(forge, `${query}&created=true`), []);
    assert.deepEqual(await titlesAt(ada, `${query}&sort=oldest`), ['Seen pump', 'Hidden pump', 'Other pump']);
    assert.deepEqual(await titlesAt(ada, `${query}&priority_repo_id=${hiddenId}`), [
      'Hidden pump',
      'Other pump',
      'Seen pump',
    ]);
    for (const none of ['type=pulls', 'reviewed=true', 'review_requested=true', 'labels=x', 'milestones=x'])
      assert.deepEqual(await titlesAt(ada, `${query}&${none}`), [], none);
  }
  const [one] = (await ada.get(`${SEARCH}?q=seen`)).body;
  assert.deepEqual([one.repository.full_name, one.number], ['ada/engine', 1]);
  const page = await ada.get(`${SEARCH}?q=pump&limit=1&page=2`);
  assert.deepEqual([page.body[0].title, page.headers.get('x-total-count')], ['Hidden pump', '3']);
  for (const bad of ['owner=no-such', 'team=x', 'owner=ada&team=x'])
    assert.equal((await ada.get(`${SEARCH}?${bad}`)).status, 400, bad);
  await ada.put('/api/v1/repos/ada/hidden/collaborators/cid', { permission: 'read' });
  assert.deepEqual(await titlesAt(cid, 'q=hidden'), ['Hidden pump']);
  await ada.delete('/api/v1/repos/ada/hidden/collaborators/cid');
  assert.deepEqual(await titlesAt(cid, 'q=hidden'), []);
});

test('a token searches only what its scopes and its repositories give', async (t) => {
  const { forge, ada } = await startTracker(t);
  for (const name of ['hidden', 'secret']) await ada.repository(name, { private: true });
  for (const name of ['engine', 'hidden', 'secret'])
    await open(ada, `Pump of ${name}`, {}, `/api/v1/repos/ada/${name}/issues`);
  const limitedTo = async (...repositories: readonly string[]) => {
    const as = { name: 'ada', password: ada.password };
    const json = { name: `of ${repositories}`, scopes: ['read:issue'], repositories };
    const created = await forge.send('POST', '/api/v1/users/ada/tokens', { as, json });
    assert.equal(created.status, 201, created.text);
    return created.body.sha1;
  };
  const all = ['Pump of secret', 'Pump of hidden', 'Pump of engine'];
  const tokens: readonly [token: string, titles: readonly string[] | 403][] = [
    [await ada.tokenFor(['read:issue']), all],
    [await ada.tokenFor(['write:issue']), all],
    [await ada.tokenFor(['read:issue', 'public-only']), ['Pump of engine']],
    [await ada.tokenFor(['write:repository', 'write:notification']), 403],
    [await limitedTo('ada/hidden'), ['Pump of hidden']],
    [await limitedTo('ada/hidden', 'ada/engine'), ['Pump of hidden', 'Pump of engine']],
  ];

  for (const [token, titles] of tokens) {
    for (const query of ['', 'q=pump', 'owner=ada', 'created=true', 'q=pump&owner=ada&state=all']) {
      const answer = await forge.send('GET', `${SEARCH}?${query}`, { as: { token } });
      const shown = answer.status === 200 ? answer.body.map(({ title }: Wire) => title) : answer.status;
      assert.deepEqual(shown, titles, query);
      if (titles !== 403) assert.equal(answer.headers.get('x-total-count'), String(titles.length), query);
    }
  }
});

test('a search finds what teams give on issues, with labels and milestones by their names', async (t) => {
  const guild = await startGuild(t);
  const { ada, forge } = guild;
  const [ben, cid] = [await forge.account('ben'), await forge.account('cid')];
  await guild.repository('secret', { private: true });
  const options = { repositories: ['secret'], permission: 'read' };
  await guild.team('trackers', { ...options, members: [ben], units_map: { 'repo.issues': 'read' } });
  await guild.team('coders', { ...options, members: [cid], units_map: { 'repo.code': 'read' } });
  const url = '/api/v1/repos/guild/secret';
  const label = (await ada.post(`${url}/labels`, { name: 'bug', color: 'f00' })).body.id;
  const milestone = (await ada.post(`${url}/milestones`, { title: 'First' })).body.id;
  await open(ada, 'Labeled', { labels: [label] }, `${url}/issues`);
  await open(ada, 'Planned', { milestone }, `${url}/issues`);

  assert.deepEqual(await titlesAt(ben, ''), ['Planned', 'Labeled']);
  for (const query of ['', 'owner=guild', 'owner=guild&q=planned', 'owner=guild&labels=bug'])
    assert.deepEqual(await titlesAt(cid, query), [], query);
  assert.deepEqual(await titlesAt(ben, 'labels=bug,none'), ['Labeled']);
  assert.deepEqual(await titlesAt(ben, 'milestones=First&q=planned'), ['Planned']);
  assert.deepEqual(await titlesAt(ben, 'owner=guild&team=trackers'), ['Planned', 'Labeled']);
  assert.deepEqual(await titlesAt(forge, 'q=planned'), []);
});

test('B7: a search by a team that the viewer may not see is the same as by one that does not exist', async (t) => {
  const guild = await startGuild(t);
  const { ada, forge } = guild;
  const [ben, eve] = [await forge.account('ben'), await forge.account('eve')];
  await guild.repository('handbook');
  await guild.team('smiths', { members: [ben], repositories: ['handbook'] });
  await open(ada, 'Bellows', {}, '/api/v1/repos/guild/handbook/issues');
  const by = (team: string) => `${SEARCH}?owner=guild&team=${team}`;

  for (const who of [eve, forge]) {
    const [hidden, missing] = [await who.get(by('smiths')), await who.get(by('nowhere'))];
    assert.deepEqual([hidden.status, hidden.body.message], [400, 'guild has no team smiths']);
    assert.deepEqual([missing.status, missing.body.message], [400, 'guild has no team nowhere']);
  }
  for (const who of [ben, ada, forge.root]) {
    assert.deepEqual(await titlesAt(who, 'owner=guild&team=smiths'), ['Bellows']);
    assert.equal((await who.get(by('nowhere'))).status, 400);
  }
  const as = { token: await ben.tokenFor(['read:issue']) };
  for (const team of ['smiths', 'nowhere']) {
    const answer = await forge.send('GET', by(team), { as });
    assert.equal(answer.status, 403);
    assert.match(answer.body.message, /required scope\(s\): \[read:organization\]/);
  }
});

/** Titles, texts and comments, whose words are not all plain. */
const ODD_TEXTS: readonly (readonly [title: string, body: string, comment?: string])[] = [
  ['The pump-house', 'leaks\n\nand RATTLES'],
  ['Pümp housé', 'Leaks, and rattles'],
  ['Pump', 'house'],
  ['Water', 'A pump; a house', 'The pump $house'],
  ['Ωμέγας', 'ωμεγασ 5 €', 'leaks.and:rattles'],
  ['漢字のテスト', 'pump漢字house'],
  [`${'long'.repeat(16)}er`, `a${'b'.repeat(63)} pumphouse _pump_ house_`],
  ['Nothing', '', 'É'],
];
const ODD_QUERIES: Readonly<Record<string, readonly number[]>> = {
  pump: [3, 2, 1, 7, 6, 4],
  '"pump house"': [2, 1, 7, 4],
  'house pump': [2, 1, 7, 6, 4, 3],
  '"leaks and rattles"': [2, 1, 5],
  pumph: [7],
  '"pumph"': [],
  ump: [],
  ΩΜΈΓΑΣ: [5],
  '"字の"': [6],
  '5 €': [5],
  e: [8],
  [`"${'long'.repeat(16)}"`]: [7],
  [`a${'b'.repeat(63)}`]: [7],
  'pump and $': [2, 1],
  hou: [2, 1, 7, 6, 4, 3],
  'pump-hou': [2, 1, 7, 4],
  '"pump" hou': [2, 1, 7, 6, 4, 3],
  ho: [],
  ωμέ: [5],
  漢字の: [6],
  [`${'long'.repeat(15)}lon`]: [7],
  'lea and rat hou pum': [],
  'leaks and rat hou pum': [2, 1],
};

test('a search finds the same words in all issues of a repository and among few that match a filter', async (t) => {
  const { ada } = await startTracker(t);
  const label = (await ada.post(`${ENGINE}/labels`, { name: 'bug', color: 'f00' })).body.id;
  for (const [title, body, comment] of ODD_TEXTS) {
    const { number } = await open(ada, title, { body, labels: [label] });
    if (comment !== undefined) await ada.post(`${ISSUES}/${number}/comments`, { body: comment });
  }
  for (const [words, numbers] of Object.entries(ODD_QUERIES)) {
    const query = `q=${encodeURIComponent(words)}`;
    assert.deepEqual(await numbersAt(ada, `${ISSUES}?state=all&${query}`), numbers, words);
    assert.deepEqual(await numbersAt(ada, `${ISSUES}?labels=bug&${query}`), numbers, `${words} with a label`);
    assert.deepEqual(await numbersAt(ada, `${SEARCH}?labels=bug&${query}`), numbers, `${words} everywhere`);
  }
});

test('a search among few issues with very long texts finds their words by an index', async (t) => {
  const { ada } = await startTracker(t);
  const label = (await ada.post(`${ENGINE}/labels`, { name: 'bug', color: 'f00' })).body.id;
  const fill = 'x'.repeat(200_000);
  for (const title of ['A pump', 'Three', 'Valves'])
    await open(ada, title, { labels: [label], ...(title === 'Three' ? { body: `pump ${fill}` } : {}) });
  for (const word of ['valve', 'pipe', 'pump'])
    await ada.post(`${ISSUES}/3/comments`, { body: `${word} ${fill}` });
  assert.deepEqual(await numbersAt(ada, `${ISSUES}?labels=bug&q=pump`), [1, 2, 3]);
  for (const number of [1, 3]) await ada.patch(`${ISSUES}/${number}`, { body: fill });
  for (const at of [ISSUES, SEARCH]) {
    assert.deepEqual(await numbersAt(ada, `${at}?labels=bug&q=pump`), [1, 2, 3]);
    assert.deepEqual(await numbersAt(ada, `${at}?labels=bug&q=%22pump+${fill.slice(0, 64)}%22`), [2, 3]);
  }
});

test('a search among few issues finds words in one long text and in one long comment', async (t) => {
  const { ada } = await startTracker(t);
  const label = (await ada.post(`${ENGINE}/labels`, { name: 'bug', color: 'f00' })).body.id;
  const fill = `${'x'.repeat(60)} `.repeat(3_000);
  for (let number = 1; number <= 12; number += 1) {
    await open(ada, `Valve ${number}`, { labels: [label], body: number === 4 ? `${fill} pump` : 'short' });
    await ada.post(`${ISSUES}/${number}/comments`, { body: number === 7 ? `${fill} pump` : 'brief' });
  }
  for (const at of [ISSUES, SEARCH]) {
    assert.deepEqual(await numbersAt(ada, `${at}?labels=bug&q=pump`), [4, 7]);
    assert.deepEqual(await numbersAt(ada, `${at}?labels=bug&q=pump+valve`), [4]);
    assert.deepEqual(
      await numbersAt(ada, `${at}?labels=bug&q=brief&limit=50`),
      [12, 11, 10, 9, 8, 6, 5, 4, 3, 2, 1],
    );
  }
});
