import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { dialectOf } from '../../../src/base/database/database.ts';
import { fragment, raw } from '../../../src/base/database/fragment.ts';
import { query } from '../../../src/base/database/query.ts';
import { TEXT_SEARCH_LIMITS } from '../../../src/base/text-search/limits.ts';
import { NoteSearchIndex } from '../../../src/notes/notebooks/index/search-index.ts';
import { NOTE_LIMITS } from '../../../src/notes/notebooks/limits.ts';
import { findSearchState } from '../../../src/notes/notebooks/store/search.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { NotesApp, pushAll } from '../../support/forge/notes.ts';

type Rule = (given: { t: TestContext; forge: TestForge; ada: Person; app: NotesApp }) => Promise<void>;

const RULES: (readonly [name: string, rule: Rule])[] = [];

/** Adds a rule with a user of its own; all of them share a server. */
function rule(name: string, check: Rule): void {
  RULES.push([name, check]);
}

async function search(app: NotesApp, q: string, more = '') {
  const found = await app.send('GET', `/search?q=${encodeURIComponent(q)}${more}`);
  assert.equal(found.status, 200, found.text);
  return found;
}

async function titles(app: NotesApp, q: string): Promise<readonly string[]> {
  return (await search(app, q)).body.map(({ title }: { title: string }) => title);
}

rule(
  'a search finds notes by the words of their titles, categories and texts, the best first',
  async ({ app }) => {
    await app.create({
      title: 'Shopping',
      category: 'Home',
      content: 'milk, bread and a loom for the engine',
    });
    await app.create({ title: 'Engine', category: 'Work', content: 'It weaves patterns.', favorite: true });
    await app.create({ title: 'Plans', category: 'Engine/Old', content: 'nothing yet' });

    assert.deepEqual(await titles(app, 'engine'), ['Engine', 'Plans', 'Shopping']);
    assert.deepEqual(await titles(app, 'engine pattern'), ['Engine'], 'all words, also beginnings of words');
    assert.deepEqual(await titles(app, 'gine'), []);
    assert.deepEqual(await titles(app, '"bread and a loom"'), ['Shopping']);
    assert.deepEqual(await titles(app, '"and bread"'), []);
    assert.deepEqual(await titles(app, '"weav"'), [], 'a phrase has whole words');
    const { body, headers } = await search(app, 'weaves');
    const { content: _, ...note } =
      (await app.list()).find(({ title }) => title === 'Engine') ?? assert.fail();
    const snippet = [
      { text: 'It ', match: false },
      { text: 'weaves', match: true },
      { text: ' patterns.', match: false },
    ];
    assert.deepEqual(body, [{ ...note, snippet }]);
    assert.equal(headers.get('x-total-count'), '1');
  },
);

rule(
  'a search follows every change: edits, renames, deletions, pushes, notes that come back',
  async ({ t, app }) => {
    const { id } = await app.create({ title: 'n', content: 'apples' });
    assert.deepEqual(await titles(app, 'apples'), ['n']);
    await app.update(id, { content: 'pears', title: 'fruit' });
    assert.deepEqual([await titles(app, 'apples'), await titles(app, 'pears')], [[], ['fruit']]);
    const folder = await app.clone(t);
    await app.remove(id);
    assert.deepEqual(await titles(app, 'pears'), []);
    const names = Array.from(
      { length: NOTE_LIMITS.notesMadeSearchableAtOnce + 10 },
      (_, index) => `pushed ${index}`,
    );
    for (const name of names) await writeFile(join(folder, `${name}.md`), `plums, ${name}`);
    await pushAll(folder, '--force');
    assert.deepEqual(await titles(app, 'pears'), ['fruit']);
    const { headers, body } = await search(app, 'plums', '&limit=5&page=2');
    assert.deepEqual([headers.get('x-total-count'), body.length], [String(names.length), 5]);
    assert.match(headers.get('link') ?? '', /page=3&q=plums>; rel="next"/);
    assert.deepEqual(await titles(app, '"pushed 70"'), ['pushed 70']);
  },
);

