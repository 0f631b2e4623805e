import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { reindexNotes } from '../../../src/admin/reindex-notes.ts';
import { GIT_LIMITS } from '../../../src/git/limits.ts';
import { NotebookIndex } from '../../../src/notes/notebooks/index/notebook-index.ts';
import { NOTE_LIMITS } from '../../../src/notes/notebooks/limits.ts';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { NOTES_API, type NoteRecord, NotesApp, pushAll } from '../../support/forge/notes.ts';
import { git } from '../../support/git/git.ts';
import { mirrorOf } from '../../support/git-folder.ts';
import { authorizationOf } from '../../support/http/http.ts';

async function adasNotes(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  return { forge, ada, app: new NotesApp(forge, ada) };
}

/** As after a push that changed too much to be indexed with it. */
async function leaveIndexBehind(forge: TestForge): Promise<void> {
  await forge.forge.running.engines.database.transaction((tx) =>
    tx.updateTable('notebooks').set({ indexed_commit: null }).execute(),
  );
}

test('concurrent saves lose no text: the history has all of them', async (t) => {
  const { app } = await adasNotes(t);
  const { id } = await app.create({ title: 'n', content: 'begin' });
  const texts = Array.from({ length: 8 }, (_, index) => `text of client ${index}`);
  await Promise.all(texts.map((content) => app.update(id, { content })));
  const folder = await app.clone(t);
  const history = await git(folder, ['log', '-p', '--format=%H', '--', 'n.md']);
  for (const text of texts) assert.ok(history.includes(`+${text}`), text);
  assert.ok(texts.includes((await app.note(id)).content));
  assert.equal(await git(folder, ['rev-list', '--count', 'HEAD']), '9');
});

test('of concurrent saves of the same version, one succeeds and the others get a conflict', async (t) => {
  const { app } = await adasNotes(t);
  const { id, etag } = await app.create({ title: 'n', content: 'begin' });
  const answers = await Promise.all(
    ['a', 'b', 'c', 'd'].map((content) =>
      app.send('PUT', `/${id}`, { json: { content }, headers: { 'if-match': `"${etag}"` } }),
    ),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412, 412, 412]);
  const winner = answers.find(({ status }) => status === 200);
  assert.deepEqual(await app.note(id), winner?.body);
});

test('a save that races a push is repeated on top of the push', async (t) => {
  const { app } = await adasNotes(t);
  await app.create({ title: 'first' });
  const folder = await app.clone(t);
  let pushed = 0;
  const push = async () => {
    for (; pushed < 6; pushed += 1) {
      await writeFile(join(folder, `pushed ${pushed}.md`), 'x');
      await git(folder, ['add', '-A']);
      await git(folder, ['commit', '-q', '-m', 'By hand']);
      await git(folder, ['pull', '-q', '--rebase', 'origin', 'main']);
      await git(folder, ['push', '-q', 'origin', 'HEAD:main']).catch(() => {});
    }
  };
  const save = async () => {
    for (let saved = 0; saved < 20; saved += 1) await app.create({ title: `saved ${saved}` });
  };
  await Promise.all([push(), save()]);
  await git(folder, ['pull', '-q', '--rebase', 'origin', 'main']);
  await git(folder, ['push', '-q', 'origin', 'HEAD:main']);
  assert.equal((await app.list()).length, 27);
});

