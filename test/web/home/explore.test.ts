import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { PageReader } from '../../support/http/page-reader.ts';

const HOSTILE = `<script>alert(1)</script>"'`;

function linksIn(text: string): string[] {
  return [...text.matchAll(/<h2 class="row-title">.*?href="([^"]+)"/g)].map(([, path = '']) => path);
}

test('strangers explore what everyone sees, and users also what is theirs', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada', { full_name: HOSTILE });
  const ben = await forge.account('ben');
  await forge.account('hidden', { visibility: 'private' });
  await ada.post('/api/v1/orgs', { username: 'weavers', description: HOSTILE });
  await ada.post('/api/v1/orgs', { username: 'secrets', visibility: 'private' });
  await ada.repository('loom', { description: HOSTILE });
  await ada.repository('engine');
  await ada.repository('secret', { private: true });
  await ada.put('/api/v1/repos/ada/loom/topics', { topics: ['weaving'] });
  await ben.put('/api/v1/user/starred/ada/engine');
  const stranger = new PageReader(forge);
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const find = async (path: string) => linksIn((await stranger.get(path)).text);

  await t.test('a search finds repositories by name, description and topic', async () => {
    assert.deepEqual(await find('/explore/repos?sort=alphabetically'), ['/ada/engine', '/ada/loom']);
    assert.deepEqual(await find('/explore/repos?q=eng'), ['/ada/engine']);
    assert.deepEqual(await find('/explore/repos?q=alert'), ['/ada/loom']);
    assert.deepEqual(await find('/explore/repos?q=weaving&topic=true'), ['/ada/loom']);
    assert.deepEqual(await find('/explore/repos?q=weav&topic=true'), []);
    assert.deepEqual(await find('/explore/repos?q=secret'), []);
    assert.deepEqual(linksIn((await reader.get('/explore/repos?q=secret')).text), ['/ada/secret']);
  });

  await t.test('lists are ordered and paged', async () => {
    assert.deepEqual(await find('/explore/repos?sort=moststars&limit=1'), ['/ada/engine']);
    const first = await stranger.get('/explore/repos?sort=oldest&limit=1');
    assert.deepEqual(linksIn(first.text), ['/ada/loom']);
    const next = /rel="next" href="([^"]+)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    assert.deepEqual(await find(next), ['/ada/engine']);
  });

  await t.test('a search without result says so, and one that cannot be done says why', async () => {
    assert.match((await stranger.get('/explore/repos?q=nothing')).text, /No repository matches/);
    for (const query of ['sort=shoe-size', `q=${'a,'.repeat(30)}`, 'mode=odd']) {
      const { status, text } = await stranger.get(`/explore/repos?${query}`);
      assert.deepEqual([status, /role="alert"/.test(text)], [422, true], query);
    }
  });

  await t.test('accounts that the viewer may not see are left out', async () => {
    const users = await find('/explore/users');
    assert.ok(users.includes('/ada') && users.includes('/ben') && !users.includes('/hidden'), `${users}`);
    assert.deepEqual(await find('/explore/users?q=be'), ['/ben']);
    assert.deepEqual(await find('/explore/organizations'), ['/weavers']);
    const seen = linksIn((await reader.get('/explore/organizations')).text);
    assert.deepEqual(seen.toSorted(), ['/secrets', '/weavers']);
  });

  await t.test('F1: texts of users are escaped, and no cookie is set', async () => {
    for (const path of ['/', '/explore/repos', '/explore/users', '/explore/organizations']) {
      const { status, text, headers } = await stranger.get(`${path}?q=${encodeURIComponent(HOSTILE)}`);
      assert.equal(status, 200, path);
      assert.doesNotMatch((await stranger.get(path)).text + text, /<script/);
      assert.equal(headers.get('set-cookie'), null);
    }
  });
});
