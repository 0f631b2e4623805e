import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { commitAll, git, refsOf, workingCopy } from '../../support/git/git.ts';
import { dial, head } from '../../support/http/raw.ts';
import { until } from '../../support/until.ts';
import { isPushing, quarantinesOf, untilNothingIsLeft, untilPushing } from './quarantines.ts';
import { type GitProcess, gitProcesses, LISTS_PROCESSES } from './server-process.ts';
import { fillSpools } from './transfers.ts';
import { FLUSH, packOf, pkt, pushBody } from './wire.ts';

const skip = LISTS_PROCESSES ? false : 'this machine does not list processes';

interface Stage {
  readonly forge: TestForge;
  readonly ada: Person;
  readonly remote: string;
  readonly work: string;
  readonly first: string;
}

/** Starts a forge where ada has a public repository with one commit of `bytes` random bytes. */
async function stage(t: TestContext, bytes = 10): Promise<Stage> {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const work = await workingCopy(t);
  // Random bytes do not get smaller.
  await git(work, ['config', 'core.compression', '0']);
  await writeFile(join(work, 'random'), randomBytes(bytes));
  const first = await commitAll(work, 'first');
  const remote = ada.remote('ada/engine');
  await git(work, ['push', '-q', remote, 'main']);
  return { forge, ada, remote, work, first };
}

/** Returns everything received until the server closes the connection. */
async function untilClosed(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  await once(socket, 'close');
  return text;
}

async function pushOf(stage: Stage): Promise<{ body: Buffer; second: string }> {
  const { work, first } = stage;
  await writeFile(join(work, 'more'), randomBytes(200_000));
  const second = await commitAll(work, 'second');
  const commands = [{ old: first, new: second, ref: 'refs/heads/main' }];
  return { body: pushBody({ commands, pack: await packOf(work, [second, `^${first}`]) }), second };
}

function pushHead(stage: Stage, length: string): string {
  return head([
    'POST /ada/engine/git-receive-pack HTTP/1.1',
    `Authorization: token ${stage.ada.token}`,
    'Content-Type: application/x-git-receive-pack-request',
    length,
  ]);
}

async function tipOf({ ada }: Stage): Promise<string> {
  return (await ada.get('/api/v1/repos/ada/engine/branches/main')).body.commit.id;
}

for (const framing of ['Content-Length', 'Transfer-Encoding'] as const) {
  test(`a push whose client disconnects halfway changes nothing (${framing})`, async (t) => {
    const at = await stage(t);
    const { body, second } = await pushOf(at);
    const socket = await dial(t, at.forge);
    const half = body.subarray(0, body.length / 2);
    if (framing === 'Content-Length') {
      socket.write(pushHead(at, `Content-Length: ${body.length}`));
      socket.write(half);
    } else {
      socket.write(pushHead(at, 'Transfer-Encoding: chunked'));
      socket.write(
        Buffer.concat([Buffer.from(`${half.length.toString(16)}\r\n`), half, Buffer.from('\r\n')]),
      );
    }
    await untilPushing(at.forge);
    socket.destroy();
    await untilNothingIsLeft(at.forge);
    assert.deepEqual(await refsOf(at.work, at.remote), [`refs/heads/main ${at.first}`]);
    const seen = await at.ada.get(`/api/v1/repos/ada/engine/contents?ref=${second}`);
    assert.equal(seen.status, 404);
    await git(at.work, ['push', '-q', at.remote, 'main']);
    assert.deepEqual(await refsOf(at.work, at.remote), [`refs/heads/main ${second}`]);
  });
}

test('a push whose client disconnects after the whole pack takes effect completely or not at all', async (t) => {
  const at = await stage(t);
  const { body, second } = await pushOf(at);
  const socket = await dial(t, at.forge);
  socket.write(pushHead(at, `Content-Length: ${body.length}`));
  await new Promise((resolve) => socket.write(body, resolve));
  // A busy machine may see only its end.
  await until(async () => (await isPushing(at.forge)) || (await tipOf(at)) === second);
  socket.destroy();
  await untilNothingIsLeft(at.forge);
  const [line] = await refsOf(at.work, at.remote);
  assert.ok(
    [at.first, second].some((oid) => line === `refs/heads/main ${oid}`),
    line,
  );
  const problems = await at.forge.forge.running.engines.git.upkeep.verify(await at.forge.firstRepository());
  assert.deepEqual(problems.problems, []);
});

