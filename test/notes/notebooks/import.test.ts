import assert from 'node:assert/strict';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { NOTE_LIMITS } from '../../../src/notes/notebooks/limits.ts';
import { databaseLocation } from '../../support/database/database-location.ts';
import { startForge } from '../../support/forge/forge.ts';
import { NotesApp } from '../../support/forge/notes.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';
import { request } from '../../support/http/http.ts';
import { run } from '../../support/process.ts';
import { PROGRAM } from '../../support/program.ts';
import { archiveOf, checkRules, folderWith, type Importing, TIME } from './importing.ts';
import { zipOf } from './zip.ts';

const RULES: (readonly [name: string, rule: (given: Importing) => Promise<void>])[] = [];

/** Adds a rule with a user of its own; all of them share a server. */
function rule(name: string, check: (given: Importing) => Promise<void>): void {
  RULES.push([name, check]);
}

rule(
  'a folder becomes notes with the times of their files, and the other files stay beside them',
  async (given) => {
    const { t, app, import_ } = given;
    const picture = Buffer.from([0x89, 0x50, 0, 255]);
    const folder = await folderWith(t, {
      'Shopping.md': '---\ntags: [a]\n---\nmilk\n',
      'Work/Plans/Engine ⚙️.txt': 'It weaves.',
      'Work/loom.png': picture,
      '.attachments.12/a.jpg': 'jpeg',
      '.obsidian/app.json': '{}',
      'Work/.DS_Store': 'x',
      'page.html': '<p>',
      'Old.md': Buffer.from('Die Größe der Übung ist schön für alle.', 'latin1'),
    });
    const report = await import_(folder, 'From/elsewhere');
    assert.equal(
      report,
      'true\nfound notes of Obsidian\nimported 3 notes and 3 other files\nleft out, because hidden: 2 entries',
    );
    const notes = (await app.list()).map(({ title, category, content, modified }) => [
      title,
      category,
      content,
      modified,
    ]);
    assert.deepEqual(
      notes.sort(),
      [
        ['Engine ⚙️', 'From/elsewhere/Work/Plans', 'It weaves.', TIME],
        ['Old', 'From/elsewhere', 'Die Größe der Übung ist schön für alle.', TIME],
        ['Shopping', 'From/elsewhere', '---\ntags: [a]\n---\nmilk\n', TIME],
      ].sort(),
    );
    assert.equal((await app.send('GET', '/search?q=weaves')).body[0].title, 'Engine ⚙️');
    const clone = await app.clone(t);
    assert.deepEqual(await readFile(join(clone, 'From/elsewhere/Work/loom.png')), picture);
    assert.equal(await readFile(join(clone, 'From/elsewhere/.attachments.12/a.jpg'), 'utf8'), 'jpeg');
    assert.equal(await git(clone, ['log', '--format=%s']), 'Import 6 files');
  },
);

rule('importing again adds what is missing and replaces nothing', async ({ t, app, import_ }) => {
  const folder = await folderWith(t, { 'a.md': 'a', 'b.md': 'b', 'c/pic.png': 'p' });
  await import_(folder);
  const { id } = (await app.byTitle()).get('b') ?? assert.fail();
  await app.update(id, { content: 'changed by the user' });
  const before = await app.list();
  await writeFile(join(folder, 'd.md'), 'd');

  const report = await import_(folder);

  assert.match(
    report,
    /^false\nimported 1 note and 0 other files\nthere already: 2 files\nnot taken: 1 file\n {2}b\.md: the notebook has another file/,
  );
  const after = await app.list();
  assert.deepEqual(
    after.filter(({ title }) => title !== 'd'),
    before,
  );
  await import_(folder);
  assert.deepEqual(await app.list(), after);
  assert.equal(await git(await app.clone(t), ['rev-list', '--count', 'HEAD']), '3');
});

