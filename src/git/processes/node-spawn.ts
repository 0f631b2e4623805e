import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { ProcessCommand, ProcessEnd, StartedProcess } from './model.ts';

/** Starts a process as Node does. It reports why a program cannot be started. */
export function startWithNode({ program, args, environment, inputFile }: ProcessCommand): StartedProcess {
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
