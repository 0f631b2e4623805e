import path from 'node:path';
import { ROOT } from './process.ts';

/**
 * The program that tests start as a process. The runner builds it for each run of such tests, because a build starts with
 * a third of the CPU of the sources. Without the runner it is the sources.
 */
export const PROGRAM = process.env.QUIRE_TEST_PROGRAM ?? path.join(ROOT, 'src/app/main.mjs');
