import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WEB_LIMITS } from '../../src/web/limits.ts';
import { startForge } from '../support/forge/forge.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const MISSING = [404, '404 page not found\n'];

test('a comparison has a page with its commits, its differences, its texts and the way to a pull request', async (t) => {
  const forge = await startForge(t);
  const [ada, cyd] = [await forge.account('ada'), await forge.account('cyd')];
  await ada.repository('loom', { auto_init: true });
  await cyd.post('/api/v1/repos/ada/loom/forks', {});
  const created = await cyd.post('/api/v1/repos/cyd/loom/contents/a', {
    content: base64('a\n'),
    message: 'Weave <b>\n\nMore.',
    new_branch: "feature/it's-<new>",
  });

  const { status, text } = await forge.get(`/ada/loom/compare/main...cyd:feature/it's-%3Cnew%3E`);
  assert.equal(status, 200);
  assert.match(text, /<h1>Compare main and cyd:feature\/it&#39;s-&lt;new&gt;<\/h1>/);
  assert.match(text, /has 1 commit that main lacks/);
  const { sha } = created.body.commit;
  assert.ok(text.includes(`<a href="/cyd/loom/commit/${sha}">Weave &lt;b&gt;</a>`), text);
  for (const [format, beginning] of [
    ['diff', /^diff --git a\/a b\/a/],
    ['patch', /^From /],
  ] as const) {
    const [, link = ''] = new RegExp(`href="([^"]+\\.${format})"`).exec(text) ?? [];
    assert.match((await forge.get(link.replaceAll('&#39;', "'"))).text, beginning, link);
  }
  assert.match(text, /1 changed file<\/strong> with <span class="added">1 addition</);
  assert.match(text, /<tr class="add">.*<td class="c">a<\/td><\/tr>/);
  const file = `/cyd/loom/src/commit/${sha}/a`;
  assert.ok(text.includes(`href="${file}"`), text);
  assert.equal((await forge.get(file)).status, 200);
  const opening = `/ada/loom/compare/main...cyd%3Afeature/it&#39;s-%3Cnew%3E?expand=1`;
  assert.ok(text.includes(`href="${opening}"`), text);
});

test('the page of a comparison shows the newest commits, and says how many more there are', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', { auto_init: true });
  const { comparisonPageCommitsMax: shown } = WEB_LIMITS;
  let parent = (await ada.get('/api/v1/repos/ada/loom/branches/main')).body.commit.id;
  const { tree } = (await ada.get(`/api/v1/repos/ada/loom/git/commits/${parent}`)).body.commit;
  for (let made = 0; made < shown + 2; made += 1) {
    const input = { message: `Weave ${made}`, tree: tree.sha, parents: [parent] };
    parent = (await ada.post('/api/v1/repos/ada/loom/git/commits', input)).body.sha;
  }
  await ada.post('/api/v1/repos/ada/loom/git/refs', { ref: 'refs/heads/cards', sha: parent });

  const { text } = await forge.get('/ada/loom/compare/main...cards');
  assert.equal(text.match(/<li>/g)?.length, shown);
  assert.match(text, />Weave 51</);
  assert.match(text, /and 2 older commits, which the API lists/);
  const reversed = await forge.get('/ada/loom/compare/cards...main');
  assert.match(reversed.text, /main has no commit that cards lacks/);
  assert.doesNotMatch(reversed.text, /expand=1/);
});

test('a comparison of hidden or unknown commits has no page', async (t) => {
  const forge = await startForge(t);
  const [ada, bob] = [await forge.account('ada'), await forge.account('bob')];
  await ada.repository('loom', { auto_init: true });
  await ada.repository('secret', { auto_init: true, private: true });
  assert.equal((await ada.get('/ada/secret/compare/main...main')).status, 200);
  const hidden = await bob.get('/ada/secret/compare/main...main');
  assert.deepEqual([hidden.status, hidden.text], MISSING);
  for (const basehead of ['main...missing', 'missing...main', 'main...cyd:main', 'main...ada/secret:main']) {
    const { status, text } = await bob.get(`/ada/loom/compare/${basehead}`);
    assert.deepEqual([status, text], MISSING, basehead);
  }
});
