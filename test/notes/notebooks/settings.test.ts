import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { NOTES_API, NotesApp, pushAll } from '../../support/forge/notes.ts';
import { git } from '../../support/git/git.ts';

const SETTINGS = `${NOTES_API}/v1/settings`;

async function adasNotes(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const app = new NotesApp(forge, ada);
  const set = async (change: object) => {
    const { status, body } = await ada.put(SETTINGS, change);
    return status === 200 ? body : status;
  };
  return { forge, ada, app, set };
}

test('settings have defaults, change one by one, and return to the default with null', async (t) => {
  const { ada, set } = await adasNotes(t);
  const defaults = { notesPath: 'Notes', fileSuffix: '.md', noteMode: 'rich' };
  assert.deepEqual((await ada.get(SETTINGS)).body, defaults);
  assert.deepEqual((await ada.get(`${NOTES_API}/v1.4/settings`)).body, defaults);
  assert.deepEqual(await set({ fileSuffix: '.txt', unknown: 1 }), { ...defaults, fileSuffix: '.txt' });
  assert.deepEqual(await set({ noteMode: 'preview' }), {
    ...defaults,
    fileSuffix: '.txt',
    noteMode: 'preview',
  });
  assert.deepEqual(await set({ fileSuffix: null, noteMode: null, notesPath: null }), defaults);
});

test('an unusual value of a setting is changed to a valid one', async (t) => {
  const { set } = await adasNotes(t);
  const values = [
    ['fileSuffix', 'illegal value', '.illegalvalue'],
    ['fileSuffix', '...md', '.md'],
    ['fileSuffix', '/..\\', '.md'],
    ['fileSuffix', '', '.md'],
    ['noteMode', 'other', 'rich'],
    ['noteMode', 'edit', 'edit'],
    ['notesPath', '../../Test/./../X', 'X'],
    ['notesPath', '\\a\\\\b/', 'a/b'],
    ['notesPath', '..', ''],
  ] as const;
  for (const [name, value, expected] of values)
    assert.equal((await set({ [name]: value }))[name], expected, `${name}: ${value}`);
});

test('C9: a path of notes that git or a file system would take for another one is rejected', async (t) => {
  const { app, set } = await adasNotes(t);
  const { id } = await app.create({ title: 'n' });
  for (const notesPath of [
    '.git',
    'x/.GIT/y',
    'x/git~1',
    'x\u0000y',
    '@ada/missing',
    '@nobody/x',
    'x'.repeat(2000),
  ])
    assert.ok([400, 404].includes(await set({ notesPath })), notesPath.slice(0, 30));
  assert.equal((await app.list())[0]?.id, id);
});

test('a path that names no repository is a folder of the repository Notes', async (t) => {
  const { ada, app, set } = await adasNotes(t);
  const first = await app.create({ title: 'in the root' });
  assert.deepEqual((await set({ notesPath: 'Diary/2026' })).notesPath, 'Diary/2026');
  assert.deepEqual(await app.list(), []);
  const note = await app.create({ title: 'n', category: 'c', content: 'x' });
  assert.equal(note.internalPath, '/Diary/2026/c/n.md');
  assert.equal((await ada.get('/api/v1/repos/ada/Notes/raw/Diary/2026/c/n.md')).text, 'x');
  await set({ notesPath: 'Notes' });
  assert.deepEqual(
    (await app.list()).map(({ title, category }) => [title, category]),
    [
      ['in the root', ''],
      ['n', 'Diary/2026/c'],
    ],
  );
  assert.equal((await app.list())[0]?.id, first.id);
});

