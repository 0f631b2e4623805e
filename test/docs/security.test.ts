import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const ROOT = path.resolve(import.meta.dirname, '../..');
const NAMED = /^- `(test\/[\w./-]+\.test\.ts)`: (([A-H]\d+): .+)$/;
const TEST_OF_CLASS = /\btest\(\s*(['"`])(([A-H]\d+): (?:(?!\1).)*)\1/g;
/** Every foundation of the server has to stand on tests of these. */
const MET = 'A1 A2 B1 B2 B3 B4 B5 C1 C2 C3 D1 D2 D4 D5 G1 G2 G3 G4 H1 H8'.split(' ');

function read(name: string): string {
  return readFileSync(path.join(ROOT, name), 'utf8');
}

function testsNamedOn(page: string): { file: string; name: string; ofClass: string }[] {
  return page.split('\n').flatMap((line) => {
    const [, file = '', name = '', ofClass = ''] = NAMED.exec(line) ?? [];
    return name === '' ? [] : [{ file, name, ofClass }];
  });
}

/** `file: name` of every test whose name begins with a class; names that are made by a program are left out. */
function testsOfClasses(): string[] {
  return globSync('test/**/*.test.ts', { cwd: ROOT }).flatMap((file) =>
    [...read(file).matchAll(TEST_OF_CLASS)]
      .map(([, , name = '']) => name)
      .filter((name) => !name.includes('${'))
      .map((name) => `${file.replaceAll('\\', '/')}: ${name}`),
  );
}

test('every test that docs/security.md names exists, and it leaves out no class that has tests', () => {
  const named = testsNamedOn(read('docs/security.md'));
  const existing = testsOfClasses();

  assert.ok(named.length > 50);
  assert.deepEqual(
    named.map(({ file, name }) => `${file}: ${name}`).filter((each) => !existing.includes(each)),
    [],
  );
  const classes = new Set(named.map(({ ofClass }) => ofClass));
  const tested = existing.flatMap((each) => /: ([A-H]\d+): /.exec(each)?.[1] ?? []);
  assert.deepEqual(
    [...new Set([...MET, ...tested])].filter((ofClass) => !classes.has(ofClass)),
    [],
  );
});

test('docs/security.md says of each class what is meant', () => {
  const page = read('docs/security.md');
  for (const { ofClass } of testsNamedOn(page))
    assert.match(page, new RegExp(`^\\*\\*${ofClass}\\.\\*\\* \\S`, 'm'), ofClass);
});
