import { rmSync } from 'node:fs';
import { copyFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { migrate } from '../../../src/base/database/migrate.ts';
import { openDatabase } from '../../../src/base/database/open.ts';

/** The template of this process. Running the migrations for each forge took a quarter of its start. */
let template: Promise<string> | undefined;

/** Creates a database file with the current schema: a copy of a template, which the first caller migrates. */
export async function createMigratedSqliteDatabase(file: string): Promise<void> {
  template ??= makeTemplate();
  await copyFile(await template, file);
}

async function makeTemplate(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'quire-template-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'quire.db');
  const database = openDatabase({ kind: 'file', path: file });
  try {
    await migrate(database);
  } finally {
    await database.close();
  }
  return file;
}
