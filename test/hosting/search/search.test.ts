import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { SEARCH_LIMITS } from '../../../src/hosting/search/limits.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import type { Answer } from '../../support/http/http.ts';
import { change, found } from './rows.ts';

const SEARCH = '/api/v1/repos/search';

function headersOf(answer: Answer) {
  const { headers } = answer;
  return {
    total: headers.get('x-total-count'),
    link: headers.get('link'),
    exposed: headers.get('access-control-expose-headers'),
  };
}

/** Starts a forge where ada has four repositories that differ in every searchable property. */
async function startGarden(t: Parameters<typeof startForge>[0]): Promise<{ forge: TestForge; ada: Person }> {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('Oak', { description: 'A tree, ÄLTER than others' });
  await ada.repository('elm', { description: '100% wood_en', template: true });
  await ada.repository('ash');
  await ada.repository('fir', { private: true });
  await change(forge, 'ada/oak', {
    topics: 'go tree',
    created_at: 1,
    updated_at: 4,
    size_bytes: 3,
    stars_count: 2,
  });
  await change(forge, 'ada/elm', {
    topics: 'gopher',
    created_at: 2,
    updated_at: 3,
    size_bytes: 1,
    forks_count: 1,
  });
  await change(forge, 'ada/ash', { created_at: 3, updated_at: 2, size_bytes: 2, archived_at: 1 });
  await change(forge, 'ada/fir', { created_at: 4, updated_at: 1, size_bytes: 4, is_mirror: 1 });
  return { forge, ada };
}

test('a search returns {ok, data} with sorted records for the caller, and the three paging headers', async (t) => {
  const { forge, ada } = await startGarden(t);

  const whole = await ada.get(SEARCH);
  const page = await forge.get(`${SEARCH}?limit=2&q=&page=1`);
  const past = await forge.get(`${SEARCH}?page=9`);

  assert.deepEqual(Object.keys(whole.body), ['ok', 'data']);
  assert.equal(whole.body.ok, true);
  assert.deepEqual(found(whole), ['ada/ash', 'ada/elm', 'ada/fir', 'ada/Oak']);
  assert.deepEqual(whole.body.data[0].permissions, { admin: true, push: true, pull: true });
  assert.deepEqual(page.body.data[0].permissions, { admin: false, push: false, pull: true });
  const exposed = 'X-Total-Count, Link';
  assert.deepEqual(headersOf(whole), { total: '4', link: null, exposed });
  const link = (to: number, rel: string) => `<${forge.url}${SEARCH}?limit=2&page=${to}&q=>; rel="${rel}"`;
  assert.deepEqual(headersOf(page), { total: '3', link: `${link(2, 'next')},${link(2, 'last')}`, exposed });
  assert.deepEqual(past.body, { ok: true, data: [] });
  assert.equal(headersOf(past).total, '3');
});

const BAD: readonly (readonly [query: string, message: string])[] = [
  ['mode=nope', 'Invalid search mode: "nope"'],
  ['mode=Fork', 'Invalid search mode: "Fork"'],
  ['mode=constructor', 'Invalid search mode: "constructor"'],
  ['sort=nope', 'Invalid sort mode: "nope"'],
  ['sort=__proto__', 'Invalid sort mode: "__proto__"'],
  ['sort=alpha&order=nope', 'Invalid sort order: "nope"'],
  ['sort=nope&order=down', 'Invalid sort order: "down"'],
  ['mode=x&sort=y&order=z', 'Invalid search mode: "x"'],
  [`mode=${encodeURIComponent('"<é>')}`, 'Invalid search mode: ""<é>"'],
];

test('422: an invalid search mode, sort or order returns its message in the envelope of a search error', async (t) => {
  const forge = await startForge(t);
  const url = `${forge.url}/api/swagger`;
  for (const [query, message] of BAD) {
    const { status, body } = await forge.get(`${SEARCH}?${query}`);
    assert.deepEqual(
      { status, body },
      { status: 422, body: { ok: false, error: message, message, url } },
      query,
    );
  }
});

test('422, 500: a failed search has no header about paging', async (t) => {
  const forge = await startForge(t);
  const none = { total: null, link: null, exposed: null };

  const invalid = await forge.get(`${SEARCH}?sort=nope`);
  const { database } = forge.forge.running.engines;
  await database.transaction((tx) => sql`alter table repositories rename column facets to lost`.execute(tx));
  const fault = await forge.get(SEARCH);

  assert.deepEqual([invalid.status, headersOf(invalid)], [422, none]);
  assert.deepEqual([fault.status, headersOf(fault)], [500, none]);
});