test('a list is complete and consistent while pushes land', async (t) => {
  const { app } = await adasNotes(t);
  const count = 12;
  for (let index = 0; index < count; index += 1) await app.create({ title: `n${index}`, content: 'round 0' });
  const ids = (await app.list()).map(({ id }) => id).sort();
  const folder = await app.clone(t);
  let isPushing = true;
  const push = async () => {
    for (let round = 1; round <= 5; round += 1) {
      // Each commit changes all notes and renames one of them.
      for (const file of (await git(folder, ['ls-files'])).split('\n')) {
        await writeFile(join(folder, file), `round ${round}`);
      }
      await git(folder, ['mv', (await git(folder, ['ls-files'])).split('\n')[0] ?? '', `z${round}.md`]);
      await pushAll(folder);
    }
    isPushing = false;
  };
  const lists: (readonly { id: number; content: string }[])[] = [];
  const list = async () => {
    while (isPushing) lists.push(await app.list());
    lists.push(await app.list());
  };
  await Promise.all([push(), list(), list()]);
  for (const notes of lists) {
    assert.equal(
      new Set(notes.map(({ content }) => content)).size,
      1,
      'a list mixes notes of several versions',
    );
    assert.equal(notes.length, count);
  }
  const last = lists.at(-1) ?? [];
  assert.equal(last[0]?.content, 'round 5');
  // All notes had the same content, so only those with an unchanged path keep their ids.
  assert.ok(last.filter(({ id }) => ids.includes(id)).length >= count - 5);
});

test('a long list is as of one moment, even if notes change while the client reads it', async (t) => {
  const { forge, ada, app } = await adasNotes(t);
  const old = 'old line\n'.repeat(NOTE_LIMITS.noteBytesMax / 20);
  const titles = Array.from({ length: 10 }, (_, index) => `n${index}`);
  const ids: number[] = [];
  for (const title of titles) ids.push((await app.create({ title, content: old })).id);
  const address = `${forge.url}${NOTES_API}/v1/notes`;
  // The client reads nothing of the body yet, and the body is larger than what the connection buffers.
  const answer = await fetch(address, { headers: { authorization: authorizationOf(ada) } });
  const [changed, gone] = ids.slice(-2) as [number, number];
  await app.update(changed, { content: 'new', title: 'new' });
  await app.remove(gone);

  const notes = (await answer.json()) as readonly NoteRecord[];
  assert.deepEqual(
    notes.map(({ title, content }) => [title, content === old]),
    titles.map((title) => [title, true]),
  );
  assert.equal((await app.note(changed)).content, 'new');
});

test('a notebook whose repository was deleted returns 503, never an empty list', async (t) => {
  const { ada, app } = await adasNotes(t);
  const note = await app.create({ title: 'n' });
  const etag = (await app.send('GET')).headers.get('etag') ?? '';
  assert.equal((await ada.delete('/api/v1/repos/ada/Notes')).status, 204);
  for (const [method, path] of [
    ['GET', ''],
    ['GET', `/${note.id}`],
    ['POST', ''],
    ['PUT', `/${note.id}`],
    ['DELETE', `/${note.id}`],
  ] as const) {
    const headers = { 'if-none-match': etag };
    const answer = await app.send(method, path, {
      headers,
      ...(method === 'GET' ? {} : { json: { title: 'x' } }),
    });
    assert.equal(answer.status, 503, `${method} ${path}`);
    assert.ok(Number(answer.headers.get('retry-after')) > 0);
    assert.equal(answer.headers.get('x-notes-api-versions'), '0.2, 1.4');
  }
  assert.equal((await ada.get('/api/v1/repos/ada/Notes')).status, 404, 'no replacement was created');

  // A new repository with this name becomes the notebook once it has content.
  await ada.repository('Notes');
  assert.equal((await app.send('GET')).status, 503);
  const content = Buffer.from('again').toString('base64');
  await ada.post('/api/v1/repos/ada/Notes/contents/n.md', { content });
  const [again] = await app.list();
  assert.equal(again?.content, 'again');
  assert.notEqual(again?.id, note.id);
});

