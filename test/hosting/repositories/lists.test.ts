import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import type { Answer } from '../../support/http/http.ts';

function pagingHeaders(answer: Answer): Record<string, string | null> {
  return {
    total: answer.headers.get('x-total-count'),
    link: answer.headers.get('link'),
    exposed: answer.headers.get('access-control-expose-headers'),
  };
}

function namesIn(answer: Answer): string[] {
  return answer.body.map((repository: { full_name: string }) => repository.full_name);
}

async function adaWithRepositories(
  forge: TestForge,
  names: readonly string[],
): Promise<{ ada: Person; list: (query: string) => Promise<Answer> }> {
  const ada = await forge.account('ada');
  for (const name of names) await ada.repository(name);
  return { ada, list: (query) => ada.get(`/api/v1/user/repos${query}`) };
}

test('a list of one page has a total and no links', async (t) => {
  const forge = await startForge(t);
  const { list } = await adaWithRepositories(forge, ['b', 'C', 'a']);

  const answer = await list('');

  assert.deepEqual(namesIn(answer), ['ada/a', 'ada/b', 'ada/C']);
  assert.deepEqual(pagingHeaders(answer), { total: '3', link: null, exposed: 'X-Total-Count' });
});

test('each page links to the next, last, first and previous one', async (t) => {
  const forge = await startForge(t);
  const { list } = await adaWithRepositories(forge, ['a', 'b', 'c', 'd', 'e']);
  const link = (page: number, rel: string, limit = 2) =>
    `<${forge.url}/api/v1/user/repos?limit=${limit}&page=${page}>; rel="${rel}"`;
  const exposed = 'Link, X-Total-Count';

  const pages = await Promise.all(
    ['?limit=2', '?page=2&limit=2', '?page=3&limit=2', '?page=9&limit=2'].map(list),
  );

  assert.deepEqual(pages.map(namesIn), [['ada/a', 'ada/b'], ['ada/c', 'ada/d'], ['ada/e'], []]);
  assert.deepEqual(pages.map(pagingHeaders), [
    { total: '5', link: [link(2, 'next'), link(3, 'last')].join(','), exposed },
    {
      total: '5',
      link: [link(3, 'next'), link(3, 'last'), link(1, 'first'), link(1, 'prev')].join(','),
      exposed,
    },
    { total: '5', link: [link(1, 'first'), link(2, 'prev')].join(','), exposed },
    { total: '5', link: [link(1, 'first'), link(3, 'prev')].join(','), exposed },
  ]);
});

test('links keep the rest of the query, with its keys in order', async (t) => {
  const forge = await startForge(t);
  const { list } = await adaWithRepositories(forge, ['a', 'b']);

  const answer = await list('?z=1%3F2?3&limit=1&b=%26x&a=%C3%A9');

  assert.equal(
    answer.headers.get('link'),
    ['next', 'last']
      .map(
        (rel) => `<${forge.url}/api/v1/user/repos?a=%C3%A9&b=%26x&limit=1&page=2&z=1%3F2%3F3>; rel="${rel}"`,
      )
      .join(','),
  );
});

test('H6: an invalid page or limit gets the default, and no page exceeds the maximum', async (t) => {
  const forge = await startForge(t);
  const names = Array.from({ length: 52 }, (_, index) => `r${String(index).padStart(2, '0')}`);
  const { list } = await adaWithRepositories(forge, names);
  const sizeOf = async (query: string) => (await list(query)).body.length;

  for (const query of [
    '',
    '?limit=0',
    '?limit=-1',
    '?limit=x',
    '?limit=',
    '?page=0',
    '?page=-3',
    '?page=1.5',
    '?limit=99999999999999999999',
  ])
    assert.equal(await sizeOf(query), 30, query);
  for (const query of ['?limit=50', '?limit=51', '?limit=1000000000'])
    assert.equal(await sizeOf(query), 50, query);
  assert.equal(await sizeOf('?limit=7&limit=9'), 7, 'the first value of a repeated key counts');
  assert.equal(await sizeOf('?page=999999999999999&limit=50'), 0);
});

test("a user's list contains the repositories that they own or collaborate on, and no others", async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('open');
  await ada.repository('secret', { private: true });
  await ben.repository('shared', { private: true });
  await ben.repository('his');
  await ben.put('/api/v1/repos/ben/shared/collaborators/ada', { permission: 'read' });

  const whole = await ada.get('/api/v1/user/repos');
  const publicOnly = await ada.get('/api/v1/user/repos', {
    as: { token: await ada.tokenFor(['public-only', 'read:user', 'read:repository']) },
  });

  assert.deepEqual(namesIn(whole), ['ada/open', 'ada/secret', 'ben/shared']);
  assert.deepEqual(
    whole.body.map((repository: { permissions: object }) => repository.permissions),
    [
      { admin: true, push: true, pull: true },
      { admin: true, push: true, pull: true },
      { admin: false, push: false, pull: true },
    ],
  );
  assert.deepEqual(namesIn(publicOnly), ['ada/open']);
  assert.equal(publicOnly.headers.get('x-total-count'), '1');
  assert.equal((await forge.get('/api/v1/user/repos')).status, 401);
});

test("a user's list has the requested order; an unknown order is rejected", async (t) => {
  const forge = await startForge(t);
  const { list } = await adaWithRepositories(forge, ['b', 'C', 'a']);
  const names = async (order: string) =>
    namesIn(await list(`?order_by=${order}`)).map((name) => name.slice(4));
  const byName = ['a', 'b', 'C'];
  const byId = ['b', 'C', 'a'];
  const orders = {
    '': byName,
    name: byName,
    alphabetically: byName,
    reversealphabetically: byName.toReversed(),
    id: byId,
    oldest: byId,
    newest: byId.toReversed(),
    leastupdate: byId,
    recentupdate: byId.toReversed(),
    // All three have equal values, so the id decides.
    size: byId,
    reversesize: byId.toReversed(),
    gitsize: byId,
    reversegitsize: byId.toReversed(),
    lfssize: byId,
    reverselfssize: byId.toReversed(),
    feweststars: byId,
    moststars: byId.toReversed(),
    fewestforks: byId,
    mostforks: byId.toReversed(),
  };
  for (const [order, expected] of Object.entries(orders))
    assert.deepEqual(await names(order), expected, order);
  for (const order of ['nope', 'constructor', 'NAME']) {
    const refused = await list(`?order_by=${order}`);
    assert.deepEqual([refused.status, Object.keys(refused.body)], [422, ['message', 'url']], order);
  }
});
