import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { CONTENTS_LIMITS } from '../src/code/contents/limits.ts';
import { ADMINISTRATOR, quireCommand } from './servers/quire.ts';
import { ServerProcess } from './servers/server-process.ts';

// Measures the memory of the server, and the longest response time of another request, while it stores files of nearly
// 100 MB in base64, one after the other.
//
//   node bench/large-file.ts

const FILES = 3;
const PIECE_BYTES = 48 * 1024;
/** base64 of one piece */
const PIECE_CHARS = (PIECE_BYTES / 3) * 4;
const PIECES = Math.floor(CONTENTS_LIMITS.fileBodyBytesMax / PIECE_CHARS) - 1;
const PAUSE_MS = 20;

const authorization = `Basic ${Buffer.from(`${ADMINISTRATOR.login}:${ADMINISTRATOR.password}`).toString('base64')}`;
const folder = await mkdtemp(join(tmpdir(), 'quire-bench-'));
const server = await ServerProcess.start(quireCommand(folder, []));
const print = (line: string) => process.stdout.write(`${line}\n`);
try {
  await send('POST', '/user/repos', [JSON.stringify({ name: 'engine', auto_init: true })]);
  await send('POST', '/repos/root/engine/contents/small', ['{"content":""}']);
  print(`before: ${memory()}`);
  for (let index = 0; index < FILES; index += 1) {
    const measuring = new AbortController();
    const slowest = slowestVersion(measuring.signal);
    const startedAt = performance.now();
    await send('POST', `/repos/root/engine/contents/large-${index}`, largeBody());
    const seconds = (performance.now() - startedAt) / 1000;
    measuring.abort();
    print(`file ${index + 1}: ${seconds.toFixed(1)} s, ${memory()}, slowest version ${await slowest} ms`);
  }
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

function* largeBody(): Generator<string> {
  yield '{"content":"';
  for (let piece = 0; piece < PIECES; piece += 1) yield randomBytes(PIECE_BYTES).toString('base64');
  yield '"}';
}

function memory(): string {
  const used = server.memoryMb();
  return used === null ? 'memory unknown' : `${used.now.toFixed(0)} MB, peak ${used.peak.toFixed(0)} MB`;
}

/** Returns the longest time of `GET /version` until `ended`, ms. */
async function slowestVersion(ended: AbortSignal): Promise<string> {
  let slowest = 0;
  while (!ended.aborted) {
    const startedAt = performance.now();
    await send('GET', '/version', []);
    slowest = Math.max(slowest, performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return slowest.toFixed(0);
}

function send(method: string, path: string, body: Iterable<string>): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { authorization, 'content-type': 'application/json' };
    const sent = request(`${server.url}/api/v1${path}`, { method, headers }, (response) => {
      const status = response.statusCode ?? 0;
      response.resume().once('end', () => {
        if (status < 300) resolve();
        else reject(new Error(`${method} ${path}: ${status}`));
      });
    });
    sent.once('error', reject);
    if (method === 'GET') sent.end();
    else Readable.from(body, { objectMode: false }).pipe(sent);
  });
}
