import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { startForge } from '../../support/forge/forge.ts';
import { commitAll, git } from '../../support/git/git.ts';
import { pushedRepository, rawOf, writeFiles } from './files.ts';

// Runs once: no outcome depends on the database.

const PNG = Buffer.concat([
  Buffer.from('89504e470d0a1a0a0000000d494844520000000100000001080000000000000000', 'hex'),
  deflateSync(Buffer.from([0, 0])),
]);

async function bytesAt(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ response: Response; bytes: Buffer }> {
  const response = await fetch(url, { headers });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

test('the raw route returns the bytes of a file and headers that describe it', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder } = await pushedRepository(t, ada, 'engine', { 'docs/pläne.md': '# Plan\n' });
  const seconds = Number(await git(folder, ['log', '-1', '--format=%ct']));

  const answer = await forge.get(rawOf('ada/engine', 'docs/pläne.md'));

  assert.equal(answer.status, 200);
  assert.equal(answer.text, '# Plan\n');
  const headers = Object.fromEntries(answer.headers);
  assert.equal(headers['content-type'], 'text/plain; charset=utf-8');
  assert.equal(headers['content-length'], '7');
  assert.equal(headers.etag, '"14fba09b2e543cace2d9b291ea4e9e8a648725fe"');
  assert.equal(headers['last-modified'], new Date(seconds * 1000).toUTCString());
  assert.equal(headers['cache-control'], 'private, max-age=300');
  assert.equal(headers['accept-ranges'], 'bytes');
  assert.equal(headers['content-disposition'], `inline; filename="pl?ne.md"; filename*=UTF-8''pl%C3%A4ne.md`);
  assert.equal(headers['access-control-expose-headers'], 'Content-Disposition');
  assert.equal(headers['x-gitea-object-type'], 'file');
  assert.equal(headers['x-forgejo-object-type'], 'file');
});

test('the raw content of a symlink is its target path', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder, push } = await pushedRepository(t, ada, 'engine', { 'a.txt': 'x' });
  await symlink('/etc/passwd', join(folder, 'link'));
  await commitAll(folder, 'A link');
  await push('main');

  const answer = await forge.get(rawOf('ada/engine', 'link'));

  assert.equal(answer.text, '/etc/passwd');
  assert.equal(answer.headers.get('x-gitea-object-type'), 'symlink');
  assert.equal(answer.headers.get('x-forgejo-object-type'), 'symlink');
});

test('the raw content is that of the requested ref', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder, commit, push } = await pushedRepository(t, ada, 'engine', { version: 'one' });
  await git(folder, ['tag', '-a', '-m', 'First', 'v1']);
  await writeFiles(folder, { version: 'two' });
  await commitAll(folder, 'Second');
  await push('main', 'v1');
  const read = async (query: string) => (await forge.get(`${rawOf('ada/engine', 'version')}${query}`)).text;

  assert.equal(await read(''), 'two');
  assert.equal(await read('?ref='), 'two');
  assert.equal(await read('?ref=v1'), 'one');
  assert.equal(await read(`?ref=${commit}`), 'one');
  assert.equal(await read(`?ref=${commit.slice(0, 8)}`), 'one');
  assert.equal(await read('?ref=main&ref=v1'), 'two');
});

test('a path may begin with a branch, a tag or the full id of a commit, unless the default branch has that path', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder, commit, push } = await pushedRepository(t, ada, 'engine', {
    'docs/a': 'one',
    'taken/docs/a': 'of main',
  });
  await git(folder, ['tag', '-am', 'First', 'v1']);
  for (const branch of ['feature/x', 'taken', 'docs']) await git(folder, ['branch', branch]);
  await writeFiles(folder, { 'docs/a': 'two' });
  await commitAll(folder, 'Second');
  await push('main', 'v1', 'feature/x', 'taken', 'docs');
  const expected: [path: string, text: string][] = [
    ['docs/a', 'two'],
    ['main/docs/a', 'two'],
    ['v1/docs/a', 'one'],
    ['feature/x/docs/a', 'one'],
    [`${commit}/docs/a`, 'one'],
    ['taken/docs/a', 'of main'],
    ['docs/docs/a', 'one'],
    ['v1/docs/a?ref=', 'one'],
  ];
  for (const route of ['raw', 'media'])
    for (const [path, text] of expected)
      assert.equal((await forge.get(`/api/v1/repos/ada/engine/${route}/${path}`)).text, text, path);
  for (const path of ['v1', 'v1/', 'v1/no', 'v1/docs', `${commit.slice(0, 9)}/docs/a`, 'v1/docs/a?ref=main'])
    assert.equal((await forge.get(`/api/v1/repos/ada/engine/raw/${path}`)).status, 404, path);
});

