import { spawn } from 'node:child_process';
import { channel } from 'node:diagnostics_channel';
import { Readable } from 'node:stream';
import type { ProcessCommand, ProcessEnd, StartedProcess } from './model.ts';

/** Receives the `ProcessCommand` of each process that this process starts. */
export const PROCESS_STARTS = channel('quire.process');

/** Starts a process. If the system cannot start the program, `closed` reports why. */
export function startProcess(command: ProcessCommand): StartedProcess {
  PROCESS_STARTS.publish(command);
  const child = spawn(command.program, command.args, {
    cwd: '/',
    env: command.environment,
    stdio: [command.inputFile ?? 'pipe', 'pipe', 'pipe'],
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
    // Without free descriptors, there are no streams at all.
    stdin: child.stdin ?? null,
    stdout: child.stdout ?? Readable.from([]),
    stderr: child.stderr ?? Readable.from([]),
    hasExited: () => child.exitCode !== null || child.signalCode !== null,
    closed,
  };
}