rule('a search finds words of any language and symbols', async ({ app }) => {
  const texts: Record<string, string> = {
    accents: 'Café crème à Zürich',
    decomposed: 'Cafe\u0301 au lait',
    chinese: '我明天去東京都旅行。',
    japanese: '昨日はコーヒーを飲みました',
    thai: 'ฉันชอบกินข้าวผัด',
    korean: '서울에서 만나요',
    russian: 'Встреча в Москве',
    hebrew: 'שלום עולם',
    hindi: 'नमस्ते दुनिया',
    emoji: 'party 🎉 at 👩‍💻 home, 30 €',
    wide: 'Ｆｕｌｌ width',
    code: 'call foo.bar_baz(1) in C++',
  };
  for (const [title, content] of Object.entries(texts)) await app.create({ title, content });
  const cases: readonly (readonly [string, ...string[]])[] = [
    ['cafe', 'accents', 'decomposed'],
    ['CAFÉ', 'accents', 'decomposed'],
    ['zuri', 'accents'],
    ['東京', 'chinese'],
    ['京都', 'chinese'],
    ['コーヒー', 'japanese'],
    ['コーヒ', 'japanese'],
    ['ข้าว', 'thai'],
    ['서울', 'korean'],
    ['москв', 'russian'],
    ['שלום', 'hebrew'],
    ['दुनि', 'hindi'],
    ['🎉', 'emoji'],
    ['💻', 'emoji'],
    ['30€', 'emoji'],
    ['full', 'wide'],
    ['foo.bar', 'code'],
    ['都京'],
    ['🎈'],
  ];
  for (const [query, ...expected] of cases)
    assert.deepEqual([...(await titles(app, query))].sort(), expected, query);
  const { body } = await search(app, '京都');
  assert.deepEqual(body[0].snippet.filter((part: { match: boolean }) => part.match).length, 2);
});

rule('no query fails, whatever its characters; only its length is limited', async ({ app }) => {
  await app.create({ title: 'n', content: `it's a "quoted" NEAR AND OR NOT word ${'x'.repeat(100)}` });
  const harmless = [
    ...[
      '',
      '   ',
      '"',
      '""',
      '"""',
      '*',
      '-',
      '^',
      ':',
      '()',
      "'",
      '\\',
      '%',
      '\0',
      '--',
      ';',
      '|',
      '&',
      '!',
      '<->',
    ],
    ...[
      'NEAR(a b)',
      'title:n',
      'a* OR b',
      'NOT x',
      '{title}: n',
      '"a',
      "'a':*",
      "a' & 'b",
      'a:*A',
      'a\u0000b',
      'ﷺ',
      '½',
      '\u0301',
      '\u200d',
    ],
  ];
  for (const query of harmless) await search(app, query);
  assert.deepEqual(await titles(app, 'it\'s "quoted" near AND or not'), ['n']);
  assert.deepEqual(await titles(app, 'x'.repeat(90)), ['n'], 'a long word counts by its beginning');
  await search(app, 'a '.repeat(TEXT_SEARCH_LIMITS.wordQueryWordsMax));
  for (const query of [
    'x'.repeat(TEXT_SEARCH_LIMITS.wordQueryCharsMax + 1),
    'a '.repeat(TEXT_SEARCH_LIMITS.wordQueryWordsMax + 1),
  ]) {
    const { status, body } = await app.send('GET', `/search?q=${encodeURIComponent(query)}`);
    assert.deepEqual([status, body], [400, []]);
  }
  assert.equal((await app.send('GET', '/search')).status, 400);
});

rule('a note of the largest size with only different words can be saved and found', async ({ app }) => {
  const words = Array.from({ length: 60_000 }, (_, index) => `w${index.toString(36)}ü${'z'.repeat(40)}`);
  await app.create({ title: 'large', content: words.join(' ') });
  assert.deepEqual(await titles(app, words[3] ?? ''), ['large']);
});

rule('a search sees only the notebook of its caller', async ({ forge, ada, app }) => {
  const bob = await forge.account('bob');
  const bobs = new NotesApp(forge, bob);
  await app.create({ title: 'mine', content: 'secret plan' });
  await bobs.create({ title: 'his', content: 'secret party' });
  assert.deepEqual([await titles(app, 'secret'), await titles(bobs, 'secret')], [['mine'], ['his']]);
  assert.equal(
    (await ada.put(`/api/v1/repos/${ada.name}/Notes/collaborators/bob`, { permission: 'read' })).status,
    204,
  );
  await bobs.send('PUT', '/../settings', { json: { notesPath: `@${ada.name}/Notes` } });
  const { body } = await search(bobs, 'secret');
  assert.deepEqual([body.length, body[0].title, body[0].readonly], [1, 'mine', true]);
  assert.equal((await forge.get('/apps/notes/api/v1/notes/search?q=secret')).status, 401);
});

