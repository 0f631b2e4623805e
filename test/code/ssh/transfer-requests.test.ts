import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { SSH_LIMITS } from '../../../src/code/ssh/limits.ts';
import { pktLine } from '../../../src/git/format/pkt-line.ts';
import { download, objectOf, storedFiles, type TestObject, upload } from '../../hosting/lfs/objects.ts';
import { limit } from '../../hosting/quota/groups.ts';
import type { TestForge, TestForgeOptions } from '../../support/forge/forge.ts';
import { until } from '../../support/until.ts';
import { addKey, newKeyFile, ssh, startEngine } from './ssh-stage.ts';
import { DELIMITER, FLUSH, requestOf, TransferClient } from './transfer-client.ts';

const MISSING = 'f'.repeat(64);

async function stage(t: TestContext, operation: 'upload' | 'download', options?: TestForgeOptions) {
  const engine = await startEngine(t, options, { private: true });
  return { ...engine, session: await TransferClient.start(t, engine, operation) };
}

/** Whether a repository has an object, or the server a file of it. */
async function traces(forge: TestForge, object: TestObject): Promise<readonly string[]> {
  const { reader } = forge.forge.running.services.database;
  const links = await reader.selectFrom('lfs_links').selectAll().execute();
  return [...storedFiles(forge, object), ...links.map(() => 'link')];
}

test('a session takes a version, transfers objects, and quits', async (t) => {
  const { forge, ada, key, session } = await stage(t, 'upload');
  assert.equal((await session.ask('version 2')).status, 400);
  assert.equal((await session.ask('version 1')).status, 200);
  const content = randomBytes(300_000);
  const { oid, size } = objectOf(content);
  const wanted = await session.ask(
    'batch',
    ['transfer=ssh', 'refname=refs/heads/main', 'other'],
    [`${oid} ${size} other=x`],
  );
  assert.equal(wanted.status, 200);
  assert.deepEqual(wanted.options, { 'hash-algo': 'sha256' });
  assert.deepEqual(wanted.lines, [`${oid} ${size} upload`]);
  assert.equal((await session.ask(`verify-object ${oid}`, [`size=${size}`])).status, 404);
  const pieces = [0, 65_000, 65_001, 130_000, 195_000, 260_000].map((at, index, all) =>
    content.subarray(at, all[index + 1]),
  );
  assert.equal((await session.ask(`put-object ${oid}`, [`size=${size}`], pieces)).status, 200);
  assert.equal((await session.ask(`verify-object ${oid}`, [`size=${size}`])).status, 200);
  assert.equal((await session.ask(`verify-object ${oid} ${size}`)).status, 200);
  assert.equal((await session.ask(`verify-object ${oid}`, [`size=${size + 1}`])).status, 404);
  const again = await session.ask('batch', [], [`${oid} ${size}`]);
  assert.deepEqual(again.lines, [`${oid} ${size} noop`]);
  assert.equal((await session.ask('quit')).status, 200);
  assert.equal((await session.ended()).code, 0);

  const reading = await TransferClient.start(t, { forge, key }, 'download');
  const offered = await reading.ask('batch', [], [`${oid} ${size}`]);
  assert.deepEqual(offered.lines, [`${oid} ${size} download`]);
  const got = await reading.ask(`get-object ${oid}`, [`size=${size}`]);
  assert.equal(got.status, 200);
  assert.equal(got.options.size, String(size));
  assert.ok(got.bytes.equals(content));
  assert.equal((await download(ada, 'ada/engine', { oid, size }))?.status, 200, 'HTTP has it, too');
  reading.channel.end();
  assert.equal((await reading.ended()).code, 0);
});

test('an empty object is stored and sent', async (t) => {
  const { forge, key, session } = await stage(t, 'upload');
  const { oid } = objectOf('');
  assert.equal((await session.ask(`put-object ${oid}`, ['size=0'], [])).status, 200);
  const reading = await TransferClient.start(t, { forge, key }, 'download');
  const got = await reading.ask(`get-object ${oid}`, ['size=0']);
  assert.deepEqual([got.status, got.bytes.length], [200, 0]);
});

