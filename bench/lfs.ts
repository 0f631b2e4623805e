import { createHash, randomFillSync } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, writeSync } from 'node:fs';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { describeMachine, loadNow } from './report/machine.ts';
import { cpuMsOfSelf } from './servers/process-usage.ts';
import { ADMINISTRATOR, quireCommand } from './servers/quire.ts';
import { ServerProcess } from './servers/server-process.ts';
import { median } from './statistics.ts';
import { readBody } from './transfers/read-body.ts';

// Measures transfers of an object of git-lfs against a plain copy of the file that also hashes it. Each round takes one of
// each, so that other load on the machine affects all of them. CPU is that of the server for a transfer, and of the copy.
//
//   node bench/lfs.ts                  50 MB, 15 rounds; prints a table
//   node bench/lfs.ts --rounds 5 --mb 200
//   node bench/lfs.ts --save           also writes bench/results/DATE-lfs.md

const { values } = parseArgs({
  options: {
    mb: { type: 'string', default: '50' },
    rounds: { type: 'string', default: '15' },
    save: { type: 'boolean', default: false },
  },
});
const BYTES = Number(values.mb) * 1_000_000;
const ROUNDS = Number(values.rounds);
/** What a plain copy reads and writes at a time. */
const CHUNK_BYTES = 1024 * 1024;
const RATIO_MAX = 1.5;
const authorization = `Basic ${Buffer.from(`${ADMINISTRATOR.login}:${ADMINISTRATOR.password}`).toString('base64')}`;

interface Sample {
  readonly ms: number;
  readonly cpuMs: number;
}

const folder = await mkdtemp(join(tmpdir(), 'quire-lfs-'));
const server = await ServerProcess.start(quireCommand(folder, []));
try {
  const created = await send('POST', '/api/v1/user/repos', JSON.stringify({ name: 'engine' }));
  created.resume();
  const rounds: Record<'copy' | 'upload' | 'download', Sample>[] = [];
  // The first two rounds are the warm-up.
  for (let round = -2; round < ROUNDS; round += 1) {
    const sample = await measure();
    if (round >= 0) rounds.push(sample);
  }
  const text = report(rounds);
  process.stdout.write(text);
  if (values.save) {
    const date = new Date().toISOString().slice(0, 10);
    await writeFile(join(import.meta.dirname, 'results', `${date}-lfs.md`), text);
  }
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Copies, uploads and downloads the same new bytes. */
async function measure(): Promise<Record<'copy' | 'upload' | 'download', Sample>> {
  const source = join(folder, 'source');
  const content = randomFillSync(Buffer.allocUnsafe(BYTES));
  const oid = createHash('sha256').update(content).digest('hex');
  await writeFile(source, content);
  const url = `/${ADMINISTRATOR.login}/engine.git/info/lfs/objects/${oid}`;
  const ofServer = () => server.cpuMs?.() ?? Number.NaN;
  const copy = await timed(async () => requireSame(oid, await copyPlainly(source)), cpuMsOfSelf);
  const upload = await timed(() => put(`${url}/${BYTES}`, source), ofServer);
  const download = await timed(async () => requireSame(oid, await get(url)), ofServer);
  return { copy, upload, download };
}

async function timed(work: () => Promise<void>, cpuMs: () => number): Promise<Sample> {
  const usedBefore = cpuMs();
  const startedAt = performance.now();
  await work();
  return { ms: performance.now() - startedAt, cpuMs: cpuMs() - usedBefore };
}

function requireSame(expected: string, found: string): void {
  if (found !== expected) throw new Error('the copy differs from its original');
}

function readFile(path: string): Readable {
  return createReadStream(path, { highWaterMark: CHUNK_BYTES });
}

/** Copies a file as a plain program does: piece by piece, each read, hashed and written, with a sync at the end. */
async function copyPlainly(source: string): Promise<string> {
  const hash = createHash('sha256');
  const path = join(folder, 'copy');
  const file = await open(path, 'w');
  try {
    for await (const chunk of readFile(source) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      await file.write(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  await rm(path);
  return hash.digest('hex');
}

/** Downloads an object to a file, hashed and synced like the copy. */
async function get(path: string): Promise<string> {
  const hash = createHash('sha256');
  const copy = join(folder, 'downloaded');
  const file = await open(copy, 'w');
  try {
    const bytes = await readBody(`${server.url}${path}`, { authorization }, (piece) => {
      hash.update(piece);
      writeSync(file.fd, piece);
    });
    if (bytes !== BYTES) throw new Error(`the download has ${bytes} bytes instead of ${BYTES}`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rm(copy);
  return hash.digest('hex');
}

async function put(path: string, source: string): Promise<void> {
  const headers = { authorization, 'content-length': BYTES };
  const sent = request(`${server.url}${path}`, { method: 'PUT', headers });
  const answered = once(sent, 'response');
  await pipeline(readFile(source), sent);
  const [response] = await answered;
  response.resume();
  if (response.statusCode !== 200) throw new Error(`PUT ${path}: ${response.statusCode}`);
}

async function send(method: string, path: string, body?: string): Promise<IncomingMessage> {
  const headers = { authorization, 'content-type': 'application/json' };
  const sent = request(`${server.url}${path}`, { method, headers });
  sent.end(body);
  const [response] = await once(sent, 'response');
  if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode}`);
  return response;
}

function report(rounds: readonly Record<'copy' | 'upload' | 'download', Sample>[]): string {
  const lines = [
    `# ${values.mb} MB with git-lfs, ${ROUNDS} rounds`,
    '',
    JSON.stringify(describeMachine()),
    '',
    '| what | ms | CPU ms | ms to copy | CPU to copy | aim |',
    '| --- | ---: | ---: | ---: | ---: | --- |',
  ];
  for (const what of ['copy', 'upload', 'download'] as const) {
    const of = (pick: (sample: Sample) => number) => median(rounds.map((round) => pick(round[what])));
    const toCopy = (pick: (sample: Sample) => number) =>
      median(rounds.map((round) => pick(round[what]) / pick(round.copy)));
    const ratio = toCopy(({ ms }) => ms);
    const aim = what === 'copy' ? '' : `${ratio <= RATIO_MAX ? 'met' : 'missed'}: at most ${RATIO_MAX}`;
    lines.push(
      `| ${what} | ${of(({ ms }) => ms).toFixed(0)} | ${of(({ cpuMs }) => cpuMs).toFixed(0)} | ${ratio.toFixed(2)} | ${toCopy(({ cpuMs }) => cpuMs).toFixed(2)} | ${aim} |`,
    );
  }
  return `${[...lines, '', `load average at the end: ${loadNow()}`].join('\n')}\n`;
}
