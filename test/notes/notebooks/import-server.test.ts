import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { importNotes, importNotesFrom } from '../../../src/admin/import-notes.ts';
import { startSource } from '../../base/outbound/servers.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { NotesApp } from '../../support/forge/notes.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';
import { run } from '../../support/process.ts';
import { PROGRAM } from '../../support/program.ts';
import { printTo } from './importing.ts';

const TIME = 1_500_000_000;

interface Given {
  readonly source: TestForge;
  readonly ada: Person;
  /** ada's notes on the source */
  readonly there: NotesApp;
  readonly forge: TestForge;
  readonly ben: Person;
  /** ben's notes, which the import fills */
  readonly here: NotesApp;
  /** Imports ada's notes for ben. @returns the report */
  readonly runImport: (url?: string) => Promise<string>;
}

async function startBoth(t: TestContext): Promise<Given> {
  const source = await startForge(t);
  const forge = await startForge(t, { settings: { outboundAllow: '127.0.0.1' } });
  const [ada, ben] = [await source.account('ada'), await forge.account('ben')];
  const runImport = async (url = source.url) => {
    const lines: string[] = [];
    const { engines, services } = forge.forge.running;
    const tools = { ...engines, ...services, print: printTo(lines) };
    const credentials = { username: 'ada', password: ada.password };
    const isAll = await importNotesFrom(tools, { url, user: 'ben', credentials });
    return [isAll, ...lines].join('\n');
  };
  return {
    source,
    ada,
    there: new NotesApp(source, ada),
    forge,
    ben,
    here: new NotesApp(forge, ben),
    runImport,
  };
}

/** Returns what an import takes of all notes, by category and title. */
async function contentsOf(app: NotesApp): Promise<readonly unknown[]> {
  const notes = (await app.list()).map(({ title, category, content, modified, favorite }) => [
    ...[category, title],
    ...[content, modified, favorite],
  ]);
  return notes.toSorted((one, other) => (`${one[0]}/${one[1]}` < `${other[0]}/${other[1]}` ? -1 : 1));
}

test('an import from a server takes titles, categories, texts, times, favorites and attachments', async (t) => {
  const { there, ada, source, here, runImport } = await startBoth(t);
  await there.create({
    title: 'Looms',
    category: 'Ideas/Old',
    content: 'Cards ⚙️',
    modified: TIME,
    favorite: true,
  });
  const noted = await there.create({ title: 'Pictures', category: 'Ideas', content: '', modified: TIME });
  const form = new FormData();
  form.append('file', new Blob(['a picture']), 'loom.png');
  const at = `${source.url}/index.php/apps/notes/api/v1.4/attachment/${noted.id}`;
  const basic = `Basic ${Buffer.from(`ada:${ada.password}`).toString('base64')}`;
  const sent = await fetch(at, { method: 'POST', body: form, headers: { authorization: basic } });
  const { filename } = (await sent.json()) as { filename: string };
  const links = `![](${filename}) [x](https://example.org/y.png) [gone](gone.png) ![](../../etc/passwd)`;
  await there.update(noted.id, { content: links, modified: TIME });

  const report = await runImport();

  assert.equal(
    report,
    [
      ...['false', 'imported 2 notes and 1 other file', 'not taken: 1 file'],
      `  Ideas/gone.png: note ${noted.id} names it, but its server does not have it`,
    ].join('\n'),
  );
  assert.deepEqual(await contentsOf(here), await contentsOf(there));
  const clone = await here.clone(t);
  assert.equal(await git(clone, ['show', `HEAD:Ideas/${filename}`]), 'a picture');
  assert.equal((await here.send('GET', '/search?q=cards')).body[0].title, 'Looms');
});

