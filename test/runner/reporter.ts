import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import { END_OF_FILE, send } from './protocol.ts';

const ERROR_LINES_MAX = 120;

/** Reports to the runner, from a test process, each test that ended and the end of each file. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const outline = new Outline();
  for await (const event of events) {
    if (isEndOfFile(event)) send({ kind: 'end' });
    else outline.add(event);
  }
  yield '';
}

function isEndOfFile(event: TestEvent): boolean {
  if (event.type !== 'test:pass' && event.type !== 'test:fail') return false;
  return event.data.nesting === 0 && event.data.name === END_OF_FILE;
}

/** Finds the suites and tests around an event. Events come in the order of declaration. */
class Outline {
  readonly #names: string[] = [];
  /** number of tests and suites that ended at each depth since the one around them started */
  readonly #endedAt: number[] = [];

  add(event: TestEvent): void {
    if (event.type === 'test:start') this.#names[event.data.nesting] = event.data.name;
    if (event.type === 'test:pass' || event.type === 'test:fail') this.#end(event);
  }

  #end(event: Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>): void {
    const { nesting, details, line, skip, todo } = event.data;
    const hasChildren = (this.#endedAt[nesting + 1] ?? 0) > 0;
    const holdsTests = details.type === 'suite' || hasChildren;
    this.#endedAt[nesting + 1] = 0;
    this.#endedAt[nesting] = (this.#endedAt[nesting] ?? 0) + 1;

    const name = [...this.#names.slice(0, nesting), event.data.name].join(' > ');
    const skipped = reasonToSkip(skip, todo);
    if (skipped !== undefined) {
      if (!hasChildren) send({ kind: 'test', name, line, outcome: 'skipped', detail: skipped });
    } else if (event.type === 'test:fail') {
      const { error } = event.data.details;
      if (holdsTests && failureType(error) === 'subtestsFailed') return;
      send({ kind: 'test', name, line, outcome: 'failed', detail: describe(error) });
    } else if (!holdsTests) send({ kind: 'test', name, line, outcome: 'passed', detail: '' });
  }
}

function reasonToSkip(
  skip: string | boolean | undefined,
  todo: string | boolean | undefined,
): string | undefined {
  if (skip !== undefined && skip !== false) return skip === true || skip === '' ? 'no reason given' : skip;
  if (todo !== undefined && todo !== false) return todo === true || todo === '' ? 'to do' : `to do: ${todo}`;
  return undefined;
}

function failureType(error: Error): string {
  return String((error as { failureType?: unknown }).failureType);
}

/** The error that the test threw, without the wrapper of node:test and without the stack lines of Node itself. */
function describe(error: Error): string {
  const thrown = error.cause ?? error.message;
  const text = typeof thrown === 'string' ? thrown : textOf(thrown);
  const lines = text
    .split('\n')
    .filter((line) => !/^\s+(at .*\(?node:|\.\.\. \d+ lines matching)/.test(line));
  return lines.slice(0, ERROR_LINES_MAX).join('\n');
}

function textOf(thrown: unknown): string {
  // The message of an AssertionError already shows the difference.
  if (thrown instanceof Error && thrown.name === 'AssertionError') return thrown.stack ?? thrown.message;
  return inspect(thrown, { depth: 4 });
}
