import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { EndedTest, Message } from './protocol.ts';

/** The most a test may take that states no `timeout` of its own. */
const TEST_MS_MAX = 60_000;
/** The most a file may take in all. */
const FILE_MS_MAX = 15 * 60_000;
/** How long a process group may take to end by itself when it is asked to. */
const END_MS_MAX = 2_000;
/** How much of a process's own output is kept for the case that it fails. */
const OUTPUT_CHARS_KEPT = 32_768;

const REPORTER = path.join(import.meta.dirname, 'reporter.ts');

export interface FileOptions {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly only: string | undefined;
  readonly signal: AbortSignal;
}

export interface FileResult {
  readonly file: string;
  readonly tests: readonly EndedTest[];
  /** what the process printed, newest part; empty where nothing failed */
  readonly output: string;
  readonly durationMs: number;
}

/** Runs one test file in a process group of its own, of which nothing is left when this resolves. */
export async function runFile(file: string, options: FileOptions): Promise<FileResult> {
  const startedAt = performance.now();
  const child = start(file, options);
  const printed = keepNewest([child.stdout, child.stderr]);
  const messages: Message[] = [];
  const told = collect(child, messages);
  const ending = await untilEnd(child, options.signal);
  await told;

  const tests = messages.filter((message) => message.kind === 'test');
  const problem = problemOf(messages, ending, options);
  if (problem !== undefined) {
    tests.push({ kind: 'test', name: '(the file as a whole)', line: 1, outcome: 'failed', detail: problem });
  }
  const output = tests.some((test) => test.outcome === 'failed') ? printed() : '';
  return { file, tests, output, durationMs: performance.now() - startedAt };
}

function start(file: string, { root, env, only }: FileOptions): ChildProcess {
  const flags = [
    `--test-reporter=${REPORTER}`,
    '--test-reporter-destination=stdout',
    `--test-timeout=${TEST_MS_MAX}`,
    '--disable-warning=ExperimentalWarning',
    ...(only === undefined ? [] : [`--test-name-pattern=${only.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}`]),
  ];
  return spawn(process.execPath, [...flags, path.resolve(root, file)], {
    cwd: root,
    env,
    // Its own group, so that servers and git clients which a test started end with it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
}

function keepNewest(streams: readonly (Readable | null)[]): () => string {
  let kept = '';
  for (const stream of streams) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      kept = (kept + chunk).slice(-OUTPUT_CHARS_KEPT);
    });
  }
  return () => kept.trim();
}

async function collect(child: ChildProcess, messages: Message[]): Promise<void> {
  const stream = child.stdio[3] as Readable;
  for await (const line of createInterface({ input: stream })) messages.push(JSON.parse(line) as Message);
}

interface Ending {
  readonly code: number | null;
  readonly killedBy: NodeJS.Signals | null;
  readonly isOverdue: boolean;
}

async function untilEnd(child: ChildProcess, signal: AbortSignal): Promise<Ending> {
  const { promise, resolve, reject } = Promise.withResolvers<Ending>();
  let isOverdue = false;
  const overdue = setTimeout(() => {
    isOverdue = true;
    signalGroup(child, 'SIGKILL');
  }, FILE_MS_MAX);
  const abort = () => {
    signalGroup(child, 'SIGTERM');
    setTimeout(() => signalGroup(child, 'SIGKILL'), END_MS_MAX).unref();
  };
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  child.once('error', reject);
  child.once('exit', (code, killedBy) => {
    clearTimeout(overdue);
    signal.removeEventListener('abort', abort);
    signalGroup(child, 'SIGKILL');
    // A process that left the group may still hold these open; nobody listens to it any more.
    setTimeout(() => {
      for (const stream of child.stdio) stream?.destroy();
    }, END_MS_MAX).unref();
    resolve({ code, killedBy, isOverdue });
  });
  return promise;
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // Nothing of the group is left.
  }
}

/** What is wrong with the file beyond its failed tests. */
function problemOf(
  messages: readonly Message[],
  ending: Ending,
  { only, signal }: FileOptions,
): string | undefined {
  if (signal.aborted) return 'interrupted';
  if (ending.isOverdue) return `took longer than ${FILE_MS_MAX / 60_000} minutes`;
  const leftOpen = messages.find((message) => message.kind === 'left-open');
  if (leftOpen !== undefined)
    return `its tests are done but it does not end: ${leftOpen.resources.join(', ')}`;
  const how = ending.killedBy === null ? `exit code ${ending.code}` : `killed by ${ending.killedBy}`;
  const tests = messages.filter((message) => message.kind === 'test');
  if (tests.length === 0 && ending.code === 0) return only === undefined ? 'holds no test' : undefined;
  if (!messages.some((message) => message.kind === 'finished')) return `ended before its tests did: ${how}`;
  if (ending.code !== 0 && !tests.some((test) => test.outcome === 'failed')) return how;
  return undefined;
}
