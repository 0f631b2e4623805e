import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { NOTES_API, type NoteRecord, type NotesApp } from '../../support/forge/notes.ts';
import { authorizationOf } from '../../support/http/http.ts';
import { archiveOf, checkRules, folderWith, type Importing, TIME } from './importing.ts';

const RULES: (readonly [name: string, rule: (given: Importing) => Promise<void>])[] = [];

/** Adds a rule with a user of its own; all of them share a server. */
function rule(name: string, check: (given: Importing) => Promise<void>): void {
  RULES.push([name, check]);
}

const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const PICTURE_ID = '5f0c2a9b1d3e4f60718293a4b5c6d7e8';

async function notesOf(app: NotesApp): Promise<ReadonlyMap<string, NoteRecord>> {
  const notes = await app.list();
  return new Map(notes.map((note) => [`${note.category}/${note.title}`.replace(/^\//, ''), note]));
}

function noteIn(notes: ReadonlyMap<string, NoteRecord>, path: string): NoteRecord {
  return notes.get(path) ?? assert.fail(`${path} is not in ${[...notes.keys()]}`);
}

/** Reads the picture that a note shows, as an app does. */
async function pictureOf({ forge, ada }: Importing, { id, content }: NoteRecord): Promise<Buffer> {
  const [, target = ''] = /!\[[^\]]*\]\(([^)]+)\)/.exec(content) ?? [];
  const path = encodeURIComponent(decodeURIComponent(target));
  const answer = await fetch(`${forge.url}${NOTES_API}/v1.4/attachment/${id}?path=${path}`, {
    headers: { authorization: authorizationOf(ada) },
  });
  assert.equal(answer.status, 200, `${target} of ${content}`);
  return Buffer.from(await answer.arrayBuffer());
}

rule("Joplin's Markdown with front matter: titles, times and links to notes and resources", async (given) => {
  const { t, app, import_ } = given;
  const folder = await folderWith(t, {
    'Recipes/Bread_ rye_wheat.md':
      '---\ntitle: "Bread: rye/wheat"\nupdated: 2024-05-01 12:30:05Z\ncreated: 2023-01-02 08:00:00Z\n' +
      'latitude: 52.52\nlongitude: 13.40\naltitude: 0.0\ntags:\n  - baking\n  - rye\n---\n\n' +
      `![loaf](../_resources/loaf%20one.png) and ![by id](:/${PICTURE_ID})\n\n` +
      'See [the other](../Inbox/Plain.md#top) and [gone](:/00000000000000000000000000000000).\n',
    'Inbox/Plain.md':
      '---\ntitle: Plain\nupdated: 2022-02-03 04:05:06Z\n---\n\n[bread](../Recipes/Bread_%20rye_wheat.md)\n',
    '_resources/loaf one.png': PICTURE,
    [`_resources/${PICTURE_ID}.png`]: PICTURE,
  });

  const report = await import_(folder);

  assert.equal(
    report,
    'true\nimported 2 notes and 2 other files\ntaken in part: 1 note\n' +
      '  Recipes/Bread_ rye_wheat.md: :/00000000000000000000000000000000 leads to no file',
  );
  const notes = await notesOf(app);
  const bread = noteIn(notes, 'Recipes/Bread ryewheat');
  assert.equal(bread.modified, Date.parse('2024-05-01T12:30:05Z') / 1000);
  assert.match(bread.content, /^---\ntitle: "Bread: rye\/wheat"\n[\s\S]*tags:\n {2}- baking/);
  assert.ok(bread.content.includes(`![by id](../_resources/${PICTURE_ID}.png)`), bread.content);
  assert.deepEqual(await pictureOf(given, bread), PICTURE);
  const plain = noteIn(notes, 'Inbox/Plain');
  assert.equal(plain.modified, Date.parse('2022-02-03T04:05:06Z') / 1000);
  assert.ok(plain.content.endsWith('[bread](../Recipes/Bread%20ryewheat.md)\n'), plain.content);
  assert.match(await import_(folder), /there already: 4 files/);
});

rule('an Obsidian vault: wiki links and embeds lead to files', async (given) => {
  const { t, app, import_ } = given;
  const folder = await folderWith(t, {
    '.obsidian/app.json': '{}',
    '.trash/Old.md': 'old',
    'Home.md':
      '---\ntitle: Not the name\naliases: [start]\n---\n[[Loom]], [[loom|the loom]], [[Loom#Warp and weft!]], [[Missing]]\n' +
      '![[card.png|300]] ![[Loom]] [[#Here]] [[manual.pdf]]\n`[[Loom]]`\n```\n[[Loom]]\n```\n',
    'Work/Loom.md': 'Back [[Home]] and [[Other/Same|there]], [md](Files/card.png)\n',
    'Work/Same.md': 's',
    'Other/Same.md': 's',
    'Files/card.png': PICTURE,
    'Files/manual.pdf': '%PDF',
  });

  const report = await import_(folder);

  assert.equal(
    report,
    'true\nfound notes of Obsidian\nimported 4 notes and 2 other files\nleft out, because hidden: 2 entries\n' +
      'taken in part: 1 note\n  Home.md: [[Missing]] leads to no file',
  );
  const notes = await notesOf(app);
  const home = noteIn(notes, 'Home');
  assert.equal(
    home.content,
    '---\ntitle: Not the name\naliases: [start]\n---\n[Loom](Work/Loom.md), [the loom](Work/Loom.md), ' +
      '[Loom > Warp and weft!](Work/Loom.md#warp-and-weft), [[Missing]]\n' +
      '![card.png](Files/card.png) [Loom](Work/Loom.md) [Here](#here) [manual.pdf](Files/manual.pdf)\n' +
      '`[[Loom]]`\n```\n[[Loom]]\n```\n',
  );
  assert.equal(home.modified, TIME);
  assert.equal(
    noteIn(notes, 'Work/Loom').content,
    'Back [Home](../Home.md) and [there](../Other/Same.md), [md](../Files/card.png)\n',
  );
  assert.deepEqual(await pictureOf(given, home), PICTURE);
});

rule('a Logseq graph: pages with their titles, journals and assets', async (given) => {
  const { t, app, import_ } = given;
  const folder = await folderWith(t, {
    'logseq/config.edn': '{:meta/version 1}',
    'logseq/bak/pages/Loom/2024.md': 'old',
    'pages/loom___Parts.md': '- the [[Warp beam]] of [[Jan 5th, 2024]]\n\t- ![card](../assets/card_1.png)\n',
    'pages/warp.md': 'title:: Warp beam\ntype:: part\n\n- back to [[loom/Parts]]\n',
    'journals/2024_01_05.md': '- TODO read [[Loom/Parts]] #[[Warp beam]]\n- [[nowhere]]\n',
    'assets/card_1.png': PICTURE,
  });

  const report = await import_(folder);

  assert.equal(
    report,
    'true\nfound notes of Logseq\nimported 3 notes and 1 other file\nleft out, because part of Logseq: 2 entries\n' +
      'taken in part: 1 note\n  journals/2024_01_05.md: [[nowhere]] leads to no file',
  );
  const notes = await notesOf(app);
  const parts = noteIn(notes, 'pages/loom/Parts');
  assert.equal(
    parts.content,
    '- the [Warp beam](../Warp%20beam.md) of [Jan 5th, 2024](../../journals/2024_01_05.md)\n' +
      '\t- ![card](../../assets/card_1.png)\n',
  );
  assert.deepEqual(await pictureOf(given, parts), PICTURE);
  assert.ok(noteIn(notes, 'pages/Warp beam').content.endsWith('- back to [loom/Parts](loom/Parts.md)\n'));
  assert.equal(
    noteIn(notes, 'journals/2024_01_05').content,
    '- TODO read [Loom/Parts](../pages/loom/Parts.md) #[[Warp beam]]\n- [[nowhere]]\n',
  );
});

const HASH = createHash('md5').update(PICTURE).digest('hex');
const PDF_HASH = createHash('md5').update('%PDF').digest('hex').slice(0, 8);

function enexNote(fields: string, enml: string): string {
  return (
    `<note>${fields}<content><![CDATA[<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n` +
    `<!DOCTYPE en-note SYSTEM "http://xml.evernote.com/pub/enml2.dtd"><en-note>${enml}</en-note>]]></content>`
  );
}

rule('an ENEX file of Evernote: text, lists, boxes, tags, times and files', async (given) => {
  const { t, app, import_ } = given;
  const resource = (data: string, type: string, name: string) =>
    `<resource><data encoding="base64">\n${data.replaceAll(/.{40}/g, '$&\n')}\n</data><mime>${type}</mime>` +
    `<recognition><![CDATA[<recoIndex docType="unknown"/>]]></recognition>` +
    `<resource-attributes><file-name>${name}</file-name></resource-attributes></resource>`;
  const folder = await folderWith(t, {
    'My notebook.enex':
      '<?xml version="1.0" encoding="UTF-8"?>\n' +
      '<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export4.dtd">\n' +
      '<en-export export-date="20240601T000000Z" application="Evernote" version="10.68.2">' +
      enexNote(
        '<title>Loom &amp; cards: 1/2</title><created>20200131T101500Z</created><updated>20210203T040506Z</updated>' +
          '<tag>weaving</tag><tag>two words</tag>' +
          '<note-attributes><author>Ada</author><source-url>https://example.org/looms</source-url></note-attributes>',
        '<div>It <b>weaves</b> &lt;patterns&gt;&nbsp;as <a href="https://example.org/a">flowers</a>.</div><div><br/></div>' +
          `<div><en-media type="image/png" hash="${HASH}"/></div>` +
          '<div><en-todo checked="true"/>wind</div><div><en-todo/>weave</div>' +
          '<ul><li><div>one</div></li><li><div>two</div><ol><li>inner</li></ol></li></ul>' +
          '<ul style="--en-todo:true;"><li style="--en-checked:true;"><div>new box</div></li></ul>' +
          '<table><tr><th>a</th><th>b</th></tr><tr><td>1|2</td><td><div>3</div></td></tr></table>' +
          '<div style="-en-codeblock:true;"><div>if (a &lt; b)</div><div>  stop;</div></div>',
      ) +
      resource(PICTURE.toString('base64'), 'image/png', 'card.png') +
      resource(Buffer.from('%PDF').toString('base64'), 'application/pdf', '') +
      '</note>' +
      enexNote(
        '<title>Loom &amp; cards: 1/2</title><created>20200131T101500Z</created>' +
          '<note-attributes><reminder-time>20300101T000000Z</reminder-time></note-attributes>',
        `<div>secret: <en-crypt cipher="AES" length="128">RU5DMAAB</en-crypt></div><en-media type="image/png" hash="${'0'.repeat(32)}"/>`,
      ) +
      '</note></en-export>',
  });

  const report = await import_(join(folder, 'My notebook.enex'));

  assert.deepEqual(report.split('\n'), [
    'true',
    'found notes of Evernote',
    'imported 2 notes and 2 other files',
    'without its time of creation: 1 note',
    'taken in part: 3 notes',
    ...[
      'its reminder is not taken',
      'a file in it is missing',
      'a part is encrypted, and not taken: decrypt it and export it again',
    ].map((why) => `  My notebook.enex: Loom & cards: 1/2: ${why}`),
  ]);
  const notes = await notesOf(app);
  const loom = noteIn(notes, 'My notebook/Loom & cards 12');
  assert.equal(loom.modified, Date.parse('2021-02-03T04:05:06Z') / 1000);
  assert.equal(
    loom.content,
    '---\ncreated: 2020-01-31T10:15:00.000Z\nsource: https://example.org/looms\ntags:\n  - weaving\n  - two words\n---\n\n' +
      'It **weaves** <patterns> as [flowers](https://example.org/a).\n\n' +
      `![card.png](card-${HASH.slice(0, 8)}.png)\n` +
      '- [x] wind\n- [ ] weave\n\n- one\n- two\n    1. inner\n\n- [x] new box\n\n' +
      '| a   | b   |\n| --- | --- |\n| 1\\|2 | 3   |\n\n```\nif (a < b)\n  stop;\n```\n\n' +
      `[file-${PDF_HASH}.pdf](file-${PDF_HASH}.pdf)\n`,
  );
  assert.deepEqual(await pictureOf(given, loom), PICTURE);
  const secret = noteIn(notes, 'My notebook/Loom & cards 12 (2)');
  assert.equal(secret.modified, Date.parse('2020-01-31T10:15:00Z') / 1000);
  assert.equal(secret.content, 'secret: \\[encrypted\\]\n\\[missing\\]\n');
  assert.match(await import_(join(folder, 'My notebook.enex')), /there already: 4 files/);
});

rule('a damaged or hostile ENEX file is reported', async (given) => {
  const { t, app, import_ } = given;
  const folder = await folderWith(t, {
    'cut.enex': `<en-export>${enexNote('<title>whole</title>', '<div>w</div>')}</note><note><title>cut</title><con`,
    'deep.enex': `<en-export>${enexNote('<title>deep</title>', `${'<b>'.repeat(50_000)}x`)}</note></en-export>`,
    'none.enex': 'no XML at all',
  });

  const report = await import_(folder);

  assert.deepEqual(report.split('\n'), [
    'false',
    'found notes of Evernote',
    'imported 1 note and 0 other files',
    'not taken: 3 files',
    '  cut.enex: it ends too early: the rest is not imported',
    '  deep.enex: deep: its elements are nested too deeply',
    '  none.enex: it is not an export of Evernote',
  ]);
  assert.deepEqual([...(await notesOf(app)).keys()], ['cut/whole']);
});

rule('Google Keep from Google Takeout: texts, lists, labels, pictures and pins', async (given) => {
  const { t, app, import_ } = given;
  const common = { color: 'DEFAULT', isTrashed: false, isPinned: false, isArchived: false };
  const times = {
    userEditedTimestampUsec: 1_580_000_000_123_456,
    createdTimestampUsec: 1_570_000_000_000_000,
  };
  const archive = await archiveOf(t, 'takeout-20240601T000000Z-001.zip', [
    {
      name: 'Takeout/Keep/Shopping.json',
      content: JSON.stringify({
        ...common,
        ...times,
        isPinned: true,
        title: 'Shopping',
        listContent: [
          { text: 'milk', isChecked: true },
          { text: 'bread', isChecked: false },
        ],
        labels: [{ name: 'home' }, { name: 'every week' }],
      }),
    },
    { name: 'Takeout/Keep/Shopping.html', content: '<html>' },
    {
      name: 'Takeout/Keep/2020-01-26T00_53_20.000Z.json',
      content: JSON.stringify({
        ...common,
        ...times,
        isArchived: true,
        title: '',
        textContent: 'First line: a plan\nhttps://example.org/seen and more',
        attachments: [
          { filePath: '16f.aa1.jpeg', mimetype: 'image/jpeg' },
          { filePath: 'lost.png', mimetype: 'image/png' },
        ],
        annotations: [
          { source: 'WEBLINK', title: 'Seen', url: 'https://example.org/seen' },
          { source: 'WEBLINK', title: 'Another [page]', url: 'https://example.org/other' },
        ],
      }),
    },
    { name: 'Takeout/Keep/16f.aa1.jpg', content: PICTURE },
    {
      name: 'Takeout/Keep/Gone.json',
      content: JSON.stringify({ ...common, ...times, isTrashed: true, textContent: 'x' }),
    },
    {
      name: 'Takeout/Keep/Broken.json',
      content: '{"color":"DEFAULT","isTrashed":false,"textContent":"cut',
    },
    { name: 'Takeout/Keep/Labels.txt', content: 'home\n' },
  ]);

  const report = await import_(archive);

  assert.match(report, /\n {2}Takeout\/Keep\/Broken\.json: it is damaged \(/);
  assert.deepEqual(report.split('\n').slice(0, -1), [
    'false',
    'found notes of Google Keep',
    'imported 2 notes and 1 other file',
    'left out, because the export has it twice: 2 entries',
    'left out, because in the trash: 1 entry',
    'without its time of creation: 1 note',
    'taken in part: 1 note',
    '  Takeout/Keep/2020-01-26T00_53_20.000Z.json: its attachment lost.png is missing',
    'not taken: 1 file',
  ]);
  const notes = await notesOf(app);
  const shopping = noteIn(notes, 'Shopping');
  assert.equal(shopping.modified, 1_580_000_000);
  assert.equal(shopping.favorite, true);
  assert.equal(
    shopping.content,
    '---\ncreated: 2019-10-02T07:06:40.000Z\ntags:\n  - home\n  - every week\n---\n\n- [x] milk\n- [ ] bread',
  );
  const plan = noteIn(notes, 'Archive/First line a plan');
  assert.equal(plan.favorite, false);
  assert.equal(
    plan.content,
    'First line: a plan\nhttps://example.org/seen and more\n\n[Another  page ](<https://example.org/other>)\n\n' +
      '![16f.aa1.jpg](../16f.aa1.jpg)',
  );
  assert.deepEqual(await pictureOf(given, plan), PICTURE);
});

rule('Simplenote: notes, tags, pins and links, without the copies in text files', async (given) => {
  const { t, app, import_ } = given;
  const one = '0a1b2c3d-0000-4000-8000-000000000001';
  const archive = await archiveOf(t, 'notes.zip', [
    {
      name: 'source/notes.json',
      content: JSON.stringify({
        activeNotes: [
          {
            id: '0a1b2c3d-0000-4000-8000-000000000002',
            content: `Loom\r\nIt weaves.\r\n[cards](simplenote://note/${one}) [x](simplenote://note/other)`,
            creationDate: '2020-03-29T18:01:08.474Z',
            lastModified: '2021-04-05T06:07:08.999Z',
            tags: ['weaving'],
            markdown: true,
            pinned: true,
          },
          {
            id: one,
            content: '\n# Cards / two\nb',
            creationDate: '2020-03-29T18:01:08.474Z',
            lastModified: '2020-03-30T00:00:00.000Z',
          },
        ],
        trashedNotes: [{ id: 'x', content: 'gone', lastModified: '2020-03-30T00:00:00.000Z' }],
      }),
    },
    { name: 'Loom.txt', content: 'Loom' },
    { name: 'Cards.txt', content: 'Cards' },
    { name: 'trash/gone.txt', content: 'gone' },
  ]);

  const report = await import_(archive, 'From Simplenote');

  assert.deepEqual(report.split('\n'), [
    'true',
    'found notes of Simplenote',
    'imported 2 notes and 0 other files',
    'left out, because the export has it twice: 3 entries',
    'left out, because in the trash: 1 entry',
    'without its time of creation: 1 note',
  ]);
  const notes = await notesOf(app);
  const loom = noteIn(notes, 'From Simplenote/Loom');
  assert.equal(loom.modified, Date.parse('2021-04-05T06:07:08Z') / 1000);
  assert.equal(loom.favorite, true);
  assert.equal(
    loom.content,
    '---\ncreated: 2020-03-29T18:01:08.474Z\ntags:\n  - weaving\n---\n\nLoom\nIt weaves.\n' +
      '[cards](Cards%20%20two.md) [x](simplenote://note/other)',
  );
  assert.equal(noteIn(notes, 'From Simplenote/Cards  two').content, '\n# Cards / two\nb');
});

function superNote(...blocks: readonly object[]): string {
  return JSON.stringify({ root: { type: 'root', version: 1, children: blocks } });
}

rule('a decrypted backup of Standard Notes: notes, tags and the Super editor', async (given) => {
  const { t, app, import_ } = given;
  const note = (uuid: string, content: object, more: object = {}) => ({
    uuid,
    content_type: 'Note',
    content: { references: [], ...content },
    created_at: '2020-01-01T00:00:00.000Z',
    updated_at: '2020-02-02T00:00:00.000Z',
    ...more,
  });
  const sn = (state: object) => ({ appData: { 'org.standardnotes.sn': state } });
  const tag = (uuid: string, title: string, ...references: readonly object[]) => ({
    uuid,
    content_type: 'Tag',
    content: { title, references },
  });
  const text = (words: string, format = 0) => ({ type: 'text', text: words, format });
  const backup = {
    version: '004',
    items: [
      note('n1', {
        title: 'Loom',
        text: 'It *weaves*.\n',
        noteType: 'markdown',
        ...sn({ pinned: true, client_updated_at: '2021-03-04T05:06:07.000Z' }),
      }),
      note('n2', { title: 'Old', text: 'o', ...sn({ archived: true }) }),
      note('n3', { title: 'Gone', text: 'g', trashed: true }),
      note('n4', {
        title: 'Super',
        noteType: 'super',
        text: superNote(
          { type: 'heading', tag: 'h2', children: [text('Head')] },
          {
            type: 'paragraph',
            children: [
              text('a '),
              text('bold ', 1),
              { type: 'link', url: 'https://example.org', children: [text('link')] },
            ],
          },
          {
            type: 'list',
            listType: 'check',
            children: [
              { type: 'listitem', checked: true, children: [text('done')] },
              {
                type: 'listitem',
                children: [
                  {
                    type: 'list',
                    listType: 'bullet',
                    children: [{ type: 'listitem', children: [text('inner')] }],
                  },
                ],
              },
            ],
          },
          {
            type: 'code',
            language: 'js',
            children: [
              { type: 'code-highlight', text: 'a' },
              { type: 'linebreak' },
              { type: 'code-highlight', text: 'b' },
            ],
          },
          { type: 'snfile', fileUuid: 'f1', version: 1 },
        ),
      }),
      note('n5', { title: 'Rich', noteType: 'rich-text', text: '<p>It <em>weaves</em></p>' }),
      { uuid: 'n6', content_type: 'Note', content: '004:0123', updated_at: '2020-02-02T00:00:00.000Z' },
      tag('t1', 'craft'),
      tag(
        't2',
        'weaving',
        { uuid: 'n1', content_type: 'Note' },
        { uuid: 't1', content_type: 'Tag', reference_type: 'TagToParentTag' },
      ),
    ],
  };
  const archive = await archiveOf(t, 'Standard Notes Backup - Sat Jun 01 2024.zip', [
    { name: 'Standard Notes Backup and Import File.txt', content: JSON.stringify(backup, null, 2) },
    { name: 'Items/Note/Loom-0123.txt', content: 'It *weaves*.\n' },
    { name: 'Items/Tag/craft-0123.txt', content: '{}' },
  ]);

  const report = await import_(archive);

  assert.deepEqual(report.split('\n'), [
    'false',
    'found notes of Standard Notes',
    'imported 4 notes and 0 other files',
    'left out, because the export has it twice: 2 entries',
    'left out, because in the trash: 1 entry',
    'without its time of creation: 3 notes',
    'taken in part: 1 note',
    '  Super: its snfile is not taken',
    'not taken: 1 file',
    '  note n6: it is encrypted: export a decrypted backup',
  ]);
  const notes = await notesOf(app);
  const loom = noteIn(notes, 'Loom');
  assert.equal(loom.favorite, true);
  assert.equal(loom.modified, Date.parse('2021-03-04T05:06:07Z') / 1000);
  assert.equal(
    loom.content,
    '---\ncreated: 2020-01-01T00:00:00.000Z\ntags:\n  - craft/weaving\n---\n\nIt *weaves*.\n',
  );
  assert.equal(noteIn(notes, 'Archive/Old').modified, Date.parse('2020-02-02T00:00:00Z') / 1000);
  assert.equal(
    noteIn(notes, 'Super').content,
    '## Head\n\na **bold** [link](<https://example.org>)\n\n- [x] done\n    - inner\n\n```js\na\nb\n```\n',
  );
  assert.equal(noteIn(notes, 'Rich').content, 'It *weaves*\n');
});

rule('files that only look like the export of an app come along', async (given) => {
  const { t, app, import_ } = given;
  const folder = await folderWith(t, {
    'a.md': 'root',
    'Projects/a.md': 'inner',
    'Projects/Items/b.md': 'b',
    'Projects/data.json': '{"version":1,"items":[1,2]}',
    'clip.json': '{"title":"x","textContent":"the article","html":"<p>"}',
    'clip.html': '<p>',
  });
  const report = await import_(folder);
  assert.equal(report, 'true\nimported 3 notes and 3 other files');
  assert.deepEqual([...(await notesOf(app)).keys()].sort(), ['Projects/Items/b', 'Projects/a', 'a']);
});

rule('code, front matter and other encodings stay as they are, whatever has links', async (given) => {
  const { t, app, import_ } = given;
  const folder = await folderWith(t, {
    'Vault/.obsidian/app.json': '{}',
    'Vault/W/Loom.md': 'l',
    'Vault/Files/card.png': PICTURE,
    'Vault/Front.md': '---\nup: [[Loom]]\ntitle: T\n---\n[[Loom]]\n',
    'Vault/Code.md':
      '- ```js\n  x [[Loom]]\n  ```\n- after [[Loom]]\n> ```\n> [[Loom]]\n> ```\n\n``a ` [[Loom]]`` [[Loom]] `two\nlines [[Loom]]`\n',
    'Vault/Short.md': '![](card.png) [x](Loom.md)\n\n[^1]: e.g. Smith\n',
    'Vault/Old.md': Buffer.from('Gr\xfc\xdfe an alle, die es h\xf6ren: [[Loom]]', 'latin1'),
  });
  const report = await import_(folder);
  assert.equal(
    report,
    'true\nfound notes of Obsidian\nimported 5 notes and 1 other file\nleft out, because hidden: 1 entry',
  );
  const notes = await notesOf(app);
  assert.equal(noteIn(notes, 'Front').content, '---\nup: [[Loom]]\ntitle: T\n---\n[Loom](W/Loom.md)\n');
  assert.equal(
    noteIn(notes, 'Code').content,
    '- ```js\n  x [[Loom]]\n  ```\n- after [Loom](W/Loom.md)\n> ```\n> [[Loom]]\n> ```\n\n' +
      '``a ` [[Loom]]`` [Loom](W/Loom.md) `two\nlines [[Loom]]`\n',
  );
  assert.equal(noteIn(notes, 'Short').content, '![](Files/card.png) [x](W/Loom.md)\n\n[^1]: e.g. Smith\n');
  assert.equal(noteIn(notes, 'Old').content, 'Grüße an alle, die es hören: [Loom](W/Loom.md)');
});

rule('titles of front matter are as written, and wiki links follow a renamed note', async (given) => {
  const { t, app, import_ } = given;
  const folder = await folderWith(t, {
    '1.md': '---\ntitle: 007\n---\n',
    '2.md': '---\ntitle: 1.10\n---\n[[1]] [[same]] [[missing]]\n',
    'same.md': 's',
  });
  assert.equal(await import_(folder), 'true\nimported 3 notes and 0 other files');
  const notes = await notesOf(app);
  assert.deepEqual([...notes.keys()].sort(), ['007', '1.10', 'same']);
  assert.match(noteIn(notes, '1.10').content, /\n\[1\]\(007\.md\) \[\[same\]\] \[\[missing\]\]\n$/);
});

rule('hundreds of thousands of spaces in a table of the Super editor arrive', async (given) => {
  const { t, app, import_ } = given;
  const spaces = ' '.repeat(400_000);
  const text = { type: 'text', text: `a${spaces}b` };
  const cell = { type: 'tablecell', children: [{ type: 'paragraph', children: [text] }] };
  const table = { type: 'table', children: [{ type: 'tablerow', children: [cell] }] };
  const content = { title: 'Super', noteType: 'super', text: superNote(table) };
  const items = [{ uuid: 'n1', content_type: 'Note', content }];
  await import_(await folderWith(t, { 'backup.txt': JSON.stringify({ version: '004', items }) }));
  assert.ok(noteIn(await notesOf(app), 'Super').content.includes(`| a${spaces}b |`));
});

rule('a longer export of Evernote adds what is new, and repeats nothing', async (given) => {
  const { t, app, import_ } = given;
  const exported = (...texts: readonly string[]) =>
    `<en-export>${texts.map((text) => `${enexNote('<title>Call</title>', `<div>${text}</div>`)}</note>`).join('')}</en-export>`;
  await import_(await folderWith(t, { 'N.enex': exported('first', 'second') }));
  const report = await import_(await folderWith(t, { 'N.enex': exported('new', 'first', 'second') }));
  assert.equal(
    report,
    'true\nfound notes of Evernote\nimported 1 note and 0 other files\nthere already: 2 files',
  );
  const contents = [...(await notesOf(app)).values()].map(({ content }) => content);
  assert.deepEqual(contents.sort(), ['first\n', 'new\n', 'second\n']);
});

rule('tasks, long tables and old code of Evernote arrive', async (given) => {
  const { t, app, import_ } = given;
  const rows = '<tr><td>a</td><td>b</td></tr>'.repeat(2_000);
  const note =
    enexNote('<title>T</title>', `<div>&nbsp; in</div><pre>a_b * c\n# x</pre><table>${rows}</table>`) +
    '<task><title>Buy milk</title><taskStatus>open</taskStatus></task>' +
    '<task><title>Pay</title><taskStatus>completed</taskStatus></task></note>';
  const folder = await folderWith(t, { 'N.enex': `<en-export>${note}</en-export>` });
  const startedAt = process.cpuUsage();
  await import_(folder);
  const { user } = process.cpuUsage(startedAt);
  assert.ok(user < 10_000_000, `${user / 1000} ms of CPU`);
  const { content } = noteIn(await notesOf(app), 'N/T');
  assert.match(content, /^\u00a0 in\n\n```\na_b \* c\n# x\n```\n/);
  assert.equal(content.split('| a   | b   |').length, 2_001);
  assert.ok(content.endsWith('\n\n- [ ] Buy milk\n- [x] Pay\n'), content.slice(-100));
});

rule('folders whose names differ only in case become one', async (given) => {
  const { t, app, import_ } = given;
  const folder = await folderWith(t, {
    'logseq/config.edn': '{}',
    'pages/Proj___A.md': 'a',
    'pages/proj___B.md': '[label]([[Proj/A]])',
    'work.enex': `<en-export>${enexNote('<title>n</title>', 'x')}</note></en-export>`,
    'Work/own.md': 'own',
  });
  const report = await import_(folder);
  assert.match(report, /^true\n/);
  const notes = await notesOf(app);
  assert.deepEqual([...notes.keys()].sort(), ['Work/n', 'Work/own', 'pages/Proj/A', 'pages/Proj/B']);
  assert.equal(noteIn(notes, 'pages/Proj/B').content, '[label](A.md)');
});

test('the import of notes from other apps', async (t) => {
  await checkRules(t, await startForge(t), RULES);
});
