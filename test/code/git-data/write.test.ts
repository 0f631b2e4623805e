import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { converse, statusesIn } from '../../http/exchange.ts';
import { startForge } from '../../support/forge/forge.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';
import { pushedRepository } from '../contents/files.ts';
import { file, named, ObjectMaker } from './made.ts';

const LOOM = '/api/v1/repos/ada/loom';
const MISSING = '1'.repeat(40);

/** A repository `loom` with two files, and functions that make objects in it. */
async function startLoom(t: TestContext, options: Record<string, unknown> = {}) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const pushed = await pushedRepository(t, ada, 'loom', { 'docs/plan.md': 'plan\n', 'old.txt': 'old\n' });
  if (Object.keys(options).length > 0) await ada.patch(LOOM, options);
  const oid = (name: string) => git(pushed.folder, ['rev-parse', name]);
  return { forge, ada, maker: new ObjectMaker(ada, 'ada/loom'), oid, ...pushed };
}

/** Fetches a commit that a new branch points to, and returns the folder. git checks every object. */
async function fetched(t: TestContext, { ada, maker }: Awaited<ReturnType<typeof startLoom>>, sha: string) {
  await maker.make('refs', { ref: 'refs/heads/made', sha });
  const folder = join(await temporaryFolder(t), 'clone');
  await git('/', ['clone', '-q', '-c', 'fetch.fsckObjects=true', ada.remote('ada/loom'), folder]);
  await git(folder, ['fsck', '--full', '--strict', '--no-dangling']);
  return folder;
}

