import path from 'node:path';
import { buildProgram } from '../runner/built-program.ts';
import { ROOT } from './process.ts';

const { QUIRE_TEST_FOLDER: folder } = process.env;
const SOURCES = path.join(ROOT, 'src/app/main.mjs');

/**
 * The program that tests start as a process: in a run, a build, because it starts with a third of the CPU of the sources.
 * Without the runner it is the sources.
 */
export const PROGRAM = folder === undefined ? SOURCES : buildProgram(folder);

/** The `quire/testing` of the same build. What it starts has more parts than its types. */
export const TESTING =
  PROGRAM === SOURCES
    ? path.join(ROOT, 'testing/published.ts')
    : path.join(path.dirname(PROGRAM), 'testing.mjs');
