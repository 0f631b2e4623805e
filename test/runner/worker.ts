import { flushCompileCache } from 'node:module';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { END_OF_FILE, send } from './protocol.ts';

// The program of a test process. It reads names of test files from standard input, one per line, and runs one file
// after the other. Files share a process because each new process loads the server and runs it cold, which costs more
// CPU than a typical file needs for its tests.

/** How long the resources that the tests of a file leave open may take to close. */
const CLOSE_MS_MAX = 10_000;
const CLOSE_POLL_MS = 10;
const PARENT_POLL_MS = 1_000;

/** The errors of the current file that no code caught. They fail a test, or the file if it has no failed test. */
const uncaught: string[] = [];
process.on('uncaughtExceptionMonitor', (error) => uncaught.push(inspect(error)));

endWithRunner();
// The streams open at first use. Opening them now keeps them out of the resources that a test that prints leaves open.
for (const stream of [process.stdout, process.stderr]) stream.write('');
let isFirst = true;
for await (const file of createInterface({ input: process.stdin })) {
  const openBefore = process.getActiveResourcesInfo();
  try {
    await import(pathToFileURL(path.resolve(file)).href);
  } catch (error) {
    send({ kind: 'error', detail: `it does not load: ${inspect(error)}` });
  }
  await test(END_OF_FILE, { timeout: 2 * CLOSE_MS_MAX }, async () => {
    await untilClosed(openBefore);
    for (const error of uncaught.splice(0)) send({ kind: 'error', detail: `no test caught: ${error}` });
  });
  // Lets the processes that start next load compiled files. Node would write them when this process ends.
  if (isFirst) flushCompileCache();
  isFirst = false;
}

/** Waits until only the resources from before the file keep the process alive. */
async function untilClosed(before: readonly string[]): Promise<void> {
  const giveUpAt = performance.now() + CLOSE_MS_MAX;
  for (;;) {
    // Waits first, because a server that starts to listen in the last test opens a moment later.
    await sleep(CLOSE_POLL_MS);
    const left = openSince(before);
    if (left.length === 0) return;
    if (performance.now() < giveUpAt) continue;
    send({ kind: 'left-open', resources: [...new Set(left)] });
    process.exit(1);
  }
}

function openSince(before: readonly string[]): readonly string[] {
  const left = process.getActiveResourcesInfo();
  for (const name of before) {
    const index = left.indexOf(name);
    if (index !== -1) left.splice(index, 1);
  }
  return left;
}

/** Ends the process group if the runner was killed and cannot end it. */
function endWithRunner(): void {
  const runner = process.ppid;
  setInterval(() => {
    if (process.ppid !== runner) process.kill(-process.pid, 'SIGKILL');
  }, PARENT_POLL_MS).unref();
}
