import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { commitAll, git, gitBytes, refsOf, workingCopy } from '../../support/git/git.ts';
import { quarantinesOf } from './quarantines.ts';
import {
  type Command,
  emptyPack,
  FLUSH,
  type GitAnswer,
  type GitRequest,
  type HandmadePush,
  packOf,
  pkt,
  pktLines,
  pushBody,
  sendGit,
  sideBands,
  ZERO,
} from './wire.ts';

const PUSH = 'ada/engine/git-receive-pack';

interface Stage {
  readonly forge: TestForge;
  readonly remote: string;
  readonly work: string;
  /** pushed to `main` */
  readonly first: string;
  /** child of `first`, not pushed yet */
  readonly second: string;
  /** pack with the objects of `second` */
  readonly pack: Buffer;
  send(push: HandmadePush | Uint8Array<ArrayBuffer>, request?: GitRequest): Promise<GitAnswer>;
}

async function stage(t: TestContext): Promise<Stage> {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const remote = ada.remote('ada/engine');
  const work = await workingCopy(t);
  await writeFile(join(work, 'README.md'), '# Engine\n');
  const first = await commitAll(work, 'first');
  await git(work, ['push', '-q', remote, 'main']);
  await writeFile(join(work, 'README.md'), '# Engine 2\n');
  const second = await commitAll(work, 'second');
  const pack = await packOf(work, [second, `^${first}`]);
  const send = (push: HandmadePush | Uint8Array<ArrayBuffer>, request: GitRequest = {}) =>
    sendGit(forge.url, PUSH, {
      as: { token: ada.token },
      body: push instanceof Uint8Array ? push : pushBody(push),
      ...request,
    });
  return { forge, remote, work, first, second, pack, send };
}

test("the advertisement of a push lists the refs and the server's capabilities", async (t) => {
  const { forge, first } = await stage(t);
  const answer = await sendGit(forge.url, 'ada/engine/info/refs?service=git-receive-pack', {
    as: { token: forge.root.token },
  });
  const [service, flush, line, end] = pktLines(answer.bytes);
  assert.deepEqual([service, flush, end], ['# service=git-receive-pack', FLUSH, FLUSH]);
  const [ref, capabilities = ''] = (line ?? '').split('\0');
  assert.equal(ref, `${first} refs/heads/main`);
  const known = capabilities.split(' ').filter((word) => !word.startsWith('agent='));
  assert.deepEqual(
    known.sort(),
    [
      'atomic',
      'delete-refs',
      'object-format=sha1',
      'ofs-delta',
      'push-options',
      'quiet',
      'report-status',
      'report-status-v2',
      'side-band-64k',
    ].sort(),
  );
});

test("the advertisement of an empty repository has the server's capabilities without a ref", async (t) => {
  const forge = await startForge(t);
  await forge.root.repository('empty');
  const answer = await sendGit(forge.url, 'root/empty/info/refs?service=git-receive-pack', {
    as: { token: forge.root.token },
    headers: { 'git-protocol': 'version=1' },
  });
  const lines = pktLines(answer.bytes);
  assert.equal(lines[2], 'version 1');
  assert.match(lines[3] ?? '', new RegExp(`^${ZERO} capabilities\\^\\{\\}\\0.*report-status`));
});

for (const version of ['report-status', 'report-status-v2']) {
  test(`without side bands, the report has the format ${version}`, async (t) => {
    const { send, first, second, pack } = await stage(t);
    const commands: Command[] = [
      { old: first, new: second, ref: 'refs/heads/main' },
      { new: second, ref: 'refs/pull/1/head' },
    ];
    const answer = await send({ commands, capabilities: `${version} object-format=sha1`, pack });
    assert.equal(answer.status, 200);
    assert.deepEqual(pktLines(answer.bytes), [
      'unpack ok',
      'ok refs/heads/main',
      'ng refs/pull/1/head refs/pull/ is reserved',
      FLUSH,
    ]);
  });
}

test('with side bands, the report is in band 1, and a flush ends both the report and the bands', async (t) => {
  const { send, first, second, pack } = await stage(t);
  const commands = [{ old: first, new: second, ref: 'refs/heads/main' }];
  const answer = await send({ commands, capabilities: 'report-status-v2 side-band-64k', pack });
  assert.equal(answer.text.slice(-4), FLUSH);
  assert.deepEqual(pktLines(sideBands(answer.bytes)[1]), ['unpack ok', 'ok refs/heads/main', FLUSH]);
});

test('a push without a request for a report takes effect and gets an empty response', async (t) => {
  const { send, first, second, pack, work, remote } = await stage(t);
  const commands = [{ old: first, new: second, ref: 'refs/heads/main' }];
  const answer = await send({ commands, capabilities: 'ofs-delta', pack });
  assert.deepEqual([answer.status, answer.text], [200, '']);
  assert.deepEqual(await refsOf(work, remote), [`refs/heads/main ${second}`]);
});