test('C6: an object with another size or content than announced is rejected and leaves nothing', async (t) => {
  const { forge, session } = await stage(t, 'upload');
  const object = objectOf('content');
  const { oid } = object;
  const put = async (id: string, options: readonly string[], content?: readonly Buffer[]) => {
    const { status, lines } = await session.ask(`put-object ${id}`, options, content);
    return `${status} ${lines.join()}`;
  };
  const bytes = [Buffer.from('content')];
  for (const [answer, expected] of [
    [await put(oid, ['size=7'], [Buffer.from('another')]), /^422 .*another SHA-256 than announced/],
    [await put(oid, ['size=7'], [Buffer.from('content!')]), /^422 .*more than 7 bytes/],
    [await put(oid, ['size=7'], [Buffer.from('conten')]), /^422 .*6 bytes instead of 7/],
    [await put(oid, ['size=7']), /^422 .*0 bytes instead of 7/],
    [await put(oid, ['size=x'], bytes), /^422 the size must be/],
    [await put(oid, ['size=-1'], bytes), /^422 the size must be/],
    [await put(oid, [], bytes), /^400 the argument size is missing/],
    [await put(oid.toUpperCase(), ['size=7'], bytes), /^422 the object id must be 64/],
    [await put('../../etc/passwd', ['size=7'], bytes), /^422 the object id must be 64/],
    [await put('', ['size=7'], bytes), /^422 the object id must be 64/],
  ] as const)
    assert.match(answer, expected);
  assert.deepEqual(await traces(forge, object), []);
  assert.match(await put(oid, ['size=7'], bytes), /^200 /, 'the session continues');
});

test('a batch with a rejected object names it', async (t) => {
  const { session, forge, key } = await stage(t, 'upload', {
    settings: { lfsObjectMib: '1', lfsBatchObjects: '2' },
  });
  const batch = async (lines: readonly string[], client = session) => {
    const { status, lines: answers } = await client.ask('batch', [], lines);
    return `${status} ${answers.join()}`;
  };
  assert.match(
    await batch([`${MISSING} 1048577`]),
    new RegExp(`^422 object ${MISSING}: .*at most 1048576 bytes`),
  );
  assert.match(await batch(['short 1']), /^422 object short: the object id must be 64/);
  assert.match(await batch([MISSING]), /^422 the size must be/);
  assert.match(await batch([`${MISSING} 1x`]), /^422 the size must be/);
  assert.match(
    await batch(Array.from({ length: 3 }, () => `${MISSING} 1`)),
    /^413 a batch has at most 2 objects/,
  );
  assert.equal(await batch([]), '200 ');
  const other = await session.ask('batch', ['hash-algo=sha512'], []);
  assert.match(`${other.status} ${other.lines}`, /^422 the ids of objects are sha256/);
  const reading = await TransferClient.start(t, { forge, key }, 'download');
  assert.equal(await batch([`${MISSING} 1`], reading), `200 ${MISSING} 1 download`);
  const missing = await reading.ask(`get-object ${MISSING}`, ['size=1']);
  assert.deepEqual([missing.status, missing.lines], [404, ['object not found']]);
});

test('an object that the repository has with another size is not sent', async (t) => {
  const { ada, forge, key } = await startEngine(t, {}, { private: true });
  const { oid } = await upload(ada, 'ada/engine', 'content');
  const reading = await TransferClient.start(t, { forge, key }, 'download');
  const answer = await reading.ask(`get-object ${oid}`, ['size=8']);
  assert.deepEqual([answer.status, answer.lines], [422, ['the object has 7 bytes instead of 8']]);
});

test('B1: an object of another repository is neither sent nor taken without its bytes', async (t) => {
  const { ada, forge, key } = await startEngine(t, {}, { private: true });
  const { oid } = await upload(ada, 'ada/engine', 'content');
  const eve = await forge.account('eve');
  await eve.repository('own');
  const hers = await addKey(t, eve);
  const reading = await TransferClient.start(t, { forge, key: hers }, 'download', 'eve/own.git');
  assert.equal((await reading.ask(`get-object ${oid}`)).status, 404);
  const writing = await TransferClient.start(t, { forge, key: hers }, 'upload', 'eve/own.git');
  assert.deepEqual((await writing.ask('batch', [], [`${oid} 7`])).lines, [`${oid} 7 upload`]);
  assert.equal((await writing.ask(`verify-object ${oid}`, ['size=7'])).status, 404);
  assert.equal((await writing.ask(`put-object ${oid}`, ['size=7'], [Buffer.from('guessed')])).status, 422);
  assert.equal((await reading.ask(`get-object ${oid}`)).status, 404);
  for (const path of ['ada/engine', 'ada/missing', 'eve/own.wiki'])
    for (const operation of ['download', 'upload']) {
      const refused = await ssh(forge, hers, [`git-lfs-transfer ${path} ${operation}`]);
      assert.deepEqual(
        [refused.code, refused.stdout, refused.stderr],
        [1, '', 'repository not found\n'],
        path,
      );
    }
  assert.equal((await ssh(forge, key, ['git-lfs-transfer ada/engine.wiki upload'])).code, 1);
});

