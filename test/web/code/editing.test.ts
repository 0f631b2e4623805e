import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { WEB_LIMITS } from '../../../src/web/limits.ts';
import { type Person, startForge } from '../../support/forge/forge.ts';
import { fieldIn, PageReader } from '../../support/http/page-reader.ts';

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');
const LOOM = '/api/v1/repos/ada/loom';

async function openLoom(t: TestContext, options: Record<string, unknown> = { auto_init: true }) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', options);
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  return { forge, ada, reader };
}

async function create(ada: Person, path: string, content: string | Buffer): Promise<string> {
  const made = await ada.post(`${LOOM}/contents/${path}`, { content: base64(content) });
  assert.equal(made.status, 201, made.text);
  return made.body.content.sha;
}

async function textOf(ada: Person, path: string, ref = 'main'): Promise<string> {
  return (await ada.get(`${LOOM}/raw/${path}?ref=${ref}`)).text;
}

/** Returns the text in the field of the editor, as a browser shows it. */
function editedText(page: string): string {
  const [, text = ''] = /<textarea class="source"[^>]*>\n([\s\S]*?)<\/textarea>/.exec(page) ?? [];
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** Sends the form of a page with other fields, as a browser does. */
function send(reader: PageReader, path: string, page: string, fields: Readonly<Record<string, string>>) {
  const hidden = ['branch', 'from', 'seen'].map((name) => [name, fieldIn(page, name)] as const);
  return reader.post(path, { ...Object.fromEntries(hidden), target: 'same', ...fields });
}

test('a writer edits a file, whose line feeds stay as they were', async (t) => {
  const { ada, reader } = await openLoom(t);
  for (const [name, content, expected] of [
    ['unix', '\n<one>\n&two', '\n<one>\n&2\n'],
    ['windows', '\r\n<one>\r\n&two', '\r\n<one>\r\n&2\r\n'],
  ] as const) {
    await create(ada, name, content);
    const path = `/ada/loom/_edit/main/${name}`;
    const page = await reader.get(path);
    assert.equal(page.status, 200);
    const shown = editedText(page.text).replaceAll('\r\n', '\n');
    assert.equal(shown, '\n<one>\n&two');
    const text = `${shown.replace('two', '2')}\n`.replaceAll('\n', '\r\n');
    const sent = await send(reader, path, page.text, {
      path: name,
      text,
      message: 'Change <it>',
      description: 'Because\r\nof that.',
    });
    assert.deepEqual([sent.status, sent.headers.get('location')], [303, `/ada/loom/src/branch/main/${name}`]);
    assert.equal(await textOf(ada, name), expected);
  }
  const [newest] = (await ada.get(`${LOOM}/commits?limit=1`)).body;
  assert.equal(newest.commit.message.trim(), 'Change <it>\n\nBecause\nof that.');
  assert.equal(newest.commit.author.name, 'ada');
});

test('a file is renamed with another path, and a commit without a message names it', async (t) => {
  const { ada, reader } = await openLoom(t);
  await create(ada, 'a', 'one\n');
  const page = await reader.get('/ada/loom/_edit/main/a');
  const sent = await send(reader, '/ada/loom/_edit/main/a', page.text, {
    path: ' /docs/b c/ ',
    text: 'one\n',
  });
  assert.equal(sent.headers.get('location'), '/ada/loom/src/branch/main/docs/b%20c');
  assert.equal((await ada.get(`${LOOM}/contents/a`)).status, 404);
  const [newest] = (await ada.get(`${LOOM}/commits?limit=1`)).body;
  assert.equal(newest.commit.message.trim(), 'Update docs/b c');
});

test('a change on a new branch leads to the comparison that opens a pull request', async (t) => {
  const { ada, reader } = await openLoom(t);
  const page = await reader.get('/ada/loom/_new/main/docs');
  assert.match(page.text, /name="path" value="docs\/"/);
  assert.match(page.text, /name="new_branch" value="ada-patch-1"/);
  const fields = { path: 'docs/new', text: 'new\r\n', target: 'new', new_branch: 'ada-patch-1' };
  const sent = await send(reader, '/ada/loom/_new/main/docs', page.text, fields);
  const location = sent.headers.get('location') ?? '';
  assert.deepEqual([sent.status, location], [303, '/ada/loom/compare/main...ada-patch-1?expand=1']);
  assert.match((await reader.get(location)).text, /1 commit[\s\S]*docs\/new/);
  assert.equal(await textOf(ada, 'docs/new', 'ada-patch-1'), 'new\n');
  assert.equal((await ada.get(`${LOOM}/contents/docs/new`)).status, 404);
  assert.match((await reader.get('/ada/loom/_new/main')).text, /value="ada-patch-2"/);
  const taken = await send(reader, '/ada/loom/_new/main/docs', page.text, fields);
  assert.equal(taken.status, 422);
  assert.match(taken.text, /role="alert">Branch already exists/);
  const nameless = await send(reader, '/ada/loom/_new/main/docs', page.text, { ...fields, new_branch: ' ' });
  assert.equal(nameless.status, 422);
  assert.match(nameless.text, /value="new" checked/);
});

test('the first file of an empty repository is made on its default branch', async (t) => {
  const { ada, reader } = await openLoom(t, {});
  assert.match((await reader.get('/ada/loom')).text, /href="\/ada\/loom\/_new\/main"/);
  const page = await reader.get('/ada/loom/_new/main');
  assert.equal(page.status, 200);
  const sent = await send(reader, '/ada/loom/_new/main', page.text, { path: 'a', text: 'one\r\n' });
  assert.equal(sent.headers.get('location'), '/ada/loom/src/branch/main/a');
  assert.equal(await textOf(ada, 'a'), 'one\n');
  assert.equal((await reader.get('/ada/loom/_new/other')).status, 404);
});

test('a form that cannot be done comes back with the reason and all that was typed', async (t) => {
  const { ada, reader } = await openLoom(t);
  await create(ada, 'a', 'one\n');
  const page = (await reader.get('/ada/loom/_new/main')).text;
  const typed = { text: 'kept <text>\r\n', message: 'Kept "message"', description: 'Kept <too>' };
  for (const [path, status, reason] of [
    ['', 422, /role="alert">A path is needed/],
    ['a/../b', 422, /role="alert">A path cannot hold/],
    ['.git/config', 422, /role="alert">/],
    ['a', 422, /role="alert">Repository file already exists/],
    ['a/b', 422, /role="alert">/],
  ] as const) {
    const sent = await send(reader, '/ada/loom/_new/main', page, { path, ...typed });
    assert.equal(sent.status, status, path);
    assert.match(sent.text, reason);
    assert.equal(editedText(sent.text).trim(), 'kept <text>');
    assert.match(sent.text, /name="message" value="Kept &quot;message&quot;"/);
    assert.match(sent.text, /Kept &lt;too&gt;<\/textarea>/);
  }
});

test('an edit of a version that is not the newest shows what was changed, and a second one replaces it', async (t) => {
  const { ada, reader } = await openLoom(t);
  const sha = await create(ada, 'a', 'one\ntwo\nthree\n');
  const path = '/ada/loom/_edit/main/a';
  const page = (await reader.get(path)).text;
  await ada.put(`${LOOM}/contents/a`, { content: base64('one\nTWO\nthree\n'), sha });
  const mine = { path: 'a', text: 'one\r\ntwo\r\nmine\r\n', message: 'Mine' };
  const stale = await send(reader, path, page, mine);
  assert.equal(stale.status, 409);
  assert.match(stale.text, /role="alert">Someone else has changed this file/);
  assert.match(stale.text, /<tr class="del">.*two<[\s\S]*<tr class="add">.*TWO</);
  assert.equal(editedText(stale.text).replaceAll('\r\n', '\n'), 'one\ntwo\nmine\n');
  const again = await send(reader, path, stale.text, mine);
  assert.equal(again.status, 303);
  assert.equal(await textOf(ada, 'a'), 'one\ntwo\nmine\n');
});

test('a file or a branch that is deleted while someone edits takes no text with it', async (t) => {
  const { ada, reader } = await openLoom(t);
  const sha = await create(ada, 'a', 'one\n');
  await ada.post(`${LOOM}/branches`, { new_branch_name: 'cards' });
  const [onMain, onCards] = ['/ada/loom/_edit/main/a', '/ada/loom/_edit/cards/a'];
  const [main, cards] = [(await reader.get(onMain)).text, (await reader.get(onCards)).text];
  await ada.delete(`${LOOM}/branches/cards`);
  const fields = { path: 'a', text: 'mine\r\n' };

  const gone = await send(reader, onCards, cards, fields);
  assert.equal(gone.status, 409);
  assert.match(gone.text, /The branch cards was deleted while you were writing/);
  assert.equal(editedText(gone.text).trim(), 'mine');
  const saved = await send(reader, onMain, gone.text, { ...fields, target: 'new', new_branch: 'cards' });
  assert.equal(saved.status, 303, saved.text);
  assert.equal(await textOf(ada, 'a', 'cards'), 'mine\n');

  await ada.delete(`${LOOM}/contents/a`, { sha });
  const deleted = await send(reader, onMain, main, fields);
  assert.equal(deleted.status, 409);
  assert.match(deleted.text, /The file a was deleted or moved/);
  assert.equal((await send(reader, onMain, deleted.text, fields)).status, 303);
  assert.equal(await textOf(ada, 'a'), 'mine\n');
});

test('a file is deleted after a question, unless it was changed meanwhile', async (t) => {
  const { ada, reader } = await openLoom(t);
  const first = await create(ada, 'docs/deep/a', 'one\n');
  await create(ada, 'docs/b', 'b\n');
  const path = '/ada/loom/_delete/main/docs/deep/a';
  const page = await reader.get(path);
  assert.match(page.text, /<h1>Delete docs\/deep\/a<\/h1>/);
  const fields = (text: string) => ({
    branch: 'main',
    path: 'docs/deep/a',
    seen: fieldIn(text, 'seen'),
    target: 'same',
  });
  await ada.put(`${LOOM}/contents/docs/deep/a`, { content: base64('two\n'), sha: first });
  const stale = await reader.post(path, fields(page.text));
  assert.equal(stale.status, 422);
  assert.match(stale.text, /Someone else has changed this file meanwhile/);
  const done = await reader.post(path, fields(stale.text));
  assert.deepEqual([done.status, done.headers.get('location')], [303, '/ada/loom/src/branch/main/docs']);
  assert.equal((await ada.get(`${LOOM}/contents/docs/deep/a`)).status, 404);
  assert.equal((await reader.get(path)).status, 404);
});

/** Returns a form as a browser sends it with files. */
function uploadOf(fields: Readonly<Record<string, string>>, files: Readonly<Record<string, string>>) {
  const boundary = 'loom-boundary';
  const parts = [
    ...Object.entries(fields).map(
      ([name, value]) =>
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    ),
    ...Object.entries(files).map(
      ([name, content]) =>
        `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n${content}\r\n`,
    ),
  ];
  return {
    body: `${parts.join('')}--${boundary}--\r\n`,
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'sec-fetch-site': 'same-origin',
    },
  };
}

