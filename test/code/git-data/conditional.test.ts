import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { Person } from '../../support/forge/forge.ts';
import { startForge } from '../../support/forge/forge.ts';
import { endJobs, watchProcesses } from '../../support/git/started-processes.ts';
import type { Answer } from '../../support/http/http.ts';
import { base64 } from '../contents/files.ts';

const ROOT = '/api/v1/repos/ada/loom';
test('blobs, trees and commits have ETags, and a caller who has them gets 304 only while access lasts', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', { auto_init: true });
  const { sha: blob, last_commit_sha: commit } = (await forge.get(`${ROOT}/contents/README.md`)).body;
  const paths = [
    `blobs/${blob}`,
    `trees/${commit}`,
    'trees/main?recursive=true',
    `commits/${commit}`,
    'commits/main',
  ];
  const tags = new Map<string, string>();
  for (const path of paths) {
    const tag = (await forge.get(`${ROOT}/git/${path}`)).headers.get('etag') ?? '';
    assert.match(tag, /^"[0-9a-f]{40}"$/, path);
    tags.set(path, tag);
  }
  const again = (path: string) =>
    forge.get(`${ROOT}/git/${path}`, { headers: { 'if-none-match': tags.get(path) ?? '' } });

  await endJobs(forge);
  const started = watchProcesses(t);
  for (const path of paths) {
    const { status, text, headers } = await again(path);
    assert.deepEqual([status, text, headers.get('etag')], [304, '', tags.get(path)], path);
  }
  assert.deepEqual(started(), []);

  await ada.post(`${ROOT}/contents/new.txt`, { content: '' });
  assert.deepEqual((await again(`commits/${commit}`)).status, 304);
  for (const path of ['commits/main', 'trees/main?recursive=true'])
    assert.equal((await again(path)).status, 200, path);
  await ada.patch(ROOT, { name: 'web' });
  const renamed = await forge.get(`/api/v1/repos/ada/web/git/blobs/${blob}`, {
    headers: { 'if-none-match': tags.get(`blobs/${blob}`) ?? '' },
  });
  assert.equal(renamed.status, 200);
  await ada.patch('/api/v1/repos/ada/web', { name: 'loom' });
  await ada.patch(ROOT, { private: true });
  for (const path of paths) assert.equal((await again(path)).status, 404, path);
});

test('the ETag of a commit depends on what of it is asked for', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', { auto_init: true });
  const queries = ['', '?stat=false', '?files=false', '?verification=false'];

  const tags = await Promise.all(
    queries.map(async (query) => (await forge.get(`${ROOT}/git/commits/main${query}`)).headers.get('etag')),
  );

  assert.equal(new Set(tags).size, queries.length);
});

/** A repository with something for every read, and the addresses of all reads. */
async function startFull(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', { auto_init: true });
  const files = [
    { operation: 'create', path: '.editorconfig', content: base64('[*]\nindent_size = 2\n') },
    { operation: 'create', path: 'src/a.ts', content: base64('export {};\n') },
  ];
  await ada.post(`${ROOT}/contents`, { files });
  await ada.post(`${ROOT}/tags`, { tag_name: 'v1', message: 'First' });
  await ada.post(`${ROOT}/branches`, { new_branch_name: 'topic' });
  await ada.post(`${ROOT}/branch_protections`, { rule_name: 'release' });
  const protection = { name_pattern: 'v*', whitelist_usernames: ['ada'] };
  const { id } = (await ada.post(`${ROOT}/tag_protections`, protection)).body;
  await ada.post(`${ROOT}/statuses/main`, { state: 'success' });
  const { sha: blob, last_commit_sha: commit } = (await ada.get(`${ROOT}/contents/src/a.ts`)).body;
  const tag = (await ada.get(`${ROOT}/tags/v1`)).body.id;
  await endJobs(forge);
  assert.equal((await ada.get(`${ROOT}/languages`)).body.TypeScript, 11);
  const parts = [
    ...['branches', 'branches/main', 'tags', 'tags/v1', `git/tags/${tag}`],
    ...['branch_protections', 'branch_protections/release', 'tag_protections', `tag_protections/${id}`],
    ...['statuses/main', 'commits/main/statuses', 'commits/main/status', 'languages'],
    ...['issue_templates', 'issue_config', 'issue_config/validate', 'editorconfig/src/a.ts'],
    ...['contents', 'contents/src/a.ts', 'contents-ext', 'contents-ext/src/a.ts'],
    `file-contents?body=${encodeURIComponent('{"files":["src/a.ts"]}')}`,
    ...['raw/src/a.ts', 'media/src/a.ts', 'archive/main.zip', 'archive/main.tar.gz', 'archive/main.bundle'],
    ...['commits', `compare/v1...main`, `git/commits/main`, `git/commits/${commit}.diff`],
    ...[`git/commits/${commit}.patch`, `git/blobs/${blob}`, 'git/trees/main'],
    ...['git/refs', 'git/refs/heads', 'git/refs/heads/main', 'git/ref/heads/main', 'git/matching-refs/tags'],
  ];
  const web = ['raw/branch/main/src/a.ts', `raw/commit/${commit}/src/a.ts`, 'archive/main.zip'];
  const urls = [...parts.map((part) => `${ROOT}/${part}`), ...web.map((part) => `/ada/loom/${part}`)];
  return { forge, ada, commit, id, urls };
}

