import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WEB_LIMITS } from '../../../src/web/limits.ts';
import { startForge } from '../../support/forge/forge.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const MISSING = [404, '404 page not found\n'];

test('commits are listed by day on pages, for a branch, a tag, a commit and a path', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', { auto_init: true });
  const url = '/api/v1/repos/ada/loom';
  for (const day of ['2024-03-01', '2024-03-02'])
    await ada.post(`${url}/contents/docs/${day}`, {
      content: base64(day),
      message: `Weave on ${day}\n\nWith <care>.`,
      dates: { author: `${day}T10:00:00Z`, committer: `${day}T10:00:00Z` },
    });
  const { id } = (await ada.get(`${url}/branches/main`)).body.commit;
  await ada.post(`${url}/tags`, { tag_name: 'v1', target: 'main' });

  for (const at of ['branch/main', 'tag/v1', `commit/${id}`, `commit/${id.slice(0, 10)}`]) {
    const { status, text } = await forge.get(`/ada/loom/commits/${at}`);
    assert.equal(status, 200, at);
    assert.match(text, /3 commits/);
    assert.match(text, /Commits of 2024-03-02<[\s\S]*Weave on 2024-03-02<[\s\S]*Commits of 2024-03-01</);
    assert.match(text, /With &lt;care&gt;\./);
  }
  const ofPath = await forge.get('/ada/loom/commits/branch/main/docs/2024-03-01');
  assert.match(ofPath.text, /1 commit</);
  assert.doesNotMatch(ofPath.text, /Weave on 2024-03-02/);
  for (const path of ['branch/missing', 'branch/main/missing', 'tag/main', 'other/main'])
    assert.deepEqual(
      await forge.get(`/ada/loom/commits/${path}`).then(({ status, text }) => [status, text]),
      MISSING,
      path,
    );
});

test('a long list of commits has several pages', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', { auto_init: true });
  const url = '/api/v1/repos/ada/loom';
  let parent = (await ada.get(`${url}/branches/main`)).body.commit.id;
  const { tree } = (await ada.get(`${url}/git/commits/${parent}`)).body.commit;
  for (let made = 0; made < WEB_LIMITS.commitsPageItemsMax; made += 1) {
    const input = { message: `Weave ${made}`, tree: tree.sha, parents: [parent] };
    parent = (await ada.post(`${url}/git/commits`, input)).body.sha;
  }
  await ada.post(`${url}/git/refs`, { ref: 'refs/heads/cards', sha: parent });

  const first = await forge.get('/ada/loom/commits/branch/cards');
  assert.match(first.text, /href="\/ada\/loom\/commits\/branch\/cards\?page=2">Next/);
  assert.doesNotMatch(first.text, /Initial commit/);
  const second = await forge.get('/ada/loom/commits/branch/cards?page=2');
  assert.match(second.text, /Initial commit[\s\S]*\?page=1">Previous/);
  assert.match((await forge.get('/ada/loom/commits/branch/cards?page=9')).text, /No commits here/);
});

test('the page of a commit shows its people, parents, checks and note', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', { auto_init: true });
  const url = '/api/v1/repos/ada/loom';
  const first = (await ada.get(`${url}/branches/main`)).body.commit.id;
  const made = await ada.post(`${url}/contents/a`, {
    content: base64('one\n'),
    message: 'Weave\n\nBecause <it> is cold.',
    author: { name: 'Grace', email: 'grace@example.org' },
    committer: { name: 'Alan', email: 'alan@example.org' },
  });
  const { sha } = made.body.commit;
  const status = { context: 'ci/<test>', state: 'failure', target_url: 'https://ci.example.org/1' };
  const reported = await ada.post(`${url}/statuses/${sha}`, { ...status, description: 'It broke' });
  assert.equal(reported.status, 201, reported.text);
  await ada.post(`${url}/git/notes/${sha}`, { message: 'Remember <this>' });

  const { text, headers } = await forge.get(`/ada/loom/commit/${sha}`);
  assert.match(text, /<h1>Weave<\/h1>/);
  assert.match(text, /<pre class="message">Because &lt;it&gt; is cold\.<\/pre>/);
  assert.match(text, /Grace[\s\S]*committed by/);
  assert.match(text, new RegExp(`parent <a class="nowrap" href="/ada/loom/commit/${first}">`));
  assert.match(text, /Checks: failure[\s\S]*ci\/&lt;test&gt;<\/a> <span class="quiet">It broke/);
  assert.match(text, /<pre>Remember &lt;this&gt;\n<\/pre>/);
  assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none';/);
  assert.match((await forge.get(`/ada/loom/commit/${first}`)).text, /the first commit[\s\S]*README\.md/);
});

test('a stranger sees no page of the history of a private repository', async (t) => {
  const forge = await startForge(t);
  const [ada, eve] = [await forge.account('ada'), await forge.account('eve')];
  await ada.repository('secret', { auto_init: true, private: true });
  const { id } = (await ada.get('/api/v1/repos/ada/secret/branches/main')).body.commit;
  for (const page of [
    'commits/branch/main',
    `commit/${id}`,
    'compare/main...main',
    'branches',
    'tags',
    'blame/branch/main/README.md',
    'search?q=secret',
    'find/branch/main',
  ]) {
    assert.equal((await ada.get(`/ada/secret/${page}`)).status, 200, page);
    for (const who of [forge, eve]) {
      const { status, text } = await who.get(`/ada/secret/${page}`);
      assert.deepEqual([status, text], MISSING, page);
    }
  }
});
