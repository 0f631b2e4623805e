import { parentPort } from 'node:worker_threads';

/**
 * Answers each piece of work, in the module of a `Thread`. An error ends the thread, and the work then has no answer.
 */
export function answerInThread<Work, Answer>(answerOf: (work: Work) => Answer | Promise<Answer>): void {
  parentPort?.on('message', async ({ id, work }: { readonly id: number; readonly work: Work }) => {
    parentPort?.postMessage({ id, answer: await answerOf(work) });
  });
}
