// Runs once: names are computed without the database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addressOfTitle,
  fileOfTitle,
  stemOfFile,
  titleOfName,
  titleProblem,
} from '../../../src/code/wiki-pages/names.ts';
import { PageIndex } from '../../../src/code/wiki-pages/page-index.ts';

const NAMES = [
  ['Home', 'Home', 'Home.md'],
  ['Home Page', 'Home-Page', 'Home-Page.md'],
  ['100% Free', '100%25-Free', '100%25-Free.md'],
  ['2000-01-02 meeting', '2000-01-02+meeting.-', '2000-01-02 meeting.-.md'],
  ['notes.md', 'notes.md.-', 'notes.md.-.md'],
  ['C++ & C#', 'C%2B%2B-%26-C%23', 'C%2B%2B-%26-C%23.md'],
  ['../x', '..%2Fx', '..%2Fx.md'],
  ['Größe', 'Gr%C3%B6%C3%9Fe', 'Gr%C3%B6%C3%9Fe.md'],
  ["it's (new)!*", 'it%27s-%28new%29%21%2A', 'it%27s-%28new%29%21%2A.md'],
  ['ends with .-', 'ends+with+.-.-', 'ends with .-.-.md'],
  ['_Sidebar', '_Sidebar', '_Sidebar.md'],
] as const;

test('a title has the address and the file of the reference', () => {
  const named = NAMES.map(([title]) => [title, addressOfTitle(title), fileOfTitle(title)]);
  assert.deepEqual(named, NAMES);
});

const entryOf = (name: string) => ({ mode: '100644', name, oid: 'a'.repeat(40) }) as const;
const titles = fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => text.trim());
/** Titles in which the rules of names meet. */
const tricky = fc
  .array(fc.constantFrom('-', ' ', '.-', '.md', '+', '%', '%20', 'a', '/', 'é', '.'), { maxLength: 8 })
  .map((parts) => parts.join('').trim());

test('a title comes back from its address and from its file', () => {
  fc.assert(
    fc.property(fc.oneof(titles, tricky), (title) => {
      fc.pre(titleProblem(title) === undefined);
      assert.equal(titleOfName(addressOfTitle(title)), title);
      assert.equal(titleOfName(stemOfFile(fileOfTitle(title)) ?? ''), title);
    }),
  );
});

test('different titles have different addresses and files', () => {
  fc.assert(
    fc.property(tricky, tricky, (one, other) => {
      fc.pre(one !== other && titleProblem(one) === undefined && titleProblem(other) === undefined);
      assert.notEqual(addressOfTitle(one), addressOfTitle(other));
      assert.notEqual(fileOfTitle(one), fileOfTitle(other));
    }),
  );
});

test('each page of any files has an address of its own that leads to it', () => {
  const files = fc.uniqueArray(
    tricky.filter((name) => name !== '' && !name.includes('/')).map((name) => `${name}.md`),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(files, (names) => {
      const index = new PageIndex({ entries: names.map(entryOf), size: names.length });
      const { pages } = index;
      assert.equal(pages.length, names.length);
      assert.equal(new Set(pages.map(({ address }) => address)).size, names.length);
      for (const page of pages) assert.equal(index.find(page.address)?.file, page.file);
    }),
  );
});

test('files that are not pages of the root have no address', () => {
  const entries = [
    { ...entryOf('Home.md'), mode: '120000' },
    { ...entryOf('Folder.md'), mode: '040000' },
    { ...entryOf('Module.md'), mode: '160000' },
    entryOf('picture.png'),
    entryOf('.md'),
    entryOf('two\nlines.md'),
  ] as const;
  assert.deepEqual(new PageIndex({ entries, size: entries.length }).pages, []);
});