test('an order without a sort is ignored, even if unknown; empty parameters count as absent', async (t) => {
  const { forge } = await startGarden(t);
  const all = ['ada/ash', 'ada/elm', 'ada/Oak'];
  for (const query of [
    'order=desc',
    'order=nope',
    'sort=&order=desc',
    'mode=&sort=&order=&q=&uid=&team_id=&starredBy=&priority_owner_id=',
    'is_private=&template=&archived=&private=&topic=&includeDesc=&exclusive=',
    'uid=0&team_id=0&starredBy=-1&priority_owner_id=x&limit=x&page=-1',
    `q=${encodeURIComponent(' , ,')}`,
  ])
    assert.deepEqual(found(await forge.get(`${SEARCH}?${query}`)), all, query);
});

test('500: a failed search returns its error in the envelope of a search error, without details', async (t) => {
  const forge = await startForge(t);
  const { database } = forge.forge.running.engines;
  await database.transaction((tx) => sql`alter table repositories rename column facets to lost`.execute(tx));

  const { status, body } = await forge.get(SEARCH);

  const error = 'internal server error';
  const url = `${forge.url}/api/swagger`;
  assert.deepEqual({ status, body }, { status: 500, body: { ok: false, error, message: error, url } });
});

const SORTS: readonly (readonly [sort: string, ascending: readonly string[]])[] = [
  ['alpha', ['ash', 'elm', 'fir', 'Oak']],
  ['created', ['Oak', 'elm', 'ash', 'fir']],
  ['updated', ['fir', 'ash', 'elm', 'Oak']],
  ['size', ['elm', 'ash', 'Oak', 'fir']],
  ['git_size', ['elm', 'ash', 'Oak', 'fir']],
  ['id', ['Oak', 'elm', 'ash', 'fir']],
  ['lfs_size', ['Oak', 'elm', 'ash', 'fir']],
  // Equal values sort by id.
  ['stars', ['elm', 'ash', 'fir', 'Oak']],
  ['forks', ['Oak', 'ash', 'fir', 'elm']],
];

test('each sort works in both directions, and its pages together are the whole list', async (t) => {
  const { ada } = await startGarden(t);
  const names = async (query: string) =>
    found(await ada.get(`${SEARCH}?${query}`)).map((name) => name.replace('ada/', ''));
  for (const [sort, ascending] of SORTS) {
    assert.deepEqual(await names(`sort=${sort}`), ascending, sort);
    assert.deepEqual(await names(`sort=${sort}&order=asc`), ascending, `${sort} asc`);
    const descending = await names(`sort=${sort}&order=desc`);
    assert.deepEqual(descending, ascending.toReversed(), `${sort} desc`);
    const pages = [];
    for (const page of [1, 2, 3, 4])
      pages.push(...(await names(`sort=${sort}&order=desc&limit=1&page=${page}`)));
    assert.deepEqual(pages, descending, `${sort} by pages`);
  }
});

test('without a sort, repositories are sorted by name and then by owner', async (t) => {
  const forge = await startForge(t);
  for (const name of ['Zoe', 'ben', 'Cy']) await (await forge.account(name)).repository('same');
  await (await forge.account('dan')).repository('first');

  const order = ['dan/first', 'ben/same', 'Cy/same', 'Zoe/same'];
  assert.deepEqual(found(await forge.get(SEARCH)), order);
  assert.deepEqual(found(await forge.get(`${SEARCH}?sort=alpha`)), order);
});

