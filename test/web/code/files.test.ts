import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge, type TestForge } from '../../support/forge/forge.ts';

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

type Account = Awaited<ReturnType<TestForge['account']>>;

async function withFiles(forge: TestForge, owner: Account, files: Readonly<Record<string, string>>) {
  await owner.repository('loom', { auto_init: true, description: 'It weaves' });
  await owner.post('/api/v1/repos/ada/loom/contents', {
    files: Object.entries(files).map(([path, content]) => ({ operation: 'create', path, content })),
    message: 'Add the files',
  });
  return (path: string) => forge.get(`/ada/loom/src/branch/main/${path}`);
}

test('the page of a repository shows its files with their last commits, its README, and how to clone it', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await withFiles(forge, ada, { 'src/main.ts': base64('let a = 1;\n'), 'a.txt': base64('a\n') });
  await ada.put('/api/v1/repos/ada/loom/contents/README.md', {
    content: base64('# The *loom*\n\nSee [the plan](src/main.ts).\n'),
    sha: (await ada.get('/api/v1/repos/ada/loom/contents/README.md')).body.sha,
    message: 'Explain the loom',
  });

  const { text } = await forge.get('/ada/loom');
  assert.match(text, /<p>It weaves<\/p>/);
  assert.ok(text.includes(`value="${forge.url}/ada/loom.git"`), 'the address to clone from');
  assert.match(text, /href="\/ada\/loom\/archive\/main\.zip"/);
  const rows = [
    ...text.matchAll(
      /<tr><td>.*?<a href="[^"]+">([^<]+)<\/a><\/td><td class="quiet"><a href="[^"]+">([^<]+)</g,
    ),
  ];
  assert.deepEqual(
    rows.map(([, name, subject]) => [name, subject]),
    [
      ['src', 'Add the files'],
      ['README.md', 'Explain the loom'],
      ['a.txt', 'Add the files'],
    ],
  );
  assert.match(text, /<h1 id="user-content-the-loom">The <em>loom<\/em><\/h1>/);
  assert.match(
    text,
    new RegExp(`href="${forge.url}/ada/loom/src/branch/main/src/main.ts"`),
    'a link of the README',
  );
});

test('an empty repository says how to push to it to those who may', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom');
  assert.match((await ada.get('/ada/loom')).text, /git push -u origin main/);
  const { text } = await forge.get('/ada/loom');
  assert.match(text, /Nothing has been pushed yet/);
  assert.doesNotMatch(text, /git push/);
});

test('a file of a known language has colors and numbered lines that addresses lead to', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const file = await withFiles(forge, ada, {
    'main.ts': base64('/* one\ntwo */\nconst a = "<b>";\n'),
    Makefile: base64('all:\n\techo "x"\n'),
    'notes.unknown': base64('<b>plain</b>\n'),
    empty: base64(''),
  });

  const { text } = await file('main.ts');
  assert.match(
    text,
    /<tr id="L1"><td class="n"><a href="#L1">1<\/a><\/td><td class="c"><span class="hljs-comment">\/\* one<\/span><\/td><\/tr>/,
  );
  assert.match(text, /<span class="hljs-comment">two \*\/<\/span>/, 'a comment of two lines');
  assert.match(text, /<span class="hljs-string">&quot;&lt;b&gt;&quot;<\/span>/);
  assert.doesNotMatch(text, /id="L4"/, 'the end of the last line is no line');
  assert.match(text, /3 lines, 31 bytes/);
  assert.match((await file('Makefile')).text, /hljs-section/);
  assert.match((await file('notes.unknown')).text, /<td class="c">&lt;b&gt;plain&lt;\/b&gt;<\/td>/);
  assert.match((await file('empty')).text, /This file is empty/);
});

test('Markdown, tables and pictures are shown as what they are, with their source on request', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const file = await withFiles(forge, ada, {
    'plan.md': base64('# Plan\n<script>alert(1)</script>\n'),
    'data.csv': base64('name,size\n"a, ""b""",1\r\n<i>,2\n'),
    'broken.csv': base64('name,size\n"a,1\n'),
    'dot.png': PIXEL,
    'dot.svg': base64('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
    'bytes.bin': base64(Buffer.from([0, 1, 2, 255])),
  });

  const plan = (await file('plan.md')).text;
  assert.match(plan, /<h1 id="user-content-plan">Plan<\/h1>/);
  assert.doesNotMatch(plan, /<script/);
  assert.match((await file('plan.md?display=source')).text, /# Plan/);
  const table = (await file('data.csv')).text;
  assert.match(table, /<th scope="col">name<\/th><th scope="col">size<\/th>/);
  assert.match(table, /<td>a, &quot;b&quot;<\/td><td>1<\/td>/);
  assert.match(table, /<td>&lt;i&gt;<\/td><td>2<\/td>/);
  assert.match((await file('broken.csv')).text, /id="L2"/, 'a file that is no table is text');
  assert.match(
    (await file('dot.png')).text,
    /<img src="\/ada\/loom\/raw\/branch\/main\/dot\.png" alt="dot\.png">/,
  );
  const picture = (await file('dot.svg')).text;
  assert.match(picture, /<img src="\/ada\/loom\/raw\/branch\/main\/dot\.svg"/);
  assert.doesNotMatch(picture, /<script/);
  assert.match(
    (await file('bytes.bin')).text,
    /<a href="\/ada\/loom\/raw\/branch\/main\/bytes\.bin">Download it<\/a> \(4 bytes\)/,
  );
});

test('a large object of git-lfs is shown from where git-lfs keeps it', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 5242880\n`;
  const file = await withFiles(forge, ada, { 'big.bin': base64(pointer), 'big.png': base64(pointer) });
  assert.match(
    (await file('big.bin')).text,
    /<a href="\/ada\/loom\/media\/branch\/main\/big\.bin">Download it<\/a> \(5\.0 MiB\)/,
  );
  assert.match((await file('big.png')).text, /<img src="\/ada\/loom\/media\/branch\/main\/big\.png"/);
});

test('a file of one long line, and one that is too large, have pages that stay small or lead to the file', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const file = await withFiles(forge, ada, {
    'line.js': base64('a;'.repeat(200_000)),
    'large.js': base64('a;\n'.repeat(200_000)),
  });
  const line = await file('line.js');
  assert.equal(line.status, 200);
  assert.match(line.text, /1 line, 391 KiB/);
  assert.match((await file('large.js')).text, /too large to show.*Download it/s);
});

test('the picker of branches and tags leads to the same path elsewhere', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const file = await withFiles(forge, ada, { 'docs/plan.txt': base64('plan\n') });
  await ada.post('/api/v1/repos/ada/loom/branches', { new_branch_name: 'feature/<i>' });
  await ada.post('/api/v1/repos/ada/loom/tags', { tag_name: 'v1' });
  const { text } = await file('docs/plan.txt');
  assert.match(text, /href="\/ada\/loom\/src\/branch\/feature\/%3Ci%3E\/docs\/plan\.txt"/);
  assert.match(text, /href="\/ada\/loom\/src\/tag\/v1\/docs\/plan\.txt"/);
  assert.equal((await forge.get('/ada/loom/src/tag/v1/docs/plan.txt')).status, 200);
});
