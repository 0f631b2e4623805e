import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Person, TestForge } from '../../../support/forge/forge.ts';
import { open, type Wire } from '../tracker.ts';
import { ENGINE, openPull, PULL, startMixed, titlesOf } from './mixed.ts';

const SEARCH = '/api/v1/repos/issues/search';

/** Searches all repositories, and returns the titles; the total must be their number. */
async function titlesAt(who: Person | TestForge, query: string): Promise<readonly string[]> {
  const answer = await who.get(`${SEARCH}?${query}`);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers.get('x-total-count'), String(answer.body.length), query);
  return titlesOf(answer.body);
}

test('a search judges issues and pull requests each by their own unit', async (t) => {
  const { forge, guild, ada, ida, pia, bob } = await startMixed(t);
  await guild.repository('open', { auto_init: true });
  const elsewhere = '/api/v1/repos/guild/open';
  await open(ada, 'An open issue', {}, `${elsewhere}/issues`);
  await openPull(ada, 'An open pull request', {}, elsewhere);
  const all = ['An open pull request', 'An open issue', 'A pull request', 'An issue'];
  const isPull = (title: string) => title.includes('pull');

  for (const [who, seen] of [
    [ada, all],
    [bob, all],
    [ida, all.filter((title) => title !== 'A pull request')],
    [pia, all.filter((title) => title !== 'An issue')],
    [forge, all.slice(0, 2)],
  ] as const) {
    for (const query of ['', 'state=all', 'owner=guild', 'owner=guild&state=all', 'sort=newest']) {
      assert.deepEqual(await titlesAt(who, query), seen, query);
      assert.deepEqual(await titlesAt(who, `type=pulls&${query}`), seen.filter(isPull), query);
      const issues = seen.filter((title) => !isPull(title));
      assert.deepEqual(await titlesAt(who, `type=issues&${query}`), issues, query);
    }
    for (const query of ['q=pull', 'q=request&owner=guild', 'q=request&type=pulls'])
      assert.deepEqual(await titlesAt(who, query), seen.filter(isPull), query);
    assert.deepEqual(await titlesAt(who, 'q=pull&type=issues'), []);
  }
  assert.deepEqual(await titlesAt(ada, 'owner=guild&team=mergers'), all.slice(2));
  assert.deepEqual(await titlesAt(pia, 'owner=guild&team=mergers'), ['A pull request']);

  await ada.patch(elsewhere, { has_issues: false });
  await ada.patch(ENGINE, { has_pull_requests: false });
  for (const query of ['', 'owner=guild', 'q=an', 'q=an&owner=guild']) {
    const shown = query.includes('q=an') ? ['An issue', 'An open pull request'] : [all[0], all[3]];
    assert.deepEqual((await titlesAt(ada, query)).toSorted(), shown.toSorted(), query);
    assert.deepEqual(await titlesAt(pia, query), ['An open pull request'], query);
  }
  const found = (await ada.get(`${SEARCH}?type=pulls`)).body[0] as Wire;
  assert.equal(found.pull_request.html_url, `${forge.url}/guild/open/pulls/2`);
});

test('a search finds pull requests by reviews that the viewer gave, or that were requested', async (t) => {
  const { forge, guild, ada, bob, pia } = await startMixed(t);
  await openPull(ada, 'Second');
  await openPull(ada, 'Third');
  // Reviewers may read the code.
  const code = { repositories: ['engine'], permission: 'read', units_map: { 'repo.code': 'read' } };
  await guild.team('coders', { ...code, members: [bob] });
  await guild.team('checkers', { ...code, members: [pia] });
  const succeed = async (who: Person, path: string, body: unknown) => {
    const { status, text } = await who.post(`${ENGINE}/pulls/${path}`, body);
    assert.ok(status === 200 || status === 201, text);
  };
  const [first, second, third] = [PULL, PULL + 1, PULL + 2];
  await succeed(ada, `${first}/requested_reviewers`, { reviewers: ['bob'] });
  const both = { team_reviewers: ['coders'], reviewers: ['bob'] };
  await succeed(ada, `${second}/requested_reviewers`, both);
  await succeed(bob, `${third}/reviews`, { body: 'A draft.' });
  await succeed(pia, `${third}/reviews`, { event: 'APPROVED' });
  await succeed(pia, `${first}/reviews`, { event: 'COMMENT', body: 'Hm.' });
  await succeed(pia, `${first}/reviews`, { event: 'REQUEST_CHANGES', body: 'No.' });

  const cases: readonly (readonly [Person, string, readonly string[]])[] = [
    [bob, 'review_requested=true', ['Second', 'A pull request']],
    [bob, 'review_requested=true&q=second', ['Second']],
    [bob, 'review_requested=true&type=issues', []],
    [bob, 'review_requested=true&owner=guild', ['Second', 'A pull request']],
    [bob, 'review_requested=true&reviewed=true', []],
    [bob, 'reviewed=true', []],
    [pia, 'review_requested=true', []],
    [pia, 'reviewed=true', ['Third', 'A pull request']],
    [pia, 'reviewed=true&q=third', ['Third']],
    [pia, 'reviewed=true&created=true', []],
    [pia, 'reviewed=true&state=closed', []],
  ];
  for (const [who, query, titles] of cases) assert.deepEqual(await titlesAt(who, query), titles, query);
  assert.deepEqual(await titlesAt(forge, 'reviewed=true'), []);

  const teams: readonly Wire[] = (await ada.get('/api/v1/orgs/guild/teams')).body;
  const readers = teams.find(({ name }) => name === 'readers');
  assert.equal((await ada.delete(`/api/v1/teams/${readers.id}/members/bob`)).status, 204);
  assert.deepEqual(await titlesAt(bob, 'review_requested=true'), [], 'bob sees no pull requests any more');
});
