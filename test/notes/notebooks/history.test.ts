import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { NOTE_LIMITS } from '../../../src/notes/notebooks/limits.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { NotesApp, pushAll } from '../../support/forge/notes.ts';
import { git } from '../../support/git/git.ts';

type Rule = (given: { t: TestContext; forge: TestForge; ada: Person; app: NotesApp }) => Promise<void>;

const RULES: (readonly [name: string, rule: Rule])[] = [];

/** Adds a rule with a user of its own; all of them share a server. */
function rule(name: string, check: Rule): void {
  RULES.push([name, check]);
}

interface Version {
  readonly version: string;
  readonly time: number;
  readonly author: { readonly name: string; readonly email: string };
  readonly title: string;
  readonly category: string;
  readonly size: number | null;
  readonly changes: readonly string[];
}

async function history(app: NotesApp, id: number, query = ''): Promise<readonly Version[]> {
  const { status, body, text } = await app.send('GET', `/${id}/history${query}`);
  assert.equal(status, 200, text);
  return body;
}

/** Lists what each version is: its changes, title, category and text. */
async function told(app: NotesApp, id: number): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const { version, changes, title, category } of await history(app, id)) {
    const { body } = await app.send('GET', `/${id}/history/${version}`);
    lines.push(`${changes.join(', ')}: ${category}/${title}: ${body.content}`);
  }
  return lines;
}

rule('the history lists each save with its time, author, title, category and size', async ({ ada, app }) => {
  const { id } = await app.create({ title: 'Engine', category: 'Work', content: 'It weaves.' });
  await app.update(id, { content: 'It weaves patterns.' });
  await app.update(id, { title: 'The engine' });
  await app.update(id, { category: '', content: 'It is.' });
  await app.update(id, { favorite: true });

  const versions = await history(app, id);

  assert.deepEqual(
    versions.map(({ title, category, size, changes }) => [title, category, size, ...changes]),
    [
      ['The engine', '', 6, 'category', 'content'],
      ['The engine', 'Work', 19, 'title'],
      ['Engine', 'Work', 19, 'content'],
      ['Engine', 'Work', 10, 'created'],
    ],
  );
  for (const { time, author, version } of versions) {
    assert.ok(Math.abs(time - Date.now() / 1000) < 60);
    assert.deepEqual(author, { name: ada.name, email: `${ada.name}@example.org` });
    assert.match(version, /^[0-9a-f]{40}$/);
  }
  const old = await app.send('GET', `/${id}/history/${versions[3]?.version}`);
  assert.deepEqual(old.body, { ...versions[3], content: 'It weaves.', error: false, errorType: '' });
});

rule('the history follows a note through renames with any edit, and through git mv', async ({ t, app }) => {
  const { id } = await app.create({ title: 'New note', content: 'first' });
  await app.update(id, { title: 'one', content: 'nothing of the first text' });
  const folder = await app.clone(t);
  await mkdir(join(folder, 'deep'));
  await git(folder, ['mv', 'one.md', 'deep/two.md']);
  await pushAll(folder);
  // Another note takes the path that this one had.
  const other = await app.create({ title: 'New note', content: 'another' });
  await app.update(id, { title: 'three' });

  assert.deepEqual(await told(app, id), [
    'title: deep/three: nothing of the first text',
    'title, category: deep/two: nothing of the first text',
    'title, content: /one: nothing of the first text',
    'created: /New note: first',
  ]);
  assert.deepEqual(await told(app, other.id), ['created: /New note: another']);
});

