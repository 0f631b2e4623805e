import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { TABLE_FILE, tableText } from '../../../scripts/languages.ts';
import { pathPattern, TakenPath } from '../../../src/git/format/path-pattern.ts';
import { GIT_LIMITS } from '../../../src/git/limits.ts';
import { LanguageRules, ROOT_SURROUNDINGS } from '../../../src/hosting/languages/rules.ts';
import { languageTable } from '../../../src/hosting/languages/table.ts';
import { cpuMs } from '../../support/cpu-time.ts';

// Runs once: no outcome depends on the database.

const table = await languageTable();

/** Returns the language that a walk over the folders finds for a file. */
function countedAs(path: string, gitattributes = ''): string | undefined {
  const rules = new LanguageRules(table, gitattributes);
  const folders = path.split('/').slice(0, -1);
  let around = ROOT_SURROUNDINGS;
  for (const [index] of folders.entries()) {
    const inside = rules.inFolder(folders.slice(0, index + 1).join('/'), around);
    if (inside === undefined) return undefined;
    around = inside;
  }
  return rules.ofFile(path, around);
}

test('the table of languages is what its script writes', async () => {
  assert.equal(await readFile(TABLE_FILE, 'utf8'), tableText(), 'run: node scripts/languages.ts');
});

test('the name of a file determines its language', () => {
  const counted: Record<string, string | undefined> = {
    'main.go': 'Go',
    'src/App.tsx': 'TypeScript',
    'a/b.mts': 'TypeScript',
    'x.py': 'Python',
    'X.PY': 'Python',
    'lib.rs': 'Rust',
    'engine.c': 'C',
    'engine.h': 'C',
    'engine.hpp': 'C++',
    'page.html': 'HTML',
    'page.html.erb': 'HTML',
    'style.scss': 'SCSS',
    Makefile: 'Makefile',
    Dockerfile: 'Dockerfile',
    'tool.1': 'Roff',
    'go.mod': undefined,
    'README.md': undefined,
    'data.json': undefined,
    'table.sql': undefined,
    'picture.png': undefined,
    nothing: undefined,
    constructor: undefined,
    'a.constructor': undefined,
    'a.__proto__': undefined,
    '.': undefined,
  };
  assert.deepEqual(Object.fromEntries(Object.keys(counted).map((path) => [path, countedAs(path)])), counted);
});

test('vendored, generated and documentation files do not count', () => {
  for (const path of [
    'vendor/lib.go',
    'a/vendor/b/lib.go',
    'web/node_modules/x/index.js',
    'dist/app.js',
    'web/app.min.js',
    'web/app-min.css',
    'types/index.d.ts',
    'deps/lib.c',
    'third_party/lib.c',
    'gradlew',
    'api/service.pb.go',
    'api/service_pb2.py',
    'docs/conf.py',
    'src/documentation/site.js',
    'examples/hello.go',
    'LICENSE.html',
  ])
    assert.equal(countedAs(path), undefined, path);
  assert.equal(countedAs('src/deps/lib.c'), 'C');
  assert.equal(countedAs('src/docs/make.py'), 'Python');
  assert.equal(countedAs('src/distance.c'), 'C');
});

