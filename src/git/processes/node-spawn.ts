import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

export interface ProcessCommand {
  /** the path of the program, and its arguments */
  readonly command: readonly [string, ...string[]];
  /** the whole environment of the process */
  readonly environment: Readonly<Record<string, string>>;
  /** descriptor of a file that the process reads as its input */
  readonly inputFile: number | undefined;
}

export interface ProcessEnd {
  /** null: ended by a signal or never started */
  readonly exitCode: number | null;
  /** why it could not be started */
  readonly error: Error | undefined;
}

/** A process in a session of its own, whose working directory is the root folder. */
export interface StartedProcess {
  /** undefined: it could not be started */
  readonly pid: number | undefined;
  /** null: the process reads a file instead */
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** whether the system has reported its end: its number may belong to another process by now */
  hasExited(): boolean;
  /** resolves when the process has ended and its output is closed; never rejects */
  readonly closed: Promise<ProcessEnd>;
}

/** Starts a process as Node does. It reports why a program cannot be started. */
export function startWithNode({ command, environment, inputFile }: ProcessCommand): StartedProcess {
  const [program, ...args] = command;
  const child = spawn(program, args, {
    cwd: '/',
    env: environment,
    stdio: [inputFile ?? 'pipe', 'pipe', 'pipe'],
    // A session is also a group of processes, so the children of the process can end with it.
    detached: true,
  });
  const { promise: closed, resolve } = Promise.withResolvers<ProcessEnd>();
  let problem: Error | undefined;
  child.on('error', (error) => {
    problem = error;
    if (child.pid === undefined) resolve({ exitCode: null, error });
  });
  child.on('close', (exitCode) => resolve({ exitCode, error: problem }));
  return {
    pid: child.pid,
    stdin: child.stdin,
    stdout: child.stdout as Readable,
    stderr: child.stderr as Readable,
    hasExited: () => child.exitCode !== null || child.signalCode !== null,
    closed,
  };
}