test('a path that is neither a file nor a link has no raw content', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder, push } = await pushedRepository(t, ada, 'engine', { 'docs/plan.md': 'x' });
  await git(folder, ['update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},lib`]);
  await git(folder, ['commit', '-q', '-m', 'A submodule']);
  await push('main');

  for (const path of ['docs', 'docs/', 'lib', 'nope', 'docs/plan.md/x', '', 'docs/plan.md?ref=nope'])
    assert.equal((await forge.get(`/api/v1/repos/ada/engine/raw/${path}`)).status, 404, path);
});

/** Creates a repository with a small, a large and an empty file. `get` requests a range of one of them. */
async function repositoryOfSizes(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const large = Buffer.alloc(3 * 1024 * 1024);
  for (let at = 0; at < large.length; at += 4) large.writeUInt32LE(at, at);
  await pushedRepository(t, ada, 'engine', { small: '0123456789', large, empty: '' });
  const get = (range: string | undefined, path = 'small') =>
    bytesAt(`${forge.url}${rawOf('ada/engine', path)}`, range === undefined ? {} : { range });
  return { large, get };
}

test('ranges of a raw file', async (t) => {
  const { large, get } = await repositoryOfSizes(t);

  await t.test('a single range returns only its bytes', async () => {
    for (const [range, expected, contentRange] of [
      ['bytes=0-3', '0123', 'bytes 0-3/10'],
      ['bytes=4-4', '4', 'bytes 4-4/10'],
      ['bytes=7-', '789', 'bytes 7-9/10'],
      ['bytes=7-999', '789', 'bytes 7-9/10'],
      ['bytes=-2', '89', 'bytes 8-9/10'],
      ['bytes=-99', '0123456789', 'bytes 0-9/10'],
    ] as const) {
      const { response, bytes } = await get(range);
      assert.deepEqual([response.status, bytes.toString()], [206, expected], range);
      assert.equal(response.headers.get('content-range'), contentRange, range);
      assert.equal(response.headers.get('content-length'), String(expected.length), range);
    }
  });

  await t.test('several ranges, or an invalid one, return the whole file', async () => {
    for (const range of ['bytes=0-1,3-4', 'bytes=5-2', 'bytes=-', 'bytes=a-b', 'lines=0-1', 'bytes 0-1']) {
      const { response, bytes } = await get(range);
      assert.deepEqual([response.status, bytes.toString()], [200, '0123456789'], range);
    }
  });

  await t.test('a range outside the file returns 416 with the size of the file', async () => {
    for (const [range, path, size] of [
      ['bytes=10-', 'small', 10],
      ['bytes=99999999999999999999-', 'small', 10],
      ['bytes=-0', 'small', 10],
      ['bytes=0-', 'empty', 0],
    ] as const) {
      const { response, bytes } = await get(range, path);
      assert.deepEqual([response.status, bytes.length], [416, 0], range);
      assert.equal(response.headers.get('content-range'), `bytes */${size}`, range);
    }
  });

  await t.test('a streamed file returns exactly the requested bytes', async () => {
    for (const [from, to] of [
      [0, 0],
      [65_530, 65_600],
      [1_048_570, 2_097_160],
      [3_145_727, 3_145_727],
    ] as const) {
      const { response, bytes } = await get(`bytes=${from}-${to}`, 'large');
      assert.equal(response.status, 206);
      assert.ok(bytes.equals(large.subarray(from, to + 1)), `${from}-${to}`);
    }
    assert.ok((await get(undefined, 'large')).bytes.equals(large));
  });
});