test('a writer uploads files, which replace those with the same names', async (t) => {
  const { ada, reader } = await openLoom(t);
  await create(ada, 'docs/a', 'old\n');
  const path = '/ada/loom/_upload/main/docs';
  assert.match((await reader.get(path)).text, /name="folder" value="docs"/);
  const fields = { branch: 'main', folder: 'docs', target: 'same' };
  const sent = await reader.send('POST', path, uploadOf(fields, { a: 'new\n', 'b <c>.txt': 'b\0' }));
  assert.equal(sent.status, 303, sent.text);
  assert.deepEqual([sent.status, sent.headers.get('location')], [303, '/ada/loom/src/branch/main/docs']);
  assert.equal(await textOf(ada, 'docs/a'), 'new\n');
  assert.equal(await textOf(ada, 'docs/b%20%3Cc%3E.txt'), 'b\0');
  const [newest] = (await ada.get(`${LOOM}/commits?limit=1`)).body;
  assert.equal(newest.commit.message.trim(), 'Upload 2 files');

  const none = await reader.send('POST', path, uploadOf({ ...fields, message: 'Kept' }, { '': '' }));
  assert.equal(none.status, 422);
  assert.match(none.text, /role="alert">Choose at least one file/);
  assert.match(none.text, /name="message" value="Kept"/);
  const bad = await reader.send('POST', path, uploadOf({ ...fields, folder: '.git' }, { a: 'x' }));
  assert.equal(bad.status, 422);
  assert.match(bad.text, /role="alert"[\s\S]*name="folder" value="\.git"/);
  const names = Array.from({ length: WEB_LIMITS.uploadFilesMax + 1 }, (_, index) => [`f${index}`, 'x']);
  const many = await reader.send('POST', path, uploadOf(fields, Object.fromEntries(names)));
  assert.equal(many.status, 422);
  assert.match(many.text, /at most 50 files/);
});

