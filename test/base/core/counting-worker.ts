import { answerInThread } from '../../../src/base/core/threads/in-thread.ts';

let count = 0;

/** Answers how many pieces of work this thread has had. */
answerInThread<object, number>(() => {
  count += 1;
  return count;
});