test('a range of a stale version returns the whole file', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await pushedRepository(t, ada, 'engine', { small: '0123456789' });
  const url = rawOf('ada/engine', 'small');
  const etag = (await forge.get(url)).headers.get('etag') ?? '';
  const get = (ifRange: string) => forge.get(url, { headers: { range: 'bytes=0-1', 'if-range': ifRange } });

  assert.deepEqual([(await get(etag)).status, (await get(etag)).text], [206, '01']);
  for (const other of ['"other"', `W/${etag}`]) assert.equal((await get(other)).text, '0123456789', other);
});

test("a request for the caller's current version returns 304", async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await pushedRepository(t, ada, 'engine', { small: 'x' });
  const url = rawOf('ada/engine', 'small');
  const first = await forge.get(url);
  const etag = first.headers.get('etag') ?? '';
  const modified = first.headers.get('last-modified') ?? '';
  const status = async (headers: Record<string, string>) => (await forge.get(url, { headers })).status;

  assert.equal(await status({ 'if-none-match': etag }), 304);
  assert.equal(await status({ 'if-none-match': `"a", W/${etag}` }), 304);
  assert.equal(await status({ 'if-modified-since': modified }), 304);
  assert.equal(
    await status({ 'if-modified-since': new Date(Date.parse(modified) - 1000).toUTCString() }),
    200,
  );
  assert.equal(await status({ 'if-modified-since': 'yesterday' }), 200);
  assert.equal(
    await status({ 'if-none-match': '"other"', 'if-modified-since': modified }),
    200,
    'a tag in the request overrides its date',
  );
});

test('HEAD returns the size and type of the whole file and ignores ranges', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await pushedRepository(t, ada, 'engine', { 'a.png': PNG, 'large.txt': 'x'.repeat(2 * 1024 * 1024) });

  const image = await forge.send('HEAD', rawOf('ada/engine', 'a.png'));
  const large = await forge.send('HEAD', rawOf('ada/engine', 'large.txt'), {
    headers: { range: 'bytes=0-1' },
  });
  const missing = await forge.send('HEAD', rawOf('ada/engine', 'nope'));

  assert.deepEqual(
    [image.status, image.headers.get('content-type'), image.headers.get('content-length')],
    [200, 'image/png', String(PNG.length)],
  );
  assert.deepEqual(
    [large.status, large.headers.get('content-type'), large.headers.get('content-length'), large.text],
    [200, 'text/plain; charset=utf-8', String(2 * 1024 * 1024), ''],
  );
  assert.equal(missing.status, 404);
});

test('the content determines the type; a type that browsers do not display is application/octet-stream', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const types: [path: string, content: string | Uint8Array, type: string][] = [
    ['a.txt', 'text', 'text/plain; charset=utf-8'],
    ['utf8.bin', 'é'.repeat(5000), 'text/plain; charset=utf-8'],
    ['empty', '', 'text/plain; charset=utf-8'],
    ['picture.txt', PNG, 'image/png'],
    ['a.pdf', Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.from([0xe2, 0xe3, 0, 1])]), 'application/pdf'],
    ['text.pdf', '%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n', 'application/pdf'],
    ['utf16le', Buffer.from('\ufeffHällo', 'utf16le'), 'text/plain; charset=utf-16le'],
    ['utf16be', Buffer.from('\ufeffHällo', 'utf16le').swap16(), 'text/plain; charset=utf-16be'],
    [
      'latin1',
      Buffer.from('Grüße aus München, schöne Straßen', 'latin1'),
      'text/plain; charset=windows-1252',
    ],
    ['short', Buffer.from('caf\xe9', 'latin1'), 'text/plain; charset=windows-1252'],
    [
      'sjis',
      Buffer.from('93fa967b8cea82c582b781428a428a428ae8906c82cc'.repeat(3), 'hex'),
      'text/plain; charset=shift_jis',
    ],
    [
      'euckr',
      Buffer.from('bec8b3e7c7cfbcbcbfe420bfecb8aeb4c220c7d1b1b9c0cec0d4b4cfb4d9'.repeat(3), 'hex'),
      'text/plain; charset=euc-kr',
    ],
    ['control', Buffer.from('caf\xe9\x01', 'latin1'), 'application/octet-stream'],
    ['a.zip', Buffer.from('504b0304140000000000', 'hex'), 'application/octet-stream'],
    ['noise', Buffer.from([0, 1, 2, 255]), 'application/octet-stream'],
  ];
  await pushedRepository(
    t,
    ada,
    'engine',
    Object.fromEntries(types.map(([path, content]) => [path, content])),
  );

  for (const [path, content, type] of types) {
    const { response, bytes } = await bytesAt(`${forge.url}${rawOf('ada/engine', path)}`);
    assert.equal(response.headers.get('content-type'), type, path);
    assert.ok(bytes.equals(Buffer.from(content)), path);
  }
});

