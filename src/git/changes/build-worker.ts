import { parentPort, workerData } from 'node:worker_threads';
import { setGitSearchPath } from '../processes/child.ts';
import { type BuildStep, buildStep } from './build.ts';
import type { WorkerAnswer, WorkerRequest } from './builder.ts';

// Runs large steps of building indexes, because parsing and sorting would delay every request.

const running = new Map<number, AbortController>();

setGitSearchPath(String(workerData));
parentPort?.on('message', (request: WorkerRequest) => {
  if ('end' in request) running.get(request.id)?.abort();
  else void run(request);
});

async function run({ id, step, location }: Extract<WorkerRequest, { step: BuildStep }>): Promise<void> {
  const ending = new AbortController();
  running.set(id, ending);
  try {
    reply({ id, outcome: await buildStep(step, ending.signal, { locate: async () => location }) });
  } catch (error) {
    reply({ id, error: error instanceof Error ? error.message : String(error) });
  } finally {
    running.delete(id);
  }
}

function reply(answer: WorkerAnswer): void {
  parentPort?.postMessage(answer);
}
