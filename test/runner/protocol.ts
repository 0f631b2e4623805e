/** One test that ended. A test that only holds other tests is not one, unless it failed by itself. */
export interface EndedTest {
  readonly kind: 'test';
  /** with the names of the tests and suites around it, outermost first, joined by ` > ` */
  readonly name: string;
  readonly line: number | undefined;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** why it was skipped, or what its error was */
  readonly detail: string;
}

/** Every test that was started came to its end. */
interface Finished {
  readonly kind: 'finished';
}

/** All tests are done, yet the process cannot end. */
interface LeftOpen {
  readonly kind: 'left-open';
  /** names of the resources that keep it alive, as Node calls them */
  readonly resources: readonly string[];
}

/** What a test process tells the runner, one JSON object a line. */
export type Message = EndedTest | Finished | LeftOpen;

/** The file descriptor on which a test process tells it. */
export const MESSAGES_FD = 3;
