import assert from 'node:assert/strict';
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { NotesApp, pushAll } from '../../support/forge/notes.ts';
import { git, workingCopy } from '../../support/git/git.ts';

async function adasNotes(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada', { full_name: 'Ada Lovelace' });
  return { forge, ada, app: new NotesApp(forge, ada) };
}

const LINES = Array.from({ length: 20 }, (_, index) => `line ${index} of a note`);
const TEXT = `${LINES.join('\n')}\n`;

test('a note appears in a clone, each save as one commit by its writer', async (t) => {
  const { app } = await adasNotes(t);
  const { id } = await app.create({ title: 'Engine', category: 'Work', content: 'It weaves.\r\n' });
  await app.update(id, { content: 'It weaves patterns.' });
  await app.update(id, { title: 'The engine', category: 'Work/Old' });
  const folder = await app.clone(t);
  assert.equal(await readFile(join(folder, 'Work/Old/The engine.md'), 'utf8'), 'It weaves patterns.');
  assert.equal(
    await git(folder, ['log', '--format=%an <%ae> %s']),
    [
      'Ada Lovelace <ada@example.org> Move Work/Engine.md to Work/Old/The engine.md',
      'Ada Lovelace <ada@example.org> Update Work/Engine.md',
      'Ada Lovelace <ada@example.org> Add Work/Engine.md',
    ].join('\n'),
  );
  assert.equal(await git(folder, ['show', 'HEAD~2:Work/Engine.md']), 'It weaves.\r');
});

test('a pushed note file appears in the list, with the time of its commit', async (t) => {
  const { app } = await adasNotes(t);
  await app.create({ title: 'Old' });
  const folder = await app.clone(t);
  await mkdir(join(folder, 'Work'));
  await writeFile(join(folder, 'Work/Plan.md'), '\ufeffÜber alles\n');
  await git(folder, ['add', '-A']);
  const date = '2020-02-03T04:05:06+0000';
  await git(folder, ['commit', '-q', '-m', 'Plan'], { environment: { GIT_COMMITTER_DATE: date } });
  await writeFile(join(folder, 'Later.md'), 'later');
  await pushAll(folder);

  const notes = await app.byTitle();
  assert.deepEqual([...notes.keys()].sort(), ['Later', 'Old', 'Plan']);
  const plan = notes.get('Plan');
  assert.ok(plan);
  assert.deepEqual(
    [plan.category, plan.content, plan.modified, plan.readonly],
    ['Work', 'Über alles\n', Date.parse(date) / 1000, false],
  );
  assert.equal((await app.update(plan.id, { content: 'changed' })).content, 'changed');
});

test('a save of a pushed note as it was received moves nothing, whatever its folder is called', async (t) => {
  const { app } = await adasNotes(t);
  await app.create({ title: 'Old' });
  const folder = await app.clone(t);
  await mkdir(join(folder, 'a*b'));
  await writeFile(join(folder, 'a*b/Plan.md'), 'first');
  await pushAll(folder);
  const plan = (await app.byTitle()).get('Plan');
  assert.ok(plan);
  const head = await git(folder, ['rev-parse', 'HEAD']);

  const { title, category, content, favorite, modified } = plan;
  const saved = await app.update(plan.id, { title, category, content, favorite, modified });

  assert.equal(saved.category, 'a*b');
  assert.equal(await git(folder, ['ls-remote', 'origin', 'HEAD']), `${head}\tHEAD`);
});

test('a push and a commit of the API change the notes in their own transactions', async (t) => {
  const { forge, ada, app } = await adasNotes(t);
  const { id } = await app.create({ title: 'Old', content: TEXT });
  const folder = await app.clone(t);
  const indexed = async () => {
    const { reader } = forge.forge.running.engines.database;
    const { indexed_commit: commit } = await reader
      .selectFrom('notebooks')
      .select('indexed_commit')
      .executeTakeFirstOrThrow();
    return commit;
  };
  await git(folder, ['mv', 'Old.md', 'New.md']);
  await pushAll(folder);
  assert.equal(await indexed(), await git(folder, ['rev-parse', 'HEAD']));

  const content = Buffer.from('By the API').toString('base64');
  const { body } = await ada.post('/api/v1/repos/ada/Notes/contents/More.md', { content });
  assert.equal(await indexed(), body.commit.sha);
  const notes = await app.byTitle();
  assert.deepEqual([notes.get('New')?.id, notes.get('More')?.content], [id, 'By the API']);
});

test('a push that a protection denies changes no notes', async (t) => {
  const { ada, app } = await adasNotes(t);
  await app.create({ title: 'Old', content: TEXT });
  const folder = await app.clone(t);
  const rule = { rule_name: 'main', enable_push: true, protected_file_patterns: 'secret/**' };
  assert.equal((await ada.post('/api/v1/repos/ada/Notes/branch_protections', rule)).status, 201);
  await mkdir(join(folder, 'secret'));
  await writeFile(join(folder, 'secret/plan.md'), 'hidden');
  await assert.rejects(pushAll(folder), /secret/);
  assert.deepEqual([...(await app.byTitle()).keys()], ['Old']);
});