test("the client's capabilities are read from the first command, even after shallow lines", async (t) => {
  const { send, first, second, pack, work, remote } = await stage(t);
  const commands = [{ old: first, new: second, ref: 'refs/heads/main' }];
  const capabilities = 'report-status-v2 side-band-64k';
  const answer = await send({ commands, capabilities, shallow: [second], pack });
  assert.deepEqual(pktLines(sideBands(answer.bytes)[1]), ['unpack ok', 'ok refs/heads/main', FLUSH]);
  assert.deepEqual(await refsOf(work, remote), [`refs/heads/main ${second}`]);
});

test('the empty request that clients probe with gets an empty response', async (t) => {
  const { send } = await stage(t);
  const answer = await send(Buffer.from(FLUSH));
  assert.deepEqual([answer.status, answer.text], [200, '']);
  assert.equal(answer.headers.get('content-type'), 'application/x-git-receive-pack-result');
});

test("a ref that does not have the command's old value is not changed", async (t) => {
  const { send, first, second, pack, work, remote } = await stage(t);
  const stale = await send({ commands: [{ old: second, new: second, ref: 'refs/heads/main' }], pack });
  assert.match(pktLines(stale.bytes)[1] ?? '', /^ng refs\/heads\/main .*fetch first/);
  const exists = await send({ commands: [{ new: second, ref: 'refs/heads/main' }], pack });
  assert.match(pktLines(exists.bytes)[1] ?? '', /^ng refs\/heads\/main .*fetch first/);
  const absent = await send({ commands: [{ old: first, ref: 'refs/heads/none' }] });
  assert.match(pktLines(absent.bytes)[1] ?? '', /^ng refs\/heads\/none .*fetch first/);
  const present = await send({ commands: [{ old: ZERO, ref: 'refs/heads/main' }] });
  assert.match(pktLines(present.bytes)[1] ?? '', /^ng refs\/heads\/main .*fetch first/);
  assert.deepEqual(await refsOf(work, remote), [`refs/heads/main ${first}`]);
});

test('a push that names a ref twice does not move it, but moves the other refs', async (t) => {
  const { send, first, second, pack, work, remote } = await stage(t);
  const commands = [
    { new: second, ref: 'refs/heads/fine' },
    { old: first, new: second, ref: 'refs/heads/main' },
    { old: first, ref: 'refs/heads/main' },
  ];
  const lines = pktLines((await send({ commands, pack })).bytes);
  assert.deepEqual(lines.slice(0, 2), ['unpack ok', 'ok refs/heads/fine']);
  assert.deepEqual(lines.slice(2, -1), Array(2).fill('ng refs/heads/main a push may move a ref only once'));
  assert.deepEqual(await refsOf(work, remote), [`refs/heads/fine ${second}`, `refs/heads/main ${first}`]);
});

test('a branch must point to a commit, but a tag can point to any object', async (t) => {
  const { send, work, second } = await stage(t);
  const tree = await git(work, ['rev-parse', `${second}^{tree}`]);
  const pack = await packOf(work, [second]);
  const commands = [
    { new: tree, ref: 'refs/heads/tree' },
    { new: tree, ref: 'refs/tags/tree' },
  ];
  assert.deepEqual(pktLines((await send({ commands, pack })).bytes).slice(1, 3), [
    'ng refs/heads/tree a branch can only point to a commit',
    'ok refs/tags/tree',
  ]);
});

test('a push without objects that its refs need is rejected', async (t) => {
  const { send, work, first, second, remote } = await stage(t);
  const commands = [{ old: first, new: second, ref: 'refs/heads/main' }];
  const nothing = await send({ commands, pack: emptyPack() });
  assert.equal(pktLines(nothing.bytes)[1], 'ng refs/heads/main missing necessary objects');
  // This pack has the commit but not its tree.
  const commitAlone = await git(work, ['cat-file', 'commit', second]);
  const other = await workingCopy(t);
  const copied = await git(other, ['hash-object', '-t', 'commit', '-w', '--literally', '--stdin'], {
    input: `${commitAlone}\n`,
  });
  assert.equal(copied, second);
  const pack = await packOfObjects(other, [second]);
  const partly = await send({ commands, pack });
  assert.match(pktLines(partly.bytes)[0] ?? '', /^unpack (?!ok)/);
  assert.equal(pktLines(partly.bytes)[1], 'ng refs/heads/main unpacker error');
  assert.deepEqual(await refsOf(work, remote), [`refs/heads/main ${first}`]);
});

function packOfObjects(folder: string, oids: readonly string[]): Promise<Buffer> {
  return gitBytes(folder, ['pack-objects', '--stdout', '-q'], { input: `${oids.join('\n')}\n` });
}

for (const [what, cut] of [
  ['that is truncated', (pack: Buffer) => pack.subarray(0, pack.length - 30)],
  [
    'with a wrong checksum',
    (pack: Buffer) => Buffer.concat([pack.subarray(0, -1), Buffer.of(~(pack.at(-1) ?? 0))]),
  ],
  ['with other content', () => Buffer.from('this is not a pack, but longer than its header of twelve bytes')],
  ['without content', () => Buffer.alloc(0)],
] as const) {
  test(`a pack ${what} is rejected, and the next push succeeds`, async (t) => {
    const { send, first, second, pack, work, remote, forge } = await stage(t);
    const commands = [{ old: first, new: second, ref: 'refs/heads/main' }];
    const broken = pktLines((await send({ commands, pack: cut(pack) })).bytes);
    assert.match(broken[0] ?? '', /^unpack (?!ok)/);
    assert.match(broken[1] ?? '', /^ng refs\/heads\/main /);
    assert.deepEqual(await refsOf(work, remote), [`refs/heads/main ${first}`]);
    assert.deepEqual(await quarantinesOf(forge), []);
    const whole = pktLines((await send({ commands, pack })).bytes);
    assert.deepEqual(whole.slice(0, 2), ['unpack ok', 'ok refs/heads/main']);
  });
}