rule('a restored version is one more version, and nothing is lost', async ({ app }) => {
  const { id } = await app.create({ title: 'a', category: 'x', content: 'old\r\ntext' });
  await app.update(id, { title: 'b', category: 'y', content: 'new text' });
  const [, first] = await history(app, id);
  const restore = (headers = {}) => app.send('POST', `/${id}/history/${first?.version}/restore`, { headers });
  const stale = await restore({ 'if-match': `"${'0'.repeat(32)}"` });
  assert.deepEqual([stale.status, stale.body.content], [412, 'new text']);

  const { etag } = await app.note(id);
  const restored = await restore({ 'if-match': `"${etag}"` });

  assert.equal(restored.status, 200, restored.text);
  assert.deepEqual(restored.body, await app.note(id));
  const { title, category, content } = restored.body;
  assert.deepEqual([title, category, content], ['a', 'x', 'old\r\ntext']);
  assert.deepEqual(
    (await history(app, id)).map(({ changes }) => changes.join()),
    ['title,category,content', 'title,category,content', 'created'],
  );
  assert.equal((await restore()).status, 200, 'the same again');
  assert.equal((await history(app, id)).length, 3, 'which changes nothing');
});

rule(
  'restoring replaces what another device has saved meanwhile, and does not merge it',
  async ({ ada, app, forge }) => {
    const phone = new NotesApp(forge, ada, await ada.tokenFor(['write:repository']));
    const { id } = await phone.create({ title: 'n', content: 'a\nb\nc\n' });
    await phone.update(id, { content: 'a\nb\n' });
    await phone.list();
    await app.update(id, { content: 'a\nb\nd\n' });
    const first = (await history(phone, id)).at(-1);
    const { body } = await phone.send('POST', `/${id}/history/${first?.version}/restore`);
    assert.equal(body.content, 'a\nb\nc\n');
  },
);

rule('a merged edit is in the history as it was sent, too', async ({ ada, app, forge }) => {
  const phone = new NotesApp(forge, ada, await ada.tokenFor(['write:repository']));
  const { id } = await app.create({ title: 'n', content: 'milk\nbread\neggs\n' });
  await phone.list();
  await app.update(id, { content: 'milk\nbread\neggs\ncheese\n' });
  await phone.update(id, { content: 'oat milk\nbread\neggs\n' });
  const texts = await told(app, id);
  assert.equal(texts[0], 'content: /n: oat milk\nbread\neggs\ncheese\n');
  assert.deepEqual(
    new Set(texts.slice(1)),
    new Set([
      'content: /n: oat milk\nbread\neggs\n',
      'content: /n: milk\nbread\neggs\ncheese\n',
      'created: /n: milk\nbread\neggs\n',
    ]),
  );
});

rule('an edit that was merged into a renamed note is in the history, too', async ({ ada, app, forge }) => {
  const phone = new NotesApp(forge, ada, await ada.tokenFor(['write:repository']));
  const { id } = await app.create({ title: 'n', content: 'milk\nbread\neggs\n' });
  await phone.list();
  await app.update(id, { title: 'renamed', content: 'milk\nbread\neggs\ncheese\n' });
  await phone.update(id, { content: 'oat milk\nbread\neggs\n' });
  assert.deepEqual(await told(app, id), [
    'content: /renamed: oat milk\nbread\neggs\ncheese\n',
    'content: /n: oat milk\nbread\neggs\n',
    'title, content: /renamed: milk\nbread\neggs\ncheese\n',
    'created: /n: milk\nbread\neggs\n',
  ]);
});

rule('a diff shows what has changed between two versions, or since one', async ({ app }) => {
  const { id } = await app.create({ title: 'a', content: 'one\ntwo\nthree\n' });
  await app.update(id, { content: 'one\n2\nthree\n' });
  await app.update(id, { title: 'b', content: 'one\n2\n<script>\n' });
  const [last, middle, first] = await history(app, id);
  const since = await app.send('GET', `/${id}/history/${first?.version}/diff`);
  assert.equal(since.status, 200, since.text);
  assert.match(since.headers.get('content-type') ?? '', /^text\/plain/);
  assert.match(since.headers.get('content-security-policy') ?? '', /sandbox/);
  assert.equal(
    since.text,
    [
      'diff --git a/a.md b/b.md',
      'rename from a.md',
      'rename to b.md',
      '--- a/a.md',
      '+++ b/b.md',
      '@@ -1,3 +1,3 @@',
      ' one',
      '-two',
      '-three',
      '+2',
      '+<script>',
      '',
    ].join('\n'),
  );
  const between = await app.send('GET', `/${id}/history/${last?.version}/diff?to=${middle?.version}`);
  assert.match(between.text, /^-<script>$/m);
  const same = await app.send('GET', `/${id}/history/${last?.version}/diff`);
  assert.deepEqual([same.status, same.text], [200, '']);
});

