import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterTest, type Cleanup } from './after-test.ts';
import type { TestForge } from './forge.ts';

/** Longer than the delay of any job that a push requests. */
const AHEAD_MS = 60_000;

/** Runs the jobs of the pushes so far, which otherwise start git at any later time. */
export async function endJobs({ forge }: TestForge): Promise<void> {
  await forge.running.services.jobs.runDue({ aheadMs: AHEAD_MS });
}

/** Watches the processes that this process starts. Returns a function that lists their commands so far. */
export function watchProcesses(t: Cleanup): () => readonly string[] {
  const started: ChildProcess[] = [];
  const note = (message: unknown) => {
    started.push((message as { process: ChildProcess }).process);
  };
  subscribe('child_process', note);
  afterTest(t, () => unsubscribe('child_process', note));
  // A process gets its arguments only after the message about it.
  return () => started.map((child) => child.spawnargs.join(' '));
}
