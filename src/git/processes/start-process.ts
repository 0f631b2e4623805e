import { channel } from 'node:diagnostics_channel';
import { type ProcessCommand, type StartedProcess, startWithNode } from './node-spawn.ts';
import { startWithoutCopy } from './posix-spawn.ts';

/** Receives the command of each process that this process starts, as a list of words. */
export const PROCESS_STARTS = channel('quire.process');

/** Starts a process, without a copy of the page tables of this one where the system can do that. */
export function startProcess(command: ProcessCommand): StartedProcess {
  PROCESS_STARTS.publish(command.command);
  return startWithoutCopy(command) ?? startWithNode(command);
}