test('another import takes what has changed there, and leaves what was changed here', async (t) => {
  const { there, here, runImport } = await startBoth(t);
  const make = (title: string) =>
    there.create({ title, category: 'A', content: `${title} 1`, modified: TIME });
  const [edited, moved, both] = [await make('Edited'), await make('Moved'), await make('Both')];
  const gone = await make('Gone');
  await make('Calm');
  await here.create({ title: 'Calm', category: 'A', content: 'another', modified: TIME });
  assert.equal(await runImport(), 'true\nimported 5 notes and 0 other files');
  const first = await here.byTitle();
  assert.deepEqual([first.get('Calm')?.content, first.get('Calm (2)')?.content], ['another', 'Calm 1']);

  // The source lists again what has changed in the second of the last list, as its times are whole seconds.
  assert.match(
    await runImport(),
    /^true\nimported 0 notes and 0 other files(\nthere already: [1-5] files?)?$/,
  );
  await there.update(edited.id, { content: 'Edited 2', modified: TIME + 5, favorite: true });
  await there.update(moved.id, { title: 'Moved away', category: 'B' });
  await there.update(both.id, { content: 'Both there' });
  await there.update(gone.id, { content: 'Gone 2' });
  const idOf = (title: string) => first.get(title)?.id ?? 0;
  await here.update(idOf('Both'), { content: 'Both here' });
  await here.update(idOf('Moved'), { content: 'Moved here' });
  await here.remove(idOf('Gone'));
  await here.update(idOf('Calm (2)'), { content: 'Calm here' });

  const report = await runImport();

  assert.match(report, /imported 2 notes and 0 other files\nchanged 2 notes .*\nnew because .*: 1 note/);
  const after = (await here.list()).map(({ id, title, category, content }) => [title, category, content, id]);
  assert.deepEqual(
    after.toSorted((one, other) => (`${one[0]}` < `${other[0]}` ? -1 : 1)).map((note) => note.slice(0, 3)),
    [
      ['Both', 'A', 'Both here'],
      ['Both (2)', 'A', 'Both there'],
      ['Calm', 'A', 'another'],
      ['Calm (2)', 'A', 'Calm here'],
      ['Edited', 'A', 'Edited 2'],
      ['Gone', 'A', 'Gone 2'],
      ['Moved away', 'B', 'Moved here'],
    ],
  );
  const now = await here.byTitle();
  assert.deepEqual([now.get('Edited')?.modified, now.get('Edited')?.favorite], [TIME + 5, true]);
  assert.equal(now.get('Edited')?.id, idOf('Edited'), 'the note keeps its id');
  await there.update(both.id, { content: 'Both there again' });
  assert.match(await runImport(), /changed 1 note/);
  assert.equal((await here.byTitle()).get('Both (2)')?.content, 'Both there again');
});