test('blobs are made from text or base64, wherever the encoding is in the body', async (t) => {
  const { ada, maker } = await startLoom(t);
  const make = (body: string) =>
    ada.send('POST', `${maker.root}/blobs`, { body, headers: { 'content-type': 'application/json' } });
  const bytesOf = async (sha: string) =>
    Buffer.from((await ada.get(`${maker.root}/blobs/${sha}`)).body.content, 'base64');
  const bytes = Buffer.from([0, 255, 1, 254, 10]);

  const made = await make(`{"content":"${bytes.toString('base64')}","encoding":"base64"}`);
  const early = await make(`{"encoding":"base64","content":"${bytes.toString('base64')}"}`);
  const text = await make('{"content":"Größe \\ud83d\\ude00 \\u00e9\\n","encoding":"utf-8"}');
  const plain = await make('{"content":"QUJD"}');
  const empty = await make('{"content":""}');

  assert.deepEqual(
    [made.status, made.body],
    [
      201,
      {
        sha: made.body.sha,
        url: made.body.url,
      },
    ],
  );
  assert.match(made.body.url, new RegExp(`${maker.root}/blobs/${made.body.sha}$`));
  assert.deepEqual(await bytesOf(made.body.sha), bytes);
  assert.equal(early.body.sha, made.body.sha);
  assert.equal((await bytesOf(text.body.sha)).toString(), 'Größe 😀 é\n');
  assert.equal((await bytesOf(plain.body.sha)).toString(), 'QUJD');
  assert.equal(empty.body.sha, 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391');
  for (const [body, why] of [
    ['{"content":"a b","encoding":"base64"}', 'no base64'],
    ['{"content":"\\ud83d"}', 'half a character'],
    ['{"content":"a","encoding":"latin1"}', 'unknown encoding'],
    ['{"encoding":"utf-8"}', 'no content'],
    ['{"content":1}', 'a number'],
    ['{"content":"a"', 'no JSON'],
    ['[]', 'no object'],
  ] as const)
    assert.equal((await make(body)).status, 422, why);
  const invalid = Buffer.concat([Buffer.from('{"content":"'), Buffer.of(0xff), Buffer.from('"}')]);
  const answer = await ada.send('POST', `${maker.root}/blobs`, {
    body: invalid,
    headers: { 'content-type': 'application/json' },
  });
  assert.equal(answer.status, 422);
});

test('a blob larger than memory is made, and one beyond the limit is rejected', async (t) => {
  const { forge, ada, maker } = await startLoom(t);
  const content = Buffer.alloc(3 * 1024 * 1024, 'quire ');

  const sha = await maker.blob(content);

  const { body } = await ada.get(`${maker.root}/blobs/${sha}`);
  assert.ok(Buffer.from(body.content, 'base64').equals(content));
  const head = `POST ${maker.root}/blobs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: token ${ada.token}\r\nContent-Type: application/json\r\n`;
  const beyond = await converse(forge.url, `${head}Content-Length: ${200 * 1024 * 1024}\r\n\r\n{`);
  assert.deepEqual(statusesIn(beyond), [413]);
});

test('a commit with all kinds of entries is what git itself makes of them', async (t) => {
  const started = await startLoom(t);
  const { maker, folder: origin, oid } = started;
  const docs = await oid('main:docs');
  const old = await oid('main:old.txt');

  const made = await maker.make('trees', {
    tree: [
      file('a/b/c.txt', 'deep\n'),
      named('run.sh', await maker.blob('#!/bin/sh\n'), '100755'),
      file('link', 'a/b/c.txt', '120000'),
      { ...named('sub', MISSING, '160000'), type: 'commit' },
      { ...named('docs', docs, '040000'), type: 'tree' },
      { ...named('a.txt', old), type: 'blob' },
    ],
  });
  const sha = await maker.commit(made.sha, [await oid('main')], 'All kinds\n');

  const clone = await fetched(t, started, sha);
  await git(clone, ['read-tree', '--empty']);
  for (const [mode, object, path] of [
    ['100644', await git(clone, ['hash-object', '-w', '--stdin'], { input: 'deep\n' }), 'a/b/c.txt'],
    ['100755', await git(clone, ['hash-object', '-w', '--stdin'], { input: '#!/bin/sh\n' }), 'run.sh'],
    ['120000', await git(clone, ['hash-object', '-w', '--stdin'], { input: 'a/b/c.txt' }), 'link'],
    ['160000', MISSING, 'sub'],
    ['100644', old, 'a.txt'],
  ])
    await git(clone, ['update-index', '--add', '--cacheinfo', `${mode},${object},${path}`]);
  await git(clone, ['read-tree', '--prefix=docs/', docs]);
  assert.equal(made.sha, await git(clone, ['write-tree']));
  assert.equal(await git(clone, ['log', '-1', '--format=%B', sha]), 'All kinds\n');
  assert.equal(await git(clone, ['rev-parse', `${sha}^`]), await git(origin, ['rev-parse', 'main']));
  const paths = made.tree.map(({ path, type }: { path: string; type: string }) => `${type} ${path}`);
  assert.deepEqual(paths, ['blob a.txt', 'tree a', 'tree docs', 'blob link', 'blob run.sh', 'commit sub']);
  assert.deepEqual([made.truncated, made.total_count], [false, 6]);
});

test('a tree starts from another tree or from a commit, and entries without an object are removed', async (t) => {
  const { ada, maker, oid } = await startLoom(t);
  const whole = async (sha: string) =>
    (await ada.get(`${maker.root}/trees/${sha}?recursive=1`)).body.tree.map(
      ({ path }: { path: string }) => path,
    );
  const base = await oid('main^{tree}');

  const added = await maker.tree([file('docs/more/new.md', 'new\n')], base);
  const fromCommit = await maker.tree([file('docs/more/new.md', 'new\n')], await oid('main'));
  const removed = await maker.tree([named('docs/plan.md', null), { path: 'old.txt', sha: null }], added);
  const replaced = await maker.tree([named('docs', null), file('docs', 'a file\n')], base);
  const folderForFile = await maker.tree([named('old.txt', await oid('main:docs'), '040000')], base);
  const overFolder = await maker.tree([file('docs', 'a file\n')], base);
  const none = await maker.tree([named('docs', null), named('old.txt', null)], base);

  assert.deepEqual(await whole(added), ['docs', 'docs/more', 'docs/more/new.md', 'docs/plan.md', 'old.txt']);
  assert.equal(fromCommit, added);
  assert.deepEqual(await whole(removed), ['docs', 'docs/more', 'docs/more/new.md']);
  assert.deepEqual(await whole(replaced), ['docs', 'old.txt']);
  assert.equal(overFolder, replaced);
  assert.deepEqual(await whole(folderForFile), ['docs', 'docs/plan.md', 'old.txt', 'old.txt/plan.md']);
  assert.equal(none, '4b825dc642cb6eb9a060e54bf8d69288fbee4904');
  assert.deepEqual(await whole(none), []);
});

test('C2: a tree takes no path that leaves it or that a file system could read as .git', async (t) => {
  const { ada, maker, oid } = await startLoom(t);
  const blob = await oid('main:old.txt');
  const base = await oid('main');
  const status = async (body: unknown) => (await ada.post(`${maker.root}/trees`, body)).status;
  const hostile = [
    ...[
      '',
      '/a',
      'a/',
      'a//b',
      '.',
      '..',
      'a/../b',
      '.git',
      '.GIT/config',
      'a/.git/hooks/x',
      'git~1',
      '.git ',
    ],
    ...[
      '.g\u200cit',
      '.git::$INDEX_ALLOCATION',
      'a\\b',
      'a\u0000b',
      'a\nb',
      'x'.repeat(256),
      `${'a/'.repeat(2100)}b`,
    ],
  ];
  for (const path of hostile) {
    assert.equal(await status({ tree: [file(path, 'x')] }), 422, JSON.stringify(path));
    assert.equal(await status({ tree: [named(path, blob)], base_tree: base }), 422, JSON.stringify(path));
  }
});

test('trees with bad modes, ids and combinations are rejected', async (t) => {
  const { ada, maker, oid } = await startLoom(t);
  const blob = await oid('main:old.txt');
  const base = await oid('main');
  const status = async (body: unknown) => (await ada.post(`${maker.root}/trees`, body)).status;
  const cases: readonly [string, unknown][] = [
    ['no entries', { tree: [] }],
    ['no tree', { base_tree: base }],
    ['an unknown mode', { tree: [named('a', blob, '100600')] }],
    ['no mode', { tree: [{ path: 'a', sha: blob }] }],
    ['neither object nor content', { tree: [{ path: 'a', mode: '100644' }] }],
    ['both object and content', { tree: [{ path: 'a', mode: '100644', sha: blob, content: 'x' }] }],
    ['null and content', { tree: [{ path: 'a', mode: '100644', sha: null, content: 'x' }] }],
    ['content of a folder', { tree: [file('a', 'x', '040000')] }],
    ['content of a submodule', { tree: [file('a', 'x', '160000')] }],
    ['another type', { tree: [{ ...named('a', blob), type: 'tree' }] }],
    ['a missing object', { tree: [named('a', MISSING)] }],
    ['a short id', { tree: [named('a', blob.slice(0, 8))] }],
    ['a tree as a file', { tree: [named('a', await oid('main:docs'))] }],
    ['a file as a tree', { tree: [named('a', blob, '040000')] }],
    ['a missing base', { tree: [file('a', 'x')], base_tree: MISSING }],
    ['a name as base', { tree: [file('a', 'x')], base_tree: 'main' }],
    ['a short id as base', { tree: [file('a', 'x')], base_tree: base.slice(0, 8) }],
    ['a file as base', { tree: [file('a', 'x')], base_tree: blob }],
    ['a path twice', { tree: [file('a', 'x'), file('a', 'y')] }],
    ['a file and a folder of one name', { tree: [file('a/b', 'x'), file('a', 'y')] }],
    ['a file below a file', { tree: [file('a', 'x'), file('a/b', 'y')] }],
    ['a file below a file of the base', { tree: [file('old.txt/x', 'y')], base_tree: base }],
    ['the removal of nothing', { tree: [named('nothing', null)], base_tree: base }],
    ['a submodule without an id', { tree: [named('a', 'x', '160000')] }],
    ['too many entries', { tree: Array.from({ length: 10_001 }, (_, at) => named(`${at}`, blob)) }],
    ['too many contents', { tree: Array.from({ length: 1_001 }, (_, at) => file(`${at}`, '')) }],
    ['half a character', { tree: [file('a', '\ud83d')] }],
  ];
  for (const [why, body] of cases) assert.equal(await status(body), 422, why);
});

test('C3: no entry of a tree goes below a symlink, old or new', async (t) => {
  const { ada, maker } = await startLoom(t);
  const link = file('link', '/etc', '120000');
  const base = await maker.tree([link]);
  const status = async (body: unknown) => (await ada.post(`${maker.root}/trees`, body)).status;

  assert.equal(await status({ tree: [link, file('link/passwd', 'x')] }), 422);
  assert.equal(await status({ tree: [file('link/passwd', 'x')], base_tree: base }), 422);
  assert.equal(await status({ tree: [named('link/passwd', null)], base_tree: base }), 422);
});

test('D4: files that git itself reads are checked as in a push, with content or by id', async (t) => {
  const { ada, maker } = await startLoom(t);
  const post = (tree: unknown) => ada.post(`${maker.root}/trees`, { tree });
  const hostile = '[submodule "../../x"]\n\tpath = a\n\turl = -u./payload\n';
  const blob = await maker.blob(hostile);

  for (const entry of [
    file('.gitmodules', hostile),
    named('.gitmodules', blob),
    file('sub/.GITMODULES', hostile),
    named('gitmod~1', blob),
    file('.gitmodules', 'elsewhere', '120000'),
  ])
    assert.equal((await post([entry])).status, 422, entry.path);
  const good = await post([file('.gitmodules', '[submodule "a"]\n\tpath = a\n\turl = ../a\n')]);
  assert.equal(good.status, 201, good.text);
});

test('commits have the given people, dates and parents, or the caller and now', async (t) => {
  const started = await startLoom(t);
  const { ada, maker, oid } = started;
  const [tree, parent] = [await oid('main^{tree}'), await oid('main')];
  const author = { name: 'Grace', email: 'grace@example.org', date: '2020-01-02T03:04:05+05:30' };
  const before = Math.floor(Date.now() / 1000) * 1000;

  const given = await maker.make('commits', {
    message: 'Given',
    tree,
    parents: [parent],
    author,
    committer: { name: 'Lin', email: 'lin@example.org', date: '2021-01-02T03:04:05Z' },
  });
  const onlyAuthor = await maker.make('commits', { message: 'Author', tree, author });
  const own = await maker.make('commits', { message: 'Own', tree, parents: [parent, given.sha] });

  assert.deepEqual(
    [
      given.author,
      given.committer,
      given.message,
      given.tree.sha,
      given.parents.map((each: { sha: string }) => each.sha),
    ],
    [
      { ...author, date: '2020-01-01T21:34:05Z' },
      { name: 'Lin', email: 'lin@example.org', date: '2021-01-02T03:04:05Z' },
      'Given',
      tree,
      [parent],
    ],
  );
  assert.deepEqual(onlyAuthor.committer, onlyAuthor.author);
  assert.deepEqual([own.author.name, own.author.email], ['ada', 'ada@example.org']);
  assert.ok(Date.parse(own.author.date) >= before);
  assert.equal(own.verification.verified, false);
  const read = (await ada.get(`${maker.root}/commits/${own.sha}`)).body;
  assert.deepEqual([read.message, read.tree.sha, read.parents.length], ['Own', tree, 2]);
  const clone = await fetched(t, started, given.sha);
  assert.equal(await git(clone, ['log', '-1', '--format=%ad', given.sha]), 'Thu Jan 2 03:04:05 2020 +0530');
});

test('a commit keeps a signature that verifies exactly what the caller signed', async (t) => {
  const started = await startLoom(t);
  const { maker, oid, ada } = started;
  const signature = '-----BEGIN PGP SIGNATURE-----\n\niQEzBAABCAAdFiEE\n=abcd\n-----END PGP SIGNATURE-----\n';
  const person = { name: 'Ada', email: 'ada@example.org', date: '2024-05-06T07:08:09+02:00' };
  const body = { message: 'Signed', tree: await oid('main^{tree}'), author: person, signature };

  const made = await maker.make('commits', body);

  const payload =
    `tree ${body.tree}\nauthor Ada <ada@example.org> 1714972089 +0200\n` +
    'committer Ada <ada@example.org> 1714972089 +0200\n\nSigned';
  assert.deepEqual([made.verification.signature, made.verification.payload], [signature, payload]);
  const clone = await fetched(t, started, made.sha);
  assert.match(
    await git(clone, ['cat-file', 'commit', made.sha]),
    /^gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ/m,
  );
  for (const bad of [
    'x',
    `${signature.slice(0, 40)}\0`,
    `-----BEGIN PGP SIGNATURE-----\n${'a'.repeat(70_000)}`,
  ])
    assert.equal((await ada.post(`${maker.root}/commits`, { ...body, signature: bad })).status, 422);
});

test('commits with bad ids, people, dates and messages are rejected', async (t) => {
  const { ada, maker, oid } = await startLoom(t);
  const tree = await oid('main^{tree}');
  const commit = await oid('main');
  const person = { name: 'Ada', email: 'ada@example.org' };
  const cases: readonly [string, unknown][] = [
    ['no message', { tree }],
    ['an empty message', { message: '', tree }],
    ['NUL in the message', { message: 'a\0b', tree }],
    ['no tree', { message: 'm' }],
    ['a missing tree', { message: 'm', tree: MISSING }],
    ['a commit as tree', { message: 'm', tree: commit }],
    ['a branch as tree', { message: 'm', tree: 'main' }],
    ['a missing parent', { message: 'm', tree, parents: [MISSING] }],
    ['a tree as parent', { message: 'm', tree, parents: [tree] }],
    ['too many parents', { message: 'm', tree, parents: Array(101).fill(commit) }],
    ['a person without a name', { message: 'm', tree, author: { email: 'a@example.org' } }],
    ['a bad date', { message: 'm', tree, author: { ...person, date: 'yesterday' } }],
    ['a date before 1970', { message: 'm', tree, author: { ...person, date: '1960-01-01T00:00:00Z' } }],
    ['a name of nothing', { message: 'm', tree, author: { name: '<>', email: '<>' } }],
  ];
  for (const [why, body] of cases)
    assert.equal((await ada.post(`${maker.root}/commits`, body)).status, 422, why);
  const forged = await maker.make('commits', {
    message: 'm',
    tree,
    author: { name: 'Ada\nparent 1', email: 'a@b\ngpgsig x' },
  });
  assert.deepEqual([forged.author.name, forged.parents], ['Adaparent 1', []]);
});

test('objects of a repository with 64-digit ids are made in its own format', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', { object_format_name: 'sha256' });
  const maker = new ObjectMaker(ada, 'ada/loom');

  const sha = await maker.commitOf('a.txt', 'a\n');
  await maker.make('refs', { ref: 'refs/heads/main', sha });

  assert.equal(sha.length, 64);
  assert.equal((await ada.get(`${LOOM}/contents/a.txt`)).body.size, 2);
  const short = await ada.post(`${maker.root}/trees`, { tree: [named('a', '1'.repeat(40))] });
  assert.equal(short.status, 422);
});

