import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COMMIT_LIMITS } from '../../../src/code/commits/limits.ts';
import { WEB_LIMITS } from '../../../src/web/limits.ts';
import { changedWords } from '../../../src/web/parts/diff/words.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';

// Runs once per database: pages of commits, whose differences all forms of pages show.

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');

interface Loom {
  readonly forge: TestForge;
  readonly ada: Person;
  /** Makes a commit and returns its id. */
  commit(files: readonly Record<string, unknown>[], message?: string): Promise<string>;
}

async function openLoom(t: Parameters<typeof startForge>[0]): Promise<Loom> {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', { auto_init: true });
  return {
    forge,
    ada,
    async commit(files, message = 'Weave') {
      const made = await ada.post('/api/v1/repos/ada/loom/contents', { files, message });
      assert.equal(made.status, 201, made.text);
      return made.body.commit.sha;
    },
  };
}

async function shaOf(ada: Person, path: string): Promise<string> {
  return (await ada.get(`/api/v1/repos/ada/loom/contents/${path}`)).body.sha;
}

test('changed lines have the numbers of both sides, and the words that differ are marked', async (t) => {
  const { forge, ada, commit } = await openLoom(t);
  const before = ['one', 'two', 'the quick fox', 'four', 'five', 'six', 'seven'];
  await commit([{ operation: 'create', path: 'a.txt', content: base64(`${before.join('\n')}\n`) }]);
  const after = before.with(2, 'the slow fox').toSpliced(5, 1);
  const sha = await commit([
    {
      operation: 'update',
      path: 'a.txt',
      content: base64(after.join('\n')),
      sha: await shaOf(ada, 'a.txt'),
    },
  ]);

  const { status, text } = await forge.get(`/ada/loom/commit/${sha}`);
  assert.equal(status, 200);
  assert.match(text, /<td colspan="4">@@ -1,7 \+1,6 @@ <\/td>/);
  assert.match(
    text,
    /<tr class="del"><td class="n" id="d\w+L3"><a href="#d\w+L3">3<\/a><\/td><td class="n"><\/td><td class="sign">-<\/td><td class="c">the <del>quick<\/del> fox<\/td><\/tr>/,
  );
  assert.match(
    text,
    /<tr class="add"><td class="n"><\/td><td class="n" id="d\w+R3">.*<td class="sign">\+<\/td><td class="c">the <ins>slow<\/ins> fox<\/td>/,
  );
  assert.match(text, /seven<i class="aside"> no line feed at the end<\/i>/);
  const split = (await forge.get(`/ada/loom/commit/${sha}?style=split`)).text;
  assert.match(
    split,
    /<tr><td class="n del" id="\S+L3">.*<del>quick<\/del> fox<\/td><td class="n add" id="\S+R3">.*<ins>slow<\/ins> fox<\/td><\/tr>/,
  );
  assert.match(split, /<td class="c del">seven<\/td><td class="n"><\/td><td class="sign none"><\/td>/);
});

test('what happened to files without lines is said in words', async (t) => {
  const { forge, ada, commit } = await openLoom(t);
  const long = base64('a line that stays\n'.repeat(9));
  await commit([
    { operation: 'create', path: 'old name', content: long },
    { operation: 'create', path: 'gone', content: '' },
    { operation: 'create', path: 'b.png', content: base64(Buffer.from([0, 1, 2])) },
  ]);
  const sha = await commit([
    {
      operation: 'update',
      path: 'new name',
      from_path: 'old name',
      content: long,
      sha: await shaOf(ada, 'old%20name'),
    },
    { operation: 'delete', path: 'gone', sha: await shaOf(ada, 'gone') },
    { operation: 'create', path: 'new', content: base64('new\n') },
    {
      operation: 'update',
      path: 'b.png',
      content: base64(Buffer.from([0, 2])),
      sha: await shaOf(ada, 'b.png'),
    },
  ]);

  const { text } = await forge.get(`/ada/loom/commit/${sha}`);
  assert.match(text, /4 changed files<\/strong> with <span class="added">1 addition</);
  assert.match(text, /old name <span aria-label="to">→<\/span> new name<\/span><span class="badge">renamed/);
  assert.match(text, /Renamed without changes\./);
  const empty = await commit([{ operation: 'create', path: 'empty', content: '' }]);
  assert.match((await forge.get(`/ada/loom/commit/${empty}`)).text, /An empty file was added\./);
  assert.match(text, /An empty file was deleted\./);
  assert.match(text, /This file is binary, so its lines are not compared\./);
  const pictures = [...text.matchAll(/<img src="([^"]+)" alt="The picture/g)].map(([, path]) => path);
  assert.equal(pictures.length, 2);
  for (const path of pictures) assert.equal((await forge.get(path ?? '')).status, 200, path);
  for (const [, anchor] of text.matchAll(/href="#(d[0-9a-f]+)"/g))
    assert.ok(text.includes(`id="${anchor}"`), anchor);
});

