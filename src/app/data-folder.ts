import { accessSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from './config.ts';

/** Where things are below the data folder. */
export interface DataFolder {
  readonly database: string;
  readonly git: string;
  readonly objects: string;
}

/** @throws ConfigError where it cannot be made or written */
export function openDataFolder(folder: string): DataFolder {
  const paths = {
    database: join(folder, 'quire.db'),
    git: join(folder, 'git'),
    objects: join(folder, 'objects'),
  };
  try {
    // What is in here is nobody else's business on this machine.
    mkdirSync(folder, { recursive: true, mode: 0o750 });
    accessSync(folder, constants.W_OK | constants.X_OK);
    for (const part of [paths.git, paths.objects]) mkdirSync(part, { recursive: true, mode: 0o750 });
  } catch (error) {
    throw new ConfigError(`cannot write the data folder ${folder}: ${(error as Error).message}`);
  }
  return paths;
}

/**
 * Makes sure that one server at a time works on a data folder. The lock is the system's, on an open file: it ends
 * with the process, however the process ends.
 *
 * @returns gives the folder free
 * @throws ConfigError where another server has it
 */
export function lockDataFolder(folder: string): () => void {
  const lock = new DatabaseSync(join(folder, 'server.lock'), { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch {
    lock.close();
    throw new ConfigError(`another server is running on the data folder ${folder}`);
  }
  return () => lock.close();
}
