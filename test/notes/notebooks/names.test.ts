import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { NotesApp, pushAll } from '../../support/forge/notes.ts';
import { git } from '../../support/git/git.ts';

const TITLES: readonly (readonly [sent: string, title: string])[] = [
  ['First *manual* title', 'First manual title'],
  ['a|b/c\\d:e"f<g>h?i', 'abcdefghi'],
  ['...hidden', 'hidden'],
  ['  . .  spaced  ', 'spaced'],
  ['first line\nsecond line', 'first line'],
  ['\n\n  later', 'later'],
  ['tab\tand\u00a0space', 'tab and space'],
  ['bell\u0007 and \u007f', 'bell and'],
  ['Größe 📐', 'Größe 📐'],
  ['v1.2', 'v1.2'],
  ['.git', 'git'],
];

test('a title becomes a file name that every file system accepts', async (t) => {
  const forge = await startForge(t);
  const app = new NotesApp(forge, await forge.account('ada'));
  for (const [sent, title] of TITLES) {
    const note = await app.create({ title: sent });
    assert.equal(note.title, title, JSON.stringify(sent));
    assert.deepEqual(
      await app.update(note.id, { title: sent }),
      note,
      'sending the title again changes nothing',
    );
  }
  const folder = await app.clone(t);
  const files = await git(folder, ['-c', 'core.quotePath=false', 'ls-files']);
  assert.deepEqual(files.split('\n').sort(), TITLES.map(([, title]) => `${title}.md`).sort());
});

test('a note without a title is called New note', async (t) => {
  const forge = await startForge(t);
  const app = new NotesApp(forge, await forge.account('ada'));
  const titles = [];
  for (const title of [undefined, '', '0', ' /.. ', '\n']) titles.push((await app.create({ title })).title);
  assert.deepEqual(titles, ['New note', 'New note (2)', 'New note (3)', 'New note (4)', 'New note (5)']);
});

test('a title has at most 100 characters and fits into a file name', async (t) => {
  const forge = await startForge(t);
  const app = new NotesApp(forge, await forge.account('ada'));
  const long = 'x'.repeat(150);
  assert.equal((await app.create({ title: long })).title, 'x'.repeat(100));
  assert.equal((await app.create({ title: long })).title, `${'x'.repeat(96)} (2)`);
  assert.equal((await app.create({ title: long })).title, `${'x'.repeat(96)} (3)`);
  const wide = (await app.create({ title: '📐'.repeat(150) })).title;
  assert.equal(wide, '📐'.repeat(59));
  assert.ok(Buffer.byteLength(`${wide}.md`) <= 240);
});

test('a title and a category may have millions of characters that no name has', async (t) => {
  const forge = await startForge(t);
  const app = new NotesApp(forge, await forge.account('ada'));
  const dots = '.'.repeat(4_000_000);
  const note = await app.create({ title: `Plan${dots}B`, category: `Work${dots}B/${'/'.repeat(4_000_000)}` });
  assert.deepEqual([note.title, note.category], ['Plan', 'Work']);
  assert.equal((await app.create({ title: dots, category: dots })).title, 'New note');
  assert.equal((await app.update(note.id, { title: `Idea${' '.repeat(4_000_000)}B` })).title, 'Idea');
});

test('a name in use gets a number, and a numbered name in use gets the next number', async (t) => {
  const forge = await startForge(t);
  const app = new NotesApp(forge, await forge.account('ada'));
  const first = await app.create({ title: 'Plan' });
  const second = await app.create({ title: 'Plan' });
  assert.equal(second.title, 'Plan (2)');
  assert.equal((await app.create({ title: 'Plan (2)' })).title, 'Plan (3)');
  assert.equal((await app.create({ title: 'Plan', category: 'elsewhere' })).title, 'Plan');
  // A case-insensitive file system could not hold both.
  assert.equal((await app.create({ title: 'PLAN' })).title, 'PLAN (4)');

  assert.equal((await app.update(second.id, { title: 'Plan' })).title, 'Plan (2)');
  assert.equal((await app.update(first.id, { title: 'pLAN' })).title, 'pLAN');
  const moved = await app.update(first.id, { title: 'Plan', category: 'elsewhere' });
  assert.deepEqual([moved.title, moved.category], ['Plan (2)', 'elsewhere']);
});