test('an annotated tag is made for any object, and needs a ref of its own', async (t) => {
  const started = await startLoom(t);
  const { ada, maker, oid } = started;
  const commit = await oid('main');

  const made = await maker.make('tags', {
    tag: 'v1',
    message: 'First\n',
    object: commit,
    type: 'commit',
    tagger: { name: 'Grace', email: 'grace@example.org', date: '2020-01-02T03:04:05Z' },
  });
  assert.deepEqual(
    [made.tag, made.message, made.object.sha, made.object.type, made.tagger.date],
    ['v1', 'First\n', commit, 'commit', '2020-01-02T03:04:05Z'],
  );
  assert.deepEqual((await ada.get(`${maker.root}/tags/${made.sha}`)).body, made);
  assert.equal((await ada.get(`${LOOM}/tags/v1`)).status, 404);
  await maker.make('refs', { ref: 'refs/tags/v1', sha: made.sha });
  assert.equal((await ada.get(`${LOOM}/tags/v1`)).body.commit.sha, commit);
  const nested = await maker.make('tags', { tag: 'v2', message: 'm', object: made.sha, type: 'tag' });
  assert.equal(nested.object.type, 'tag');
  const good = { tag: 'v3', message: 'm', object: commit };
  for (const [why, body] of [
    ['a missing object', { ...good, object: MISSING }],
    ['another type', { ...good, type: 'tree' }],
    ['an unknown type', { ...good, type: 'branch' }],
    ['a bad name', { ...good, tag: 'a..b' }],
    ['no name', { message: 'm', object: commit }],
    ['NUL in the message', { ...good, message: '\0' }],
  ] as const)
    assert.equal((await ada.post(`${maker.root}/tags`, body)).status, 422, why);
});

