import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Person } from '../../../support/forge/forge.ts';
import { numbersAt, open, type Wire } from '../tracker.ts';
import { ENGINE, ISSUE, ISSUES, mergePull, openPull, PULL, startMixed, titlesOf } from './mixed.ts';

/** Lists records, and checks that the total is their number. */
async function listAt(who: Person, url: string): Promise<readonly Wire[]> {
  const answer = await who.get(url);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers.get('x-total-count'), String(answer.body.length), url);
  return answer.body;
}

test('lists have the kinds that the viewer may read, with their totals', async (t) => {
  const { ada, ida, pia, bob } = await startMixed(t);
  await open(ada, 'Another pump', {}, ISSUES);
  await openPull(ada, 'Replace the pump');
  for (const number of [ISSUE, PULL]) await ada.post(`${ISSUES}/${number}/times`, { time: number * 60 });
  for (const number of [3, 4]) await ada.post(`${ISSUES}/${number}/pin`);
  const seconds = async (who: Person) => (await listAt(who, `${ENGINE}/times`)).map(({ time }: Wire) => time);

  for (const [who, issues, pulls] of [
    [ada, true, true],
    [bob, true, true],
    [ida, true, false],
    [pia, false, true],
  ] as const) {
    const shown = (numbers: readonly number[]) =>
      numbers.filter((number) => (number % 2 === 1 ? issues : pulls));
    const numbers = async (query: string) =>
      (await listAt(who, `${ISSUES}?${query}`)).map(({ number }: Wire) => number);
    assert.deepEqual(await numbers(''), shown([4, 3, 2, 1]), who.name);
    assert.deepEqual(await numbers('sort=oldest&created_by=ada'), shown([1, 2, 3, 4]));
    assert.deepEqual(await numbers('q=pump'), shown([4, 3]));
    assert.deepEqual(await numbers('q=comment&sort=oldest'), shown([1, 2]));
    const statuses = await Promise.all(
      ['issues', 'pulls'].map(async (type) => (await who.get(`${ISSUES}?type=${type}`)).status),
    );
    assert.deepEqual(statuses, [issues ? 200 : 404, pulls ? 200 : 404]);
    if (pulls) assert.deepEqual(await numbers('type=pulls'), [4, 2]);
    if (issues) assert.deepEqual(await numbers('type=issues'), [3, 1]);

    const comments = await listAt(who, `${ISSUES}/comments`);
    const pages = comments.map(({ issue_url, pull_request_url }: Wire) => issue_url + pull_request_url);
    assert.deepEqual(
      pages.map((page) => Number(page.split('/').at(-1))),
      shown([1, 2]),
    );
    const recent = await listAt(who, `${ISSUES}/comments?since=2020-01-01T00:00:00Z`);
    assert.equal(recent.length, comments.length);

    const pinned = await who.get(`${ISSUES}/pinned`);
    if (issues) assert.deepEqual(titlesOf(pinned.body), ['Another pump']);
    else assert.equal(pinned.status, 403);
    const free = (await who.get(`${ENGINE}/new_pin_allowed`)).body;
    assert.deepEqual(free, { issues, pull_requests: pulls });
    const { open_issues_count, open_pr_counter } = (await who.get(ENGINE)).body;
    assert.deepEqual([open_issues_count, open_pr_counter], [issues ? 2 : 0, pulls ? 2 : 0]);
  }
  assert.deepEqual(await seconds(ada), [60, 120]);
  assert.deepEqual(await seconds(ida), [60]);
  assert.deepEqual(await seconds(pia), [120]);
  assert.deepEqual(await seconds(bob), [], 'only their own');
  assert.equal((await ida.get(`${ENGINE}/times?user=ada`)).status, 200);
  assert.equal((await bob.get(`${ENGINE}/times?user=ada`)).status, 403);
});