test('changes of blanks are hidden when a reader wants that', async (t) => {
  const { forge, ada, commit } = await openLoom(t);
  await commit([{ operation: 'create', path: 'a', content: base64('one\ntwo\n') }]);
  const sha = await commit([
    { operation: 'update', path: 'a', content: base64('  one\ntwo\n'), sha: await shaOf(ada, 'a') },
  ]);
  assert.match((await forge.get(`/ada/loom/commit/${sha}`)).text, /1 changed file/);
  const hidden = await forge.get(`/ada/loom/commit/${sha}?whitespace=ignore-all`);
  assert.match(hidden.text, /No file differs/);
  assert.match(hidden.text, new RegExp(`href="/ada/loom/commit/${sha}"`));
  const unknown = await forge.get(`/ada/loom/commit/${sha}?whitespace=nothing&style=nothing`);
  assert.match(unknown.text, /1 changed file/);
});

test('a page shows a bounded number of files and lines, and leads to the rest', async (t) => {
  const { forge, commit } = await openLoom(t);
  const count = COMMIT_LIMITS.differencesReadMax + 3;
  const lines = WEB_LIMITS.diffFileOpenLinesMax + 1;
  const name = (index: number) => `f${String(index).padStart(4, '0')}`;
  const sha = await commit(
    Array.from({ length: count }, (_, index) => ({
      operation: 'create',
      path: name(index),
      content: base64(index === 0 ? 'long\n'.repeat(lines) : `${index}\n`),
    })),
  );

  const { text } = await forge.get(`/ada/loom/commit/${sha}`);
  assert.equal(text.match(/<details class="box diff-file"/g)?.length, COMMIT_LIMITS.differencesReadMax);
  assert.match(text, new RegExp(`${lines} lines, folded`));
  assert.match(text, /The changes of 3 more files are not on this page/);
  const last = `/ada/loom/commit/${sha}?file=${name(count - 1)}`;
  assert.ok(text.includes(`href="${last}"`));
  const alone = await forge.get(last);
  assert.equal(alone.text.match(/<details class="box diff-file"/g)?.length, 1);
  assert.ok(alone.text.includes(`<td class="c">${count - 1}</td>`));
  const diff = await forge.get(`/ada/loom/commit/${sha}.diff`);
  assert.equal(diff.text.match(/^diff --git/gm)?.length, count);
  assert.equal((await forge.get(`/ada/loom/commit/${sha}?file=missing`)).status, 404);
});

test('hostile names and lines are only text, and characters that reorder a line are shown', async (t) => {
  const { forge, commit } = await openLoom(t);
  const hostile = '<script>alert(1)</script>"\'&';
  const sha = await commit(
    [{ operation: 'create', path: hostile.replace('/', '|'), content: base64(`${hostile}\u202ereversed\n`) }],
    `${hostile}\n\n${hostile}`,
  );
  for (const page of [`commit/${sha}`, `commit/${sha}?style=split`, 'commits/branch/main']) {
    const { text } = await forge.get(`/ada/loom/${page}`);
    assert.doesNotMatch(text, /<script/, page);
    assert.match(text, /&lt;script&gt;alert\(1\)/, page);
  }
  assert.match((await forge.get(`/ada/loom/commit/${sha}`)).text, /\\u\{202e\}reversed/);
});

test('the words that differ between two lines are found, unless the lines have little in common', () => {
  const marks = (before: string, after: string) => {
    const words = changedWords(before, after);
    const shown = (pieces: readonly { text: string; isChanged: boolean }[]) =>
      pieces.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join('');
    return words === undefined ? undefined : [shown(words.old), shown(words.new)];
  };
  for (const [before, after, expected] of [
    ['a b c', 'a d c', ['a [b] c', 'a [d] c']],
    ['f(a, b)', 'f(a, b, c)', ['f(a, b)', 'f(a, b[, c])']],
    ['let one two = 3', 'let four five = 3', ['let [one two] = 3', 'let [four five] = 3']],
    ['  x = 1;', 'x = 1;', ['[  ]x = 1;', 'x = 1;']],
    ['größe = 1', 'größe = 2', ['größe = [1]', 'größe = [2]']],
    ['same', 'same', undefined],
    ['alpha beta gamma', 'one two three', undefined],
    ['a'.repeat(WEB_LIMITS.markedLineCharsMax + 1), 'a', undefined],
  ] as const)
    assert.deepEqual(marks(before, after), expected, `${before} → ${after}`);
});
