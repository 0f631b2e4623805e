import { sql } from 'kysely';
import type { Db, Tx } from '../../database/database.ts';
import { fragment } from '../../database/fragment.ts';
import { queryFirst } from '../../database/query.ts';
import type { RepositoryId } from '../../git/model.ts';
import type { NoteSettingsRow } from '../model.ts';

interface Columns {
  notes_path: string;
  file_suffix: string;
  note_mode: string;
  repository_id: number | null;
  folder: string;
  counter: number;
}

export async function findSettings(db: Db, accountId: number): Promise<NoteSettingsRow | undefined> {
  const row = await queryFirst<Columns>(
    db,
    fragment`select notes_path, file_suffix, note_mode, repository_id, folder, counter from note_settings
      where account_id = ${accountId}`,
  );
  if (row === undefined) return undefined;
  return {
    notesPath: row.notes_path,
    fileSuffix: row.file_suffix,
    noteMode: row.note_mode,
    repositoryId: row.repository_id,
    folder: row.folder,
    counter: row.counter,
  };
}

/** Stores the repository of an account's notes. */
export async function setNotebookRepository(
  tx: Tx,
  accountId: number,
  repositoryId: RepositoryId,
): Promise<void> {
  await tx
    .insertInto('note_settings')
    .values({ account_id: accountId, repository_id: repositoryId, created_at: Date.now() })
    .onConflict((conflict) =>
      conflict.column('account_id').doUpdateSet({
        repository_id: repositoryId,
        counter: sql<number>`note_settings.counter + 1`,
      }),
    )
    .execute();
}