test('people who may write one kind list the times of others only there, and their own of both', async (t) => {
  const { guild, ada, forge } = await startMixed(t);
  const eve = await forge.account('eve');
  const units_map = { 'repo.issues': 'write', 'repo.pulls': 'read' };
  await guild.team('both', { permission: 'read', members: [eve], repositories: ['engine'], units_map });
  for (const number of [ISSUE, PULL]) {
    await ada.post(`${ISSUES}/${number}/times`, { time: number });
    await ada.post(`${ISSUES}/${number}/times`, { time: 10 * number, user_name: 'eve' });
  }
  const times = async (query: string) =>
    (await listAt(eve, `${ENGINE}/times?${query}`)).map(({ time }: Wire) => time);
  assert.deepEqual(await times(''), [1, 10, 20]);
  assert.deepEqual(await times('user=eve'), [10, 20]);
  assert.deepEqual(await times('user=ada'), [1]);
  assert.deepEqual(
    (await listAt(eve, '/api/v1/user/times')).map(({ time }: Wire) => time),
    [10, 20],
  );
  await ada.patch(ENGINE, { has_issues: false });
  assert.deepEqual(
    (await listAt(eve, '/api/v1/user/times')).map(({ time }: Wire) => time),
    [20],
  );
  assert.deepEqual(await times(''), [20]);
});

test('a repository counts its issues and its pull requests', async (t) => {
  const { ada } = await startMixed(t);
  const counts = async () => {
    const { open_issues_count: issues, open_pr_counter: pulls } = (await ada.get(ENGINE)).body;
    const total = async (query: string) =>
      Number((await ada.get(`${ISSUES}?limit=1&${query}`)).headers.get('x-total-count'));
    const closed = [await total('state=closed&type=issues'), await total('state=closed&type=pulls')];
    assert.deepEqual([await total('type=issues'), await total('type=pulls')], [issues, pulls]);
    assert.equal(await total('state=all'), issues + pulls + (closed[0] ?? 0) + (closed[1] ?? 0));
    return [issues, pulls, ...closed];
  };

  assert.deepEqual(await counts(), [1, 1, 0, 0]);
  await openPull(ada, 'Another');
  assert.deepEqual(await counts(), [1, 2, 0, 0]);
  await ada.patch(`${ISSUES}/${PULL}`, { state: 'closed' });
  assert.deepEqual(await counts(), [1, 1, 0, 1]);
  await ada.patch(`${ISSUES}/${ISSUE}`, { state: 'closed' });
  assert.deepEqual(await counts(), [0, 1, 1, 1]);
  await ada.patch(`${ISSUES}/${PULL}`, { state: 'open' });
  assert.deepEqual(await counts(), [0, 2, 1, 0]);
  await ada.delete(`${ISSUES}/${PULL}`);
  assert.deepEqual(await counts(), [0, 1, 1, 0]);
});

test('a list of pull requests is filtered by branches, labels and a milestone, in every order', async (t) => {
  const { ada, pia } = await startMixed(t);
  const label = async (name: string) => (await ada.post(`${ENGINE}/labels`, { name, color: 'f00' })).body.id;
  const [bug, tank] = [await label('bug'), await label('tank')];
  const milestone = (await ada.post(`${ENGINE}/milestones`, { title: 'First' })).body.id;
  await ada.post(`${ENGINE}/branches`, { new_branch_name: 'stable' });
  await openPull(ada, 'Three', { labels: [bug, tank], milestone });
  await openPull(ada, 'Four', { labels: [bug], base: 'stable' });
  await openPull(ada, 'Five', { base: 'stable', milestone });
  await ada.patch(`${ISSUES}/5`, { state: 'closed' });
  const numbers = (query: string) => numbersAt(pia, `${ENGINE}/pulls?${query}`);
  const cases: Readonly<Record<string, readonly number[]>> = {
    '': [4, 3, 2],
    'base=main': [3, 2],
    'base=stable': [4],
    'base=stable&state=all': [5, 4],
    'base=stable&state=all&sort=oldest': [4, 5],
    'base=stable&state=all&sort=recentupdate': [5, 4],
    'head=four': [4],
    'head=guild:four': [4],
    'head=four&base=main': [],
    'head=none': [],
    [`labels=${bug}`]: [4, 3],
    [`labels=${bug}&labels=${tank}`]: [3],
    [`labels=${bug}&base=stable`]: [4],
    [`milestone=${milestone}&state=all`]: [5, 3],
    [`milestone=${milestone}&labels=${tank}&base=main`]: [3],
    'poster=ada&base=stable': [4],
    'poster=pia': [],
  };
  for (const [query, expected] of Object.entries(cases)) {
    assert.deepEqual(await numbers(query), expected, query);
    const { headers } = await pia.get(`${ENGINE}/pulls?limit=1&${query}`);
    assert.equal(headers.get('x-total-count'), String(expected.length), query);
  }
});