rule('deleted notes are listed and come back with their ids and histories', async ({ t, app }) => {
  const kept = await app.create({ title: 'kept', content: 'k' });
  const { id, modified } = await app.create({
    title: 'gone',
    category: 'c',
    content: 'text',
    modified: 1_000_000_000,
  });
  const pushed = await app.create({ title: 'pushed', content: 'removed by hand' });
  await app.remove(id);
  const folder = await app.clone(t);
  await git(folder, ['rm', '-q', 'pushed.md']);
  await pushAll(folder);

  const { body, headers } = await app.send('GET', '/deleted');
  assert.deepEqual(
    body.map((note: { id: number; title: string; category: string }) => [note.id, note.title, note.category]),
    [
      [pushed.id, 'pushed', ''],
      [id, 'gone', 'c'],
    ],
  );
  assert.deepEqual([body[1].modified, headers.get('x-total-count')], [modified, '2']);
  assert.ok(Math.abs(body[1].deleted - Date.now() / 1000) < 60);
  assert.deepEqual(await told(app, id), ['deleted: c/gone: null', 'created: c/gone: text']);
  assert.equal((await app.send('GET', `/${id}`)).status, 404);

  const [deletion, first] = await history(app, id);
  const back = await app.send('POST', `/${id}/restore`);
  assert.deepEqual(
    [back.status, back.body.id, back.body.content, back.body.modified],
    [200, id, 'text', modified],
  );
  assert.deepEqual(await app.note(id), back.body);
  assert.deepEqual(
    (await history(app, id)).map(({ changes }) => changes.join()),
    ['restored', 'deleted', 'created'],
  );
  assert.equal((await app.send('POST', `/${id}/restore`)).status, 404, 'it is not deleted any more');
  assert.equal((await app.send('POST', `/${kept.id}/restore`)).status, 404);
  for (const more of ['/restore', '/diff']) {
    const method = more === '/diff' ? 'GET' : 'POST';
    const answer = await app.send(method, `/${id}/history/${deletion?.version}${more}`);
    assert.equal(answer.status, 400, 'a deletion has no text');
  }
  await app.remove(id);
  const old = await app.send('POST', `/${id}/history/${first?.version}/restore`);
  assert.deepEqual([old.status, old.body.id, old.body.content], [200, id, 'text']);
});

rule('a new note does not inherit the history of a deleted one with its name', async ({ app }) => {
  const { id } = await app.create({ title: 'n', content: 'private' });
  await app.remove(id);
  const next = await app.create({ title: 'n', content: 'other' });
  assert.deepEqual(await told(app, next.id), ['created: /n: other']);
  assert.equal((await app.send('GET', `/${id}/history`)).status, 404);
});

rule('a long history is paged, and each page is 304 for a client that has it', async ({ t, app }) => {
  const { id } = await app.create({ title: 'n', content: 'version 0' });
  const other = await app.create({ title: 'other' });
  const folder = await app.clone(t);
  const count = NOTE_LIMITS.noteHistoryListedAtOnce + 20;
  const commits = Array.from({ length: count }, (_, index) => {
    const text = `version ${index + 1}`;
    const from = index === 0 ? 'from refs/heads/main^0\n' : '';
    return `commit refs/heads/main\ncommitter A <a@b> ${1_700_000_000 + index} +0000\ndata 1\nx\n${from}M 100644 inline n.md\ndata ${text.length}\n${text}\n`;
  });
  await git(folder, ['fast-import', '--quiet'], { input: commits.join('') });
  await git(folder, ['push', '-q', 'origin', 'main']);

  const limit = 50;
  const last = Math.ceil((count + 1) / limit);
  const first = await app.send('GET', `/${id}/history?limit=${limit}`);
  assert.match(first.headers.get('link') ?? '', /limit=50&page=2>; rel="next"$/);
  assert.equal(first.body.length, limit);
  const end = await app.send('GET', `/${id}/history?limit=${limit}&page=${last}`);
  assert.equal(end.headers.get('link'), null);
  assert.deepEqual(end.body.at(-1).changes, ['created']);
  assert.equal(end.body.length, count + 1 - limit * (last - 1));
  const oldest = await app.send('GET', `/${id}/history/${end.body.at(-1).version}`);
  assert.equal(oldest.body.content, 'version 0');
  const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
  const again = () => app.send('GET', `/${id}/history?limit=${limit}`, { headers });
  assert.equal((await again()).status, 304);
  await app.update(other.id, { content: 'a save of another note' });
  assert.equal((await again()).status, 304);
  await app.update(id, { content: 'x' });
  assert.equal((await again()).status, 200);
});