rule(
  'the report names files that cannot be taken, and the others are imported',
  async ({ t, app, import_ }) => {
    const folder = await folderWith(t, {
      'good.md': 'g',
      'Twin.md': '1',
      'twin.md': '2',
      'back\\slash.md': 'x',
      'git~1/x.md': 'x',
      'bell\u0007.md': 'x',
      'large.bin': Buffer.alloc(NOTE_LIMITS.importFileBytesMax + 1),
    });
    await symlink('/etc/passwd', join(folder, 'link.md'));
    await symlink('/etc', join(folder, 'etc'));
    await writeFile(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0x2e, 0x6d, 0x64])]), 'x');
    await app.create({ title: 'file', content: 'a file with the name of a folder' });
    await mkdir(join(folder, 'file.md'));
    await writeFile(join(folder, 'file.md/x.md'), 'x');
    const lines = (await import_(folder)).split('\n');
    assert.deepEqual(lines.slice(0, 3), [
      'false',
      'imported 2 notes and 0 other files',
      'not taken: 9 files',
    ]);
    for (const [name, why] of [
      ['back\\slash.md', 'a path cannot hold a backslash'],
      ['bell\\u{7}.md', 'a path cannot hold control characters'],
      ['etc', 'it is a symbolic link'],
      ['file.md/x.md', 'file.md is in the way of its folder'],
      ['git~1/x.md', 'a path cannot hold .git as a name'],
      ['large.bin', `it has more than ${NOTE_LIMITS.importFileBytesMax} bytes`],
      ['link.md', 'it is a symbolic link'],
      ['twin.md', 'its name and Twin.md are one on some file systems'],
      ['\ufffd.md', 'its name is not UTF-8: rename it'],
    ])
      assert.ok(lines.includes(`  ${name}: ${why}`), `${name}: ${why}\n${lines.join('\n')}`);
    assert.deepEqual([...(await app.byTitle()).keys()].sort(), ['Twin', 'file', 'good']);
  },
);

rule('an archive becomes notes, without the folder around all of them', async ({ t, app, import_ }) => {
  const path = await archiveOf(t, 'Notes.zip', [
    { name: 'Notes/', content: '', mode: 0o040755 },
    { name: 'Notes/Über.md', content: 'ü', time: TIME },
    { name: 'Notes\\Work\\a.txt', content: 'from Windows', time: TIME },
    { name: 'Notes/Work/pic.png', content: Buffer.alloc(3000, 1) },
    { name: 'Notes/.hidden/x.md', content: 'x' },
    { name: '__MACOSX/Notes/._a.md', content: 'x' },
  ]);
  assert.match(await import_(path), /^true\nimported 2 notes and 1 other file\n/);
  const notes = (await app.list()).map(({ title, category, modified }) => [title, category, modified]);
  assert.deepEqual(notes.sort(), [
    ['a', 'Work', TIME],
    ['Über', '', TIME],
  ]);
  assert.match(await import_(path), /there already: 3 files/);
});

rule(
  'hostile entries of an archive are rejected by name, and the others are imported',
  async ({ t, app, import_ }) => {
    const zeros = Buffer.alloc(4 * NOTE_LIMITS.importRatioBytesMin);
    const path = await archiveOf(t, 'x.zip', [
      { name: 'good.md', content: 'g' },
      { name: '../out.md', content: 'x' },
      { name: 'a/../../out.md', content: 'x' },
      { name: '..\\out.md', content: 'x' },
      { name: '/etc/out.md', content: 'x' },
      { name: 'C:\\out.md', content: 'x' },
      { name: 'nul\0.md', content: 'x' },
      { name: 'a//b.md', content: 'x' },
      { name: `${'n'.repeat(256)}.md`, content: 'x' },
      { name: 'sub/GIT~1/x.md', content: 'x' },
      { name: 'link.md', content: '/etc/passwd', mode: 0o120777 },
      { name: 'device.md', content: '', mode: 0o020644 },
      { name: 'bomb.md', content: zeros },
      { name: 'lies.md', content: 'more than it says', sizeBytes: 3 },
      { name: 'short.md', content: 'less', sizeBytes: 100 },
      { name: 'damaged.md', content: 'x', crc: 7 },
      { name: 'secret.md', content: 'x', flags: 1 },
      { name: 'good.md', content: 'another' },
    ]);
    const report = await import_(path);
    assert.match(report, /^false\nimported 1 note and 0 other files\nnot taken: 17 files\n/);
    for (const line of [
      '../out.md: its path leads out of the archive',
      'a/../../out.md: its path leads out of the archive',
      '/etc/out.md: its path is absolute',
      'C:/out.md: its path is absolute',
      'nul\\u{0}.md: a path cannot hold a NUL character',
      'link.md: it is a symbolic link',
      'device.md: it is neither a file nor a folder',
      `bomb.md: it unpacks to more than ${NOTE_LIMITS.importRatioMax} times its size`,
      'lies.md: it unpacks to more than the archive says',
      'short.md: it is damaged',
      'damaged.md: it is damaged',
      'secret.md: it is encrypted',
      'good.md: the archive has two files of this name',
    ])
      assert.ok(report.includes(`\n  ${line}`), `${line}\n${report}`);
    assert.deepEqual([...(await app.byTitle()).keys()], ['good']);
  },
);