test('an operation that the session is not for is rejected', async (t) => {
  const { forge, key, session } = await stage(t, 'download');
  for (const [command, content] of [
    [`put-object ${MISSING}`, [Buffer.from('x')]],
    [`verify-object ${MISSING}`, undefined],
    ['lock', undefined],
    ['unlock 1', undefined],
  ] as const) {
    const { status, lines } = await session.ask(command, ['size=1', 'path=a'], content);
    assert.deepEqual([status, lines], [400, ['only git-lfs-transfer with upload does this']], command);
  }
  const writing = await TransferClient.start(t, { forge, key }, 'upload');
  assert.equal((await writing.ask(`get-object ${MISSING}`)).status, 400);
  for (const command of ['ada/engine', 'ada/engine delete', 'ada/engine upload more'])
    assert.match(
      (await ssh(forge, key, [`git-lfs-transfer ${command}`])).stderr,
      /runs only the commands of git/,
    );
});

test('a client that vanishes in the middle of an object leaves nothing', async (t) => {
  const { forge, session, key } = await stage(t, 'upload');
  const content = randomBytes(1_000_000);
  const object = objectOf(content);
  const { uploads } = forge.forge.running.services.largeFiles;
  const begin = (client: TransferClient) => {
    const [command, size] = requestOf(`put-object ${object.oid}`, [`size=${object.size}`]);
    client.send(...[command, size].flatMap((piece) => piece ?? []), DELIMITER);
    for (let at = 0; at < 500_000; at += 50_000) client.send(pktLine(content.subarray(at, at + 50_000)));
  };
  begin(session);
  await until(() => uploads.running === 1);
  session.client.destroy();
  await until(() => uploads.running === 0);
  const other = await TransferClient.start(t, { forge, key }, 'upload');
  begin(other);
  await until(() => uploads.running === 1);
  other.channel.end();
  const { code, stderr } = await other.ended();
  assert.deepEqual([code, stderr], [1, 'the request ends too early\n']);
  assert.equal(uploads.running, 0);
  assert.deepEqual(await traces(forge, object), []);
});

test('H7: a client that stops in the middle of an object loses its connection, and one between requests does not', async (t) => {
  const { forge, session, key } = await stage(t, 'upload', { settings: { transferPatience: '1' } });
  const quiet = await TransferClient.start(t, { forge, key }, 'upload');
  const object = objectOf('content');
  const closed = once(session.client, 'close');
  session.send(...requestOf(`put-object ${object.oid}`, ['size=7'], [Buffer.from('con')]).slice(0, -1));
  await closed;
  await until(() => forge.forge.running.services.largeFiles.uploads.running === 0);
  assert.deepEqual(await traces(forge, object), []);
  assert.equal((await quiet.ask('quit')).status, 200);
});

test('a client that leaves in the middle of a download frees its slot', async (t) => {
  const { forge, ada, key } = await startEngine(t, {}, { private: true });
  const { oid } = await upload(ada, 'ada/engine', randomBytes(20_000_000));
  const { downloads } = forge.forge.running.services.largeFiles;
  const session = await TransferClient.start(t, { forge, key }, 'download');
  session.send(...requestOf(`get-object ${oid}`));
  await until(() => downloads.running === 1);
  session.client.destroy();
  await until(() => downloads.running === 0);
});