test('files that are not notes stay in the repository and out of the list', async (t) => {
  const { app } = await adasNotes(t);
  await app.create({ title: 'Note' });
  const folder = await app.clone(t);
  for (const name of ['a.txt', 'b.org', 'c.markdown', 'd.NOTE', '.e.md', 'f.pdf', 'md', 'g.md.bak']) {
    await writeFile(join(folder, name), name);
  }
  await mkdir(join(folder, '.obsidian'));
  await writeFile(join(folder, '.obsidian/h.md'), 'h');
  await symlink('/etc/passwd', join(folder, 'link.md'));
  await pushAll(folder);
  const notes = await app.list();
  assert.deepEqual(notes.map((note) => note.internalPath).sort(), [
    '/Notes/.e.md',
    '/Notes/Note.md',
    '/Notes/a.txt',
    '/Notes/b.org',
    '/Notes/c.markdown',
    '/Notes/d.NOTE',
  ]);
});

test('an unreadable file is in the list, read-only, with the reason', async (t) => {
  const { app } = await adasNotes(t);
  await app.create({ title: 'Note' });
  const folder = await app.clone(t);
  await writeFile(join(folder, 'picture.md'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x01, 0xff]));
  await writeFile(join(folder, 'nul.md'), 'a\0b');
  await writeFile(join(folder, 'large.md'), Buffer.alloc(10 * 1024 * 1024 + 1, 'x'));
  await pushAll(folder);
  const notes = await app.byTitle();
  for (const [title, message] of [
    ['picture', /not text/],
    ['nul', /not text/],
    ['large', /too large/],
  ] as const) {
    const note = notes.get(title);
    assert.ok(note, title);
    assert.deepEqual([note.error, note.readonly], [true, true]);
    assert.match(note.content, message);
    const refused = await app.send('PUT', `/${note.id}`, { json: { content: 'x' } });
    assert.equal(refused.status, 403);
    assert.deepEqual(refused.body, { errorType: 'Exception' });
    // The app may save the note without changing its text.
    const same = await app.send('PUT', `/${note.id}`, { json: { title, favorite: true } });
    assert.deepEqual([same.status, same.body.favorite], [200, true]);
  }
});

test('git mv keeps the id of a note: with an edit, into a folder, and for several files at once', async (t) => {
  const { app } = await adasNotes(t);
  const one = await app.create({ title: 'one', content: TEXT, favorite: true });
  const two = await app.create({ title: 'two', content: 'two' });
  const three = await app.create({ title: 'three', category: 'c', content: 'three' });
  const empty = await app.create({ title: 'empty' });
  const folder = await app.clone(t);
  await mkdir(join(folder, 'sub'));
  await git(folder, ['mv', 'one.md', 'sub/uno.md']);
  await writeFile(
    join(folder, 'sub/uno.md'),
    `new first line\n${TEXT.replace('line 7 of', 'line seven of')}`,
  );
  await git(folder, ['mv', 'two.md', 'sub/two.md']);
  await git(folder, ['mv', 'c', 'd']);
  await git(folder, ['mv', 'empty.md', 'sub/empty.md']);
  await pushAll(folder);

  const notes = await app.byTitle();
  assert.deepEqual(
    [...notes.values()].map(({ id, title, category }) => [id, title, category]).sort(),
    [
      [one.id, 'uno', 'sub'],
      [two.id, 'two', 'sub'],
      [three.id, 'three', 'd'],
      [empty.id, 'empty', 'sub'],
    ].sort(),
  );
  assert.equal(notes.get('uno')?.favorite, true);
  assert.equal(notes.get('two')?.modified, two.modified);
});

test('a note renamed in one commit and rewritten in the next ones keeps its id', async (t) => {
  const { app } = await adasNotes(t);
  const note = await app.create({ title: 'draft', content: TEXT });
  const folder = await app.clone(t);
  await git(folder, ['mv', 'draft.md', 'talk.md']);
  await git(folder, ['commit', '-q', '-m', 'Rename']);
  await writeFile(join(folder, 'talk.md'), 'entirely\nother\nwords\n');
  await git(folder, ['commit', '-q', '-a', '-m', 'Write']);
  await git(folder, ['mv', 'talk.md', 'lecture.md']);
  await writeFile(join(folder, 'other.md'), 'other');
  await pushAll(folder);
  const notes = await app.byTitle();
  assert.equal(notes.get('lecture')?.id, note.id);
  assert.notEqual(notes.get('other')?.id, note.id);
});

test('many notes that one commit renames and edits keep their ids', async (t) => {
  const { app } = await adasNotes(t);
  await app.create({ title: 'Old' });
  const folder = await app.clone(t);
  const count = 120;
  const textOf = (index: number) => `# Note\n---\n${LINES.map((line) => `${line} ${index}`).join('\n')}\n`;
  for (let index = 0; index < count; index += 1) await writeFile(join(folder, `n${index}.md`), textOf(index));
  await pushAll(folder);
  const before = await app.byTitle();
  await mkdir(join(folder, 'Moved'));
  for (let index = 0; index < count; index += 1) {
    await rm(join(folder, `n${index}.md`));
    await writeFile(join(folder, `Moved/m${index}.md`), `${textOf(index)}One more line.\n`);
  }
  await pushAll(folder);

  const after = await app.byTitle();
  for (let index = 0; index < count; index += 1)
    assert.equal(after.get(`m${index}`)?.id, before.get(`n${index}`)?.id, `n${index}`);
});