test('a large pack that is broken is rejected with the reason, and the next push succeeds', async (t) => {
  const { send, first, work, remote, forge } = await stage(t);
  await writeFile(join(work, 'random'), randomBytes(2 * 1024 * 1024));
  const large = await commitAll(work, 'large');
  const pack = await packOf(work, [large, `^${first}`]);
  const commands = [{ old: first, new: large, ref: 'refs/heads/main' }];
  const changed = Buffer.from(pack);
  changed.fill(0xff, 1_000_000, 1_000_040);
  const cases: readonly [Buffer, string][] = [
    [pack.subarray(0, -1000), 'unpack the pack ended early'],
    [changed, 'unpack the pack has a broken object'],
    [
      Buffer.concat([pack.subarray(0, -1), Buffer.of(~(pack.at(-1) ?? 0))]),
      'unpack pack is corrupted (SHA1 mismatch)',
    ],
  ];
  for (const [broken, reason] of cases) {
    const lines = pktLines((await send({ commands, pack: broken })).bytes);
    assert.deepEqual(lines.slice(0, 2), [reason, 'ng refs/heads/main unpacker error']);
  }
  assert.deepEqual(await refsOf(work, remote), [`refs/heads/main ${first}`]);
  assert.deepEqual(await quarantinesOf(forge), []);
  const whole = pktLines((await send({ commands, pack })).bytes);
  assert.deepEqual(whole.slice(0, 2), ['unpack ok', 'ok refs/heads/main']);
});

test('a push with another object format is rejected with the format of the repository', async (t) => {
  const { send, first, second } = await stage(t);
  const commands = [{ old: first, new: second, ref: 'refs/heads/main' }];
  const answer = await send({ commands, capabilities: 'report-status object-format=sha256' });
  assert.deepEqual([answer.status, answer.text], [400, 'this repository uses sha1: clone it again\n']);
});

test('an invalid push request is rejected with 400', async (t) => {
  const { send, first, second } = await stage(t);
  const command = `${first} ${second} refs/heads/main\0report-status`;
  const bodies: Record<string, Buffer[]> = {
    'no packet': [Buffer.from('hello')],
    'a length that is not a number': [Buffer.from('zzzzrest')],
    'a length smaller than its four digits': [Buffer.from('0003')],
    'a length above the maximum': [Buffer.from('fff1')],
    'a truncated packet': [Buffer.from('00ffshort')],
    'a truncated length': [Buffer.from('00')],
    'no flush after the commands': [pkt(command)],
    'an invalid oid': [pkt(`xyz ${second} refs/heads/main`), Buffer.from(FLUSH)],
    'an oid that is too short': [pkt(`${first.slice(1)} ${second} refs/heads/main`), Buffer.from(FLUSH)],
    'no name': [pkt(`${first} ${second}`), Buffer.from(FLUSH)],
    'a name that is not UTF-8': [
      pkt(Buffer.concat([Buffer.from(`${first} ${second} refs/heads/`), Buffer.of(0xff)])),
      Buffer.from(FLUSH),
    ],
    'a shallow line and no command': [pkt(`shallow ${first}`), Buffer.from(FLUSH)],
    'a shallow line without an oid': [pkt('shallow main'), pkt(command), Buffer.from(FLUSH)],
  };
  for (const [what, body] of Object.entries(bodies)) {
    const answer = await send(Buffer.concat(body));
    assert.equal(answer.status, 400, what);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/plain/, what);
  }
});

test('D3: push options with line ends or NUL, overlong options and too many options are rejected', async (t) => {
  const { send, first, second, pack, work, remote } = await stage(t);
  const commands = [{ old: first, new: second, ref: 'refs/heads/main' }];
  const capabilities = 'report-status push-options';
  for (const options of [
    ['a\nb'],
    ['a\0b'],
    ['x'.repeat(17_000)],
    Array.from({ length: 33 }, (_, n) => `option-${n}`),
    [Buffer.of(0xff, 0xfe)],
  ]) {
    const answer = await send({ commands, capabilities, options, pack });
    assert.equal(answer.status, 400, JSON.stringify(options).slice(0, 50));
  }
  assert.deepEqual(await refsOf(work, remote), [`refs/heads/main ${first}`]);
  const options = ['a;b', 'repo.private=true', 'x=\u{1F600}', ''];
  const answer = await send({ commands, capabilities, options, pack });
  assert.deepEqual(pktLines(answer.bytes).slice(0, 2), ['unpack ok', 'ok refs/heads/main']);
});
