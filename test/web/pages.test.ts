import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../support/forge/forge.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const MISSING = [404, '404 page not found\n'];

test('a repository has pages for its files at a branch, a tag and a commit', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', { auto_init: true, description: 'It weaves' });
  const created = await ada.post('/api/v1/repos/ada/loom/contents/docs/a%20plan%3F.md', {
    content: base64('# <Plan>\n'),
    new_branch: 'feature/plan',
  });
  const sha = created.body.commit.sha;

  const overview = await forge.get('/ada/loom');
  assert.equal(overview.status, 200);
  assert.match(overview.text, /It weaves/);
  assert.match(overview.text, /href="\/ada\/loom\/src\/branch\/main"/);
  assert.equal((await forge.get('/ada/loom.git')).text, overview.text);
  for (const at of ['branch/feature/plan', `commit/${sha}`]) {
    const folder = await forge.get(`/ada/loom/src/${at}`);
    assert.match(folder.text, new RegExp(`href="/ada/loom/src/${at}/docs"`));
    const file = await forge.get(`/ada/loom/src/${at}/docs/a%20plan%3F.md?display=source`);
    assert.equal(file.status, 200);
    assert.match(file.text, /hljs-tag">&lt;<span class="hljs-name">Plan/);
    const raw = await forge.get(`/ada/loom/raw/${at}/docs/a%20plan%3F.md`);
    assert.equal(raw.text, '# <Plan>\n');
    assert.equal(raw.headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.match(raw.headers.get('content-security-policy') ?? '', /sandbox/);
    assert.equal((await forge.send('HEAD', `/ada/loom/raw/${at}/docs/a%20plan%3F.md`)).status, 200);
    const plain = at.slice(at.indexOf('/') + 1);
    for (const address of [`media/${at}`, `raw/${plain}`, `media/${plain}`]) {
      const same = await forge.get(`/ada/loom/${address}/docs/a%20plan%3F.md`);
      assert.deepEqual([same.text, same.headers.get('etag')], [raw.text, raw.headers.get('etag')], address);
    }
  }
  const commit = await forge.get(`/ada/loom/commit/${sha}`);
  assert.match(commit.text, /Add docs\/a plan\?\.md/);
  for (const path of [
    'src/branch/main/docs',
    'src/branch/missing',
    'src/tag/main',
    'src/other/main',
    'src/commit/main',
    'raw/branch/main/docs',
    'raw/branch/main',
    'raw/main/docs',
    'raw/main',
    'raw/other/README.md',
    'raw/main/missing',
    'media/branch/main/docs',
    'commit/main',
    `commit/${'0'.repeat(40)}`,
    'nonsense',
  ]) {
    const { status, text } = await forge.get(`/ada/loom/${path}`);
    assert.deepEqual([status, text], MISSING, path);
  }
});

test('an abbreviated id of a commit leads to its files, also if a branch has that name', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', { auto_init: true });
  const url = '/api/v1/repos/ada/loom/contents';
  const first = (await ada.post(`${url}/a`, { content: base64('one') })).body;
  const short = first.commit.sha.slice(0, 8);
  await ada.put(`${url}/a`, { content: base64('two'), sha: first.content.sha });
  await ada.post('/api/v1/repos/ada/loom/branches', { new_branch_name: short });

  for (const id of [first.commit.sha, short, short.slice(0, 7)])
    assert.equal((await forge.get(`/ada/loom/raw/commit/${id}/a`)).text, 'one', id);
  assert.match((await forge.get(`/ada/loom/src/commit/${short}/a`)).text, /one/);
  assert.equal((await forge.get(`/ada/loom/raw/branch/${short}/a`)).text, 'two');
  assert.equal((await forge.get(`/api/v1/repos/ada/loom/raw/a?ref=${short.slice(0, 7)}`)).text, 'one');
  for (const id of ['0000000', short.slice(0, 6), `${short}g`, first.content.sha, 'main'])
    assert.equal((await forge.get(`/ada/loom/raw/commit/${id}/a`)).status, 404, id);
});

