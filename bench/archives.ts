import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { askGit, GIT_ENVIRONMENT, runGit } from './corpus/git.ts';
import { textOfBytes } from './corpus/texts.ts';
import { describeMachine, loadNow } from './report/machine.ts';
import { cpuMsOfEndedChildren } from './servers/process-usage.ts';
import { ADMINISTRATOR, quireCommand } from './servers/quire.ts';
import { ServerProcess } from './servers/server-process.ts';
import { median } from './statistics.ts';

// Measures archives: the first one of a commit against `git archive`, and a repeated one against reading its file. Each
// round takes one of each, so that other load on the machine affects all of them. CPU is the time of git, or of the
// server with its git; other load affects it less. Prints a table as Markdown.
//
//   node bench/archives.ts               2,000 files of 10 KB, 9 rounds
//   node bench/archives.ts 20 9          another number of files, and of rounds

const FILES = Number(process.argv[2] ?? 2_000);
const ROUNDS = Number(process.argv[3] ?? 9);
const FILE_BYTES = 10_000;
const NAME = 'engine';
const authorization = `Basic ${Buffer.from(`${ADMINISTRATOR.login}:${ADMINISTRATOR.password}`).toString('base64')}`;

const folder = await mkdtemp(join(tmpdir(), 'quire-archives-'));
const server = await ServerProcess.start(quireCommand(folder, []));
try {
  const repository = join(folder, 'corpus.git');
  const commits = await makeCommits(repository);
  await send('POST', '/user/repos', JSON.stringify({ name: NAME }));
  const remote = new URL(`${server.url}/${ADMINISTRATOR.login}/${NAME}.git`);
  remote.username = ADMINISTRATOR.login;
  remote.password = ADMINISTRATOR.password;
  await runGit(['--git-dir', repository, 'push', '--quiet', remote.href, 'refs/heads/*:refs/heads/*']);
  // The server measures and indexes a repository after a push.
  await new Promise((resolve) => setTimeout(resolve, 15_000));
  print(`${FILES} files, ${ROUNDS} rounds; ${JSON.stringify(describeMachine())}\n`);
  print('| format | MB | what | ms | CPU ms |');
  print('| --- | ---: | --- | ---: | ---: |');
  for (const format of ['zip', 'tar.gz']) await measure(repository, commits, format);
  print(`\nload average at the end: ${loadNow()}`);
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Makes a commit for the warm-up and one for each round, all with the same files. */
async function makeCommits(repository: string): Promise<readonly string[]> {
  await runGit(['init', '--quiet', '--bare', repository]);
  const git = (...args: string[]) => askGit(['--git-dir', repository, ...args]);
  await runGit(['--git-dir', repository, 'fast-import', '--quiet'], stream());
  const tree = await git('rev-parse', 'main^{tree}');
  const commits: string[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const commit = await git('commit-tree', '-m', `Round ${round}`, tree);
    await git('update-ref', `refs/heads/round-${round}`, commit);
    commits.push(commit);
  }
  await git('repack', '-qad');
  return commits;
}

function* stream(): Generator<string> {
  yield 'commit refs/heads/main\ncommitter Bench <bench@example.org> 1700000000 +0000\ndata 5\nFirst\n';
  for (let file = 0; file < FILES; file += 1) {
    const text = textOfBytes(FILE_BYTES, file);
    yield `M 100644 inline folder-${file % 50}/file-${file}.txt\ndata ${FILE_BYTES}\n${text}\n`;
  }
}

interface Sample {
  readonly ms: number;
  readonly cpuMs: number;
  readonly bytes: number;
}

async function measure(repository: string, commits: readonly string[], format: string): Promise<void> {
  const rounds: Record<'git archive' | 'first' | 'reading the file' | 'again', Sample>[] = [];
  for (const commit of commits) {
    const path = `/repos/${ADMINISTRATOR.login}/${NAME}/archive/${commit}.${format}`;
    const byGit = await timed(() => archiveByGit(repository, commit, format), cpuMsOfEndedChildren);
    const first = await timed(() => send('GET', path), cpuMsOfServer);
    const stored = await storedFile(commit, format);
    const file = await timed(
      () => sizeOf(createReadStream(stored)),
      () => Number.NaN,
    );
    const again = await timed(() => send('GET', path), cpuMsOfServer);
    if (first.bytes !== byGit.bytes || again.bytes !== byGit.bytes) throw new Error('the archives differ');
    rounds.push({ 'git archive': byGit, first, 'reading the file': file, again });
  }
  // The first round is the warm-up.
  const measured = rounds.slice(1);
  const mb = ((measured[0]?.again.bytes ?? 0) / 1e6).toFixed(1);
  for (const what of ['git archive', 'first', 'reading the file', 'again'] as const) {
    const of = (pick: (sample: Sample) => number) =>
      median(measured.map((round) => pick(round[what]))).toFixed(1);
    print(`| ${format} | ${mb} | ${what} | ${of(({ ms }) => ms)} | ${of(({ cpuMs }) => cpuMs)} |`);
  }
  const ratio = (pick: (sample: Sample) => number) =>
    median(measured.map((round) => pick(round.first) / pick(round['git archive']))).toFixed(2);
  print(`| ${format} | | first to git archive | ${ratio(({ ms }) => ms)} | ${ratio(({ cpuMs }) => cpuMs)} |`);
}

function cpuMsOfServer(): number {
  return server.cpuMs?.() ?? Number.NaN;
}

async function timed(work: () => Promise<number>, cpuMs: () => number): Promise<Sample> {
  const startedAt = performance.now();
  const usedBefore = cpuMs();
  const bytes = await work();
  return { ms: performance.now() - startedAt, cpuMs: cpuMs() - usedBefore, bytes };
}

async function archiveByGit(repository: string, commit: string, format: string): Promise<number> {
  const args = ['--git-dir', repository, 'archive', `--format=${format}`, `--prefix=${NAME}/`, commit];
  const child = spawn('git', args, { env: GIT_ENVIRONMENT, stdio: ['ignore', 'pipe', 'inherit'] });
  const [bytes] = await Promise.all([sizeOf(child.stdout), once(child, 'close')]);
  return bytes;
}

/** Waits until the server has stored an archive, which it does after the response. */
async function storedFile(commit: string, format: string): Promise<string> {
  for (;;) {
    const files = await readdir(join(folder, 'data/objects'), { recursive: true });
    const found = files.find((name) => name.endsWith(`${commit}-${NAME}.${format}`));
    if (found !== undefined) return join(folder, 'data/objects', found);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function sizeOf(stream: Readable): Promise<number> {
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) bytes += chunk.length;
  return bytes;
}

/** @returns bytes of the response */
async function send(method: string, path: string, body?: string): Promise<number> {
  const headers = { authorization, 'content-type': 'application/json' };
  const sent = request(`${server.url}/api/v1${path}`, { method, headers });
  sent.end(body);
  const [response] = await once(sent, 'response');
  if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode}`);
  return sizeOf(response);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
