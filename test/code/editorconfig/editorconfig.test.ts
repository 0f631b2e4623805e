import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { cpuMs } from '../../support/cpu-time.ts';
import { startForge } from '../../support/forge/forge.ts';
import { commitAll } from '../../support/git/git.ts';
import { pushedRepository, writeFiles } from '../contents/files.ts';

const CONFIG = `root = true

[*]
charset = UTF-8
end_of_line = LF
indent_style = space
indent_size = 4
trim_trailing_whitespace = true
insert_final_newline = true

[*.md]
indent_size = 2 

[Makefile]
indent_style = tab
indent_size = unset

[/docs/**.py]
Indent_Style = Tab
indent_size = tab
tab_width = 8
`;

const urlOf = (path: string, ref = '') =>
  `/api/v1/repos/ada/engine/editorconfig/${path}${ref === '' ? '' : `?ref=${ref}`}`;

test('the definition of a file combines the sections that match its path', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await pushedRepository(t, ada, 'engine', { '.editorconfig': CONFIG });
  const base = { charset: 'utf-8', end_of_line: 'lf', indent_style: 'space', indent_size: '4' };
  const expected = {
    'a.txt': base,
    'src/deep/a.txt': base,
    'docs/plan.md': { ...base, indent_size: '2' },
    'src/Makefile': { ...base, indent_style: 'tab', indent_size: 'tab' },
    'docs/a/b.py': { ...base, indent_style: 'tab', indent_size: '8' },
    'a%20b.txt': base,
  };

  for (const [path, definition] of Object.entries(expected)) {
    const { status, body } = await forge.get(urlOf(path));
    assert.equal(status, 200, path);
    assert.deepEqual(body, definition, path);
  }
});

test('404: no editorconfig exists or no definition matches the file name', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder, push } = await pushedRepository(t, ada, 'engine', { 'docs/.editorconfig': CONFIG });
  assert.equal((await forge.get(urlOf('docs/a.md'))).status, 404, 'only the root counts');
  await ada.repository('empty');
  assert.equal((await ada.get('/api/v1/repos/ada/empty/editorconfig/a.md')).status, 404);

  await writeFiles(folder, { '.editorconfig': 'charset = utf-8\n[*.py]\nindent_size = 4\n[*.c]\nx = y\n' });
  await commitAll(folder, 'Add');
  await push('main');

  assert.equal((await forge.get(urlOf('a.md'))).status, 404);
  assert.equal((await forge.get(urlOf(''))).status, 404);
  assert.deepEqual((await forge.get(urlOf('a.py'))).body, { indent_size: '4' });
  assert.deepEqual((await forge.get(urlOf('a.c'))).body, {}, 'a section without these properties matches');
});

test('the definition is that of the requested ref, and a missing ref gives 404', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { commit, folder, push } = await pushedRepository(t, ada, 'engine', {
    '.editorconfig': '[*]\nindent_size = 1\n',
  });
  await writeFiles(folder, { '.editorconfig': '[*]\nindent_size = 2\n' });
  await commitAll(folder, 'Change');
  await push('main', 'HEAD:refs/heads/feature/x');

  assert.deepEqual((await forge.get(urlOf('a', commit))).body, { indent_size: '1' });
  assert.deepEqual((await forge.get(urlOf('a', 'feature%2Fx'))).body, { indent_size: '2' });
  assert.deepEqual((await forge.get(urlOf('a'))).body, { indent_size: '2' });
  assert.equal((await forge.get(urlOf('a', 'nope'))).status, 404);
});

test('If-None-Match with the tag of a definition gives 304', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await pushedRepository(t, ada, 'engine', { '.editorconfig': CONFIG });
  const { headers } = await forge.get(urlOf('a.md'));
  const sent = { headers: { 'if-none-match': headers.get('etag') ?? '' } };

  assert.equal((await forge.get(urlOf('a.md'), sent)).status, 304);
  assert.equal((await forge.get(urlOf('b.md'), sent)).status, 200);
});

test('an editorconfig that is a link, too large or not text gives 404 or the part that can be read', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder, push } = await pushedRepository(t, ada, 'engine', { real: CONFIG });
  await symlink('real', join(folder, '.editorconfig'));
  await commitAll(folder, 'A link');
  await push('main');
  assert.equal((await forge.get(urlOf('a.md'))).status, 404);

  const large = `${CONFIG}${'# x\n'.repeat(20_000)}`;
  const odd = Buffer.concat([Buffer.from('[*]\nindent_size = 3\n'), Buffer.alloc(100, 255)]);
  const forms: [Uint8Array | string, number][] = [
    [large, 404],
    [odd, 200],
    [Buffer.alloc(1000, 255), 404],
    ['[*]\n__proto__ = x\nconstructor = y\nindent_size = 1\n', 200],
    ['', 404],
  ];
  for (const [index, [content, status]] of forms.entries()) {
    const ref = `form-${index}`;
    await pushedRepository(t, ada, ref, { '.editorconfig': content });
    assert.equal((await forge.get(urlOf('a.md').replace('engine', ref))).status, status, ref);
  }
});

test('H4: sections and paths that are built to match slowly end with 422', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await pushedRepository(t, ada, 'engine', { '.editorconfig': `[${'*a'.repeat(500)}b]\nx=1\n`.repeat(60) });

  const startedAt = cpuMs();
  const { status } = await forge.get(urlOf('a'.repeat(4000)));

  assert.equal(status, 422);
  assert.ok(cpuMs() - startedAt < 5_000);
  assert.equal((await forge.get(urlOf('a'))).status, 404);
});
