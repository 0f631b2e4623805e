import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { HostsFile } from '../../../src/base/outbound/hosts-file.ts';
import { MachineResolver } from '../../../src/base/outbound/resolver.ts';
import { afterTest } from '../../support/after-test.ts';
import { temporaryFolder } from '../../support/git/git.ts';

// Runs once: no outcome depends on the database.

const A = 1;
const AAAA = 28;
const NO_SUCH_NAME = 3;

interface NameServer {
  readonly address: string;
  /** names that were asked for */
  readonly asked: readonly string[];
}

/**
 * Starts a name server on this machine (RFC 1035): it has an address for names that begin with `fast` or `old`, never
 * answers to names that begin with `slow`, and has no other name.
 */
async function startNameServer(t: TestContext): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (question, { port, address }) => {
    const { name, type, end } = readQuestion(question);
    asked.push(name);
    if (name.startsWith('slow')) return;
    socket.send(answerTo(question.subarray(0, end), name, type), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  afterTest(t, () => new Promise<void>((resolve) => socket.close(() => resolve())));
  return { address: `127.0.0.1:${socket.address().port}`, asked };
}

function readQuestion(packet: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = packet[at] ?? 0; length > 0; length = packet[at] ?? 0) {
    labels.push(packet.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: packet.readUInt16BE(at + 1), end: at + 5 };
}

function answerTo(question: Buffer, name: string, type: number): Buffer {
  const isKnown = /^(?:fast|old)/.test(name);
  const address = type === A ? [192, 0, 2, 7] : [0x20, 0x01, 0x0d, 0xb8, ...Array(11).fill(0), 7];
  const hasAddress = isKnown && (type === A || (type === AAAA && name.startsWith('fast')));
  const header = Buffer.from(question);
  header.writeUInt16BE(0x8180 | (isKnown ? 0 : NO_SUCH_NAME), 2);
  header.writeUInt16BE(hasAddress ? 1 : 0, 6);
  header.writeUInt16BE(0, 10);
  if (!hasAddress) return header;
  const record = [0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, address.length, ...address];
  return Buffer.concat([header, Buffer.from(record)]);
}

test('names whose servers do not answer delay no other name', async (t) => {
  const { address } = await startNameServer(t);
  const resolver = new MachineResolver({ servers: [address], answerMs: 1_000 });
  let failed = 0;
  const slow = Array.from({ length: 40 }, (_, index) =>
    resolver.resolve(`slow${index}.test`).catch(() => {
      failed += 1;
    }),
  );
  assert.deepEqual(await resolver.resolve('fast.test'), ['192.0.2.7', '2001:db8::7']);
  assert.equal(failed, 0);
  await Promise.all(slow);
  assert.equal(failed, 40);
});

test('a name needs only one kind of address', async (t) => {
  const { address } = await startNameServer(t);
  assert.deepEqual(await new MachineResolver({ servers: [address] }).resolve('old.test'), ['192.0.2.7']);
});

test('names of the machine are not asked for at name servers, and missing names have no address', async (t) => {
  const { address, asked } = await startNameServer(t);
  const resolver = new MachineResolver({ servers: [address] });
  const found = await resolver.resolve('localhost');
  assert.ok(found.length > 0 && found.every((each) => ['127.0.0.1', '::1'].includes(each)), `${found}`);
  assert.equal(asked.length, 0);
  await assert.rejects(resolver.resolve('missing.invalid'));
  assert.ok(asked.includes('missing.invalid'));
});

test('the hosts file has names with comments and in any case, and is read again after a change', async (t) => {
  const path = join(await temporaryFolder(t), 'hosts');
  const hosts = new HostsFile(path);
  assert.equal(await hosts.has('pump.test'), false);
  await writeFile(path, '# ours\n127.0.0.1 localhost\n10.0.0.7\tPump.test  pump # 10.0.0.8 valve.test\n');
  const has = (...names: readonly string[]) => Promise.all(names.map((name) => hosts.has(name)));
  assert.deepEqual(await has('pump.test', 'pump', 'valve.test', '10.0.0.7', ''), [
    true,
    true,
    false,
    false,
    false,
  ]);
  await writeFile(path, '10.0.0.7 valve.test\n');
  assert.deepEqual(await has('pump.test', 'valve.test'), [false, true]);
});