test('attributes override names, and the last matching line wins', () => {
  const lines = [
    '# a comment',
    '*.inc linguist-language=Pascal',
    'old/*.inc linguist-language=C++',
    'vendor/own/** -linguist-vendored',
    'copied/** linguist-vendored',
    'copied/mine.go linguist-vendored=false',
    '*.sql linguist-detectable',
    '*.css linguist-detectable=false',
    'api/**/*.go linguist-generated=true text',
    '/top.py linguist-documentation',
    'docs/tool.py linguist-documentation=false',
    '*.psd.c filter=lfs diff=lfs merge=lfs -text',
    'blob.c binary',
    '*.odd linguist-language=no-such-language',
    '*.nb linguist-language=Jupyter-Notebook',
    '!*.go linguist-vendored',
    'folder/ linguist-vendored',
    '[x-z].go linguist-vendored',
    '"quoted name.go" linguist-vendored',
    '[attr]mine linguist-vendored',
  ].join('\r\n');
  const counted: Record<string, string | undefined> = {
    'a.inc': 'Pascal',
    'old/a.inc': 'C++',
    'old/deeper/a.inc': 'Pascal',
    'vendor/own/a.go': 'Go',
    'vendor/other/a.go': undefined,
    'copied/a/b.go': undefined,
    'copied/mine.go': 'Go',
    'a.sql': 'SQL',
    'a.css': undefined,
    'api/a.go': undefined,
    'api/v1/x/a.go': undefined,
    'top.py': undefined,
    'a/top.py': 'Python',
    'docs/tool.py': 'Python',
    'docs/other.py': undefined,
    'a.psd.c': undefined,
    'blob.c': undefined,
    'a.odd': undefined,
    'a.nb': 'Jupyter Notebook',
    'a.go': 'Go',
    'y.go': undefined,
    'folder/a.go': 'Go',
  };
  assert.deepEqual(
    Object.fromEntries(Object.keys(counted).map((path) => [path, countedAs(path, lines)])),
    counted,
  );
});

test('patterns match as in git', () => {
  const cases: readonly (readonly [pattern: string, path: string, matches: boolean])[] = [
    ['*.c', 'a.c', true],
    ['*.c', 'x/y/a.c', true],
    ['*.c', 'a.cc', false],
    ['a', 'x/a', true],
    ['/a', 'x/a', false],
    ['x/*', 'x/a', true],
    ['x/*', 'x/y/a', false],
    ['x/**', 'x/y/a', true],
    ['x/**', 'x', false],
    ['**/a', 'a', true],
    ['**/a', 'x/y/a', true],
    ['x/**/a', 'x/a', true],
    ['x/**/a', 'x/y/z/a', true],
    ['x/**/b/**/a', 'x/b/y/b/z/a', true],
    ['x/**/b/a', 'x/b/c/b/a', true],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['a*b*c', 'aXbXbXc', true],
    ['a*b*c', 'aXbXbX', false],
    ['**', 'x/y', true],
    ['[a-c].x', 'b.x', true],
    ['[a-c].x', 'd.x', false],
    ['[!a-c].x', 'd.x', true],
    ['[^a-c].x', 'b.x', false],
    ['[]x].c', '].c', true],
    ['[a-].c', '-.c', true],
    ['my[[:space:]]file', 'my file', true],
    ['my[[:space:]]file', 'my-file', false],
    ['[[:digit:]x]', 'x', true],
    ['[[:nothing:]]', 'n', false],
    ['a\\*b', 'a*b', true],
    ['a\\*b', 'axb', false],
    ['[\\]]', ']', true],
    ['[ab', '[ab', false],
    ['x/[ab]/c', 'x/b/c', true],
    ['x/[ab]/c', 'x/d/c', false],
    ['a\\', 'a', false],
  ];
  for (const [pattern, path, matches] of cases)
    assert.equal(pathPattern(pattern)?.matches(new TakenPath(path)) ?? false, matches, `${pattern} ${path}`);
});

test('H4: patterns built to match slowly match fast', () => {
  const name = `${'a'.repeat(GIT_LIMITS.treeNameBytesMax - 1)}b`;
  const path = new TakenPath(`${Array.from({ length: 15 }, () => name).join('/')}/z`);
  const stars = `${'*a'.repeat(20)}c`;
  const slow = [`**/${stars}`, `**/${'**/*a*/'.repeat(30)}c`, stars].map((text) => {
    const pattern = pathPattern(text);
    assert.ok(pattern, text);
    return pattern;
  });
  const startedAt = cpuMs();
  for (let count = 0; count < 100; count += 1)
    for (const pattern of slow) assert.equal(pattern.matches(path), false);
  const tookMs = cpuMs() - startedAt;
  assert.ok(tookMs < 2_000, `${tookMs} ms`);
});