test('an import that its server ends early goes on where it was, in few commits', async (t) => {
  const { source, there, here, runImport } = await startBoth(t);
  const folder = await temporaryFolder(t);
  for (let index = 0; index < 120; index += 1) await writeFile(join(folder, `n${index}.md`), `note ${index}`);
  await importNotes(
    { ...source.forge.running.services, print: () => {} },
    { path: folder, user: 'ada', category: 'Many' },
  );
  const asked: string[] = [];
  let broken = true;
  const port = await startSource(t, async (request, response) => {
    asked.push(request.url ?? '');
    if (broken && asked.length === 3) {
      response.writeHead(503).end();
      return;
    }
    const { authorization = '' } = request.headers;
    const answer = await fetch(`${source.url}${request.url}`, { headers: { authorization } });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  const url = `http://127.0.0.1:${port}`;

  await assert.rejects(runImport(url), /status 503 for notes/);
  assert.equal((await here.list()).length, 100);
  broken = false;
  asked.length = 0;
  assert.equal(await runImport(url), 'true\nimported 20 notes and 0 other files');

  assert.equal(asked.length, 1, 'only the rest is asked for');
  assert.deepEqual(await contentsOf(here), await contentsOf(there));
  const clone = await here.clone(t);
  assert.equal(await git(clone, ['rev-list', '--count', 'HEAD']), '3');
});

test('what a server sends that is no note is reported, and a list that has no end is an error', async (t) => {
  const { here, runImport } = await startBoth(t);
  let list: unknown = [];
  let cursor: string | undefined;
  let requests = 0;
  const port = await startSource(t, (_request, response) => {
    requests += 1;
    const next = cursor === 'next' && requests < 100 ? `${cursor}${requests}` : cursor;
    response.writeHead(200, next === undefined ? {} : { 'x-notes-chunk-cursor': next });
    response.end(typeof list === 'string' ? list : JSON.stringify(list));
  });
  const url = `http://127.0.0.1:${port}/index.php/apps/notes/`;
  const note = {
    id: 1,
    title: 'Fits',
    category: '',
    content: 'x',
    modified: TIME,
    favorite: false,
    etag: 'e',
  };
  list = [
    note,
    { ...note, id: 2, content: ['x'] },
    { ...note, id: 3, title: '../../Up', category: '../Out/./In', internalPath: '/../x.sh' },
    { ...note, id: 4, content: 'a\0b' },
    { ...note, id: 5, error: true },
    { ...note, id: 6, modified: 1e300, title: '', category: '.git/hooks' },
    { id: 7 },
  ];
  const report = await runImport(url);
  assert.match(report, /^false\nimported 3 notes and 0 other files\nnot taken: 3 files\n/);
  const found = (await here.list()).map(({ category, title }) => `${category}/${title}`);
  assert.deepEqual(found.toSorted(), ['/Fits', 'Out/In/Up', 'git/hooks/New note']);
  for (const [answer, why] of [
    ['<html>', /no JSON for notes/],
    [{}, /no list of notes/],
    [[{ ...note, id: 'x' }], /no usable id/],
  ] as const) {
    list = answer;
    await assert.rejects(runImport(url), why);
  }
  list = [];
  cursor = 'same';
  await assert.rejects(runImport(url), /does not continue its list/);
  for (const empty of [[], [{ id: 1 }]]) {
    [list, cursor, requests] = [empty, 'next', 0];
    await assert.rejects(runImport(url), /does not continue its list/);
    assert.equal(requests, 1, 'parts without notes may go on for ever');
  }
  await assert.rejects(runImport('http://10.0.0.1/'), /does not connect to this host/);
  await assert.rejects(runImport('http://ada:secret@127.0.0.1/'), /cannot have credentials/);
});

test('the command takes the password from a file or the environment, and shows it nowhere', async (t) => {
  const { source, ada, there, forge, here } = await startBoth(t);
  await there.create({ title: 'One', content: 'text' });
  const folder = await temporaryFolder(t);
  const file = join(folder, 'secret.txt');
  await writeFile(file, `${ada.password}\n`);
  const flags = [...forge.flags, '--outbound-allow', '127.0.0.1'];
  const quire = async (words: readonly string[], environment: Record<string, string> = {}) => {
    const all = [PROGRAM, 'notes', 'import', ...words, ...flags];
    const command = run(t, process.execPath, all, { environment });
    const { code } = await command.ended();
    assert.ok(!command.output().includes(ada.password));
    return { code, output: command.output() };
  };
  const from = ['--from', source.url, '--user', 'ben', '--remote-user', 'ada'];

  const done = await quire([...from, '--password-file', file]);
  assert.equal(done.code, 0);
  assert.match(done.output, /^imported 1 note and 0 other files\n$/m);
  const again = await quire(from, { QUIRE_IMPORT_PASSWORD: ada.password });
  assert.equal(again.code, 0, again.output);
  assert.equal((await here.list()).length, 1);
  const wrong = await quire(from, { QUIRE_IMPORT_PASSWORD: 'wrong' });
  assert.deepEqual(
    [wrong.code, /give credentials that may read/.test(wrong.output)],
    [1, true],
    wrong.output,
  );
  const unclear = await quire(['somewhere', ...from]);
  assert.match(unclear.output, /either a folder, archive or file/);
});
