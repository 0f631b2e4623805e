import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { cpuMsOf } from './cpu-time.ts';
import { END_OF_FILE, type EndedTest, type Message } from './protocol.ts';

/** The time limit of a test that sets no `timeout` itself. It ends a test that hangs, also on a very busy machine. */
const TEST_MS_MAX = 5 * 60_000;
/** The time limit of a file. */
const FILE_MS_MAX = 30 * 60_000;
/** How long a process may take to end after its last file. It then writes the cache of compiled modules. */
const EXIT_MS_MAX = 30_000;
/** How long an interrupted process may take to end. */
const END_MS_MAX = 2_000;
/** How much of the output of a file the report shows if it fails. */
const OUTPUT_CHARS_KEPT = 32_768;

const REPORTER = path.join(import.meta.dirname, 'reporter.ts');
const UNTRACKED_PROMISES = path.join(import.meta.dirname, 'untracked-promises.ts');
const WORKER = path.join(import.meta.dirname, 'worker.ts');

export interface ProcessOptions {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly only: string | undefined;
  readonly signal: AbortSignal;
}

export interface FileResult {
  readonly file: string;
  readonly tests: readonly EndedTest[];
  /** the newest part of what the process printed; empty if nothing failed */
  readonly output: string;
  readonly durationMs: number;
  /** CPU of the test process and of what it started, without the database server; undefined if unknown */
  readonly cpuMs: number | undefined;
}

interface Ending {
  readonly code: number | null;
  readonly killedBy: NodeJS.Signals | null;
}

/** The messages about one file, the last of which is its end, unless the process ended first. */
interface Transcript {
  readonly messages: readonly Message[];
  readonly isOverdue: boolean;
}

/**
 * A process that runs test files, one at a time. It leads a process group, of which nothing is left when `end` resolves.
 *
 * `run()` of node:test is no simpler: in one process it does not end what a file leaves open or what exits early, and
 * with a process for each file it neither ends the processes that a test started nor fails a file without a test.
 */
export class TestProcess {
  readonly #options: ProcessOptions;
  readonly #child: ChildProcess;
  readonly #messages: AsyncIterator<Message>;
  readonly #ending: Promise<Ending>;
  readonly #abort = () => this.#kill();
  #printed = '';
  #hasFailed = false;
  /** CPU that the files before have used */
  #cpuMs = 0;
  readonly #files: string[] = [];