test('a protected branch takes changes only through a new branch', async (t) => {
  const { ada, reader } = await openLoom(t);
  await ada.post(`${LOOM}/branch_protections`, { rule_name: 'main', enable_push: false });
  const page = await reader.get('/ada/loom/_edit/main/README.md');
  assert.match(page.text, /value="new" checked[\s\S]*|A protection keeps you/);
  const fields = { path: 'README.md', text: 'mine\r\n' };
  const denied = await send(reader, '/ada/loom/_edit/main/README.md', page.text, fields);
  assert.equal(denied.status, 403);
  assert.equal(editedText(denied.text).trim(), 'mine');
  const sent = await send(reader, '/ada/loom/_edit/main/README.md', page.text, {
    ...fields,
    target: 'new',
    new_branch: 'mine',
  });
  assert.equal(sent.status, 303);
});

test('only writers see the buttons and the forms, and a form of another site changes nothing', async (t) => {
  const { forge, reader } = await openLoom(t);
  const eve = await forge.account('eve');
  const other = new PageReader(forge);
  await other.signIn(eve);
  for (const page of ['/ada/loom', '/ada/loom/src/branch/main', '/ada/loom/src/branch/main/README.md']) {
    assert.match((await reader.get(page)).text, /\/_(?:new|edit)\/main/, page);
    assert.doesNotMatch((await other.get(page)).text, /\/_(?:new|edit|upload|delete)\//, page);
  }
  for (const kind of ['_edit', '_new', '_upload', '_delete']) {
    const path = `/ada/loom/${kind}/main/README.md`;
    assert.equal((await other.get(path)).status, 403, path);
    assert.equal((await new PageReader(forge).get(path)).status, 303, path);
    const form = kind === '_upload' ? uploadOf({ branch: 'main' }, { a: 'x' }) : undefined;
    const headers = { ...form?.headers, 'sec-fetch-site': 'cross-site' };
    const forged =
      form === undefined
        ? await reader.post(path, { branch: 'main', path: 'x', text: 'x' }, { headers })
        : await reader.send('POST', path, { body: form.body, headers });
    assert.equal(forged.status, 403, path);
    const denied =
      form === undefined
        ? await other.post(path, { branch: 'main', path: 'x', text: 'x' })
        : await other.send('POST', path, form);
    assert.equal(denied.status, 403, path);
  }
});

test('files that are not text, folders and missing files are not edited', async (t) => {
  const { ada, reader } = await openLoom(t);
  await create(ada, 'docs/binary', Buffer.from([0, 1]));
  for (const [path, status, words] of [
    ['docs/binary', 422, /it is not text, or it is too large/],
    ['docs', 422, /This is a folder/],
    ['missing', 404, /There is no file with this path/],
  ] as const) {
    const page = await reader.get(`/ada/loom/_edit/main/${path}`);
    assert.equal(page.status, status, path);
    assert.match(page.text, words);
  }
  assert.equal((await reader.get('/ada/loom/_edit/missing/a')).status, 404);
  const hidden = await ada.repository('secret', { private: true, auto_init: true });
  assert.equal(hidden.private, true);
});
