import path from 'node:path';
import { ROOT } from './process.ts';

const { QUIRE_TEST_PROGRAM: BUILT } = process.env;

/** Folder of the build that the runner makes for each run of tests that use it; undefined without the runner. */
export const BUILD = BUILT === undefined ? undefined : path.dirname(BUILT);

/**
 * The program that tests start as a process. It is that of the build, because a build starts with a third of the CPU of
 * the sources. Without the runner it is the sources.
 */
export const PROGRAM = BUILT ?? path.join(ROOT, 'src/app/main.mjs');

/** The `quire/testing` of the same build. What it starts has more parts than its types. */
export const TESTING =
  BUILD === undefined ? path.join(ROOT, 'testing/published.ts') : path.join(BUILD, 'testing.mjs');
