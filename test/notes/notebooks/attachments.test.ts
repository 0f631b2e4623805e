import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { NOTE_LIMITS } from '../../../src/notes/notebooks/limits.ts';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { NOTES_API, NotesApp, pushAll } from '../../support/forge/notes.ts';
import { git } from '../../support/git/git.ts';
import { authorizationOf, type Credentials } from '../../support/http/http.ts';

const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const LARGE = randomBytes(NOTE_LIMITS.attachmentInGitBytesMax + 1);

/** Gets and uploads attachments as a client does. */
class AttachmentClient {
  readonly #forge: TestForge;
  readonly #as: Credentials;

  constructor(forge: TestForge, as: Credentials) {
    this.#forge = forge;
    this.#as = as;
  }

  send(
    method: string,
    noteId: number | string,
    options: RequestInit & { path?: string } = {},
  ): Promise<Response> {
    const { path, headers, ...rest } = options;
    const query = path === undefined ? '' : `?path=${encodeURIComponent(path)}`;
    return fetch(`${this.#forge.url}${NOTES_API}/v1.4/attachment/${noteId}${query}`, {
      method,
      redirect: 'manual',
      headers: { authorization: authorizationOf(this.#as), ...headers },
      ...rest,
    });
  }

  get(noteId: number, path: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.send('GET', noteId, { path, headers });
  }

  async upload(noteId: number, content: Uint8Array<ArrayBuffer>, name = 'photo.png'): Promise<Response> {
    const form = new FormData();
    form.append('file', new Blob([content]), name);
    return this.send('POST', noteId, { body: form });
  }

  /** Uploads a file and returns its new name. */
  async stored(noteId: number, content: Uint8Array<ArrayBuffer>, name?: string): Promise<string> {
    const answer = await this.upload(noteId, content, name);
    assert.equal(answer.status, 200);
    const { filename } = (await answer.json()) as { filename: string };
    return filename;
  }
}

async function bytesOf(answer: Response): Promise<Buffer> {
  return Buffer.from(await answer.arrayBuffer());
}

async function adasNotes(t: TestContext, options: Parameters<typeof startForge>[1] = {}) {
  const forge = await startForge(t, options);
  const ada = await forge.account('ada');
  const app = new NotesApp(forge, ada);
  const client = new AttachmentClient(forge, { name: 'ada', password: ada.password });
  return { forge, ada, app, client };
}

test('an attachment', async (t) => {
  const { ada, app, client } = await adasNotes(t);
  const note = await app.create({ title: 'Trip', category: 'Work/Plans' });
  const uploaded = await client.upload(note.id, PICTURE, 'My photo.of.me.PNG');
  const { filename: name } = (await uploaded.json()) as { filename: string };

  await t.test('is stored under 32 random hex digits and the last extension of its name', async () => {
    assert.equal(uploaded.status, 200);
    assert.equal(uploaded.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(uploaded.headers.get('x-notes-api-versions'), '0.2, 1.4');
    assert.match(name, /^[0-9a-f]{32}\.PNG$/);
  });

  await t.test('is a file beside its note, in a commit by its user', async () => {
    const folder = await app.clone(t);
    const files = (await git(folder, ['ls-files'])).split('\n');
    assert.deepEqual(files.sort(), ['Work/Plans/Trip.md', `Work/Plans/${name}`].sort());
    assert.equal(await git(folder, ['log', '-1', '--format=%an %s']), `ada Add Work/Plans/${name}`);
  });

  await t.test('is sent as a file to store, with its type, and may be kept by the client', async () => {
    const answer = await client.get(note.id, name);
    assert.equal(answer.status, 200);
    assert.deepEqual(await bytesOf(answer), PICTURE);
    const headers = Object.fromEntries(answer.headers);
    assert.equal(headers['content-disposition'], `attachment; filename="${name}"`);
    assert.equal(headers['content-type'], 'image/png');
    assert.equal(headers['content-length'], String(PICTURE.length));
    assert.equal(headers['cache-control'], 'private, max-age=3600');
    assert.equal(headers.vary, 'Authorization, Cookie');
    assert.equal(headers['x-notes-api-versions'], '0.2, 1.4');
    assert.equal(headers['x-content-type-options'], 'nosniff');
  });

  await t.test('is 304 for a client that has it, and is sent in ranges', async () => {
    const etag = (await client.get(note.id, name)).headers.get('etag') ?? '';
    const known = await client.get(note.id, name, { 'if-none-match': etag });
    assert.deepEqual([known.status, (await bytesOf(known)).length], [304, 0]);
    assert.equal(known.headers.get('x-notes-api-versions'), '0.2, 1.4');
    const part = await client.get(note.id, name, { range: 'bytes=1-3' });
    assert.deepEqual([part.status, (await bytesOf(part)).toString()], [206, 'PNG']);
    const head = await client.send('HEAD', note.id, { path: name });
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(PICTURE.length)]);
  });

  await t.test('stays in its folder when its note moves, as the links of other notes name it', async () => {
    await app.update(note.id, { category: 'Done' });
    assert.equal((await client.get(note.id, name)).status, 404);
    assert.equal((await client.get(note.id, `../Work/Plans/${name}`)).status, 200);
  });

  await t.test('is there for other notes, and in the files of the repository', async () => {
    const other = await app.create({ title: 'Other' });
    assert.deepEqual(await bytesOf(await client.get(other.id, `Work/Plans/${name}`)), PICTURE);
    const file = await ada.get(`/api/v1/repos/ada/Notes/contents/Work/Plans/${name}`);
    assert.equal(file.body.content, PICTURE.toString('base64'));
  });

  await t.test(
    'without a name that ends, of no bytes, or with a name of a path has a safe name',
    async () => {
      assert.match(await client.stored(note.id, Buffer.alloc(0), 'README'), /^[0-9a-f]{32}$/);
      assert.match(await client.stored(note.id, PICTURE, '../../x/..\\y.j%2fpg'), /^[0-9a-f]{32}\.j2fpg$/);
      assert.match(await client.stored(note.id, PICTURE, `a.${'x'.repeat(90)}`), /^[0-9a-f]{32}\.x{20}$/);
    },
  );

  await t.test('with the extension of a note becomes a note', async () => {
    const text = await client.stored(note.id, Buffer.from('shopping'), 'list.txt');
    const [title = ''] = text.split('.');
    assert.equal((await app.byTitle()).get(title)?.content, 'shopping');
  });
});

test('without git-lfs, an attachment above 1 MiB is a file of the commit', async (t) => {
  const { ada, app, client } = await adasNotes(t, { settings: { lfs: 'false' } });
  const note = await app.create({ title: 'Trip' });

  const name = await client.stored(note.id, LARGE, 'film.mp4');

  assert.ok(LARGE.equals(await bytesOf(await client.get(note.id, name))));
  const listed = await ada.get(`/api/v1/repos/ada/Notes/contents/${name}`);
  assert.deepEqual([listed.status, listed.body.size], [200, LARGE.length]);
  assert.equal((await ada.get('/api/v1/repos/ada/Notes/raw/.gitattributes')).status, 404);
});

test('an attachment above 1 MiB', async (t) => {
  // Clients of this API expect the file itself, not the address of one.
  const { ada, app, client } = await adasNotes(t, { settings: { serveDirect: 'true' } });
  const note = await app.create({ title: 'Trip', category: 'c' });
  const name = await client.stored(note.id, LARGE, 'film.mp4');

  await t.test('is an object of git-lfs, whose pointer is in the commit', async () => {
    const raw = await ada.get(`/api/v1/repos/ada/Notes/raw/c/${name}`);
    assert.match(
      raw.text,
      /^version https:\/\/git-lfs\.github\.com\/spec\/v1\noid sha256:[0-9a-f]{64}\nsize 1048577\n$/,
    );
    const attributes = await ada.get('/api/v1/repos/ada/Notes/raw/.gitattributes');
    assert.equal(attributes.text, `${name} filter=lfs diff=lfs merge=lfs -text\n`);
  });

  await t.test('is sent with its content, in ranges, and 304 for a client that has it', async () => {
    const answer = await client.get(note.id, name);
    assert.deepEqual([answer.status, answer.headers.get('cache-control')], [200, 'private, max-age=3600']);
    assert.equal(answer.headers.get('content-disposition'), `attachment; filename="${name}"`);
    assert.ok(LARGE.equals(await bytesOf(answer)));
    const etag = answer.headers.get('etag') ?? '';
    assert.equal((await client.get(note.id, name, { 'if-none-match': etag })).status, 304);
    const part = await client.get(note.id, name, { range: 'bytes=1048570-' });
    assert.equal(part.status, 206);
    assert.ok(LARGE.subarray(1_048_570).equals(await bytesOf(part)));
  });

  await t.test('gets its line after the lines that are there', async () => {
    const folder = await app.clone(t);
    await writeFile(join(folder, '.gitattributes'), '*.wav filter=lfs\n*.txt text');
    await pushAll(folder);
    const second = await client.stored(note.id, LARGE, 'film.mov');
    const sound = await client.stored(note.id, PICTURE, 'small.wav');
    const attributes = await ada.get('/api/v1/repos/ada/Notes/raw/.gitattributes');
    assert.equal(
      attributes.text,
      `*.wav filter=lfs\n*.txt text\n${second} filter=lfs diff=lfs merge=lfs -text\n`,
    );
    // Its name belongs to git-lfs, whatever its size.
    assert.match(
      (await ada.get(`/api/v1/repos/ada/Notes/raw/c/${sound}`)).text,
      /^version https:\/\/git-lfs/,
    );
    assert.deepEqual(await bytesOf(await client.get(note.id, sound)), PICTURE);
  });

  await t.test('whose object is missing is sent as its pointer', async () => {
    const folder = await app.clone(t);
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 5\n`;
    await writeFile(join(folder, 'c', 'gone.bin'), pointer);
    await pushAll(folder);
    assert.equal((await bytesOf(await client.get(note.id, 'gone.bin'))).toString(), pointer);
  });
});

test('C9: the path of an attachment never leaves the notebook', async (t) => {
  const { ada, app, client } = await adasNotes(t);
  await app.list();
  const note = await app.create({ title: 'n', category: 'Book/Deep' });
  const folder = await app.clone(t);
  await mkdir(join(folder, 'Book/sub'), { recursive: true });
  await mkdir(join(folder, 'Book/.attachments.7'));
  for (const name of ['sub/in.txt', '.attachments.7/in.txt'])
    await writeFile(join(folder, 'Book', name), 'inside');
  await writeFile(join(folder, 'out.bin'), 'outside');
  await symlink('/etc/passwd', join(folder, 'Book/link.bin'));
  await symlink('../..', join(folder, 'Book/up'));
  await pushAll(folder);
  await ada.put(`${NOTES_API}/v1/settings`, { notesPath: 'Book' });
  const [inBook] = await app.list('?category=Deep');
  assert.ok(inBook !== undefined && inBook.id !== note.id);
  const { id } = inBook;

  await t.test('but it may name any file inside', async () => {
    for (const path of [
      '../sub/in.txt',
      '..\\sub\\in.txt',
      './../sub//in.txt',
      '../../../../sub/in.txt',
      '../.attachments.7/in.txt',
    ])
      assert.equal((await bytesOf(await client.get(id, path))).toString(), 'inside', path);
  });

  await t.test('a path to something else or nothing is missing', async () => {
    const paths = [
      ...['../../out.bin', '../out.bin', '../../Book/sub/in.txt', '/etc/passwd', '..', '', '../sub', 'x'],
      ...['../link.bin', '../up/out.bin', '../sub/in.txt/', '..%2fsub', '../sub/in.txt\0', '.git/config'],
      'x'.repeat(9000),
    ];
    for (const path of paths.filter((one) => one !== '../sub/in.txt/')) {
      const answer = await client.get(id, path);
      assert.equal(answer.status, 404, path.slice(0, 40));
      assert.deepEqual(await answer.json(), { errorType: 'Exception' });
      assert.match(answer.headers.get('cache-control') ?? '', /no-store/);
    }
    assert.equal((await client.send('GET', id)).status, 404);
  });
});

test('a file that could run in a browser is sent as text', async (t) => {
  const { app, client } = await adasNotes(t);
  const { id } = await app.create({ title: 'n' });
  const files = [
    ['page.html', '<!doctype html><script>alert(1)</script>'],
    ['picture.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'],
    ['page.xhtml', '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>'],
  ] as const;
  for (const [name, text] of files) {
    const answer = await client.get(id, await client.stored(id, Buffer.from(text), name));
    assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8', name);
    assert.match(answer.headers.get('content-security-policy') ?? '', /sandbox/);
    assert.match(answer.headers.get('content-disposition') ?? '', /^attachment/);
  }
});

test('an upload is rejected', async (t) => {
  const { forge, ada, app, client } = await adasNotes(t, {
    settings: { lfsOwnerMib: '2', requireLfsObjects: 'true' },
  });
  const { id } = await app.create({ title: 'n' });
  const form = (field: string) => {
    const body = new FormData();
    body.append(field, new Blob([PICTURE]), 'a.png');
    return body;
  };
  const multipart = 'multipart/form-data; boundary=b';

  await t.test('without a file, or in a body that is no form, with 400', async () => {
    const bodies: [NonNullable<RequestInit['body']> | null, string?][] = [
      [form('image')],
      [null],
      ['{"file":"x"}', 'application/json'],
      ['file=x', 'application/x-www-form-urlencoded'],
      ['--b\r\nnonsense', multipart],
      ['x', 'multipart/form-data'],
      ['--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nno file name\r\n--b--\r\n', multipart],
      [
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\nno end of the form\r\n',
        multipart,
      ],
    ];
    for (const [body, type] of bodies) {
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
      const answer = await client.send('POST', id, { body, headers });
      assert.equal(answer.status, 400, String(type));
      assert.equal(await answer.text(), '[]');
    }
  });

  await t.test('for a missing note with 404, and for a path that is no version with 404', async () => {
    assert.equal((await client.upload(999_999, PICTURE)).status, 404);
    const old = await fetch(`${forge.url}${NOTES_API}/v1/attachment/${id}`, {
      method: 'POST',
      body: form('file'),
    });
    assert.equal(old.status, 401);
  });

  await t.test('above the room of its owner with 507, whatever its size', async () => {
    await client.stored(id, LARGE, 'one.bin');
    const full = await client.upload(id, LARGE, 'two.bin');
    assert.deepEqual([full.status, await full.json()], [507, { errorType: 'Exception' }]);
    assert.equal(full.headers.get('x-notes-api-versions'), '0.2, 1.4');
    assert.equal((await client.upload(id, Buffer.alloc(NOTE_LIMITS.attachmentInGitBytesMax))).status, 507);
    assert.equal((await client.upload(id, PICTURE)).status, 200);
  });

  await t.test('to a notebook that may only be read with 403, but reading goes on', async () => {
    const name = await client.stored(id, PICTURE);
    await ada.patch('/api/v1/repos/ada/Notes', { archived: true });
    const answer = await client.upload(id, PICTURE);
    assert.deepEqual([answer.status, await answer.json()], [403, { errorType: 'Exception' }]);
    assert.equal((await client.get(id, name)).status, 200);
  });
});

test('A4: attachments of one user do not exist for others, nor for weaker tokens', async (t) => {
  const { forge, ada, app, client } = await adasNotes(t);
  const { id } = await app.create({ title: 'n' });
  const name = await client.stored(id, PICTURE);
  const grace = await forge.account('grace');
  const hers = new AttachmentClient(forge, { token: grace.token });
  await new NotesApp(forge, grace).create({ title: 'own' });
  assert.equal((await hers.get(id, name)).status, 404);
  assert.equal((await hers.upload(id, PICTURE)).status, 404);
  const reader = new AttachmentClient(forge, { token: await ada.tokenFor(['read:repository']) });
  assert.equal((await reader.get(id, name)).status, 200);
  assert.equal((await reader.upload(id, PICTURE)).status, 403);
  const scopes = ['write:repository'];
  const json = { name: 'limited', scopes, repositories: ['ada/Notes'] };
  const as = { name: 'ada', password: ada.password };
  const made = await forge.send('POST', '/api/v1/users/ada/tokens', { as, json });
  const limited = new AttachmentClient(forge, { token: made.body.sha1 });
  const notesOnly = new AttachmentClient(forge, { token: await ada.tokenFor([...scopes, 'notes-only']) });
  for (const content of [PICTURE, LARGE]) {
    await limited.stored(id, content);
    await notesOnly.stored(id, content);
  }
  const without = new AttachmentClient(forge, { token: await ada.tokenFor(['read:user']) });
  assert.equal((await without.get(id, name)).status, 403);
});

test('a note whose text cannot be shown takes attachments', async (t) => {
  const { app, client } = await adasNotes(t);
  await app.create({ title: 'n' });
  const folder = await app.clone(t);
  await writeFile(join(folder, 'nul.md'), 'a\0b');
  await pushAll(folder);
  const note = (await app.byTitle()).get('nul');
  assert.ok(note?.readonly);
  assert.match(await client.stored(note.id, PICTURE), /\.png$/);
});