test('F1: no raw file has a type that runs in a browser, and every raw response is sandboxed', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const script = '<script>alert(document.domain)</script>';
  const files = {
    'a.html': `<!doctype html>${script}`,
    'a.xhtml': `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">${script}</html>`,
    'a.svg': `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`,
    'prolog.svg': `<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`,
    'a.js': 'alert(1)',
    'a.css': '@import "x"',
    'utf16.html': Buffer.from(`\ufeff<!doctype html>${script}`, 'utf16le'),
    'a.pdf': `%PDF-1.7\n\u0000${script}`,
  };
  await pushedRepository(t, ada, 'engine', files);

  for (const path of Object.keys(files)) {
    const { headers } = await forge.get(rawOf('ada/engine', path));
    assert.match(
      headers.get('content-type') ?? '',
      /^(?:text\/plain; charset=utf-(?:8|16le)|application\/(?:octet-stream|pdf)|image\/svg\+xml)$/,
      path,
    );
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/, path);
    assert.match(policy, /sandbox(?:;|$)/, path);
    assert.doesNotMatch(policy, /allow-scripts|allow-same-origin/, path);
  }
});

test('a picture in SVG has its type, so that pages show it; other XML is text', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>';
  const pictures = [
    svg,
    ` \n<SVG >`,
    `\ufeff<?xml version="1.0" encoding="UTF-8"?>\n<!-- Made by hand --><!DOCTYPE svg PUBLIC "x" "y">${svg}`,
  ];
  const others = [
    `<html>${svg}</html>`,
    `text ${svg}`,
    '<svgs/>',
    `<!-- ${svg}`,
    `<?xml version="1.0"?><a/>`,
  ];
  const files = [...pictures, ...others].map((content, index) => [`${index}`, content]);
  await pushedRepository(t, ada, 'engine', Object.fromEntries(files));

  for (const [name = ''] of files) {
    const { headers } = await forge.get(rawOf('ada/engine', name));
    const type = Number(name) < pictures.length ? 'image/svg+xml' : 'text/plain; charset=utf-8';
    assert.equal(headers.get('content-type'), type, name);
    assert.match(headers.get('content-security-policy') ?? '', /sandbox$/);
  }
});

test('F6: a file name that would break a header is encoded', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const names = ['a\r\nSet-Cookie: x=1', 'quote"; filename=evil.exe', 'back\\slash', '日本.txt', '%0d%0a'];
  await pushedRepository(t, ada, 'engine', Object.fromEntries(names.map((name) => [name, 'x'])));

  for (const name of names) {
    const { status, headers } = await forge.get(rawOf('ada/engine', name));
    assert.equal(status, 200, name);
    assert.equal(headers.get('set-cookie'), null);
    const disposition = headers.get('content-disposition') ?? '';
    assert.match(
      disposition,
      /^inline; filename="(?:[^"\\]|\\.)*"; filename\*=UTF-8''[\w.%!#$&+^`|~-]+$/,
      name,
    );
  }
});
