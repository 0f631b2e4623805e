import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import sources from '../../bin/sources.cjs';
import { Reaches } from './reaches.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const DIST = path.join(ROOT, 'dist');
/** The variable that names the program to tests which start it. */
const PROGRAM = 'QUIRE_TEST_PROGRAM';
const STARTS_PROGRAM = new Reaches(PROGRAM);

/**
 * Makes a build of the present sources for tests that start the program as a process. It belongs to one run, so that no
 * test uses another build, and none loses its own.
 *
 * @param folder of the run
 * @returns variables for the tests; none if no test starts the program, or if the bundler is missing, outside of CI
 * @throws Error if it cannot be built
 */
export async function buildProgram(folder: string, files: readonly string[]): Promise<NodeJS.ProcessEnv> {
  if (!files.some((file) => STARTS_PROGRAM.from(file))) return {};
  const isWithoutBundler = !existsSync(path.join(ROOT, 'node_modules/esbuild'));
  if (isWithoutBundler && process.env.CI === undefined) return {};
  const built = path.join(folder, 'program');
  if (!copyCurrentBuild(built)) {
    const script = path.join(ROOT, 'scripts/build.ts');
    await promisify(execFile)(process.execPath, [script, built], { cwd: ROOT });
  }
  return { [PROGRAM]: path.join(built, 'main.mjs') };
}

/** @returns false if dist/ has no build of the present sources */
function copyCurrentBuild(copy: string): boolean {
  const hash = sources.hashOfSources(ROOT);
  const stampOf = (build: string) => {
    const stamp = path.join(build, sources.STAMP);
    return existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined;
  };
  if (stampOf(DIST) !== hash) return false;
  cpSync(DIST, copy, { recursive: true });
  return stampOf(copy) === hash;
}
