import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { folderPathOf, productSources, ROOT, repositoryTexts, type Source, sample } from './sources.ts';

// Runs once: no outcome depends on the database.

/** Maximum length of a source file; a longer one has more than one topic. Most files have fewer than 300 lines. */
const LINES_MAX = 400;
/** Long files written by a tool. */
const GENERATED = /^(?:package-lock\.json|bench\/results\/|.*\/generated\/)/;

function tooLong(source: Source): string[] {
  const lines = source.text.split('\n').length - 1;
  return lines > LINES_MAX ? [`${source.path} has ${lines} lines, more than ${LINES_MAX}`] : [];
}

/** Finds paths that exist only on the author's machine. */
function machinePaths(source: Source, roots: readonly string[]): string[] {
  const homes = /(?<![\w.:/-])\/(?:root|Users\/\w+|home\/\w+)\/[\w.]/;
  return source.text.split('\n').flatMap((line, index) => {
    const names = homes.test(line) || roots.some((root) => holdsPath(line, root));
    return names ? [`${source.path}:${index + 1} has a path of one machine`] : [];
  });
}

function holdsPath(line: string, root: string): boolean {
  const at = line.indexOf(root);
  return at !== -1 && !/[\w.-]/.test(line.charAt(at - 1)) && !/[\w-]/.test(line.charAt(at + root.length));
}

/** This checkout and its parent folder, unless they are so short that they match by chance. */
function rootsToAvoid(root: string): readonly string[] {
  return [root, path.dirname(root)].filter((each) => each.split(path.sep).length > 2);
}

/** Finds download URLs. npm uses its configured registry, which a URL in the lock file would override. */
function lockedUrls(lockFile: string): string[] {
  return lockFile.split('\n').filter((line) => line.includes('"resolved"') && /https?:/.test(line));
}

function foldersWithoutLine(folders: readonly string[], page: string): string[] {
  return folders.filter((folder) => !page.split('\n').some((line) => line.includes(`${folder}/`)));
}

test('no source file is too long', () => {
  assert.deepEqual(productSources().flatMap(tooLong), []);
  assert.deepEqual(tooLong(sample('src/notes/notebooks/all.ts', 'x\n'.repeat(401))), [
    'src/notes/notebooks/all.ts has 401 lines, more than 400',
  ]);
  assert.deepEqual(tooLong(sample('src/notes/notebooks/some.ts', 'x\n'.repeat(400))), []);
});

test('no regular expression has groups with flags of their own, which V8 ignores in large processes', () => {
  const groups = ({ path, text }: Source) => (/\(\?-?[ims]+(?:-[ims]+)?:/.test(text) ? [path] : []);
  assert.deepEqual(productSources().flatMap(groups), []);
  assert.deepEqual(groups(sample('src/notes/notebooks/all.ts', '/(?i:a)b/')), ['src/notes/notebooks/all.ts']);
});

test('no text contains a path of one machine', () => {
  const texts = repositoryTexts().filter((source) => !GENERATED.test(source.path));
  assert.deepEqual(
    texts.flatMap((source) => machinePaths(source, rootsToAvoid(ROOT))),
    [],
  );
});

test('a path of one machine is found', () => {
  const root = ['', 'srv', 'checkouts', 'quire'].join('/');
  const home = (...names: readonly string[]) => ['', ...names].join('/');
  const bad = [
    `cd ${home('home', 'ada', 'quire')}`,
    `see "${home('root', '.npm')}"`,
    `${home('Users', 'ada', 'x')}`,
    `open ${root}/src`,
    `cd ${root}`,
  ];
  for (const line of bad) assert.equal(machinePaths(sample('a.md', line), [root]).length, 1, line);
  const good = [
    'GET /api/v1/users/home/x',
    'docs/root/x',
    `https://example.org${home('home', 'ada', 'x')}`,
    `${root}s`,
  ];
  for (const line of good) assert.deepEqual(machinePaths(sample('a.md', line), [root]), [], line);
});

test('the lock file contains no download URL', () => {
  const lock = repositoryTexts().find((source) => source.path === 'package-lock.json');
  assert.ok(lock !== undefined, 'package-lock.json does not exist');
  assert.deepEqual(lockedUrls(lock.text), []);
  // The URL is assembled, because the check would find a literal one.
  const recorded = JSON.stringify({ resolved: new URL('/a.tgz', `https:${'//example.org'}`) }, null, 2);
  assert.equal(lockedUrls(recorded).length, 1);
});

test('docs/folders.md has a line for each folder of src', () => {
  const page = repositoryTexts().find((source) => source.path === 'docs/folders.md');
  const folders = [...new Set(productSources().map(folderPathOf))];
  assert.deepEqual(foldersWithoutLine(folders, page?.text ?? ''), []);
  assert.deepEqual(foldersWithoutLine(['core', 'notes'], '    core/   failures, limits'), ['notes']);
});

test('no folder of src or test has more than 25 files and folders', () => {
  const entries = new Set(
    repositoryTexts().flatMap(({ path: file }) => {
      const parts = file.split('/');
      return parts[0] === 'test' || parts[0] === 'src'
        ? parts.map((_, index) => parts.slice(0, index + 1).join('/'))
        : [];
    }),
  );
  const sizes = Map.groupBy(entries, (entry) => path.dirname(entry));
  assert.deepEqual(
    [...sizes]
      .filter(([, inFolder]) => inFolder.length > 25)
      .map(([folder]) => folder)
      .sort(),
    // One file for each migration, and for each template.
    ['src/base/database/migrations', 'src/hosting/templates/gitignore'],
  );
});

test('decisions and migrations are numbered from 1, without gaps and repetitions', () => {
  const misnumbered = (numbers: readonly number[]) => numbers.filter((number, index) => number !== index + 1);
  const paths = repositoryTexts().map((source) => source.path);
  for (const folder of ['docs/decisions', 'src/base/database/migrations']) {
    const names = paths.filter((each) => path.dirname(each) === folder).map((each) => path.basename(each));
    const numbers = names.filter((name) => /^\d{4}-/.test(name)).map((name) => Number(name.slice(0, 4)));
    assert.ok(numbers.length > 30, folder);
    assert.deepEqual(misnumbered(numbers.sort((a, b) => a - b)), [], folder);
  }
  assert.deepEqual(misnumbered([1, 2, 2, 4]), [2]);
  assert.deepEqual(misnumbered([1, 3]), [3]);
});