test('the quota of the owner holds for batches and objects', async (t) => {
  const { forge, ada, session } = await stage(t, 'upload');
  await limit(forge.root, 'ada', { bytes: 1_000, subjects: ['size:git:lfs'] });
  const content = randomBytes(1_001);
  const object = objectOf(content);
  const { oid, size } = object;
  const noRoom = /the quota of the owner for size:git:lfs has no room for this/;
  const wanted = await session.ask('batch', [], [`${oid} ${size}`]);
  assert.equal(wanted.status, 413);
  assert.match(wanted.lines.join(), noRoom);
  const sent = await session.ask(`put-object ${oid}`, [`size=${size}`], [content]);
  assert.equal(sent.status, 413);
  assert.match(sent.lines.join(), noRoom);
  assert.deepEqual(await traces(forge, object), []);
  const small = content.subarray(0, 900);
  const stored = await session.ask(`put-object ${objectOf(small).oid}`, ['size=900'], [small]);
  assert.equal(stored.status, 200);
  assert.equal((await ada.get('/api/v1/user/quota')).body.used.size.git.LFS, 900);
});

test('A17: each request reads the rights of its key again', async (t) => {
  const { ada, forge, session } = await stage(t, 'upload');
  const bob = await forge.account('bob');
  const his = await addKey(t, bob);
  await ada.put('/api/v1/repos/ada/engine/collaborators/bob', { permission: 'write' });
  const bobs = await TransferClient.start(t, { forge, key: his }, 'upload');
  const put = async (client: TransferClient) =>
    (await client.ask(`put-object ${objectOf('x').oid}`, ['size=1'], [Buffer.from('x')])).status;
  await ada.put('/api/v1/repos/ada/engine/collaborators/bob', { permission: 'read' });
  assert.equal(await put(bobs), 403);
  await ada.delete('/api/v1/repos/ada/engine/collaborators/bob');
  assert.equal(await put(bobs), 404);
  await ada.patch('/api/v1/repos/ada/engine', { archived: true });
  assert.equal(await put(session), 403);
  await ada.patch('/api/v1/repos/ada/engine', { archived: false });
  assert.equal(await put(session), 200);
  const [{ id }] = (await ada.get('/api/v1/user/keys')).body;
  await ada.delete(`/api/v1/user/keys/${id}`);
  const refused = await session.ask(`put-object ${objectOf('x').oid}`, ['size=1'], [Buffer.from('x')]);
  assert.deepEqual([refused.status, refused.lines], [401, ['this key was removed, or its account']]);
});

test('locks are created, listed in pages, and removed, with their rules', async (t) => {
  const { ada, forge, session } = await stage(t, 'upload');
  const bob = await forge.account('bob');
  await ada.put('/api/v1/repos/ada/engine/collaborators/bob', { permission: 'write' });
  const bobs = await TransferClient.start(t, { forge, key: await addKey(t, bob) }, 'upload');
  const made = await session.ask('lock', ['path=/docs/./a b=c.psd', 'refname=refs/heads/main']);
  assert.equal(made.status, 201);
  const { id = '', 'locked-at': at = '', ...rest } = made.options;
  assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.equal(rest.ownername, 'ada');
  const taken = await bobs.ask('lock', ['path=docs/a b=c.psd']);
  assert.deepEqual(
    [taken.status, taken.lines, taken.options],
    [409, ['ada has locked this file'], made.options],
  );
  const own = await bobs.ask('lock', ['path=b.psd']);
  const first = await bobs.ask('list-lock', ['limit=1']);
  assert.deepEqual(first.options, { 'next-cursor': '1' });
  assert.deepEqual(first.lines, [
    `lock ${id}`,
    `path ${id} docs/a b=c.psd`,
    `locked-at ${id} ${at}`,
    `ownername ${id} ada`,
    `owner ${id} theirs`,
  ]);
  const second = await bobs.ask('list-locks', ['limit=1', 'cursor=1', 'refspec=refs/heads/main']);
  assert.deepEqual([second.options, second.lines.at(-1)], [{}, `owner ${own.options.id} ours`]);
  const named = await bobs.ask('list-lock', ['path=b.psd']);
  assert.deepEqual(named.lines, second.lines);
  assert.equal((await bobs.ask('list-lock', ['id=x'])).status, 400);
  const refused = await bobs.ask(`unlock ${id}`);
  assert.deepEqual([refused.status, refused.lines], [403, ['ada holds this lock: use force to remove it']]);
  assert.equal((await bobs.ask(`unlock ${id}`, ['force=true'])).status, 200);
  assert.equal((await bobs.ask(`unlock ${id}`)).status, 404);
  assert.equal((await bobs.ask('unlock x')).status, 400);
  assert.equal((await bobs.ask('lock', ['path='])).status, 422);
  assert.equal((await bobs.ask('lock')).status, 400);
  const reader = await newKeyFile(t);
  const body = { key: reader.line, title: 'reader', read_only: true };
  await ada.post('/api/v1/repos/ada/engine/keys', body);
  const deployed = await TransferClient.start(t, { forge, key: reader }, 'download');
  const denied = await deployed.ask('list-lock');
  assert.deepEqual([denied.status, denied.lines], [403, ['you may not do this with this repository']]);
});

