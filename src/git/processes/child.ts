import { type Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { countCost } from '../../base/core/costs.ts';
import type { FairSlots } from '../../base/core/fairness/fair-slots.ts';
import { isOutOfProcesses, tooManyFiles } from '../../base/core/files/out-of-files.ts';
import { Deadline } from '../../base/core/time/deadline.ts';
import type { GitDir } from '../folders/repository-layout.ts';
import { GIT_LIMITS } from '../limits.ts';
import { findProgram } from './find-program.ts';
import { GitFailedError } from './git-failed-error.ts';
import { lowerPriority } from './low-priority.ts';
import type { StartedProcess } from './model.ts';
import { startProcess } from './start-process.ts';

export interface GitCommand {
  /** the subcommand and its arguments: ids and server paths, never names from clients */
  readonly args: readonly string[];
  readonly gitDir: GitDir;
  /** folder for new objects; by default the repository's own */
  readonly objectsFolder?: string;
  /** an index apart from that of the repository */
  readonly indexFile?: string;
  /** further `objects` folders that only this command reads */
  readonly alsoReads?: readonly string[];
  /** `key=value` as in git-config(1) */
  readonly settings?: readonly string[];
  /** file with commits that git treats as parentless, one id per line */
  readonly shallowFile?: string;
  /** the client's Git-Protocol header; git gets only `version=0`, `1` or `2` */
  readonly protocol?: string | undefined;
  /** memory that git may allocate, besides the packs that it maps; the system has to know setrlimit(2) */
  readonly memoryBytesMax?: number;
}

export interface GitRun {
  /** null: the command starts at once, and the caller bounds the number of children */
  readonly slots: FairSlots | null;
  readonly signal?: AbortSignal | undefined;
  /** how long the child may run, counted from its start and from each restart of its `deadline` */
  readonly deadlineMs?: number;
  /** for long work: whether other work goes first while the processors are busy */
  readonly hasLowPriority?: boolean;
  /** for work that is rarely long: after this time it has low priority */
  readonly lowPriorityAfterMs?: number;
  readonly onStderr?: (chunk: Buffer) => void;
  /** descriptor of a file that the child reads as its input, from the position of the file, instead of `stdin` */
  readonly inputFile?: number | undefined;
}

export interface GitExit {
  /** null: ended by a signal or never started */
  readonly exitCode: number | null;
  /** the last part of its standard error */
  readonly stderr: string;
}

export interface GitChild {
  /** undefined: git could not be started */
  readonly pid: number | undefined;
  /** destroyed if the child reads a file instead */
  readonly stdin: Writable;
  /** destroying it ends the child */
  readonly stdout: Readable;
  /** resolves when the child has ended and its slot is free; never rejects */
  readonly done: Promise<GitExit>;
  /** ends the child */
  readonly deadline: Deadline;
  /** Ends the child and all processes that it started. */
  end(): void;
}

/** Search path for git and the programs that it runs. Children do not inherit the environment of this process. */
let searchPath = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin:/run/current-system/sw/bin';
/** Path of git, which is found once: a search at each start would try every folder of the search path. */
let gitProgram: string | undefined;

export function setGitSearchPath(path: string): void {
  searchPath = path;
  gitProgram = undefined;
}

export function gitSearchPath(): string {
  return searchPath;
}

/**
 * Starts git. All other functions start it through this one. The environment is built from scratch: no configuration of
 * the machine or user, no hooks, no replace objects and no prompts.
 *
 * @throws ForgeError `busy` when no slot becomes free in time, or the system has no room for a process; the reason of
 *   `signal`
 */
export async function startGit(command: GitCommand, run: GitRun): Promise<GitChild> {
  const leave = (await run.slots?.enter({ signal: run.signal })) ?? (() => {});
  try {
    run.signal?.throwIfAborted();
    countCost('git processes');
    const child = spawnGit(command, run.inputFile);
    if (child.pid === undefined) await requireLasting(child);
    if (run.hasLowPriority === true) lowerPriority(child);
    return watch(child, run, leave);
  } catch (error) {
    leave();
    throw error;
  }
}

/** Requires that the reason why git did not start will not pass. Its exit then reports the reason. */
async function requireLasting(child: StartedProcess): Promise<void> {
  const { error } = await child.closed;
  if (isOutOfProcesses(error)) throw tooManyFiles(error);
}

function spawnGit(command: GitCommand, inputFile: number | undefined): StartedProcess {
  gitProgram ??= findProgram('git', searchPath);
  const git = [gitProgram ?? 'git', ...commonArguments(command), ...command.args];
  const [program = 'git', ...args] = [...limiter(command), ...git];
  return startProcess({ program, args, environment: environment(command), inputFile });
}

/** Node cannot set limits of a child. The shell sets its own, and git then replaces it. */
function limiter({ memoryBytesMax }: GitCommand): readonly string[] {
  if (memoryBytesMax === undefined || process.platform === 'win32') return [];
  return ['/bin/sh', '-c', `ulimit -d ${Math.ceil(memoryBytesMax / 1024)} && exec "$@"`, 'sh'];
}

function commonArguments(command: GitCommand): string[] {
  const settings = [
    'core.hooksPath=/dev/null',
    // The environment is fixed and all paths are the server's own, so the owner of a folder does not matter.
    'safe.directory=*',
    // git processes larger blobs in pieces instead of whole.
    'core.bigFileThreshold=16m',
    'gc.auto=0',
    'maintenance.auto=false',
    ...(command.settings ?? []),
  ];
  const shallow = command.shallowFile === undefined ? [] : ['--shallow-file', command.shallowFile];
  return [...settings.flatMap((setting) => ['-c', setting]), ...shallow];
}

function environment(command: GitCommand): Record<string, string> {
  const env: Record<string, string> = {
    PATH: searchPath,
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_DIR: command.gitDir,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_CEILING_DIRECTORIES: '/',
    GIT_OPTIONAL_LOCKS: '0',
  };
  if (command.objectsFolder !== undefined) env.GIT_OBJECT_DIRECTORY = command.objectsFolder;
  if (command.indexFile !== undefined) env.GIT_INDEX_FILE = command.indexFile;
  if (command.alsoReads !== undefined) {
    env.GIT_ALTERNATE_OBJECT_DIRECTORIES = command.alsoReads.map(quotePath).join(':');
  }
  if (command.protocol !== undefined && /^version=[012]$/.test(command.protocol)) {
    env.GIT_PROTOCOL = command.protocol;
  }
  return env;
}

/** @see git(1), GIT_ALTERNATE_OBJECT_DIRECTORIES: git reads a path in double quotes as a C string */
function quotePath(path: string): string {
  return `"${path.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

function watch(child: StartedProcess, run: GitRun, leave: () => void): GitChild {
  let stderr = '';
  let running = true;
  const end = () => {
    if (running) killGroup(child);
  };
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-GIT_LIMITS.gitStderrBytesMax);
    run.onStderr?.(chunk);
  });
  // A child that ends without reading its input breaks the pipe. Its exit explains more than this error.
  child.stdin?.on('error', () => {});
  child.stdout.on('error', () => {});
  child.stdout.on('close', () => {
    if (!child.stdout.readableEnded) end();
  });
  run.signal?.addEventListener('abort', end, { once: true });
  const { lowPriorityAfterMs } = run;
  const isLong =
    lowPriorityAfterMs === undefined ? undefined : setTimeout(giveWay, lowPriorityAfterMs, child);
  const deadline = new Deadline(run.deadlineMs ?? GIT_LIMITS.gitChildMs, end);

  const done = child.closed.then(({ exitCode, error }): GitExit => {
    running = false;
    if (error !== undefined) stderr += `git cannot be started: ${error.message}`;
    deadline.finish();
    clearTimeout(isLong);
    run.signal?.removeEventListener('abort', end);
    leave();
    return { exitCode, stderr: stderr.trim() };
  });
  const stdin = child.stdin ?? new Writable().destroy();
  return { pid: child.pid, stdin, stdout: child.stdout, done, deadline, end };
}

function giveWay(child: StartedProcess): void {
  // Its number may belong to another process by now.
  if (!child.hasExited()) lowerPriority(child);
}

function killGroup(child: StartedProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  // Not every system has groups of processes.
  if (!kill(-pid) && !child.hasExited()) kill(pid);
  child.stdout.destroy();
}

/** @returns whether there was such a process or group */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

/**
 * Sends `input` to the child until the child stops reading. Every piece that it takes restarts its deadline.
 *
 * @throws an error of `input`; the child then sees an early end of its input
 */
export async function feed(child: GitChild, input: AsyncIterable<Uint8Array>): Promise<void> {
  const failures: unknown[] = [];
  const pieces = async function* () {
    try {
      for await (const piece of input) {
        yield piece;
        child.deadline.restart();
      }
    } catch (error) {
      failures.push(error);
    }
  };
  // An error of the pipe means that the child stopped reading. Its exit says why.
  await pipeline(pieces, child.stdin).catch(() => {});
  if (failures.length > 0) throw failures[0];
}

/**
 * Runs a command to its end.
 *
 * @param run.answersAlso exit codes other than 0 that are answers
 * @throws GitFailedError for another exit code, and without one for an output over its limit; ForgeError `busy`
 */
export async function runGit(
  command: GitCommand,
  run: GitRun & {
    input?: string | Buffer | Readable;
    stdoutBytesMax?: number;
    answersAlso?: readonly number[];
  },
): Promise<{ stdout: Buffer; stderr: string; exitCode: number }> {
  const child = await startGit(command, run);
  if (run.input === undefined || typeof run.input === 'string' || Buffer.isBuffer(run.input))
    child.stdin.end(run.input ?? '');
  else pipeline(run.input, child.stdin).catch(() => {});
  const [stdout, exit] = await Promise.all([
    collect(child, run.stdoutBytesMax ?? GIT_LIMITS.gitAnswerBytesMax),
    child.done,
  ]);
  run.signal?.throwIfAborted();
  const { exitCode, stderr } = exit;
  // git may have written all of it and ended before it could be stopped.
  if (stdout === undefined) throw new GitFailedError(command.args[0] ?? '', { exitCode: null, stderr });
  if (exitCode !== null && [0, ...(run.answersAlso ?? [])].includes(exitCode))
    return { stdout, stderr, exitCode };
  throw new GitFailedError(command.args[0] ?? '', exit);
}

/** Returns undefined if the output is longer than `bytesMax`, and then ends the child. */
async function collect(child: GitChild, bytesMax: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > bytesMax) return undefined;
      chunks.push(chunk);
    }
  } catch {
    // The child was ended; its exit says so.
  }
  return Buffer.concat(chunks);
}
