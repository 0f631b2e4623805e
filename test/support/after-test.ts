/** Registers work for the end of a test, or of a program that takes its place. */
export interface Cleanup {
  after(work: () => unknown): void;
  /** aborted once the test has ended */
  readonly signal?: AbortSignal;
}

type Work = () => unknown;

/** The work that waits for the end of each test. */
const waiting = new WeakMap<Cleanup, Work[]>();
/** Tests whose work has run. */
const ended = new WeakSet<Cleanup>();

/**
 * Runs the work at the end of the test, after all work that was registered later: a server ends before the folder that
 * it writes to is removed. Work that fails does not keep back the rest, which may end a process. node:test itself runs
 * hooks in the order of their registration, up to the first that fails.
 *
 * A test that runs into its time limit, or of whose steps one fails while others run, goes on after its end. What it
 * still opens ends at once: node:test never runs the hooks of a test that has ended.
 *
 * node:test also keeps every test and its hooks until the process ends. This hook drops the work when it runs, so that a
 * stopped server does not stay in memory.
 */
export function afterTest(t: Cleanup, work: Work): void {
  const known = waiting.get(t);
  if (known !== undefined) {
    known.push(work);
    return;
  }
  const works = [work];
  if (ended.has(t) || t.signal?.aborted === true) {
    // The test has failed already.
    runFromLast(works).catch(() => {});
    return;
  }
  waiting.set(t, works);
  t.after(() =>
    runFromLast(works, () => {
      waiting.delete(t);
      ended.add(t);
    }),
  );
}

/** @param onLast called when no work is left, before any other code can register more */
async function runFromLast(works: Work[], onLast = () => {}): Promise<void> {
  const errors: unknown[] = [];
  for (let work = works.pop(); work !== undefined; work = works.pop()) {
    try {
      await work();
    } catch (error) {
      errors.push(error);
    }
  }
  onLast();
  if (errors.length > 1) throw new AggregateError(errors, 'cleaning up after the test failed');
  if (errors.length === 1) throw errors[0];
}