test('notes moved in a ring keep their ids', async (t) => {
  const { app } = await adasNotes(t);
  const ids = new Map<string, number>();
  for (const title of ['a', 'b', 'c'])
    ids.set(title, (await app.create({ title, content: `this is ${title}` })).id);
  const folder = await app.clone(t);
  const file = (name: string) => join(folder, `${name}.md`);
  await rename(file('a'), file('x'));
  await rename(file('c'), file('a'));
  await rename(file('b'), file('c'));
  await rename(file('x'), file('b'));
  await pushAll(folder);
  const notes = await app.list();
  assert.deepEqual(
    notes.map(({ id, title, content }) => [id, title, content]).sort(),
    [
      [ids.get('a'), 'b', 'this is a'],
      [ids.get('b'), 'c', 'this is b'],
      [ids.get('c'), 'a', 'this is c'],
    ].sort(),
  );
});

test('an empty note that gets text in the commit that adds another note keeps its id', async (t) => {
  const { app } = await adasNotes(t);
  const today = await app.create({ title: 'today' });
  const folder = await app.clone(t);
  await writeFile(join(folder, 'today.md'), 'written');
  await writeFile(join(folder, 'tomorrow.md'), '');
  await pushAll(folder);
  const notes = await app.byTitle();
  assert.equal(notes.get('today')?.id, today.id);
  assert.notEqual(notes.get('tomorrow')?.id, today.id);
});

test('a deleted file that comes back has its id and favorite mark again', async (t) => {
  const { app } = await adasNotes(t);
  const note = await app.create({ title: 'n', content: 'text', favorite: true });
  const folder = await app.clone(t);
  await rm(join(folder, 'n.md'));
  await pushAll(folder);
  assert.deepEqual(await app.list(), []);
  assert.equal((await app.send('GET', `/${note.id}`)).status, 404);
  await git(folder, ['revert', '--no-edit', 'HEAD']);
  await git(folder, ['push', '-q', 'origin', 'HEAD:main']);
  const [back] = await app.list();
  assert.deepEqual([back?.id, back?.content, back?.favorite], [note.id, 'text', true]);
});

test('a force-push is imported, and ids stay with their files', async (t) => {
  const { app } = await adasNotes(t);
  const moved = await app.create({ title: 'kept', content: TEXT });
  await app.create({ title: 'dropped', content: 'x' });
  const folder = await workingCopy(t);
  await git(folder, [
    'remote',
    'add',
    'origin',
    await git(await app.clone(t), ['remote', 'get-url', 'origin']),
  ]);
  await mkdir(join(folder, 'history'));
  await writeFile(join(folder, 'history/kept.md'), TEXT);
  await writeFile(join(folder, 'other.md'), 'other');
  await pushAll(folder, '--force');
  const notes = await app.byTitle();
  assert.deepEqual([...notes.keys()].sort(), ['kept', 'other']);
  assert.deepEqual([notes.get('kept')?.id, notes.get('kept')?.category], [moved.id, 'history']);
  const written = await app.update(moved.id, { content: 'after' });
  assert.equal(written.content, 'after');
});

test('a file changed through the forge API changes the note', async (t) => {
  const { ada, app } = await adasNotes(t);
  const { id } = await app.create({ title: 'n', content: 'old' });
  const path = '/api/v1/repos/ada/Notes/contents/n.md';
  const { body } = await ada.get(path);
  await ada.put(path, { sha: body.sha, content: Buffer.from('new').toString('base64') });
  assert.equal((await app.note(id)).content, 'new');
});

test('the notes of an existing repository are imported unchanged', async (t) => {
  const { ada, app } = await adasNotes(t);
  await ada.repository('Notes', { object_format_name: 'sha256', default_branch: 'trunk' });
  const content = Buffer.from('here').toString('base64');
  await ada.post('/api/v1/repos/ada/Notes/contents/a/b.md', { content });
  const [note] = await app.list();
  assert.deepEqual([note?.title, note?.category, note?.content], ['b', 'a', 'here']);
  assert.equal((await app.create({ title: 'more' })).title, 'more');
  assert.equal((await app.list()).length, 2);
});

test('an archived notebook is read-only', async (t) => {
  const { forge, app } = await adasNotes(t);
  const { id } = await app.create({ title: 'n', content: 'x' });
  await forge.forge.running.engines.database.transaction((tx) =>
    tx.updateTable('repositories').set({ archived_at: Date.now() }).execute(),
  );
  assert.equal((await app.note(id)).readonly, true);
  for (const [method, path] of [
    ['POST', ''],
    ['PUT', `/${id}`],
    ['DELETE', `/${id}`],
  ] as const) {
    assert.equal((await app.send(method, path, { json: { content: 'y' } })).status, 403, method);
  }
  assert.equal((await app.update(id, { content: 'x', favorite: true })).favorite, true);
});
