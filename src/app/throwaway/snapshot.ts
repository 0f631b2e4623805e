import { constants, cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';

const DATABASE = 'quire.db';

/**
 * Copies the data folder of a server at rest. The database is copied by SQLite, because parts of it may still be in its
 * log. Nothing else changes while the server rests.
 */
export async function takeSnapshot(from: string, to: string): Promise<void> {
  mkdirSync(to);
  const database = new DatabaseSync(join(from, DATABASE));
  try {
    await backup(database, join(to, DATABASE));
  } finally {
    database.close();
  }
  copyFolder(from, to, { without: DATABASE });
}

/** Makes a data folder with what the snapshot has. */
export function copySnapshot(from: string, to: string): void {
  copyFolder(from, to, {});
}

function copyFolder(from: string, to: string, { without }: { without?: string }): void {
  cpSync(from, to, {
    recursive: true,
    // File systems that can do so share the blocks.
    mode: constants.COPYFILE_FICLONE,
    preserveTimestamps: true,
    ...(without === undefined ? {} : { filter: (path: string) => !path.startsWith(join(from, without)) }),
  });
}
