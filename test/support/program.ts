import path from 'node:path';
import { ROOT } from './process.ts';

/**
 * The program that tests start as a process. The runner builds it for each run of such tests, because a build starts with
 * a third of the CPU of the sources. Without the runner it is the sources.
 */
export const PROGRAM = process.env.QUIRE_TEST_PROGRAM ?? path.join(ROOT, 'src/app/main.mjs');

/** The `quire/testing` of the same build. What it starts has more parts than its types. */
export const TESTING =
  process.env.QUIRE_TEST_PROGRAM === undefined
    ? path.join(ROOT, 'testing/published.ts')
    : path.join(path.dirname(PROGRAM), 'testing.mjs');
