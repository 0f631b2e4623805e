import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import type { Answer } from '../../support/http/http.ts';

function logins(answer: Answer): readonly string[] {
  const list = answer.body.data ?? answer.body;
  return list.map((user: { login: string }) => user.login);
}

test('GET /admin/users lists all users in the requested order and filters them', async (t) => {
  const forge = await startForge(t);
  const created_at = '2001-01-01T00:00:00Z';
  await forge.account('Cleo', { full_name: 'Cleopatra' });
  await forge.account('ada', { created_at, visibility: 'private' });
  await forge.account('ben');
  await forge.root.patch('/api/v1/admin/users/ben', { active: false });
  await forge.root.post('/api/v1/orgs', { username: 'guild' });
  const { root } = forge;
  const list = async (query: string) => logins(await root.get(`/api/v1/admin/users${query}`));

  assert.deepEqual(await list(''), ['ada', 'ben', 'Cleo', 'root']);
  assert.deepEqual(await list('?sort=reversealphabetically'), ['root', 'Cleo', 'ben', 'ada']);
  assert.deepEqual(await list('?sort=oldest'), ['ada', 'root', 'Cleo', 'ben']);
  assert.deepEqual(await list('?sort=newest'), ['ben', 'Cleo', 'root', 'ada']);
  assert.equal((await list('?sort=recentupdate'))[0], 'ben');
  assert.equal((await list('?sort=leastupdate')).at(-1), 'ben');
  assert.deepEqual(await list('?sort=nonsense'), ['ada', 'ben', 'Cleo', 'root']);
  assert.deepEqual(await list('?q=PATRA'), ['Cleo']);
  assert.deepEqual(await list('?source_id=3'), []);
  assert.deepEqual(await list('?login_name=ada'), []);
  assert.deepEqual(await list('?is_2fa_enabled=true'), []);
  assert.deepEqual(await list('?is_2fa_enabled=false&source_id=0'), ['ada', 'ben', 'Cleo', 'root']);
  const page = await root.get('/api/v1/admin/users?limit=3&page=2');
  assert.deepEqual(logins(page), ['root']);
  assert.equal(page.headers.get('x-total-count'), '4');
  assert.match(page.headers.get('link') ?? '', /rel="prev"/);
});

test('consecutive pages list every user once, in both directions', async (t) => {
  const forge = await startForge(t);
  const expected = ['root'];
  for (let i = 0; i < 12; i += 1) {
    const { name } = await forge.account(`user${String(i).padStart(2, '0')}`);
    expected.push(name);
  }
  for (const [sort, order] of [
    ['alphabetically', expected.toSorted()],
    ['reversealphabetically', expected.toSorted().reverse()],
    ['oldest', expected],
    ['newest', expected.toReversed()],
  ] as const) {
    for (const limit of [1, 4, 5, 13, 50]) {
      const seen: string[] = [];
      for (let page = 1; page <= Math.ceil(expected.length / limit) + 1; page += 1) {
        const path = `/api/v1/admin/users?sort=${sort}&limit=${limit}&page=${page}`;
        seen.push(...logins(await forge.root.get(path)));
      }
      assert.deepEqual(seen, order, `${sort}, ${limit} per page`);
    }
  }
});

test('GET /users/search matches parts of the names of users visible to the caller', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada', { full_name: 'Countess 100%' }), await forge.account('ben')];
  await forge.account('limited', { visibility: 'limited' });
  await forge.account('secret', { visibility: 'private' });
  const rob = await forge.account('restricted', { restricted: true });
  await forge.account('inactive');
  await forge.root.patch('/api/v1/admin/users/inactive', { active: false });
  await ada.post('/api/v1/orgs', { username: 'guild' });
  const search = async (get: Promise<Answer>) => {
    const answer = await get;
    assert.deepEqual([answer.status, answer.body.ok], [200, true]);
    assert.equal(answer.headers.get('x-total-count'), String(answer.body.data.length));
    return logins(answer);
  };
  const path = '/api/v1/users/search';

  assert.deepEqual(await search(forge.get(path)), ['ada', 'ben', 'restricted', 'root']);
  assert.deepEqual(await search(ben.get(path)), ['ada', 'ben', 'limited', 'restricted', 'root']);
  assert.deepEqual(await search(rob.get(path)), ['ada', 'ben', 'restricted', 'root']);
  assert.deepEqual(await search(forge.root.get(`${path}?q=sec`)), ['secret']);
  assert.deepEqual(await search(ben.get(`${path}?q=sec`)), []);
  assert.deepEqual(await search(ben.get(`${path}?q=%20COUNT%20`)), ['ada']);
  assert.deepEqual(await search(ben.get(`${path}?q=100%25`)), ['ada']);
  assert.deepEqual(await search(ben.get(`${path}?q=_`)), []);
  assert.deepEqual(await search(ben.get(`${path}?q=%00`)), []);
  assert.deepEqual(await search(ben.get(`${path}?q=${'x'.repeat(300)}`)), []);
  const { id } = (await ben.get('/api/v1/user')).body;
  assert.deepEqual(await search(ada.get(`${path}?uid=${id}`)), ['ben']);
  const as = { token: await ben.tokenFor(['read:user', 'public-only']) };
  assert.deepEqual(await search(ben.get(path, { as })), ['ada', 'ben', 'restricted', 'root']);
});

test('members of one organization see each other, even if their accounts are private', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada', { visibility: 'private' }), await forge.account('ben')];
  await ada.post('/api/v1/orgs', { username: 'guild' });
  const see = async () => [
    (await ben.get('/api/v1/users/ada')).status,
    logins(await ben.get('/api/v1/users/search?q=ada')).length,
  ];
  assert.deepEqual(await see(), [404, 0]);

  const { id } = (await ada.post('/api/v1/orgs/guild/teams', { name: 'readers' })).body;
  await ada.put(`/api/v1/teams/${id}/members/ben`);

  assert.deepEqual(await see(), [200, 1]);
  const as = { token: await ben.tokenFor(['all', 'public-only']) };
  assert.equal((await ben.send('GET', '/api/v1/users/ada', { as })).status, 404);
});