test('pages of hidden repositories and accounts are missing, with equal responses', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const eve = await forge.account('eve');
  await forge.account('hidden', { visibility: 'private' });
  await ada.repository('secret', { private: true, auto_init: true });
  const { body } = await ada.get('/api/v1/repos/ada/secret/contents/README.md');

  for (const path of [
    '/ada/secret',
    '/ada/secret/src/branch/main/README.md',
    '/ada/secret/raw/branch/main/README.md',
    `/ada/secret/commit/${body.last_commit_sha}`,
    '/hidden',
  ]) {
    const absent = path.replace('secret', 'absent').replace('hidden', 'absent');
    const as = { headers: { authorization: `token ${eve.token}` } };
    for (const options of [{}, as]) {
      const [one, other] = [await forge.get(path, options), await forge.get(absent, options)];
      assert.deepEqual([one.status, one.text], MISSING, path);
      assert.deepEqual([other.status, other.text], MISSING, absent);
      assert.deepEqual([...one.headers.keys()], [...other.headers.keys()]);
    }
    if (path !== '/hidden') assert.equal((await ada.get(path)).status, 200, path);
  }
  assert.ok(!(await forge.get('/ada')).text.includes('secret'));
  assert.ok((await ada.get('/ada')).text.includes('secret'));
});

test('F1: pages escape texts of users, run no script and set no cookie', async (t) => {
  const forge = await startForge(t);
  const hostile = '<script>alert(1)</script>"\'';
  const ada = await forge.account('ada', { full_name: hostile });
  await ada.repository('loom', { auto_init: true, description: hostile });
  const name = encodeURIComponent('<img src=x onerror=alert(1)>.html');
  const created = await ada.post(`/api/v1/repos/ada/loom/contents/${name}`, {
    content: base64(hostile),
    message: hostile,
    author: { name: 'script>', email: 'x@example.org' },
  });
  const { sha } = created.body.commit;

  for (const path of [
    '/ada',
    '/ada/loom',
    '/ada/loom/src/branch/main',
    `/ada/loom/src/branch/main/${name}`,
    `/ada/loom/commit/${sha}`,
  ]) {
    const { status, text, headers } = await forge.get(path);
    assert.equal(status, 200, path);
    assert.ok(!/<script|<img src=x|onerror=alert\(1\)>(?!\.html)/.test(text), text);
    assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none';/);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('set-cookie'), null);
  }
  const raw = await forge.get(`/ada/loom/raw/branch/main/${name}`);
  assert.equal(raw.headers.get('content-type'), 'text/plain; charset=utf-8');
});

test('every account has a picture, which stays the same after a rename', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { avatar_url } = (await ada.get('/api/v1/user')).body;
  assert.match(avatar_url, new RegExp(`^${forge.url}/avatars/[0-9a-f]{32}$`));

  const path = avatar_url.slice(forge.url.length);
  const picture = await forge.get(path);

  assert.equal(picture.headers.get('content-type'), 'image/svg+xml');
  assert.match(picture.headers.get('cache-control') ?? '', /^public, max-age=\d+/);
  assert.match(picture.text, /^<svg [^>]+>.*<\/svg>\n$/);
  assert.equal((await forge.get(path)).text, picture.text);
  assert.notEqual((await forge.get(`/avatars/${'0'.repeat(32)}`)).text, picture.text);
  assert.deepEqual((await forge.get('/avatars/nope')).status, 404);
  await forge.root.post('/api/v1/admin/users/ada/rename', { new_username: 'lovelace' });
  assert.equal((await ada.get('/api/v1/user')).body.avatar_url, avatar_url);
});

test('the page of a renamed repository redirects to the new name', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', { auto_init: true });
  await ada.patch('/api/v1/repos/ada/loom', { name: 'jacquard' });

  const { status, headers } = await forge.get('/ada/loom/src/branch/main/README.md');

  assert.deepEqual([status, headers.get('location')], [301, '/ada/jacquard/src/branch/main/README.md']);
});
