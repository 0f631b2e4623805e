import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { RepositoryFolder } from '../../src/git/folders/repository-layout.ts';
import { base64, contentsOf } from '../code/contents/files.ts';
import { template } from '../hosting/template-repositories/template.ts';
import { type Person, startForge, type TestForge } from '../support/forge/forge.ts';
import { NOTES_API } from '../support/forge/notes.ts';
import { git } from '../support/git/git.ts';

// Runs once: no outcome depends on the database.

const GIT_MODULES = [
  '.gitmodules',
  '.GITMODULES',
  'GI7EBA~1',
  'gitmod~1',
  'GITMOD~4',
  'gi~12345',
  '.gitmodules . .',
  '.gitmodules::$DATA',
  '.git\u200cmodu\ufeffles',
  'deep/down/.gitmodules',
];
const GIT_ATTRIBUTES = [
  '.gitattributes',
  '.GitAttributes',
  'gitatt~1',
  'GI7D29~1',
  '.gitattributes.',
  'a/.gitattributes',
];

const submodule = (name: string, lines: string) => `[submodule "${name}"]\n\tpath = lib\n${lines}\n`;
const GOOD_MODULES = submodule('lib', '\turl = https://example.org/lib.git');
const BAD_MODULES = {
  'a URL like an option': submodule('lib', '\turl = --upload-pack=touch-x'),
  'a URL with a line end': submodule('lib', '\turl = "https://example.org\\nhost=evil"'),
  'a path like an option': submodule('lib', '\tpath = -x\n\turl = https://example.org/lib.git'),
  'a name that leaves the folder': submodule('../../hooks', '\turl = https://example.org/lib.git'),
  'a command': submodule('lib', '\turl = https://example.org/lib.git\n\tupdate = !touch x'),
};

async function engineOf(forge: TestForge, name: string): Promise<Person> {
  const person = await forge.account(name);
  await person.repository('engine', { auto_init: true });
  return person;
}

/** Lets git check everything in the stored repository, also objects that no ref reaches. */
async function fsck(forge: TestForge, repositoryId: number): Promise<string> {
  const { path } = RepositoryFolder.of(join(forge.forge.dataFolder, 'git'), repositoryId);
  return git(path, ['fsck', '--strict', '--no-dangling']);
}

test('D4: a .gitmodules file that a push may not contain cannot be written over the API', async (t) => {
  const forge = await startForge(t);
  const ada = await engineOf(forge, 'ada');
  const write = (path: string, text: string) =>
    ada.post(contentsOf('ada/engine', path), { content: base64(text) });
  const [command = ''] = Object.values(BAD_MODULES);

  for (const [what, text] of Object.entries(BAD_MODULES)) {
    const answer = await write('.gitmodules', text);
    assert.deepEqual([answer.status, what], [422, what]);
    assert.match(answer.body.message, /^git rejects this change: .*gitmodules(?:Url|Path|Name|Update)/, what);
  }
  for (const path of GIT_MODULES) assert.equal((await write(path, command)).status, 422, path);
  assert.equal((await write('.gitmodules/below', 'x')).status, 422, 'a folder');
  assert.equal((await write('.gitmodules', GOOD_MODULES)).status, 201);
  assert.equal((await write('deep/.gitmodules', `${'#'.repeat(100_000)}\n${GOOD_MODULES}`)).status, 201);
  assert.equal((await write('deep/er/.gitmodules', `${'#'.repeat(100_000)}\n${command}`)).status, 422);
});

test('D4: a .gitattributes file with a line that git rejects cannot be written over the API', async (t) => {
  const forge = await startForge(t);
  const ada = await engineOf(forge, 'ada');
  const write = (path: string, text: string) =>
    ada.post(contentsOf('ada/engine', path), { content: base64(text) });

  for (const path of GIT_ATTRIBUTES) {
    const answer = await write(path, `*.c ${'x'.repeat(2_100)}\n`);
    assert.equal(answer.status, 422, path);
    assert.match(answer.body.message, /gitattributesLineLength/, path);
  }
  assert.equal((await write('.gitattributes', '*.c diff=cpp\n')).status, 201);
});

