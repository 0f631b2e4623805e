import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base64, contentsOf, rawOf } from '../code/contents/files.ts';
import { git } from '../support/git.ts';
import { startCrafting } from './crafted.ts';

const LATIN = (text: string) => Buffer.from(text, 'latin1');
const LOOKS_QUOTED = '"caf\\351.txt"';
/** Names as git stores them → their texts, in git's order. */
const FILES: readonly (readonly [name: Buffer, text: string])[] = [
  [Buffer.from(LOOKS_QUOTED), '"\\"caf\\\\351.txt\\""'],
  [LATIN('caf\xe8.txt'), '"caf\\350.txt"'],
  [LATIN('caf\xe9.txt'), LOOKS_QUOTED],
  [Buffer.from('caf\ufffd.txt'), 'caf\ufffd.txt'],
];
const FOLDER = '"\\377\\376"';

test('C2: names that are not UTF-8 have texts of their own, and their addresses work', async (t) => {
  const { ada, crafter, push, folder } = await startCrafting(t);
  const files = await Promise.all(
    FILES.map(async ([name, text]) => ['100644', name, await crafter.blob(`content of ${text}`)] as const),
  );
  const inner = await crafter.tree([['100644', LATIN('\xff'), await crafter.blob('inner')]]);
  await push({ main: await crafter.tree([...files, ['40000', LATIN('\xff\xfe'), inner]]) });
  const paths = [...FILES.map(([, text]) => text), `${FOLDER}/"\\377"`];

  const listed = await ada.get('/api/v1/repos/ada/engine/contents');
  const names: readonly string[] = listed.body.map(({ name }: { name: string }) => name);
  assert.deepEqual(names.toSorted(), [FOLDER, ...FILES.map(([, text]) => text)].sort());
  const tree = await ada.get('/api/v1/repos/ada/engine/git/trees/main?recursive=1');
  const inTree = tree.body.tree.map(({ path }: { path: string }) => path);
  for (const path of [...paths, FOLDER]) assert.ok(inTree.includes(path), `${path} in ${inTree}`);

  for (const path of paths) {
    const found = await ada.get(contentsOf('ada/engine', path));
    assert.deepEqual([found.status, found.body.path], [200, path]);
    assert.equal(found.body.last_commit_sha, listed.body[0].last_commit_sha, path);
    const text = Buffer.from(found.body.content, 'base64').toString();
    assert.equal(text, path.includes('/') ? 'inner' : `content of ${path}`);
    for (const url of ['url', 'download_url', 'git_url', 'html_url'])
      assert.equal(
        (await ada.get(new URL(found.body[url]).href.replace(/^https?:\/\/[^/]+/, ''))).status,
        200,
        url,
      );
    assert.equal((await ada.get(rawOf('ada/engine', path))).text, text);
    const commits = await ada.get(
      `/api/v1/repos/ada/engine/commits?path=${encodeURIComponent(path)}&files=true`,
    );
    assert.equal(commits.body.length, 1, path);
    const changed: readonly { filename: string }[] = commits.body[0].files;
    assert.deepEqual(changed.map(({ filename }) => filename).sort(), [...paths].sort());
  }

  const [, second = '', third = '', fourth = ''] = paths;
  const shaOf = async (path: string) => (await ada.get(contentsOf('ada/engine', path))).body.sha;
  const edited = await ada.put(contentsOf('ada/engine', third), {
    content: base64('new'),
    sha: await shaOf(third),
  });
  assert.equal(edited.status, 200, edited.text);
  const again = await ada.get(`/api/v1/repos/ada/engine/commits?path=${encodeURIComponent(third)}`);
  assert.equal(again.headers.get('x-total-count'), '2');
  const moved = await ada.put(contentsOf('ada/engine', 'moved.txt'), {
    content: base64('moved'),
    sha: await shaOf(second),
    from_path: second,
  });
  assert.equal(moved.status, 200, moved.text);
  const deleted = await ada.delete(contentsOf('ada/engine', `${FOLDER}/"\\377"`), {
    sha: await shaOf(`${FOLDER}/"\\377"`),
  });
  assert.equal(deleted.status, 200, deleted.text);
  const patched = await ada.post('/api/v1/repos/ada/engine/diffpatch', {
    content: `--- "a/caf\\351.txt"\n+++ "b/caf\\351.txt"\n@@ -1 +1 @@\n-new\n\\ No newline at end of file\n+patched\n`,
  });
  assert.equal(patched.status, 200, patched.text);
  assert.equal((await ada.get(rawOf('ada/engine', third))).text, 'patched\n');
  for (const path of ['"new\\351.txt"', `${FOLDER}/x`, 'x/"\\377"'])
    assert.equal((await ada.post(contentsOf('ada/engine', path), { content: '' })).status, 422, path);

  await git(folder, ['fetch', '-q', ada.remote('ada/engine'), 'main']);
  const stored = await git(folder, [
    '-c',
    'core.quotePath=true',
    'ls-tree',
    '-r',
    '--name-only',
    'FETCH_HEAD',
  ]);
  assert.deepEqual(stored.split('\n'), [
    '"\\"caf\\\\351.txt\\""',
    '"caf\\351.txt"',
    '"caf\\357\\277\\275.txt"',
    'moved.txt',
  ]);
  assert.equal((await ada.get(rawOf('ada/engine', fourth))).text, `content of ${fourth}`);
});