const tagOf = async (who: Person, url: string) => (await who.get(url)).headers.get('etag') ?? '';

test('every read of git data has a strong ETag, and is 304 for it without starting git, while access lasts', async (t) => {
  const { forge, ada, urls } = await startFull(t);
  const tags = new Map<string, string>();
  for (const url of urls) {
    const answer = await ada.get(url);
    assert.equal(answer.status, 200, url);
    const tag = answer.headers.get('etag') ?? '';
    assert.match(tag, /^"[\x21\x23-\x7e]+"$/, url);
    tags.set(url, tag);
  }

  const started = watchProcesses(t);
  for (const url of urls) {
    const tag = tags.get(url) ?? '';
    for (const known of [tag, `"x", W/${tag}`]) {
      const { status, text, headers } = await ada.get(url, { headers: { 'if-none-match': known } });
      assert.deepEqual([status, text, headers.get('etag')], [304, '', tag], url);
    }
  }
  assert.deepEqual(started(), []);

  for (const url of urls) {
    const head = await ada.send('HEAD', url, { headers: { 'if-none-match': '"x"' } });
    assert.deepEqual([head.status, head.headers.get('etag')], [200, tags.get(url)], `HEAD ${url}`);
    const any = await ada.get(url, { headers: { 'if-none-match': '*' } });
    assert.deepEqual([any.status, any.headers.get('etag')], [304, tags.get(url)], url);
  }

  await ada.patch(ROOT, { private: true });
  const eve = await forge.account('eve');
  for (const url of urls) {
    const hidden = await eve.get(url, { headers: { 'if-none-match': tags.get(url) ?? '' } });
    assert.equal(hidden.status, 404, url);
  }
});