rule('after the index of notes was rebuilt, the words are written again', async ({ forge, ada, app }) => {
  const { id } = await app.create({ title: 'n', content: 'apples' });
  assert.deepEqual(await titles(app, 'apples'), ['n']);
  const { database, notebookIndex, accounts } = forge.forge.running.services;
  const key = dialectOf(database.reader) === 'postgres' ? 'note_id' : 'rowid';
  await database.transaction((tx) => query(tx, fragment`delete from note_words where ${raw(key)} = ${id}`));
  const { body } = await app.send('GET', '/search?q=apples&limit=3');
  assert.deepEqual(body, [], 'the damage');
  const owner = await accounts.findByName(ada.name);
  for (const notebook of await notebookIndex.list(owner?.id ?? 0)) await notebookIndex.rebuild(notebook);
  assert.deepEqual(await titles(app, 'apples'), ['n']);
});

rule(
  'a search that has too many notes to prepare is busy, and the next one goes on',
  async ({ t, forge, ada, app }) => {
    await app.create({ title: 'first', content: 'plums' });
    const folder = await app.clone(t);
    const count = NOTE_LIMITS.notesMadeSearchableAtOnce + 1;
    for (let index = 1; index < count; index += 1) await writeFile(join(folder, `n${index}.md`), 'plums');
    await pushAll(folder);
    assert.equal((await app.list()).length, count);
    const { database, notebookIndex, accounts } = forge.forge.running.services;
    const [notebook] = await notebookIndex.list((await accounts.findByName(ada.name))?.id ?? 0);
    const index = new NoteSearchIndex({ database, preparedMs: 0 });
    const state = { id: notebook?.id ?? 0, counter: 2 };
    await assert.rejects(index.catchUp(state), /being prepared/);
    await assert.rejects(index.catchUp(state), /being prepared/);
    await index.catchUp(state);
    assert.equal((await search(app, 'plums')).headers.get('x-total-count'), String(count));
  },
);

rule('other work goes on while a search prepares many notes', async ({ t, forge, ada, app }) => {
  await app.create({ title: 'first', content: 'plums' });
  const folder = await app.clone(t);
  const passes = 12;
  const count = passes * NOTE_LIMITS.notesMadeSearchableAtOnce;
  for (let index = 1; index < count; index += 1) await writeFile(join(folder, `n${index}.md`), 'plums');
  await pushAll(folder);
  assert.equal((await app.list()).length, count);
  const { database, notebookIndex, accounts } = forge.forge.running.services;
  const [notebook] = await notebookIndex.list((await accounts.findByName(ada.name))?.id ?? 0);
  let isPreparing = true;
  const index = new NoteSearchIndex({ database });
  const prepared = index.catchUp({ id: notebook?.id ?? 0, counter: 2 }).finally(() => {
    isPreparing = false;
  });

  let turns = 0;
  for (; isPreparing; turns += 1) await new Promise((resolve) => setImmediate(resolve));

  await prepared;
  assert.ok(turns >= passes, `${turns} turns of the event loop`);
  assert.equal((await search(app, 'plums')).headers.get('x-total-count'), String(count));
});

rule('after a large push, a job prepares its notes for the search', async ({ t, forge, ada, app }) => {
  await app.create({ title: 'first', content: 'plums' });
  const folder = await app.clone(t);
  const count = NOTE_LIMITS.notesIndexedInPushMax + 1;
  for (let index = 0; index < count; index += 1) await writeFile(join(folder, `n${index}.md`), 'plums');
  await pushAll(folder);
  const { jobs, database, notebookIndex, accounts } = forge.forge.running.services;
  await jobs.runDue({ aheadMs: NOTE_LIMITS.noteWordsDelayMs });
  const [notebook] = await notebookIndex.list((await accounts.findByName(ada.name))?.id ?? 0);
  const { counter } = await database.reader
    .selectFrom('notebooks')
    .select('counter')
    .where('id', '=', notebook?.id ?? 0)
    .executeTakeFirstOrThrow();
  assert.equal((await findSearchState(database.reader, notebook?.id ?? 0)).counter, counter);
  assert.equal((await search(app, 'plums')).headers.get('x-total-count'), String(count + 1));
});

rule('a search that the client has already is 304 until a note changes', async ({ app }) => {
  const { id } = await app.create({ title: 'n', content: 'apples' });
  const etag = (await search(app, 'apples')).headers.get('etag') ?? assert.fail();
  const again = () => app.send('GET', '/search?q=apples', { headers: { 'if-none-match': etag } });
  assert.equal((await again()).status, 304);
  await app.update(id, { content: 'apples and pears' });
  assert.equal((await again()).status, 200);
});

test('the search of notes', async (t) => {
  const forge = await startForge(t);
  for (const [index, [name, check]] of RULES.entries()) {
    const ada = await forge.account(`ada${index}`);
    await t.test(name, (each) => check({ t: each, forge, ada, app: new NotesApp(forge, ada) }));
  }
});
