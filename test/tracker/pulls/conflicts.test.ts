import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOOM, startLoom } from '../../code/commits/history.ts';
import { git } from '../../support/git/git.ts';
import { settle } from './pulls.ts';

const PULLS = `${LOOM}/pulls`;

/** What is at a path: a mode and a text. The text of a submodule is the digit that its id repeats. */
type Entries = Readonly<Record<string, readonly [mode: string, text: string]>>;

interface Case {
  readonly what: string;
  readonly base?: Entries;
  readonly ours: Entries;
  readonly theirs: Entries;
  /** undefined: the merge is clean */
  readonly conflicts?: string;
}

const FILE = '100644';
const PROGRAM = '100755';
const LINK = '120000';
const SUBMODULE = '160000';

const lines = (first: number) => Array.from({ length: 30 }, (_, line) => `${first + line}\n`).join('');

const CASES: readonly Case[] = [
  { what: 'a file and a folder', ours: { n: [FILE, '1'] }, theirs: { 'n/x': [FILE, '2'] }, conflicts: 'n' },
  {
    what: 'a folder and a file',
    ours: { 'd/n/x': [FILE, '1'] },
    theirs: { 'd/n': [FILE, '2'] },
    conflicts: 'd/n',
  },
  {
    what: 'a changed file and a folder',
    base: { n: [FILE, lines(0)] },
    ours: { n: [FILE, `${lines(0)}more`] },
    theirs: { 'n/x': [FILE, '2'] },
    conflicts: 'n',
  },
  { what: 'a symlink and a file', ours: { n: [LINK, 'x'] }, theirs: { n: [FILE, 'y'] }, conflicts: 'n' },
  { what: 'a file and a symlink', ours: { n: [FILE, 'x'] }, theirs: { n: [LINK, 'y'] }, conflicts: 'n' },
  {
    what: 'a symlink and a folder',
    ours: { n: [LINK, 'x'] },
    theirs: { 'n/x': [FILE, 'y'] },
    conflicts: 'n',
  },
  { what: 'two symlinks', ours: { n: [LINK, 'x'] }, theirs: { n: [LINK, 'y'] }, conflicts: 'n' },
  {
    what: 'two new submodules',
    ours: { n: [SUBMODULE, '1'] },
    theirs: { n: [SUBMODULE, '2'] },
    conflicts: 'n',
  },
  {
    what: 'two changes of a submodule',
    base: { n: [SUBMODULE, '3'] },
    ours: { n: [SUBMODULE, '1'] },
    theirs: { n: [SUBMODULE, '2'] },
    conflicts: 'n',
  },
  {
    what: 'a submodule and a file',
    ours: { n: [SUBMODULE, '1'] },
    theirs: { n: [FILE, 'x'] },
    conflicts: 'n',
  },
  {
    what: 'a submodule and a folder',
    ours: { n: [SUBMODULE, '1'] },
    theirs: { 'n/x': [FILE, 'x'] },
    conflicts: 'n',
  },
  { what: 'modes of a new file', ours: { n: [PROGRAM, 'x'] }, theirs: { n: [FILE, 'x'] }, conflicts: 'n' },
  {
    what: 'the mode of a file and its text',
    base: { n: [FILE, 'x'] },
    ours: { n: [PROGRAM, 'x'] },
    theirs: { n: [FILE, 'y'] },
  },
  {
    what: 'several files',
    ours: { b: [FILE, 'x'], n: [LINK, 'x'], 'n.txt': [FILE, 'x'] },
    theirs: { b: [FILE, 'y'], n: [FILE, 'y'], 'n.txt': [FILE, 'y'] },
    conflicts: 'b, n, n.txt',
  },
  {
    what: 'a folder that moved to two places, and a new file in it',
    base: { 'd/a': [FILE, lines(0)], 'd/b': [FILE, lines(100)] },
    ours: { 'x/a': [FILE, lines(0)], 'y/b': [FILE, lines(100)] },
    theirs: { 'd/a': [FILE, lines(0)], 'd/b': [FILE, lines(100)], 'd/c': [FILE, 'new'] },
    conflicts: 'd',
  },
  { what: 'names that differ in case', ours: { N: [FILE, 'x'] }, theirs: { n: [FILE, 'y'] } },
  {
    what: 'a folder and a file that differ in case',
    ours: { 'N/x': [FILE, 'x'] },
    theirs: { n: [FILE, 'y'] },
  },
];

test('a conflict names the files as both sides do, whatever they are', async (t) => {
  const { forge, ada, folder, push } = await startLoom(t);
  const indexLine = async ([path, [mode, text]]: [string, Entries[string]]) => {
    const oid =
      mode === SUBMODULE
        ? text.repeat(40)
        : await git(folder, ['hash-object', '-w', '--stdin'], { input: text });
    return `${mode} ${oid}\t${path}\n`;
  };
  const commit = async (entries: Entries, ...parents: readonly string[]) => {
    const indexed = await Promise.all(
      Object.entries({ ...entries, always: [FILE, ''] as const }).map(indexLine),
    );
    await git(folder, ['read-tree', '--empty']);
    await git(folder, ['update-index', '--add', '--index-info'], { input: indexed.join('') });
    const tree = await git(folder, ['write-tree', '--missing-ok']);
    return git(folder, ['commit-tree', tree, '-m', 'x', ...parents.flatMap((oid) => ['-p', oid])]);
  };
  await push(`${await commit({})}:refs/heads/main`);
  for (const [index, { what, base = {}, ours, theirs, conflicts }] of CASES.entries()) {
    const from = await commit(base);
    await push(
      `${await commit(ours, from)}:refs/heads/base${index}`,
      `${await commit(theirs, from)}:refs/heads/head${index}`,
    );
    const opened = await ada.post(PULLS, { title: what, base: `base${index}`, head: `head${index}` });
    assert.equal(opened.status, 201, opened.text);
    const url = `${PULLS}/${opened.body.number}`;
    await settle(forge);
    assert.equal((await ada.get(url)).body.mergeable, conflicts === undefined, what);
    const said = conflicts === undefined ? undefined : `conflicts in ${conflicts}`;
    for (const style of ['merge', 'squash', 'rebase', 'rebase-merge']) {
      if (conflicts === undefined) continue;
      const { status, body } = await ada.post(`${url}/merge`, { Do: style });
      assert.equal(status, 409, `${what}: ${style}`);
      assert.equal(body.message.replace(/ by the commit \w+$/, ''), said, `${what}: ${style}`);
    }
    for (const style of ['merge', 'rebase']) {
      if (conflicts === undefined) continue;
      const { status, body } = await ada.post(`${url}/update?style=${style}`);
      assert.equal(status, 409, `${what}: ${style}`);
      assert.equal(body.message.replace(/ by the commit \w+$/, ''), said, `${what}: update by ${style}`);
    }
    if (conflicts === undefined)
      assert.equal((await ada.post(`${url}/merge`, { Do: 'merge' })).status, 200, what);
  }
});