test('the records of a pull request and its comments name its page and what it is', async (t) => {
  const mixed = await startMixed(t);
  const { forge, ada, pia, comments } = mixed;
  const page = `${forge.url}/guild/engine/pulls/${PULL}`;
  const issuePage = `${forge.url}/guild/engine/issues/${ISSUE}`;
  const at = `${ISSUES}/${PULL}`;
  const read = async () => (await pia.get(at)).body;

  const pull = await read();
  assert.deepEqual([pull.url, pull.html_url], [`${forge.url}${at}`, page]);
  const meta = { merged: false, merged_at: null, draft: false, html_url: page };
  assert.deepEqual(pull.pull_request, meta);
  const comment = (await pia.get(`${ISSUES}/comments/${comments[PULL]}`)).body;
  assert.deepEqual(
    [comment.html_url, comment.pull_request_url, comment.issue_url],
    [`${page}#issuecomment-${comments[PULL]}`, page, ''],
  );
  const issue = (await ada.get(`${ISSUES}/${ISSUE}`)).body;
  assert.deepEqual([issue.pull_request, issue.html_url], [null, issuePage]);
  const ofIssue = (await ada.get(`${ISSUES}/comments/${comments[ISSUE]}`)).body;
  assert.deepEqual([ofIssue.pull_request_url, ofIssue.issue_url], ['', issuePage]);

  for (const [title, draft] of [
    ['WIP: a pump', true],
    ['[wip] a pump', true],
    ['wip: a pump', true],
    ['WIPE: a pump', false],
    ['A pump [WIP]', false],
  ] as const) {
    await ada.patch(at, { title });
    assert.equal((await read()).pull_request.draft, draft, title);
  }
  for (const [path, status, location] of [
    [page, 200, null],
    [issuePage, 200, null],
    [page.replace('pulls', 'issues'), 303, page],
    [issuePage.replace('issues', 'pulls'), 303, issuePage],
  ] as const) {
    const answer = await ada.send('GET', path.slice(forge.url.length));
    const led = answer.headers.get('location');
    assert.deepEqual(
      [answer.status, led === null ? null : new URL(led, forge.url).href],
      [status, location],
      path,
    );
  }

  const { merged_at: mergedAt } = await mergePull(ada, PULL);
  assert.match(mergedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  const merged = { merged: true, merged_at: mergedAt, draft: false, html_url: page };
  assert.deepEqual((await read()).pull_request, merged);
  assert.deepEqual((await pia.get(`${ISSUES}?state=closed`)).body[0].pull_request, merged);
  assert.equal((await ada.patch(at, { state: 'open' })).status, 412, 'a merged one stays as it is');
  assert.equal((await read()).state, 'closed');
});

test('issues and pull requests have pins of their own', async (t) => {
  const { ada, bob } = await startMixed(t);
  for (const title of ['Three', 'Four', 'Five']) await open(ada, title, {}, ISSUES);
  const pin = async (number: number) => (await ada.post(`${ISSUES}/${number}/pin`)).status;
  for (const number of [ISSUE, PULL, 3, 4]) assert.equal(await pin(number), 204);
  assert.equal(await pin(5), 422);
  const orders = async () =>
    (await bob.get(`${ISSUES}?sort=oldest`)).body.map(({ pin_order }: Wire) => pin_order);
  assert.deepEqual(await orders(), [1, 1, 2, 3, 0]);
  assert.deepEqual(await numbersAt(bob, `${ISSUES}/pinned`), [ISSUE, 3, 4]);
  assert.deepEqual((await bob.get(`${ENGINE}/new_pin_allowed`)).body, { issues: false, pull_requests: true });
  await ada.delete(`${ISSUES}/${ISSUE}/pin`);
  assert.deepEqual(await orders(), [0, 1, 1, 2, 0]);
});