test('D4: a file cannot become a bad .gitmodules by a change, a move or a template', async (t) => {
  const forge = await startForge(t);
  const ada = await engineOf(forge, 'ada');
  const [bad = ''] = Object.values(BAD_MODULES);
  const plain = await ada.post(contentsOf('ada/engine', 'plain'), { content: base64(bad) });
  const { sha } = (await ada.post(contentsOf('ada/engine', '.gitmodules'), { content: base64(GOOD_MODULES) }))
    .body.content;
  await template(t, ada, { files: { '.gitea/template': '*', $REPO_NAME: bad, 'a/$REPO_NAME/b': 'b' } });

  const changed = await ada.put(contentsOf('ada/engine', '.gitmodules'), { sha, content: base64(bad) });
  const moved = await ada.put(contentsOf('ada/engine', 'GITMOD~1'), {
    sha: plain.body.content.sha,
    from_path: 'plain',
    content: base64(bad),
  });
  const generate = (name: string) =>
    ada.post('/api/v1/repos/ada/kit/generate', { owner: 'ada', name, git_content: true });
  const generated = await generate('.gitmodules');

  assert.deepEqual([changed.status, moved.status, generated.status], [422, 422, 422]);
  assert.match(generated.body.message, /gitmodules/);
  assert.equal((await ada.get('/api/v1/repos/ada/.gitmodules')).status, 404, 'nothing is left of it');
  assert.equal((await generate('fine')).status, 201);
});

test('D4: git fsck --strict is clean on everything that the API writes', async (t) => {
  const forge = await startForge(t);
  const ada = await engineOf(forge, 'ada');
  const { id } = (await ada.get('/api/v1/repos/ada/engine')).body;
  const bits = [
    ...GIT_MODULES,
    ...GIT_ATTRIBUTES,
    'a',
    '.git',
    'git~1',
    '.',
    '..',
    '\\',
    'é',
    '"',
    '\u0001',
    ' ',
    'con',
  ];
  const text = fc
    .array(fc.constantFrom(...bits, '\n', '\t', '<', '>', '@', '\0', '\u2028', '-', '+0000', ''), {
      maxLength: 4,
    })
    .map((parts) => parts.join(''));
  const content = fc.oneof(fc.constantFrom(...Object.values(BAD_MODULES), GOOD_MODULES), text);
  const person = fc.record({ name: text, email: text.map((part) => `${part}@x`) });
  const date = fc.constantFrom(
    '1970-01-01T00:00:00Z',
    '9999-12-31T23:59:59+14:00',
    '2026-02-30T00:00:00-00:01',
    '',
  );
  const change = fc.record({
    path: fc.array(fc.constantFrom(...bits), { minLength: 1, maxLength: 3 }).map((names) => names.join('/')),
    body: fc.record({
      content: content.map(base64),
      message: text,
      author: person,
      committer: person,
      dates: fc.record({ author: date, committer: date }),
      signoff: fc.boolean(),
    }),
  });
  const note = fc.record({ title: text, category: text, content });
  const statuses = new Set<number>();

  await fc.assert(
    fc.asyncProperty(change, note, async ({ path, body }, noted) => {
      statuses.add((await ada.post(contentsOf('ada/engine', path), body)).status);
      const saved = await ada.post(`${NOTES_API}/v1/notes`, noted);
      assert.ok(saved.status === 200 || saved.status === 400, saved.text);
    }),
    { numRuns: 60, endOnFailure: true },
  );

  assert.ok(statuses.has(201) && statuses.has(422), [...statuses].join());
  assert.ok(
    [...statuses].every((status) => status < 500),
    [...statuses].join(),
  );
  const notes = (await ada.get('/api/v1/repos/ada/Notes')).body;
  assert.equal(await fsck(forge, id), '');
  assert.equal(await fsck(forge, notes.id), '');
});
