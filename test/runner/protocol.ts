import { writeSync } from 'node:fs';

/** One test that ended. A test that only contains other tests does not count, unless it failed outside them. */
export interface EndedTest {
  readonly kind: 'test';
  /** with the names of the tests and suites around it, outermost first, joined by ` > ` */
  readonly name: string;
  readonly line: number | undefined;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** the reason of a skip, or the error of a failure */
  readonly detail: string;
}

/** An error of the file outside its tests. */
interface FileError {
  readonly kind: 'error';
  readonly detail: string;
}

/** All tests of the file ended, and nothing that they left open keeps the process alive. */
interface EndedFile {
  readonly kind: 'end';
}

/** All tests of the file ended, but something that they left open keeps the process alive. */
interface LeftOpen {
  readonly kind: 'left-open';
  /** names of the resources, as Node calls them */
  readonly resources: readonly string[];
}

/** What a test process reports to the runner, one JSON object per line. */
export type Message = EndedTest | FileError | EndedFile | LeftOpen;

/** The name of the test that the process adds after the tests of a file. Tests run in order, so it ends last. */
export const END_OF_FILE = 'the end of the file';

/** The file descriptor on which a test process reports. It reads the names of its files from standard input. */
const MESSAGES_FD = 3;

/** Reports to the runner, in a test process. */
export function send(message: Message): void {
  try {
    writeSync(MESSAGES_FD, `${JSON.stringify(message)}\n`);
  } catch {
    // The runner has ended.
    process.exit(1);
  }
}
