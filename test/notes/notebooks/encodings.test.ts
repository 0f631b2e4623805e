import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { MANY_EXPRESSIONS, startServerProcess } from '../../code/transport/server-process.ts';
import { startForge } from '../../support/forge/forge.ts';
import { NotesApp, pushAll } from '../../support/forge/notes.ts';
import { request } from '../../support/http/http.ts';

// Runs once: no outcome depends on the database.

const GERMAN = 'Die Mühle am Fluß heißt schöne Aussicht, und Käse gibt es für jeden.\n';
const RUSSIAN = 'Это обычная заметка, которую написали много лет назад на старом компьютере.\n';

/** Encodes Cyrillic letters as windows-1251 does. */
function windows1251(text: string): Buffer {
  return Buffer.from([...text].map((char) => codeIn1251(char.codePointAt(0) ?? 0)));
}

function codeIn1251(code: number): number {
  return code >= 0x410 && code <= 0x44f ? code - 0x410 + 0xc0 : code;
}

function bigEndian(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16();
}

const FILES: readonly (readonly [name: string, bytes: Buffer, text: string])[] = [
  ['utf-8', Buffer.from(GERMAN), GERMAN],
  ['utf-8 with a mark', Buffer.from(`\ufeff${GERMAN}`), GERMAN],
  ['utf-8 with two marks', Buffer.from(`\ufeff\ufeff${GERMAN}`), GERMAN],
  ['utf-16', Buffer.from(`\ufeff${GERMAN}📐`, 'utf16le'), `${GERMAN}📐`],
  ['utf-16, big-endian', bigEndian(`\ufeff${GERMAN}📐`), `${GERMAN}📐`],
  ['latin-1', Buffer.from(GERMAN, 'latin1'), GERMAN],
  ['a short latin-1', Buffer.from('h\xe4llo', 'latin1'), 'hällo'],
  ['a short windows-1252', Buffer.from('\x80 5, na\xefve', 'latin1'), '€ 5, naïve'],
  [
    'Spanish',
    Buffer.from('¿Qué pasó? El niño comió piñas. '.repeat(20), 'latin1'),
    '¿Qué pasó? El niño comió piñas. '.repeat(20),
  ],
  [
    'Finnish',
    Buffer.from('Hyvää päivää, yötä ja äitiä. '.repeat(20), 'latin1'),
    'Hyvää päivää, yötä ja äitiä. '.repeat(20),
  ],
  [
    'Dutch',
    Buffer.from('Eén reünie, coördinatie. '.repeat(30), 'latin1'),
    'Eén reünie, coördinatie. '.repeat(30),
  ],
  [
    'latin-1 after much ASCII',
    Buffer.from(`${'plain '.repeat(2000)}${GERMAN}`, 'latin1'),
    `${'plain '.repeat(2000)}${GERMAN}`,
  ],
  ['windows-1251', windows1251(RUSSIAN), RUSSIAN],
  ['empty', Buffer.alloc(0), ''],
];

const NO_TEXT: readonly (readonly [name: string, bytes: Buffer])[] = [
  ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13])],
  ['a NUL', Buffer.from('a\0b')],
  ['a NUL in utf-16', Buffer.from('\ufeffa\0b', 'utf16le')],
  ['half a character of utf-16', Buffer.from([0xff, 0xfe, 0x41])],
  ['half a pair of utf-16', Buffer.from([0xff, 0xfe, 0x3d, 0xd8])],
  ['utf-32', Buffer.from([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0])],
  ['control bytes', Buffer.from([0x41, 0x01, 0xe4, 0x02])],
];

test('a pushed file', async (t) => {
  const forge = await startForge(t);
  const app = new NotesApp(forge, await forge.account('ada'));
  await app.create({ title: 'n' });
  const folder = await app.clone(t);
  for (const [name, bytes] of [...FILES, ...NO_TEXT]) await writeFile(join(folder, `${name}.md`), bytes);
  await pushAll(folder);
  const notes = await app.byTitle();

  for (const [name, , text] of FILES)
    await t.test(`in ${name} is a note with its text`, () => {
      const note = notes.get(name);
      assert.ok(note);
      assert.deepEqual([note.content, note.error, note.readonly], [text, false, false]);
    });

  for (const [name] of NO_TEXT)
    await t.test(`with ${name} is a note that says why it is not shown`, () => {
      const note = notes.get(name);
      assert.ok(note);
      assert.deepEqual([note.error, note.readonly], [true, true]);
      assert.match(note.content, /not text/);
    });

  await t.test('in another encoding keeps its bytes until its text changes, and is UTF-8 then', async () => {
    const { id } = notes.get('latin-1') ?? { id: 0 };
    const raw = () => forge.root.get('/api/v1/repos/ada/Notes/contents/latin-1.md');
    await app.update(id, { content: GERMAN, favorite: true });
    assert.equal((await raw()).body.content, Buffer.from(GERMAN, 'latin1').toString('base64'));
    const short = notes.get('a short latin-1');
    await app.update(short?.id ?? 0, { content: 'hällo' });
    const kept = await forge.root.get('/api/v1/repos/ada/Notes/contents/a%20short%20latin-1.md');
    assert.equal(kept.body.content, Buffer.from('h\xe4llo', 'latin1').toString('base64'));
    await app.update(id, { content: `${GERMAN}Übrigens.` });
    assert.equal((await raw()).body.content, Buffer.from(`${GERMAN}Übrigens.`).toString('base64'));
  });
});

test('a server that has compiled very many regular expressions shows a note of only byte order marks', async (t) => {
  const forge = await startServerProcess(t, MANY_EXPRESSIONS);
  const send = (method: string, path: string, json?: object) =>
    request(method, `${forge.url}${path}`, { as: forge.admin, json });
  const content = Buffer.from('\ufeff'.repeat(5_000_000), 'utf16le').toString('base64');
  const NOTES = '/index.php/apps/notes/api/v1/notes';
  assert.equal((await send('POST', NOTES, { title: 'plan' })).status, 200);
  const made = await send('POST', '/api/v1/repos/root/notes/contents/marks.md', { content });
  assert.equal(made.status, 201, made.text);

  const { status, body, text } = await send('GET', NOTES);

  assert.equal(status, 200, text);
  const notes: { title: string; content: string }[] = body;
  assert.equal(notes.find(({ title }) => title === 'marks')?.content, '');
});
