import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, renameSync } from 'node:fs';
import path from 'node:path';
import sources from '../../bin/sources.cjs';

const ROOT = path.resolve(import.meta.dirname, '../..');

/**
 * Makes a build of the present sources for tests that start the program as a process, once in a run. It belongs to the run,
 * so that no test uses another build, and none loses its own.
 *
 * @param folder of the run
 * @returns path of the program; of its sources if the bundler is not installed
 * @throws Error if it cannot be built
 */
export function buildProgram(folder: string): string {
  const built = path.join(folder, 'program');
  if (!existsSync(built) && !make(built)) return path.join(ROOT, 'src/app/main.mjs');
  return path.join(built, 'main.mjs');
}

/** @returns false without a bundler */
function make(built: string): boolean {
  // Another test process may make it at the same time. The first one to finish wins.
  const own = `${built}.${process.pid}`;
  if (sources.isBuildCurrent(ROOT)) cpSync(path.join(ROOT, 'dist'), own, { recursive: true });
  else if (existsSync(path.join(ROOT, 'node_modules/esbuild')))
    execFileSync(process.execPath, [path.join(ROOT, 'scripts/build.ts'), own], { cwd: ROOT, stdio: 'pipe' });
  else return false;
  try {
    renameSync(own, built);
  } catch (error) {
    if (!existsSync(built)) throw error;
  }
  return true;
}
