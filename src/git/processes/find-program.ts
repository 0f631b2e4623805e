import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

/**
 * Returns the path of the first executable file with this name; undefined if there is none.
 *
 * @param searchPath folders with colons between them, as in PATH; relative ones are skipped
 */
export function findProgram(name: string, searchPath: string): string | undefined {
  return searchPath
    .split(':')
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