test('archived repositories take no objects, and readers may not write any', async (t) => {
  const { forge, ada, maker, oid } = await startLoom(t);
  const grace = await forge.account('grace');
  const bodies: Record<string, unknown> = {
    blobs: { content: 'x' },
    trees: { tree: [file('a', 'x')] },
    commits: { message: 'm', tree: await oid('main^{tree}') },
    tags: { tag: 'v1', message: 'm', object: await oid('main') },
    refs: { ref: 'refs/heads/x', sha: await oid('main') },
  };
  const statuses = async (send: (url: string, json: unknown) => Promise<{ status: number }>) => {
    const all = Object.entries(bodies).map(
      async ([kind, json]) => (await send(`${maker.root}/${kind}`, json)).status,
    );
    return [...new Set(await Promise.all(all))];
  };
  const post = (url: string, json: unknown) => ada.post(url, json);

  assert.deepEqual(await statuses((url, json) => grace.post(url, json)), [403]);
  assert.deepEqual(await statuses((url, json) => forge.send('POST', url, { json })), [401]);
  await ada.patch(LOOM, { private: true });
  assert.deepEqual(await statuses((url, json) => grace.post(url, json)), [404]);
  await ada.patch(LOOM, { archived: true });
  assert.deepEqual(await statuses(post), [423]);
  await ada.patch(LOOM, { archived: false });
  const moved = await statuses(post);
  assert.deepEqual(moved, [201]);
});

test('objects of another repository are missing here, with the same answer as ids of nothing', async (t) => {
  const { forge, ada, maker } = await startLoom(t);
  const grace = await forge.account('grace');
  await grace.repository('secret', { private: true, auto_init: true });
  const foreign = new ObjectMaker(grace, 'grace/secret');
  const blob = await foreign.blob('a secret\n');
  const answerFor = async (sha: string) => {
    const { status, body } = await ada.post(`${maker.root}/trees`, { tree: [named('a', sha)] });
    return [status, body.message.replace(sha, 'ID')];
  };

  assert.deepEqual(await answerFor(blob), await answerFor(MISSING));
  assert.equal((await ada.get(`${maker.root}/blobs/${blob}`)).status, 404);
  assert.equal((await ada.post(`${maker.root}/refs`, { ref: 'refs/x/y', sha: blob })).status, 422);
});
