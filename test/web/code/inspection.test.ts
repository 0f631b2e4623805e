import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { GIT_LIMITS } from '../../../src/git/limits.ts';
import { WEB_LIMITS } from '../../../src/web/limits.ts';
import { startForge } from '../../support/forge/forge.ts';

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');

async function openLoom(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', { auto_init: true });
  const write = async (path: string, content: string | Buffer, message = `Write ${path}`) => {
    const url = `/api/v1/repos/ada/loom/contents/${encodeURIComponent(path)}`;
    const { sha } = (await ada.get(url)).body;
    const made = await ada.put(url, {
      content: base64(content),
      message,
      ...(sha === undefined ? {} : { sha }),
    });
    assert.ok(made.status === 200 || made.status === 201, made.text);
    return made.body.commit.sha as string;
  };
  return { forge, ada, write };
}

test('the blame of a file names the commit of each line, and leads to the lines before', async (t) => {
  const { forge, write } = await openLoom(t);
  const first = await write('a.txt', 'one\ntwo\nthree\n', 'Begin <all>');
  const second = await write('a.txt', 'one\nTWO\nthree\n', 'Shout');
  const { status, text } = await forge.get('/ada/loom/blame/branch/main/a.txt');
  assert.equal(status, 200);
  const rows = [
    ...text.matchAll(/<tr id="L(\d)"[^>]*><td class="who[^"]*">(.*?)<\/td>.*<td class="c">(\w+)<\/td>/g),
  ];
  const who = rows.map(([, number, about = '', line]) => [
    number,
    line,
    /commit\/([0-9a-f]+)/.exec(about)?.[1],
  ]);
  assert.deepEqual(who, [
    ['1', 'one', first],
    ['2', 'TWO', second],
    ['3', 'three', first],
  ]);
  assert.match(text, /Begin &lt;all&gt;/);
  const before = `/ada/loom/blame/commit/${first}/a.txt`;
  assert.ok(text.includes(`href="${before}"`), text);
  assert.match((await forge.get(before)).text, /<td class="c">two<\/td>/);
});

test('files without lines and folders have no blame', async (t) => {
  const { forge, write } = await openLoom(t);
  await write('binary', Buffer.from([0, 1]));
  await write('empty', '');
  assert.match((await forge.get('/ada/loom/blame/branch/main/binary')).text, /or it is not text/);
  assert.match((await forge.get('/ada/loom/blame/branch/main/empty')).text, /This file is empty/);
  const folder = await forge.get('/ada/loom/blame/branch/main');
  assert.deepEqual(
    [folder.status, folder.headers.get('location')],
    [303, `${forge.url}/ada/loom/src/branch/main`],
  );
  assert.equal((await forge.get('/ada/loom/blame/branch/main/missing')).status, 404);
  assert.equal((await forge.get('/ada/loom/blame/branch/missing/a')).status, 404);
});

test('a search finds lines in any case of letters, and takes the text as it is', async (t) => {
  const { forge, write } = await openLoom(t);
  await write('src/a file.ts', 'const x = 1;\n// Weave <b>THE</b> (.*) pattern\n');
  await write('b.md', 'weave <b>the</b> (.*)\n');
  await write('binary', Buffer.from('weave\0 <b>the</b> (.*)'));
  const search = (q: string) => forge.get(`/ada/loom/search?q=${encodeURIComponent(q)}`);

  const { status, text } = await search('<b>the</b> (.*)');
  assert.equal(status, 200);
  assert.match(text, /2 lines in 2 files/);
  assert.match(text, /href="\/ada\/loom\/src\/branch\/main\/src\/a%20file\.ts#L2">2</);
  assert.match(text, /href="\/ada\/loom\/src\/branch\/main\/b\.md\?display=source#L1"/);
  assert.match(text, /Weave <mark>&lt;b&gt;THE&lt;\/b&gt; \(\.\*\)<\/mark> pattern/);
  assert.match((await search('nothing like this')).text, /No line of main has this text/);
  assert.match((await search('--help')).text, /No line of main has this text/);
  assert.match((await search('')).text, /Finds lines of the branch main/);
  for (const wrong of ['x', 'y'.repeat(201), 'a\nb']) {
    const answer = await search(wrong);
    assert.equal(answer.status, 422, wrong);
    assert.match(answer.text, /role="alert"/);
  }
});

test('a search ends after a number of lines, shows a part of a long line, and needs code', async (t) => {
  const { forge, ada, write } = await openLoom(t);
  await write('many', 'needle\n'.repeat(GIT_LIMITS.codeSearchLinesMax + 5));
  await write('long', `${'x'.repeat(100_000)}pin${'y'.repeat(100_000)}\n`);
  const many = await forge.get('/ada/loom/search?q=needle');
  assert.match(many.text, new RegExp(`${GIT_LIMITS.codeSearchLinesMax} lines in 1 file`));
  assert.match(many.text, /The search ended early/);
  const long = await forge.get('/ada/loom/search?q=xxpinyy');
  assert.match(long.text, /x<mark>xxpinyy<\/mark>y/);
  assert.ok(long.text.length < 20_000);
  await ada.repository('empty');
  assert.match((await forge.get('/ada/empty/search?q=needle')).text, /This repository has no code yet/);
});

test('files are found by parts of their paths, the best first', async (t) => {
  const { forge, ada } = await openLoom(t);
  const paths = ['src/web/page.ts', 'src/pages/list.ts', 'page.md', 'p/a/g/e/x', '<i>'];
  const more = Array.from({ length: WEB_LIMITS.foundFilesMax }, (_, index) => `z/${index}`);
  await ada.post('/api/v1/repos/ada/loom/contents', {
    files: [...paths, ...more].map((path) => ({ operation: 'create', path, content: '' })),
  });
  const found = async (q: string) => {
    const { text } = await forge.get(`/ada/loom/find/branch/main?q=${encodeURIComponent(q)}`);
    return [...text.matchAll(/<a class="grow" href="\/ada\/loom\/src\/branch\/main\/([^"]+)"/g)].map(
      ([, path]) => path,
    );
  };
  assert.deepEqual(await found('page'), ['page.md', 'src/web/page.ts', 'src/pages/list.ts', 'p/a/g/e/x']);
  assert.deepEqual(await found('WEB ts'), ['src/web/page.ts']);
  assert.deepEqual(await found('<i'), ['%3Ci%3E']);
  assert.deepEqual(await found('nothing'), []);
  assert.equal((await found('')).length, WEB_LIMITS.foundFilesMax);
  const { text, headers } = await forge.get('/ada/loom/find/branch/main');
  assert.match(text, /and 6 more files/);
  assert.match(headers.get('content-security-policy') ?? '', /script-src 'self'/);
  const [, script = ''] = /<script type="module" src="([^"]+)"/.exec(text) ?? [];
  assert.equal((await forge.get(script)).status, 200);
  assert.equal((await forge.get('/ada/loom/find/branch/main/z')).status, 404);
});