rule(
  'an archive that is none, is cut, or whose files overlap is rejected whole',
  async ({ t, app, import_ }) => {
    const content = Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * 7919) % 251));
    const overlapping = Array.from({ length: 50 }, (_, index) => ({
      name: `${index}.md`,
      content,
      ...(index === 0 ? {} : { sharedWith: 0 }),
    }));
    await assert.rejects(import_(await archiveOf(t, 'bomb.zip', overlapping)), /its files overlap/);
    const folder = await folderWith(t, {
      'a.zip': 'no archive',
      'b.zip': zipOf([{ name: 'a.md', content }]).subarray(0, -30),
    });
    for (const name of ['a.zip', 'b.zip'])
      await assert.rejects(import_(join(folder, name)), /is not a zip archive, or damaged/);
    await assert.rejects(import_(join(folder, 'missing')), /missing does not exist/);
    assert.deepEqual(await app.list(), []);
  },
);

rule('a notebook that its user may only read takes no import', async ({ t, forge, ada, app, import_ }) => {
  const bob = await forge.account(`bob-of-${ada.name}`);
  await new NotesApp(forge, bob).create({ title: 'n' });
  await bob.put(`/api/v1/repos/${bob.name}/Notes/collaborators/${ada.name}`, { permission: 'read' });
  await app.send('PUT', '/../settings', { json: { notesPath: `@${bob.name}/Notes` } });
  await assert.rejects(import_(await folderWith(t, { 'a.md': 'a' })), /read-only/);
  assert.equal((await app.list()).length, 1);
});

test('the import of notes', async (t) => {
  await checkRules(t, await startForge(t), RULES);
});

const AS = { name: 'root', password: 'correct horse battery' };

test('an import that is killed continues beside the running server, and nothing is there twice', async (t) => {
  const location = await databaseLocation(t, { schema: 'empty' });
  const database = location.kind === 'url' ? ['--database-url', location.url] : [];
  const flags = ['--data', await temporaryFolder(t), ...database];
  const server = run(
    t,
    process.execPath,
    [PROGRAM, 'serve', '--port', '0', '--log-level', 'error', ...flags],
    {
      environment: { QUIRE_ADMIN_PASSWORD: AS.password },
    },
  );
  const [, url = ''] = await server.line(/^ready (\S+)$/m);
  const list = async () => (await request('GET', `${url}/apps/notes/api/v1/notes`, { as: AS })).body;
  assert.deepEqual(await list(), []);
  const count = NOTE_LIMITS.importBatchFilesMax + 20;
  const files = Array.from({ length: count }, (_, index) => [`f${index % 7}/n${index}.md`, `note ${index}`]);
  const folder = await folderWith(t, Object.fromEntries(files));
  const quire = async (environment: Record<string, string>, ...words: readonly string[]) => {
    const command = run(t, process.execPath, [PROGRAM, 'notes', 'import', ...words, ...flags], {
      environment,
    });
    const { code } = await command.ended();
    return { code, output: command.output() };
  };

  const killed = await quire({ QUIRE_FAULT: 'before-commit:2' }, folder, '--user', 'root');
  assert.equal(killed.code, null, killed.output);
  assert.equal((await list()).length, NOTE_LIMITS.importBatchFilesMax);
  const again = await quire({}, folder, '--user', 'root');

  assert.equal(again.code, 0);
  const report = `imported 20 notes and 0 other files\nthere already: ${NOTE_LIMITS.importBatchFilesMax} files\n`;
  // A slow import also prints its progress.
  assert.ok(again.output.endsWith(report), again.output);
  const notes: readonly { title: string; content: string; modified: number }[] = await list();
  assert.equal(notes.length, count);
  assert.equal(new Set(notes.map(({ content }) => content)).size, count);
  assert.ok(notes.every(({ modified }) => modified === TIME));
  const missing = await quire({}, folder, '--user', 'missing');
  assert.deepEqual(missing, { code: 1, output: 'quire: there is no account missing\n' });
});