test('a notebook with unreadable files returns an error, never an empty list', async (t) => {
  const { forge, app } = await adasNotes(t);
  // A job that measures the files, or a reader of pushes, would bring them into memory.
  await forge.forge.running.services.jobs.stop();
  await forge.forge.running.followers.stop();
  await app.create({ title: 'n', content: 'x' });
  const folder = await app.clone(t);
  // The objects of a smaller push would still be in memory.
  await writeFile(join(folder, 'm.md'), 'y'.repeat(GIT_LIMITS.freshObjectsBytesMax));
  await pushAll(folder);
  await leaveIndexBehind(forge);
  const { git: storage } = forge.forge.running.engines;
  const [id] = await storage.refs.list();
  const snapshot = await storage.refs.open(id ?? 0);
  const { gitDir } = await mirrorOf(storage, snapshot);
  await rm(join(gitDir, 'objects'), { recursive: true });
  const answer = await app.send('GET');
  assert.ok(answer.status >= 500, String(answer.status));
});

test('a renamed repository remains the notebook', async (t) => {
  const { forge, app } = await adasNotes(t);
  const note = await app.create({ title: 'n' });
  await forge.forge.running.engines.database.transaction((tx) =>
    tx.updateTable('repositories').set({ name: 'Diary', lower_name: 'diary' }).execute(),
  );
  assert.deepEqual(await app.list(), [{ ...note, internalPath: '/Diary/n.md' }]);
});

test('a command rebuilds corrupt rows from the files, with their ids', async (t) => {
  const { forge, app } = await adasNotes(t);
  const one = await app.create({
    title: 'one',
    content: 'first',
    category: 'c',
    favorite: true,
    modified: 1_000,
  });
  const two = await app.create({ title: 'two', content: 'second' });
  const { engines, services } = forge.forge.running;
  await engines.database.transaction(async (tx) => {
    await tx
      .updateTable('notes')
      .set({ content: 'wrong', title: 'wrong' })
      .where('id', '=', one.id)
      .execute();
    await tx.deleteFrom('notes').where('id', '=', two.id).execute();
  });
  const lines: string[] = [];
  const reindexing = { ...services, print: (line: string) => lines.push(line), account: 'ada' };
  assert.equal(await reindexNotes(reindexing), true);
  assert.deepEqual(lines, ['ada/Notes: 2 notes', 'indexed 1 notebook']);
  await assert.rejects(reindexNotes({ ...reindexing, account: 'unknown' }), /there is no account unknown/);
  const notes = await app.byTitle();
  assert.deepEqual(notes.get('one'), one);
  assert.equal(notes.get('two')?.content, 'second');
  assert.equal(notes.size, 2);
});

test('a replaced and pruned history does not block the notebook', async (t) => {
  const { forge, app } = await adasNotes(t);
  const same = await app.create({ title: 'same', content: 'a', modified: 1_000 });
  const moved = await app.create({ title: 'moved', content: 'some text', modified: 2_000 });
  const folder = await app.clone(t);
  await git(folder, ['mv', 'moved.md', 'elsewhere.md']);
  await pushAll(folder);
  await forge.forge.running.engines.database.transaction((tx) =>
    tx
      .updateTable('notebooks')
      .set({ indexed_commit: 'f'.repeat(40) })
      .execute(),
  );
  const notes = await app.byTitle();
  assert.deepEqual(notes.get('same'), same);
  assert.deepEqual([notes.get('elsewhere')?.id, notes.get('elsewhere')?.modified], [moved.id, 2_000]);
  assert.equal(notes.size, 2);
});

test('an index updated by another process is not updated twice', async (t) => {
  const { forge, app } = await adasNotes(t);
  await app.create({ title: 'n' });
  const folder = await app.clone(t);
  await writeFile(join(folder, 'm.md'), 'y');
  await pushAll(folder);
  await leaveIndexBehind(forge);
  const { engines, services } = forge.forge.running;
  const other = new NotebookIndex({ ...engines, ...services });
  const [repositoryId = 0] = await engines.git.refs.list();
  const place = { repositoryId, folder: '' };
  const [mine, theirs] = await Promise.all([
    services.notebookIndex.catchUp(place, { suffix: '.md' }),
    other.catchUp(place, { suffix: '.md' }),
  ]);
  assert.deepEqual(mine, theirs);
  assert.equal((await app.list()).length, 2);
});