test('a malformed request gets an error and ends the command', async (t) => {
  const { forge, key, session } = await stage(t, 'upload');
  for (const [command, content] of [
    ['delete-object', undefined],
    ['constructor', undefined],
    ['', undefined],
    ['batch2', ['line']],
  ] as const)
    assert.equal((await session.ask(command, [], content)).status, 400, command);
  assert.equal((await session.ask('lock', ['path=a\u0007b'])).status, 400);
  const text = (bytes: Uint8Array) => [pktLine('lock\n'), pktLine(bytes), FLUSH];
  session.send(...text(Buffer.of(0x70, 0xff)));
  assert.equal((await session.answer()).status, 400);
  assert.equal((await session.ask('quit', ['more'], ['lines'])).status, 200);

  const line = pktLine('batch\n');
  const many = (count: number, piece: Buffer) => Buffer.concat(Array.from({ length: count }, () => piece));
  const { transferArgumentsMax, transferLinesMax, transferLineBytesMax } = SSH_LIMITS;
  const data = pktLine(Buffer.alloc(65_000));
  for (const [name, pieces, status, message] of [
    ['no packet', [Buffer.from('GET / HTTP/1.1\r\n\r\n')], 400, /malformed packet/],
    ['a length over the limit', [Buffer.from('ffff')], 400, /malformed packet/],
    ['a length below its own', [Buffer.from('0003')], 400, /malformed packet/],
    ['no command', [FLUSH], 400, /begins with a command/],
    ['a delimiter first', [DELIMITER], 400, /malformed packet/],
    ['two delimiters', [line, DELIMITER, DELIMITER, FLUSH], 400, /malformed packet/],
    ['many arguments', [line, many(transferArgumentsMax + 1, pktLine('a=b'))], 413, /32 arguments/],
    ['many lines', [line, DELIMITER, many(transferLinesMax + 1, pktLine('a 1'))], 413, /10000 lines/],
    ['a long line', [line, pktLine(Buffer.alloc(transferLineBytesMax + 1, 'a'))], 413, /8192 bytes/],
    ['a long command', [pktLine(Buffer.alloc(transferLineBytesMax + 1, 'a'))], 413, /8192 bytes/],
    ['many bytes', [line, DELIMITER, many(1_000, pktLine(Buffer.alloc(8_000, 'a')))], 413, /too large/],
    ['a long rest', [pktLine('x'), DELIMITER, many(300, data)], 400, /no such command/],
  ] as const) {
    const broken = await TransferClient.start(t, { forge, key }, 'upload');
    broken.send(...pieces);
    const answer = await broken.answer();
    assert.equal(answer.status, status, name);
    assert.match(answer.lines.join(), message, name);
    const { code, stderr } = await broken.ended();
    assert.equal(code, 1, name);
    assert.match(stderr, message, name);
  }
});

test('requests that arrive together are answered in order', async (t) => {
  const { session } = await stage(t, 'upload');
  const { oid } = objectOf('x');
  session.send(
    ...requestOf('version 1'),
    ...requestOf(`put-object ${oid}`, ['size=2'], [Buffer.from('x')]),
    ...requestOf(`put-object ${oid}`, ['size=1'], [Buffer.from('x')]),
    ...requestOf(`verify-object ${oid}`, ['size=1']),
    ...requestOf('quit'),
  );
  const statuses = [];
  for (let count = 0; count < 5; count += 1) statuses.push((await session.answer()).status);
  assert.deepEqual(statuses, [200, 422, 200, 200, 200]);
});

test('a server without git-lfs refuses the command', async (t) => {
  const { forge, key } = await startEngine(t, { settings: { lfs: 'false' } });
  const refused = await ssh(forge, key, ['git-lfs-transfer ada/engine download']);
  assert.deepEqual([refused.code, refused.stderr], [1, 'git-lfs on this server not found\n']);
});
