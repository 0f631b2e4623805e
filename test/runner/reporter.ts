import { writeSync } from 'node:fs';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import { MESSAGES_FD, type Message } from './protocol.ts';

/** How long a process with no test running may stay alive: longer than any start-up, shorter than patience. */
const IDLE_MS_MAX = 20_000;
const ERROR_LINES_MAX = 120;
const PARENT_POLL_MS = 1_000;

/** The reporter inside each test process: passes on to the runner what ended, and how. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const outline = new Outline();
  const idle = watchForIdleness();
  endWithRunner();
  for await (const event of events) {
    if (event.type === 'test:dequeue') idle.started();
    else if (event.type === 'test:complete') idle.ended();
    else if (event.type === 'test:summary') send({ kind: 'finished' });
    else outline.add(event);
  }
  yield '';
}

/** Knows where in the nest of suites and tests an event belongs; events come in the order of declaration. */
class Outline {
  readonly #names: string[] = [];
  /** how many tests and suites ended at each depth since the one around them started */
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

/** The error that the test threw, without node:test's wrapping and without Node's own lines of the stack. */
function describe(error: Error): string {
  const thrown = error.cause ?? error.message;
  const text = typeof thrown === 'string' ? thrown : textOf(thrown);
  const lines = text
    .split('\n')
    .filter((line) => !/^\s+(at .*\(?node:|\.\.\. \d+ lines matching)/.test(line));
  return lines.slice(0, ERROR_LINES_MAX).join('\n');
}

function textOf(thrown: unknown): string {
  // The message of an AssertionError shows the difference already.
  if (thrown instanceof Error && thrown.name === 'AssertionError') return thrown.stack ?? thrown.message;
  return inspect(thrown, { depth: 4 });
}

function watchForIdleness(): { started(): void; ended(): void } {
  let running = 0;
  // Unreferenced: it only fires in a process that something else keeps alive.
  const timer = setTimeout(() => {
    if (running > 0) return;
    send({ kind: 'left-open', resources: [...new Set(process.getActiveResourcesInfo())] });
    process.exit(1);
  }, IDLE_MS_MAX).unref();
  return {
    started() {
      running += 1;
    },
    ended() {
      running -= 1;
      timer.refresh();
    },
  };
}

/** A runner that was killed cannot end its tests any more, so they look after that themselves. */
function endWithRunner(): void {
  const runner = process.ppid;
  setInterval(() => {
    if (process.ppid !== runner) process.kill(-process.pid, 'SIGKILL');
  }, PARENT_POLL_MS).unref();
}

function send(message: Message): void {
  try {
    writeSync(MESSAGES_FD, `${JSON.stringify(message)}\n`);
  } catch {
    // The runner is gone, so nobody wants to know the rest.
    process.exit(1);
  }
}
