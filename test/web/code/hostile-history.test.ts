import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';

/** Pushes one commit with these lines in its header and this message, which adds the files. */
async function pushed(
  t: TestContext,
  {
    seconds = 1_700_000_000,
    message,
    files,
  }: { seconds?: number; message: string; files: Readonly<Record<string, string>> },
) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom');
  const folder = await temporaryFolder(t);
  await git(folder, ['init', '-q', '-b', 'main']);
  const stream = [
    `commit refs/heads/main\ncommitter Ada <ada@example.org> ${seconds} +0000\ndata ${Buffer.byteLength(message)}\n${message}\n`,
    ...Object.entries(files).map(
      ([path, text]) => `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
    ),
  ].join('');
  await git(folder, ['fast-import', '--quiet', '--date-format=raw'], { input: stream });
  await git(folder, ['push', '-q', ada.remote('ada/loom'), 'main']);
  return forge;
}

test('a very long subject and name make no page long', async (t) => {
  const files = Object.fromEntries(Array.from({ length: 50 }, (_, file) => [`f${file}`, 'one\ntwo\n']));
  const forge = await pushed(t, { message: 'x'.repeat(300_000), files });
  for (const path of [
    '',
    '/commits/branch/main',
    '/branches',
    '/blame/branch/main/f1',
    '/src/branch/main/f1',
  ]) {
    const { status, text } = await forge.get(`/ada/loom${path}`);
    assert.equal(status, 200, path);
    assert.ok(text.length < 200_000, `${path}: ${text.length} characters`);
  }
});

test('a commit of a year that no calendar has breaks no page', async (t) => {
  const forge = await pushed(t, { seconds: 9_000_000_000_000, message: 'Far', files: { a: 'a\n' } });
  for (const path of ['', '/commits/branch/main', '/branches', '/blame/branch/main/a', '/src/branch/main/a'])
    assert.equal((await forge.get(`/ada/loom${path}`)).status, 200, path);
});

/** Begins a string in a template in a string, again and again. */
const NESTED = ["'`", '$', '{'].join('');

test('code whose colors would be much longer than itself is shown without colors', async (t) => {
  const forge = await pushed(t, {
    message: 'Nest',
    files: {
      'a.js': `${NESTED.repeat(500)}${'\n'.repeat(3_000)}`,
      constructor: 'plain\n',
      'x.constructor': 'plain\n',
    },
  });
  const { status, text } = await forge.get('/ada/loom/src/branch/main/a.js');
  assert.equal(status, 200);
  assert.ok(text.length < 1_000_000, `${text.length} characters`);
  for (const name of ['constructor', 'x.constructor'])
    assert.match((await forge.get(`/ada/loom/src/branch/main/${name}`)).text, /<td class="c">plain<\/td>/);
});
