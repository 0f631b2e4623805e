import { parentPort } from 'node:worker_threads';

/** In the module of a `Thread`: answers each piece of work. An error ends the thread, and the work has no answer. */
export function answerInThread<Work, Answer>(answerOf: (work: Work) => Answer | Promise<Answer>): void {
  parentPort?.on('message', async ({ id, work }: { readonly id: number; readonly work: Work }) => {
    parentPort?.postMessage({ id, answer: await answerOf(work) });
  });
}