test('a resource that changes gets another ETag, and a missing one has none', async (t) => {
  const { forge, ada, id } = await startFull(t);
  // A job measures the repository at any later time, and statuses show its size.
  await forge.forge.running.services.jobs.stop();
  const before = new Map<string, string>();
  const paths = [
    ...['branches', 'branches/main', 'branches/topic', 'tags', 'branch_protections'],
    ...['branch_protections/release', 'tag_protections', `tag_protections/${id}`],
    ...['statuses/main', 'commits/main/status', 'editorconfig/src/a.ts', 'issue_templates'],
  ];
  for (const path of paths) before.set(path, await tagOf(ada, `${ROOT}/${path}`));
  const changedBy = async (change: Promise<Answer>): Promise<readonly string[]> => {
    const { status, text } = await change;
    assert.ok(status >= 200 && status < 300, text);
    const changed: string[] = [];
    for (const path of paths) {
      const tag = await tagOf(ada, `${ROOT}/${path}`);
      if (tag !== before.get(path)) changed.push(path);
      before.set(path, tag);
    }
    return changed;
  };

  assert.deepEqual(await changedBy(ada.post(`${ROOT}/contents/new`, { content: '' })), [
    'branches',
    'branches/main',
    'statuses/main',
    'commits/main/status',
    'editorconfig/src/a.ts',
    'issue_templates',
  ]);
  // The combined status shows the second of the latest push to the repository, which may be the same.
  const changedByTag = await changedBy(ada.post(`${ROOT}/tags`, { tag_name: 'w' }));
  assert.deepEqual(
    changedByTag.filter((path) => path !== 'commits/main/status'),
    ['tags'],
  );
  assert.deepEqual(await changedBy(ada.post(`${ROOT}/statuses/main`, { state: 'error' })), [
    'statuses/main',
    'commits/main/status',
  ]);
  assert.deepEqual(await changedBy(ada.post(`${ROOT}/branch_protections`, { rule_name: 'topic' })), [
    'branches',
    'branches/topic',
    'branch_protections',
  ]);
  assert.deepEqual(await changedBy(ada.patch(`${ROOT}/tag_protections/${id}`, { name_pattern: 'w*' })), [
    'tag_protections',
    `tag_protections/${id}`,
  ]);
  for (const path of ['branches/no', 'tags/no', 'editorconfig/', 'contents/no', 'branch_protections/no']) {
    const missing = await ada.get(`${ROOT}/${path}`, { headers: { 'if-none-match': '*' } });
    assert.deepEqual([missing.status, missing.headers.get('etag')], [404, null], path);
  }
});

test('a write with a stale tag changes nothing, and one with the current tag is made', async (t) => {
  const { ada, id } = await startFull(t);
  const protection = { name_pattern: 'w*', whitelist_usernames: ['ada'] };
  const writes: readonly [method: string, path: string, read: string, json: object][] = [
    ['POST', 'branches', 'branches', { new_branch_name: 'new' }],
    ['PATCH', 'branches/topic', 'branches/topic', { name: 'other' }],
    ['DELETE', 'branches/new', 'branches/new', {}],
    ['POST', 'tags', 'tags', { tag_name: 'v2' }],
    ['DELETE', 'tags/v2', 'tags/v2', {}],
    ['POST', 'statuses/main', 'statuses/main', { state: 'error' }],
    ['POST', 'branch_protections', 'branch_protections', { rule_name: 'next' }],
    ['PATCH', 'branch_protections/next', 'branch_protections/next', { enable_push: true }],
    ['DELETE', 'branch_protections/next', 'branch_protections/next', {}],
    ['POST', 'tag_protections', 'tag_protections', protection],
    ['PATCH', `tag_protections/${id}`, `tag_protections/${id}`, { name_pattern: 'x*' }],
    ['DELETE', `tag_protections/${id}`, `tag_protections/${id}`, {}],
  ];
  const stale = await tagOf(ada, `${ROOT}/tags`);
  await ada.post(`${ROOT}/tags`, { tag_name: 'moved-on' });

  for (const [method, path, read, json] of writes) {
    const send = (tag: string) => ada.send(method, `${ROOT}/${path}`, { json, headers: { 'if-match': tag } });
    const tag = await tagOf(ada, `${ROOT}/${read}`);
    for (const other of [stale, `W/${tag}`, 'nonsense']) {
      const { status, body } = await send(other);
      assert.equal(status, 412, `${method} ${path} with ${other}`);
      assert.match(body.message, /has changed: read it again/);
    }
    assert.equal(await tagOf(ada, `${ROOT}/${read}`), tag, `${method} ${path} changed nothing`);
    const { status, text } = await send(`"x", ${tag}`);
    assert.ok([200, 201, 204].includes(status), `${method} ${path}: ${status} ${text}`);
  }
  for (const [path, json] of [
    ['branches', { new_branch_name: 'any' }],
    ['tag_protections', { ...protection, name_pattern: 'y*' }],
  ] as const) {
    const any = await ada.send('POST', `${ROOT}/${path}`, { json, headers: { 'if-match': '*' } });
    assert.equal(any.status, 201, any.text);
  }
});