  constructor(options: ProcessOptions) {
    this.#options = options;
    this.#child = start(options);
    this.#messages = messagesOf(this.#child);
    this.#ending = endingOf(this.#child);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        this.#printed = (this.#printed + chunk).slice(-OUTPUT_CHARS_KEPT);
      });
    }
    options.signal.addEventListener('abort', this.#abort);
    if (options.signal.aborted) this.#kill();
  }

  /** False after a failure, because a failed test may leave things behind that disturb the next file. */
  get isReusable(): boolean {
    return !this.#hasFailed;
  }

  /** the files that it ran */
  get files(): readonly string[] {
    return this.#files;
  }

  async run(file: string): Promise<FileResult> {
    const startedAt = performance.now();
    this.#files.push(file);
    this.#printed = '';
    this.#child.stdin?.write(`${file}\n`);
    const transcript = await this.#transcribe();
    const tests = transcript.messages.filter((message) => message.kind === 'test');
    const problem = await this.#problemOf(transcript);
    if (problem !== undefined) {
      tests.push({
        kind: 'test',
        name: '(the file as a whole)',
        line: 1,
        outcome: 'failed',
        detail: problem,
      });
    }
    this.#hasFailed = tests.some((test) => test.outcome === 'failed');
    const output = this.#hasFailed ? this.#printed.trim() : '';
    const durationMs = performance.now() - startedAt;
    return { file, tests, output, durationMs, cpuMs: this.#cpuMsSinceLast() };
  }

  #cpuMsSinceLast(): number | undefined {
    const cpuMs = cpuMsOf(this.#child.pid);
    if (cpuMs === undefined) return undefined;
    const before = this.#cpuMs;
    this.#cpuMs = cpuMs;
    return cpuMs - before;
  }

  /**
   * Ends the process and everything that its tests started.
   *
   * @returns how it ended, if that is a failure that no file reported
   */
  async end(): Promise<string | undefined> {
    const overdue = setTimeout(() => signalGroup(this.#child, 'SIGKILL'), EXIT_MS_MAX);
    this.#child.stdin?.end();
    const ending = await this.#ending;
    clearTimeout(overdue);
    this.#options.signal.removeEventListener('abort', this.#abort);
    return this.#hasFailed || ending.code === 0
      ? undefined
      : `the test process ended with ${inWords(ending)}`;
  }

  async #transcribe(): Promise<Transcript> {
    const messages: Message[] = [];
    let isOverdue = false;
    const overdue = setTimeout(() => {
      isOverdue = true;
      signalGroup(this.#child, 'SIGKILL');
    }, FILE_MS_MAX);
    for (let next = await this.#messages.next(); !next.done; next = await this.#messages.next()) {
      messages.push(next.value);
      if (next.value.kind === 'end') break;
    }
    clearTimeout(overdue);
    return { messages, isOverdue };
  }

  /** What is wrong with a file beyond its failed tests. */
  async #problemOf({ messages, isOverdue }: Transcript): Promise<string | undefined> {
    if (this.#options.signal.aborted) return 'interrupted';
    if (isOverdue) return `took longer than ${FILE_MS_MAX / 60_000} minutes`;
    const leftOpen = messages.find((message) => message.kind === 'left-open');
    if (leftOpen !== undefined)
      return `its tests ended, but it does not end: ${leftOpen.resources.join(', ')}`;
    const errors = messages.filter((message) => message.kind === 'error');
    if (!messages.some((message) => message.kind === 'end'))
      return `ended before its tests did: ${inWords(await this.#ending)}`;
    const tests = messages.filter((message) => message.kind === 'test');
    if (errors.length > 0 && !tests.some((test) => test.outcome === 'failed'))
      return errors.map((error) => error.detail).join('\n');
    if (tests.length === 0 && this.#options.only === undefined) return 'contains no test';
    return undefined;
  }

  #kill(): void {
    signalGroup(this.#child, 'SIGTERM');
    setTimeout(() => signalGroup(this.#child, 'SIGKILL'), END_MS_MAX).unref();
  }
}

function start({ root, env, only }: ProcessOptions): ChildProcess {
  const patterns = only === undefined ? [] : [only, END_OF_FILE];
  const flags = [
    `--import=${UNTRACKED_PROMISES}`,
    `--test-reporter=${REPORTER}`,
    '--test-reporter-destination=stdout',
    `--test-timeout=${TEST_MS_MAX}`,
    '--disable-warning=ExperimentalWarning',
    ...patterns.map((text) => `--test-name-pattern=${text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}`),
  ];
  const child = spawn(process.execPath, [...flags, WORKER], {
    cwd: root,
    env,
    // A separate process group lets servers and git clients that a test started end with it.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  // A process that ended early does not read the name of its next file.
  child.stdin?.on('error', () => {});
  return child;
}

async function* messagesOf(child: ChildProcess): AsyncGenerator<Message> {
  const stream = child.stdio[3] as Readable;
  for await (const line of createInterface({ input: stream })) yield JSON.parse(line) as Message;
}

function endingOf(child: ChildProcess): Promise<Ending> {
  const { promise, resolve, reject } = Promise.withResolvers<Ending>();
  child.once('error', reject);
  child.once('exit', (code, killedBy) => {
    signalGroup(child, 'SIGKILL');
    // A process that left the group may still hold these open.
    setTimeout(() => {
      for (const stream of child.stdio) stream?.destroy();
    }, END_MS_MAX).unref();
    resolve({ code, killedBy });
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

function inWords({ code, killedBy }: Ending): string {
  return killedBy === null ? `exit code ${code}` : `signal ${killedBy}`;
}
