import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import type { Answer } from '../../support/http/http.ts';
import { file } from './engine.ts';
import { base64, pushedRepository, rawOf } from './files.ts';

const ROOT = '/api/v1/repos/ada/engine/contents';

async function startEngine(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await pushedRepository(t, ada, 'engine', { 'docs/deep/a.txt': 'a', other: 'o' });
  const { sha } = (await ada.get(file('docs/deep/a.txt'))).body;
  const tagOf = async (url: string) => (await ada.get(url)).headers.get('etag') ?? '';
  const send = (method: string, url: string, tag: string, json: object) =>
    ada.send(method, url, { json, headers: { 'if-match': tag } });
  /** Changes another file, so that the records of the first one and of its folders have other tags. */
  const moveOn = async (path = `later-${Math.random()}`) =>
    assert.equal((await ada.post(file(path), { content: '' })).status, 201);
  return { ada, sha, tagOf, send, moveOn };
}

test('a write with the tag of the file, of its bytes or of a folder around it is made while the tag is current', async (t) => {
  const { ada, sha, tagOf, send, moveOn } = await startEngine(t);
  const path = 'docs/deep/a.txt';
  const commit = (await ada.get(file(path))).body.last_commit_sha;
  const urls = [
    file(path),
    `${file(path)}?ref=main`,
    `${file(path)}?ref=refs/heads/main`,
    `${file(path)}?ref=${commit}`,
    rawOf('ada/engine', path),
    file('docs/deep'),
    file('docs'),
    ROOT,
  ];
  const body = { content: base64('b'), sha, new_branch: '' };
  for (const [index, url] of urls.entries()) {
    const tag = await tagOf(url);
    const toNew = { ...body, new_branch: `b${index}` };
    assert.equal((await send('PUT', file(path), `"x", ${tag}`, toNew)).status, 200, url);
  }
  const tags = await Promise.all(urls.map(tagOf));
  await moveOn();

  for (const [index, url] of urls.entries()) {
    const { status, body: error } = await send('PUT', file(path), tags[index] ?? '', {
      ...body,
      new_branch: `c${index}`,
    });
    // The tag of the bytes is current as long as the bytes are.
    assert.equal(status, url === rawOf('ada/engine', path) ? 200 : 412, url);
    if (status === 412) assert.equal(error.message, 'the file or folder has changed: read it again');
  }
});

test('a write with a stale tag changes nothing, with every method', async (t) => {
  const { sha, tagOf, send, moveOn } = await startEngine(t);
  const path = 'docs/deep/a.txt';
  const stale = [await tagOf(file(path)), await tagOf(ROOT)].join(', ');
  await moveOn('later');
  const before = await tagOf(ROOT);
  const files = [{ operation: 'create', path: 'new', content: '' }];

  const answers = [
    await send('PUT', file(path), stale, { content: '', sha }),
    await send('PUT', file('moved'), stale, { content: '', sha, from_path: path }),
    await send('DELETE', file(path), stale, { sha }),
    await send('POST', file('new'), stale, { content: '' }),
    await send('POST', ROOT, stale, { files }),
    await send('POST', ROOT, await tagOf(file(path)), { files }),
    await send('PUT', file(path), `W/${before}`, { content: '', sha }),
    await send('PUT', file(path), 'nonsense', { content: '', sha }),
  ];

  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map(() => 412),
  );
  assert.equal(await tagOf(ROOT), before);
});

test('a current tag of the source or of the folder allows moves, creations, deletions and several changes', async (t) => {
  const { ada, sha, tagOf, send } = await startEngine(t);
  const path = 'docs/deep/a.txt';

  const moved = await send('PUT', file('moved'), await tagOf(rawOf('ada/engine', path)), {
    content: '',
    sha,
    from_path: path,
  });
  const created = await send('POST', file('new/x'), await tagOf(ROOT), { content: '' });
  const files = [{ operation: 'create', path: 'several', content: '' }];
  const several = await send('POST', ROOT, await tagOf(ROOT), { files });
  const other = (await ada.get(file('other'))).body.sha;
  const deleted = await send('DELETE', file('other'), await tagOf(file('other')), { sha: other });

  const status = (answer: Answer) => answer.status;
  assert.deepEqual([moved, created, several, deleted].map(status), [200, 201, 201, 200]);
});

test('the response to a write has the tag for the next one', async (t) => {
  const { tagOf, send, sha } = await startEngine(t);
  const url = file('docs/deep/a.txt');

  const first = await send('PUT', url, await tagOf(url), { content: base64('1'), sha });
  const tag = first.headers.get('etag') ?? '';
  const second = await send('PUT', url, tag, { content: base64('2'), sha: first.body.content.sha });

  assert.equal(second.status, 200);
  assert.equal(second.headers.get('etag'), await tagOf(url));
});

test('If-Match: * needs a file that exists', async (t) => {
  const { sha, send } = await startEngine(t);

  assert.equal((await send('POST', file('new'), '*', { content: '' })).status, 412);
  assert.equal((await send('PUT', file('new'), '*', { content: '' })).status, 412);
  assert.equal((await send('DELETE', file('no'), '*', { sha })).status, 412);
  assert.equal((await send('PUT', file('docs/deep/a.txt'), '*', { content: '', sha })).status, 200);
});

test('the tag of an empty root folder allows the first commit only', async (t) => {
  const { ada } = await startEngine(t);
  await ada.repository('empty');
  const root = '/api/v1/repos/ada/empty/contents';
  const tag = (await ada.get(root)).headers.get('etag') ?? '';
  const create = (name: string, match: string) =>
    ada.send('POST', `${root}/${name}`, { json: { content: '' }, headers: { 'if-match': match } });

  assert.equal((await create('stale', '"other"')).status, 412);
  assert.equal((await create('any', '*')).status, 412);
  assert.equal((await create('first', tag)).status, 201);
  assert.equal((await create('second', tag)).status, 412);
});
