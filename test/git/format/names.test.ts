import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  branchNameProblem,
  decodeRefName,
  malformedRefName,
  refChangeProblem,
  refNameProblem,
} from '../../../src/git/format/ref-names.ts';
import { newPathProblem, treePathProblem } from '../../../src/git/format/tree-paths.ts';

// Runs once: no outcome depends on the database.

const GOOD_REFS = [
  'refs/heads/main',
  'refs/heads/feature/a',
  'refs/heads/ünïcode/日本',
  'refs/tags/v1.0',
  'refs/notes/commits',
  'refs/heads/a@b',
  'refs/heads/x-HEAD',
  `refs/heads/topic/${'a'.repeat(40)}`,
  `refs/heads/${'a'.repeat(39)}`,
];

const BAD_REFS = [
  '',
  'main',
  'HEAD',
  'heads/main',
  'refs',
  'refs/',
  'refs/heads',
  'refs/heads/',
  'refs/stash',
  '/refs/heads/a',
  'refs//heads/a',
  'refs/heads/HEAD',
  'refs/tags/HEAD',
  'refs/heads/refs',
  'refs/heads/refs/heads/main',
  'refs/tags/refs/heads/main',
  `refs/heads/${'a'.repeat(40)}`,
  `refs/tags/${'A1'.repeat(20)}`,
  `refs/heads/${'0'.repeat(64)}`,
  'refs/heads/-x',
  'refs/heads/--output=x',
  'refs/tags/-d',
  'refs/pull/1/head',
  'refs/replace/abc',
  'refs/for/main',
  'refs/quire/x',
  'refs/heads/a..b',
  'refs/heads/.a',
  'refs/heads/a/.b',
  'refs/heads/a.lock',
  'refs/heads/a.lock/b',
  'refs/heads/a.',
  'refs/heads/a b',
  'refs/heads/a\tb',
  'refs/heads/a\nb',
  'refs/heads/a\u007fb',
  'refs/heads/a\0b',
  'refs/heads/a~1',
  'refs/heads/a^',
  'refs/heads/a:b',
  'refs/heads/a?',
  'refs/heads/a*',
  'refs/heads/a[b',
  'refs/heads/a\\b',
  'refs/heads/a@{1}',
  'refs/heads/\ud800',
  `refs/heads/${'x'.repeat(1024)}`,
];

test('B5: a push may use valid ref names', () => {
  assert.deepEqual(
    GOOD_REFS.filter((name) => refNameProblem(name) !== undefined),
    [],
  );
});

test('B5: a push may not use invalid or reserved ref names', () => {
  assert.deepEqual(
    BAD_REFS.filter((name) => refNameProblem(name) === undefined),
    [],
  );
});

test('a client deletes refs with invalid names, but none of a pull request or of the server', () => {
  const deletion = (ref: string) => refChangeProblem({ ref, old: '1'.repeat(40), new: null });
  assert.equal(deletion('refs/heads/a b'), undefined);
  for (const ref of ['refs/pull/1/head', 'refs/quire/notes']) assert.match(deletion(ref) ?? '', /reserved/);
});

test('a branch name is checked by the rules for its full ref name', () => {
  assert.equal(branchNameProblem('main'), undefined);
  assert.equal(branchNameProblem('a/b'), undefined);
  for (const name of ['', 'HEAD', '-d', 'refs/heads/x', 'a b', 'a'.repeat(40)]) {
    assert.notEqual(branchNameProblem(name), undefined, name);
  }
});

test('a ref name that is not UTF-8 is not decoded', () => {
  assert.equal(decodeRefName(Buffer.from('refs/heads/é')), 'refs/heads/é');
  assert.equal(decodeRefName(Buffer.from('refs/heads/\xe9', 'latin1')), undefined);
});

test('the same ref names are malformed here and in git', () => {
  const piece = fc.constantFrom(
    'a',
    'b',
    '.',
    '..',
    '/',
    '.lock',
    '@',
    '{',
    '~',
    ' ',
    '-',
    'é',
    '\\',
    '*',
    ':',
  );
  const names = fc.sample(fc.array(piece, { minLength: 1, maxLength: 6 }), { numRuns: 200, seed: 7 });
  for (const pieces of names) {
    const name = `refs/heads/${pieces.join('')}`;
    assert.equal(malformedRefName(name) === undefined, isGoodForGit(name), name);
  }
});

function isGoodForGit(name: string): boolean {
  try {
    execFileSync('git', ['check-ref-format', name], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const GOOD_PATHS = [
  'a',
  'a/b/c.txt',
  '.gitignore',
  '.gitmodules',
  '.github/workflows/ci.yml',
  'git',
  '.gitx/y',
  'a.git',
  'git~2',
  ' leading and trailing ',
  'quote"and\'more',
  '日本語/ß.md',
  '...',
  '-rf',
  'a:b',
  'con',
  'x'.repeat(255),
  `${'d/'.repeat(2000)}f`,
];

const BAD_PATHS = [
  '',
  '/',
  '/a',
  'a/',
  'a//b',
  '.',
  '..',
  'a/../b',
  'a/./b',
  'a\0b',
  'a\nb',
  'a\rb',
  'a\u001fb',
  'a\u007fb',
  'a\\b',
  '..\\a',
  '.git',
  '.git/config',
  'a/.git/b',
  '.GIT',
  '.Git/hooks/x',
  '.g\u200cit',
  '.git\u200d',
  '\ufeff.git',
  '.gi\u202et/x',
  '.g\u206fiT',
  'git~1',
  'GIT~1/config',
  '.git ',
  '.git.',
  '.git. . .',
  '.git::$INDEX_ALLOCATION',
  '.git:x',
  'git~1::$DATA',
  '.git .:x/config',
  'x'.repeat(256),
  'é'.repeat(128),
  `${'d/'.repeat(2048)}f`,
  'a\ud800b',
];

test('C2: safe paths may be written', () => {
  assert.deepEqual(
    GOOD_PATHS.filter((path) => newPathProblem(path) !== undefined),
    [],
  );
});

test('C2: a push may bring odd names, which nothing new may have', () => {
  for (const path of ['a\\b', 'tab\t', 'two\nlines', 'del\u007f']) {
    assert.equal(treePathProblem(path), undefined, JSON.stringify(path));
    assert.notEqual(newPathProblem(path), undefined, JSON.stringify(path));
  }
});

test('C2: unsafe paths may not be written', () => {
  assert.deepEqual(
    BAD_PATHS.filter((path) => newPathProblem(path) === undefined),
    [],
  );
});
