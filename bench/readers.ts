import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Forge, forgeByPassword } from './corpus/forge.ts';
import { GIT_ENVIRONMENT, runGit } from './corpus/git.ts';
import { noiseOfBytes } from './corpus/texts.ts';
import { describeMachine, loadNow } from './report/machine.ts';
import { ADMINISTRATOR, quireCommand } from './servers/quire.ts';
import { ServerProcess } from './servers/server-process.ts';
import { median, quantile } from './statistics.ts';

// Measures a small request while clients read a large file: none, a slow one, and many at once. The clients are curl with
// the lowest priority, because they would be on other machines. Prints a table as Markdown.
//
//   node bench/readers.ts                256 MB, 50 readers, at most 10 s for each row
//   node bench/readers.ts 1000 50 30     another size in MB, number of readers, and time

const MB = Number(process.argv[2] ?? 256);
const READERS = Number(process.argv[3] ?? 50);
const SECONDS_MAX = Number(process.argv[4] ?? 10);
const NAME = 'engine';
const PIECE_BYTES = 1_000_000;
const PAUSE_MS = 5;
const SLOW = ['--limit-rate', '100k'];

const folder = await mkdtemp(join(tmpdir(), 'quire-readers-'));
const server = await ServerProcess.start(quireCommand(folder, []));
try {
  const forge = await forgeByPassword(server.url, ADMINISTRATOR.login, ADMINISTRATOR.password);
  await forge.ask('POST', '/api/v1/user/repos', { json: { name: NAME } });
  await pushLargeFile(forge);
  print(
    `${MB} MB, ${READERS} readers, ${availableParallelism()} cores; ${JSON.stringify(describeMachine())}\n`,
  );
  print('| readers | MB/s | CPU ms/MB | small requests | median ms | p99 ms | slowest ms |');
  print('| --- | ---: | ---: | ---: | ---: | ---: | ---: |');
  await measure(forge, 'warm-up', []);
  await measure(forge, 'none', []);
  await measure(forge, 'one, slow', [SLOW]);
  await measure(forge, 'one', [[]]);
  await measure(
    forge,
    `${READERS}`,
    Array.from({ length: READERS }, () => []),
  );
  await measure(forge, `${READERS}, and a slow one`, [SLOW, ...Array.from({ length: READERS }, () => [])]);
  const memory = server.memoryMb();
  print(
    `\nmemory of the server at most ${memory?.peak.toFixed(0)} MB; load average at the end: ${loadNow()}`,
  );
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Pushes a file that does not compress. */
async function pushLargeFile(forge: Forge): Promise<void> {
  const repository = join(folder, 'corpus.git');
  await runGit(['init', '--quiet', '--bare', repository]);
  const args = ['--git-dir', repository, '-c', 'core.compression=0', 'fast-import', '--quiet'];
  const child = spawn('git', args, { env: GIT_ENVIRONMENT, stdio: ['pipe', 'inherit', 'inherit'] });
  await Promise.all([pipeline(Readable.from(commitStream()), child.stdin), once(child, 'close')]);
  await runGit(['--git-dir', repository, 'push', '--quiet', forge.remoteOf(NAME), 'main']);
}

function* commitStream(): Generator<string> {
  yield 'commit refs/heads/main\ncommitter Bench <bench@example.org> 1700000000 +0000\ndata 5\nFirst\n';
  yield `M 100644 inline large\ndata ${MB * PIECE_BYTES}\n`;
  const piece = noiseOfBytes(PIECE_BYTES, 1)
    .toString('latin1')
    .replaceAll(/[^\x20-\x7e]/g, 'x');
  for (let index = 0; index < MB; index += 1) yield piece;
  yield '\n';
}

/** Measures the small request while these readers run, each with its options of curl. */
async function measure(forge: Forge, what: string, readers: readonly (readonly string[])[]): Promise<void> {
  const cpuBefore = server.cpuMs?.() ?? Number.NaN;
  const startedAt = performance.now();
  const reading = Promise.all(readers.map((options) => read(forge, options)));
  let isOver = false;
  const over = Promise.race([readers.length === 0 ? sleep(SECONDS_MAX * 200) : reading]).then(() => {
    isOver = true;
  });
  const times: number[] = [];
  while (!isOver) {
    times.push(await smallRequest(forge));
    await sleep(PAUSE_MS);
  }
  await over;
  const megabytes = (await reading).reduce((sum, bytes) => sum + bytes, 0) / 1e6;
  const seconds = (performance.now() - startedAt) / 1000;
  const cpuMs = (server.cpuMs?.() ?? Number.NaN) - cpuBefore;
  const cells = [
    what,
    (megabytes / seconds).toFixed(1),
    megabytes === 0 ? '–' : (cpuMs / megabytes).toFixed(2),
    `${times.length}`,
    median(times).toFixed(1),
    quantile(times, 0.99).toFixed(1),
    Math.max(...times).toFixed(1),
  ];
  print(`| ${cells.join(' | ')} |`);
}

/** @returns bytes that arrived until the end of the file or of the time */
async function read(forge: Forge, options: readonly string[]): Promise<number> {
  const url = `${forge.url}${forge.repositoryPath(NAME)}/raw/large`;
  const args = [
    '--silent',
    '--output',
    '/dev/null',
    '--write-out',
    '%{http_code} %{size_download}',
    ...options,
  ];
  const child = spawn(
    'curl',
    [...args, '--max-time', `${SECONDS_MAX}`, '--header', `authorization: token ${forge.token}`, url],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  const [said] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const [status, bytes] = said.split(' ');
  // 000: the time is over before the response begins.
  if (status !== '200' && status !== '000') throw new Error(`raw: ${status}`);
  return Number(bytes);
}

/** @returns ms */
async function smallRequest(forge: Forge): Promise<number> {
  const startedAt = performance.now();
  const { status } = await forge.ask('GET', forge.repositoryPath(NAME));
  if (status !== 200) throw new Error(`the small request: ${status}`);
  return performance.now() - startedAt;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
