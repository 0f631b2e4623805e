import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { DatabaseName } from './options.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** How a test file runs. The file says so itself, in a comment on a line of its own, with a reason. */
interface Marks {
  /** `// Runs once`: its outcome does not depend on the database */
  readonly isOnce: boolean;
  /** `// Runs alone`: it needs a process in which no other file has run */
  readonly isAlone: boolean;
  /** `// Runs on a disk`: it does not write to memory, and runs alone */
  readonly isOnDisk: boolean;
}

/** One file on one database. */
export interface Task extends Marks {
  readonly file: string;
  readonly database: DatabaseName;
}

/** Lists what a run does, in its order: all files on the first database, and then the files that depend on it on another. */
export function tasksOf(files: readonly string[], databases: readonly DatabaseName[]): Task[] {
  const marked = files.map((file) => ({ file, ...marksOf(readFileSync(path.resolve(ROOT, file), 'utf8')) }));
  return databases.flatMap((database, index) =>
    marked.filter(({ isOnce }) => index === 0 || !isOnce).map((task) => ({ ...task, database })),
  );
}

export function marksOf(text: string): Marks {
  const isOnDisk = /^\/\/ Runs on a disk\b/m.test(text);
  return {
    isOnce: /^\/\/ Runs once\b/m.test(text),
    isAlone: isOnDisk || /^\/\/ Runs alone\b/m.test(text),
    isOnDisk,
  };
}