test('C9: a category stays inside the notebook and out of hidden folders', async (t) => {
  const forge = await startForge(t);
  const app = new NotesApp(forge, await forge.account('ada'));
  const categories = [
    ['Test/../New Category', 'Test/New Category'],
    ['../../etc', 'etc'],
    ['/absolute//double/', 'absolute/double'],
    ['.git/hooks', 'git/hooks'],
    ['..', ''],
    ['a\\..\\b', 'a..b'],
    ['c:/x|y', 'c/xy'],
  ] as const;
  for (const [sent, category] of categories) {
    const note = await app.create({ title: 'n', category: sent });
    assert.equal(note.category, category, sent);
  }
  const { id } = await app.create({ title: 'mover' });
  assert.equal((await app.update(id, { category: '../out' })).category, 'out');
  const rejected = await app.send('POST', '', { json: { title: 'n', category: 'git~1' } });
  assert.equal(rejected.status, 400);
  const answer = await app.send('PUT', `/${id}`, { json: { title: '../../../etc/passwd' } });
  assert.equal(answer.body.title, 'etcpasswd');
  const paths = (await git(await app.clone(t), ['ls-files'])).split('\n');
  assert.ok(
    paths.every((path) => !/(?:^|\/)\./.test(path)),
    paths.join(' '),
  );
});

test('a renamed note keeps its extension, and a new note has the default one', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const app = new NotesApp(forge, ada);
  await app.list();
  const content = Buffer.from('x').toString('base64');
  await ada.post('/api/v1/repos/ada/Notes/contents/list.TXT', { content });
  const note = (await app.byTitle()).get('list');
  assert.ok(note);
  assert.equal((await app.update(note.id, { title: 'renamed' })).internalPath, '/Notes/renamed.TXT');
  assert.equal((await app.create({ title: 'new' })).internalPath, '/Notes/new.md');
});

test('every system can check out the names of new notes and folders, and existing ones stay', async (t) => {
  const forge = await startForge(t);
  const app = new NotesApp(forge, await forge.account('ada'));
  for (const [title, stored] of [
    ['con', 'con_'],
    ['CON', 'CON_ (2)'],
    ['aux.txt', 'aux_.txt'],
    ['lpt1', 'lpt1_'],
    ['com\u00b9', 'com\u00b9_'],
    ['console', 'console'],
    ['trail.', 'trail'],
    ['trail. . ', 'trail (2)'],
    ['pay\u202etxt.exe', 'paytxt.exe'],
    ['zero\u200bwidth', 'zerowidth'],
    ['👩\u200d💻', '👩\u200d💻'],
    ['نامه\u200cای', 'نامه\u200cای'],
    ['Caf\u00e9', 'Caf\u00e9'],
    ['CAFE\u0301', 'CAFE\u0301 (2)'],
  ] as const)
    assert.equal((await app.create({ title })).title, stored, title);
  for (const [category, stored] of [
    ['CON/aux', 'CON_/aux_'],
    ['con/AUX', 'CON_/aux_'],
    ['Ideas', 'Ideas'],
    ['ideas/New', 'Ideas/New'],
    ['IDEAS/new', 'Ideas/New'],
    ['dot./x', 'dot/x'],
    ['x'.repeat(300), 'x'.repeat(100)],
  ] as const)
    assert.equal((await app.create({ title: 'n', category })).category, stored, category);
  const wide = await app.create({ title: '日'.repeat(100) });
  assert.ok(Buffer.byteLength(`${wide.title}.md`) <= 240);

  const folder = await app.clone(t);
  await mkdir(join(folder, 'aux'));
  await writeFile(join(folder, 'aux', 'nul.md'), 'pushed');
  await pushAll(folder);
  const pushed = (await app.list()).find(({ title }) => title === 'nul');
  assert.equal(pushed?.category, 'aux');
  const saved = await app.update(pushed?.id ?? 0, { content: 'saved', title: 'nul', category: 'aux' });
  assert.deepEqual([saved.title, saved.category], ['nul', 'aux']);
});