test('the git process of a clone ends when its client disconnects', { skip }, async (t) => {
  const at = await stage(t, 30_000_000);
  await fillSpools(at.forge);
  const socket = await dial(t, at.forge);
  const body = Buffer.concat([pkt(`want ${at.first}\n`), Buffer.from(FLUSH), pkt('done\n')]);
  socket.write(
    head([
      'POST /ada/engine/git-upload-pack HTTP/1.1',
      'Content-Type: application/x-git-upload-pack-request',
      `Content-Length: ${body.length}`,
    ]),
  );
  socket.write(body);
  // The first bytes have arrived. The rest is larger than all buffers between git and this socket.
  await once(socket, 'readable');
  assert.ok((await uploads(at)).length > 0, 'the clone is in progress');
  socket.destroy();
  await until(async () => (await uploads(at)).length === 0);
});

async function uploads(at: Stage): Promise<GitProcess[]> {
  const running = await gitProcesses(at.forge.forge.dataFolder);
  return running.filter(({ command }) => /upload-pack|pack-objects/.test(command));
}

test('G4: after an early response, the rest of the body is not read as another request', async (t) => {
  const at = await stage(t);
  const inner = head(['GET /api/v1/version HTTP/1.1']);
  const length = inner.length + 5_000_000;
  for (const [lines, status] of [
    [['POST /ada/engine/git-receive-pack HTTP/1.1'], 401],
    [['POST /ada/none/git-upload-pack HTTP/1.1'], 401],
    [['POST /ada/engine/git-receive-pack HTTP/1.1', `Authorization: token ${at.ada.token}`], 415],
    [['POST /nowhere/at/all HTTP/1.1'], 404],
  ] as const) {
    const type = status === 415 ? 'text/plain' : 'application/x-git-receive-pack-request';
    const socket = await dial(t, at.forge);
    const answer = untilClosed(socket);
    socket.write(head([...lines, `Content-Type: ${type}`, `Content-Length: ${length}`]));
    socket.write(inner);
    const text = await answer;
    assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `), lines[0]);
    assert.match(text, /^connection: close\r$/im);
    assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1, lines[0]);
  }
});

test('G4: a request with an invalid length, two lengths or two kinds of length is rejected', async (t) => {
  const at = await stage(t);
  for (const lengths of [
    ['Content-Length: 4', 'Transfer-Encoding: chunked'],
    ['Transfer-Encoding: chunked', 'Content-Length: 4'],
    ['Content-Length: 4', 'Content-Length: 5'],
    ['Transfer-Encoding: chunked, identity'],
    ['Content-Length: -1'],
    ['Content-Length: 0x4'],
  ]) {
    const socket = await dial(t, at.forge);
    const answer = untilClosed(socket);
    socket.write(
      head([
        'POST /ada/engine/git-upload-pack HTTP/1.1',
        'Content-Type: application/x-git-upload-pack-request',
        ...lengths,
      ]),
    );
    socket.write('0\r\n\r\n');
    assert.match(await answer, /^HTTP\/1\.1 400 /, lengths.join(', '));
  }
});

test('a client that waits for 100 Continue receives it', async (t) => {
  const at = await stage(t);
  const { body, second } = await pushOf(at);
  const socket = await dial(t, at.forge);
  socket.write(pushHead(at, `Content-Length: ${body.length}\r\nExpect: 100-continue\r\nConnection: close`));
  const [received] = await once(socket, 'data');
  assert.match(String(received), /^HTTP\/1\.1 100 Continue/);
  const answer = untilClosed(socket);
  socket.write(body);
  assert.match(await answer, /ok refs\/heads\/main/);
  assert.deepEqual(await refsOf(at.work, at.remote), [`refs/heads/main ${second}`]);
  assert.deepEqual(await quarantinesOf(at.forge), []);
});