const WORDS: readonly (readonly [about: string, query: string, names: readonly string[]])[] = [
  ['a part of the name, in any case', 'q=OA', ['Oak']],
  ['surrounding spaces are trimmed', 'q=%20%20elm%20', ['elm']],
  ['one character', 'q=k', ['Oak']],
  ['a part of a topic', 'q=oph', ['elm']],
  ['a part of a topic, two characters', 'q=go', ['elm', 'Oak']],
  ['a text across name and topics', `q=${encodeURIComponent('oak go')}`, []],
  ['a text in the description alone', 'q=tree,', ['Oak']],
  ['a text in the description, without includeDesc', 'q=than', []],
  ['in the description', 'q=than&includeDesc=true', ['Oak']],
  [
    'in the description, in any case, with an umlaut',
    `q=${encodeURIComponent('äLter')}&includeDesc=1`,
    ['Oak'],
  ],
  ['in the description, two characters', `q=${encodeURIComponent('äl')}&includeDesc=1`, ['Oak']],
  ['in the description, with a space', `q=${encodeURIComponent('a tree')}&includeDesc=on`, ['Oak']],
  ['any of several words', 'q=oak,%20ash,nope', ['ash', 'Oak']],
  ['owner and name', 'q=ad/l', ['elm']],
  ['owner alone', 'q=ada/', ['ash', 'elm', 'Oak']],
  ['name alone', 'q=/ash', ['ash']],
  ['another owner', 'q=ben/elm', []],
  ['more than one slash', 'q=ada/elm/x', []],
  ['the name of the owner alone', 'q=ada', []],
  ['a whole topic', 'q=go&topic=true', ['Oak']],
  ['a whole topic, in any case', 'q=TREE&topic=true', ['Oak']],
  ['a name is no topic', 'q=oak&topic=true', []],
  ['two topics are not one', `q=${encodeURIComponent('go tree')}&topic=true`, []],
  ['any of several topics', 'q=gopher,tree&topic=1', ['elm', 'Oak']],
  ['a topic, also in descriptions', 'q=wood_en&topic=true&includeDesc=true', []],
  ['a slash alone', 'q=/', []],
  ['question marks alone', 'q=???', []],
  ['an asterisk alone', 'q=*', []],
  ['a percent sign is no wildcard', `q=${encodeURIComponent('%')}`, []],
  ['a percent sign in a description', `q=${encodeURIComponent('0% w')}&includeDesc=true`, ['elm']],
  ['an underscore is no wildcard', 'q=o_k', []],
  ['an underscore in a description', 'q=d_e&includeDesc=true', ['elm']],
  ['a backslash', `q=${encodeURIComponent('o\\ak')}`, []],
  ['quotes and operators of the full-text index', `q=${encodeURIComponent('"oak" OR * NEAR(')}`, []],
  ['quotes in the middle', `q=${encodeURIComponent('o"a"k')}`, []],
  ['a colon and a minus', `q=${encodeURIComponent('text:oak')}`, []],
  ['a question mark', `q=${encodeURIComponent('o?k')}`, []],
  ['an apostrophe', `q=${encodeURIComponent("oak' or '1'='1")}`, []],
  ['NUL', 'q=%00', []],
  ['half a surrogate pair', 'q=%ED%A0%80', []],
  ['characters beyond the basic plane', `q=${encodeURIComponent('🌳🌳🌳')}&includeDesc=1`, []],
];

test('q matches parts of names and topics, and of descriptions on request', async (t) => {
  const { forge } = await startGarden(t);
  for (const [about, query, names] of WORDS) {
    const answer = await forge.get(`${SEARCH}?${query}`);
    assert.deepEqual(
      found(answer),
      names.map((name) => `ada/${name}`),
      `${about}: ${query}`,
    );
    assert.equal(answer.headers.get('x-total-count'), String(names.length), about);
  }
});

test('H3: a q that is too long, or has too many words, is rejected by name', async (t) => {
  const forge = await startForge(t);
  const status = async (q: string) => (await forge.get(`${SEARCH}?q=${q}`)).status;

  assert.equal(await status('x'.repeat(SEARCH_LIMITS.searchTextCharsMax)), 200);
  assert.equal(await status('x'.repeat(SEARCH_LIMITS.searchTextCharsMax + 1)), 422);
  assert.equal(await status(Array(SEARCH_LIMITS.searchWordsMax).fill('abc').join(',')), 200);
  const tooMany = await forge.get(
    `${SEARCH}?q=${Array(SEARCH_LIMITS.searchWordsMax + 1)
      .fill('ab')
      .join(',')}`,
  );
  assert.deepEqual([tooMany.status, tooMany.body.ok], [422, false]);
});

test('a search returns the new state after a rename, an edit, a topic change and a deletion', async (t) => {
  const { forge, ada } = await startGarden(t);
  const all = (q: string) => forge.get(`${SEARCH}?includeDesc=true&q=${q}`).then(found);
  await change(forge, 'ada/oak', {
    name: 'Birch',
    lower_name: 'birch',
    topics: 'shade',
    description: 'Tall',
  });

  assert.deepEqual(await all('oak'), []);
  assert.deepEqual(await all('than'), []);
  for (const q of ['bir', 'shade', 'TALL', 'sh', 'irch,x'])
    assert.ok((await all(q)).includes('ada/Birch'), q);
  // Letters beyond ASCII are searchable, and so are the parts that an edit does not change.
  await ada.patch('/api/v1/repos/ada/elm', { description: 'ÜBER alles' });
  assert.deepEqual(await all(encodeURIComponent('Über')), ['ada/elm']);
  await ada.patch('/api/v1/repos/ada/elm', { website: 'https://example.org', name: 'Elmo' });
  assert.deepEqual(await all(encodeURIComponent('üBe')), ['ada/Elmo']);
  assert.deepEqual(await all('wood'), []);
  await ada.delete('/api/v1/repos/ada/birch');
  assert.deepEqual(await all('bir'), []);
  await forge.root.post('/api/v1/admin/users/ada/rename', { new_username: 'augusta' });
  assert.deepEqual(await all('august/elm'), ['augusta/Elmo']);
  assert.deepEqual(await all('ada/elm'), []);
});