test('a path whose first part names an own repository leads there, also after its rename', async (t) => {
  const { ada, app, set } = await adasNotes(t);
  await app.create({ title: 'elsewhere' });
  await ada.post('/api/v1/user/repos', { name: 'Docs' });
  assert.equal((await set({ notesPath: 'docs/handbook' })).notesPath, 'Docs/handbook');
  const { id } = await app.create({ title: 'n' });
  assert.equal((await ada.patch('/api/v1/repos/ada/Docs', { name: 'Manuals' })).status, 200);
  assert.equal((await ada.get(SETTINGS)).body.notesPath, 'Manuals/handbook');
  const note = await app.note(id);
  assert.equal(note.internalPath, '/Manuals/handbook/n.md');
  assert.equal((await ada.get('/api/v1/repos/ada/Manuals/raw/handbook/n.md')).status, 200);
  // A client sends all settings back when it changes one.
  assert.equal(
    (await set({ notesPath: 'Manuals/handbook', noteMode: 'edit' })).notesPath,
    'Manuals/handbook',
  );
  assert.equal((await app.list()).length, 1);
});

test('two users share a notebook, and their edits are merged', async (t) => {
  const { forge, ada, app, set } = await adasNotes(t);
  const grace = await forge.account('grace');
  const hers = new NotesApp(forge, grace);
  await app.create({ title: 'private' });
  await ada.post('/api/v1/user/repos', { name: 'team', private: true });
  assert.equal((await grace.put(SETTINGS, { notesPath: '@ada/team/notes' })).status, 404);
  await ada.put('/api/v1/repos/ada/team/collaborators/grace', { permission: 'write' });
  assert.equal((await grace.put(SETTINGS, { notesPath: '@ada/team/notes' })).status, 200);
  await set({ notesPath: 'team/notes' });

  const { id } = await app.create({ title: 'n', content: 'a\nb\nc\nd\n' });
  await app.update(id, { favorite: true });
  assert.equal((await hers.list())[0]?.favorite, false);
  await app.update(id, { content: 'a, ada\nb\nc\nd\n' });
  const merged = await hers.update(id, { content: 'a\nb\nc\nd, grace\n' });
  assert.equal(merged.content, 'a, ada\nb\nc\nd, grace\n');
  assert.equal((await grace.get(SETTINGS)).body.notesPath, '@ada/team/notes');

  await ada.put('/api/v1/repos/ada/team/collaborators/grace', { permission: 'read' });
  assert.equal((await hers.list())[0]?.readonly, true);
  assert.equal((await hers.send('PUT', `/${id}`, { json: { content: 'x' } })).status, 403);
  assert.equal((await hers.send('PUT', `/${id}`, { json: { favorite: true } })).status, 200);
  await ada.delete('/api/v1/repos/ada/team/collaborators/grace');
  assert.equal((await hers.send('GET')).status, 503);
});

test('files with a suffix of their own are notes once a user chooses it', async (t) => {
  const { app, set } = await adasNotes(t);
  await app.create({ title: 'n' });
  const folder = await app.clone(t);
  await mkdir(join(folder, 'c'));
  await writeFile(join(folder, 'c', 'page.wiki'), 'x');
  await pushAll(folder);
  assert.equal((await app.list()).length, 1);
  assert.equal((await set({ fileSuffix: 'wiki' })).fileSuffix, '.wiki');
  const [first] = await app.list();
  assert.deepEqual((await app.list()).map(({ title }) => title).sort(), ['n', 'page']);
  const added = await app.create({ title: 'added' });
  assert.equal(added.internalPath, '/Notes/added.wiki');
  assert.equal((await app.note(added.id)).title, 'added');
  await git(folder, ['pull', '-q']);
  assert.equal(await git(folder, ['ls-files']), 'added.wiki\nc/page.wiki\nn.md');
  assert.ok(first !== undefined);
});

test('a token for reading or for other repositories changes no settings', async (t) => {
  const { forge, ada } = await adasNotes(t);
  const token = await ada.tokenFor(['read:repository']);
  const answer = await forge.send('PUT', SETTINGS, { as: { token }, json: { noteMode: 'edit' } });
  assert.equal(answer.status, 403);
  assert.equal((await forge.send('PUT', SETTINGS, { json: { noteMode: 'edit' } })).status, 401);
});