rule('readers of a shared notebook see its history and cannot restore', async ({ forge, ada, app }) => {
  const bob = await forge.account(`bob-of-${ada.name}`);
  const { id } = await app.create({ title: 'n', content: 'one' });
  await app.update(id, { content: 'two' });
  const gone = await app.create({ title: 'gone' });
  await app.remove(gone.id);
  const bobs = new NotesApp(forge, bob);
  assert.equal((await bobs.send('GET', `/${id}/history`)).status, 404, 'not shared yet');
  const collaborator = `/api/v1/repos/${ada.name}/Notes/collaborators/${bob.name}`;
  assert.equal((await ada.put(collaborator, { permission: 'read' })).status, 204);
  await bobs.send('PUT', '/../settings', { json: { notesPath: `@${ada.name}/Notes` } });
  const versions = await history(bobs, id);
  assert.equal(versions.length, 2);
  for (const path of [`/${id}/history/${versions[1]?.version}/restore`, `/${gone.id}/restore`])
    assert.equal((await bobs.send('POST', path)).status, 403, path);
  assert.equal((await app.note(id)).content, 'two');
});

rule('only versions of the note itself are found', async ({ app }) => {
  const { id } = await app.create({ title: 'n', content: 'one' });
  const other = await app.create({ title: 'other', content: 'two' });
  const [version] = await history(app, other.id);
  const missing = [version?.version, '0'.repeat(40), 'f'.repeat(64)].flatMap((oid) => [
    `/${id}/history/${oid}`,
    `/${id}/history/${oid}/diff`,
  ]);
  for (const path of missing) assert.equal((await app.send('GET', path)).status, 404, path);
  const [own] = await history(app, id);
  for (const to of [version?.version, 'HEAD', '--output=x', ''])
    assert.equal((await app.send('GET', `/${id}/history/${own?.version}/diff?to=${to}`)).status, 404, to);
  assert.equal((await app.send('GET', '/99999999/history')).status, 404);
  for (const path of [`/${id}/history/main`, `/${id}/history/../..`, '/x/history'])
    assert.equal((await app.send('GET', path)).status, 400, path);
});

rule('a version that is not text says so, and cannot replace a text', async ({ t, app }) => {
  const { id } = await app.create({ title: 'n', content: 'text' });
  const folder = await app.clone(t);
  await writeFile(join(folder, 'n.md'), 'a\0b');
  await pushAll(folder);
  await writeFile(join(folder, 'n.md'), 'text again');
  await pushAll(folder);
  const [, broken] = await history(app, id);
  const { body } = await app.send('GET', `/${id}/history/${broken?.version}`);
  assert.equal(body.error, true);
  assert.match(body.content, /not text/);
  assert.equal((await app.send('POST', `/${id}/history/${broken?.version}/restore`)).status, 400);
});

test('the history of notes', async (t) => {
  const forge = await startForge(t);
  for (const [index, [name, check]] of RULES.entries()) {
    const ada = await forge.account(`ada${index}`);
    await t.test(name, (each) => check({ t: each, forge, ada, app: new NotesApp(forge, ada) }));
  }
});
