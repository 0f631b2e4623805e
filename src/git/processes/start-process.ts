import { channel } from 'node:diagnostics_channel';
import type { ProcessCommand, StartedProcess } from './model.ts';
import { startWithNode } from './node-spawn.ts';
import { startWithoutCopy } from './posix-spawn.ts';

/** Receives the `ProcessCommand` of each process that this process starts. */
export const PROCESS_STARTS = channel('quire.process');

/** Starts a process, without a copy of the page tables of this one where the system can do that. */
export function startProcess(command: ProcessCommand): StartedProcess {
  PROCESS_STARTS.publish(command);
  return startWithoutCopy(command) ?? startWithNode(command);
}