const CONDITIONS: readonly (readonly [query: string, names: readonly string[]])[] = [
  ['is_private=true', ['fir']],
  ['is_private=false', ['ash', 'elm', 'Oak']],
  ['is_private=nonsense', ['ash', 'elm', 'Oak']],
  ['private=false', ['ash', 'elm', 'Oak']],
  ['private=true', ['ash', 'elm', 'fir', 'Oak']],
  ['private=false&is_private=true', []],
  ['template=true', ['elm']],
  ['template=false', ['ash', 'fir', 'Oak']],
  ['archived=true', ['ash']],
  ['archived=false', ['elm', 'fir', 'Oak']],
  ['archived=false&template=false&is_private=false', ['Oak']],
  ['mode=source', ['ash', 'Oak']],
  ['mode=fork', ['elm']],
  ['mode=mirror', ['fir']],
  ['mode=collaborative', []],
  ['mode=source&archived=true&q=a', ['ash']],
];

test('is_private, private, template, archived and mode filter the results, one by one and together', async (t) => {
  const { forge, ada } = await startGarden(t);
  const oak = await ada.get('/api/v1/repos/ada/oak');
  await change(forge, 'ada/elm', { parent_id: oak.body.id });
  for (const [query, names] of CONDITIONS) {
    assert.deepEqual(
      found(await ada.get(`${SEARCH}?${query}`)),
      names.map((name) => `ada/${name}`),
      query,
    );
  }
});

test('a search includes private repositories only for a signed-in caller, unless private is false', async (t) => {
  const { forge, ada } = await startGarden(t);
  await forge.account('lin', { visibility: 'limited' }).then((lin) => lin.repository('lime'));
  const ben = await forge.account('ben');
  await ada.put('/api/v1/repos/ada/fir/collaborators/ben', { permission: 'read' });
  const open = ['ada/ash', 'ada/elm', 'ada/Oak'];

  assert.deepEqual(found(await forge.get(`${SEARCH}?private=true`)), open);
  assert.deepEqual(found(await forge.get(`${SEARCH}?is_private=true`)), []);
  assert.deepEqual(found(await ben.get(SEARCH)), ['ada/ash', 'ada/elm', 'ada/fir', 'lin/lime', 'ada/Oak']);
  assert.deepEqual(found(await ben.get(`${SEARCH}?private=false`)), open);
  assert.deepEqual(found(await forge.root.get(`${SEARCH}?private=false`)), open);
  assert.equal((await forge.root.get(SEARCH)).headers.get('x-total-count'), '5');
});

test('a search rejects a token without the scope for reading repositories', async (t) => {
  const { forge, ada } = await startGarden(t);
  const as = async (scopes: readonly string[]) => ({ token: await ada.tokenFor(scopes) });

  assert.equal((await forge.get(SEARCH, { as: await as(['read:repository']) })).body.data.length, 4);
  assert.equal(
    (await forge.get(SEARCH, { as: await as(['read:repository', 'public-only']) })).body.data.length,
    3,
  );
  const refused = await forge.get(SEARCH, { as: await as(['write:user']) });
  assert.deepEqual([refused.status, Object.keys(refused.body)], [403, ['message', 'url']]);
  assert.equal((await forge.get(SEARCH, { as: { token: 'f'.repeat(40) } })).status, 401);
});

test('a search returns the same results without a trigram index', async (t) => {
  const { forge } = await startGarden(t);
  const { database } = forge.forge.running.engines;
  const { repositories } = forge.forge.running.services;
  assert.equal(await repositories.lists.isWithoutTextIndex(), false);
  if (database.dialect === 'postgres') {
    await database.transaction((tx) => sql`drop extension pg_trgm cascade`.execute(tx));
    assert.equal(await repositories.lists.isWithoutTextIndex(), true);
  }
  assert.deepEqual(found(await forge.get(`${SEARCH}?q=oak`)), ['ada/Oak']);
  assert.deepEqual(found(await forge.get(`${SEARCH}?q=wood&includeDesc=true`)), ['ada/elm']);
});
