import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Cleanup } from './process.ts';

/** Watches the processes that this process starts. Returns a function that lists their commands so far. */
export function watchProcesses(t: Cleanup): () => readonly string[] {
  const started: ChildProcess[] = [];
  const note = (message: unknown) => {
    started.push((message as { process: ChildProcess }).process);
  };
  subscribe('child_process', note);
  t.after(() => unsubscribe('child_process', note));
  // A process gets its arguments only after the message about it.
  return () => started.map((child) => child.spawnargs.join(' '));
}
