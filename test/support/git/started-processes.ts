import type { ProcessCommand } from '../../../src/git/processes/model.ts';
import { PROCESS_STARTS } from '../../../src/git/processes/start-process.ts';
import { afterTest, type Cleanup } from '../after-test.ts';
import type { TestForge } from '../forge/forge.ts';

/** Longer than the delay of any job that a push requests. */
const AHEAD_MS = 60_000;

/** Runs the jobs of the pushes so far, which otherwise start git at any later time. */
export async function endJobs({ forge }: TestForge): Promise<void> {
  await forge.running.services.jobs.runDue({ aheadMs: AHEAD_MS });
}

/** Watches the processes that the server starts. Returns a function that lists their commands so far. */
export function watchProcesses(t: Cleanup): () => readonly string[] {
  const started: string[] = [];
  const note = (message: unknown) => {
    const { program, args } = message as ProcessCommand;
    started.push([program, ...args].join(' '));
  };
  PROCESS_STARTS.subscribe(note);
  afterTest(t, () => PROCESS_STARTS.unsubscribe(note));
  return () => [...started];
}
