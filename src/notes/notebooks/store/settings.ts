import { sql } from 'kysely';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { fragment } from '../../../base/database/fragment.ts';
import { queryFirst } from '../../../base/database/query.ts';
import type { NotebookLocation, NoteSettings, NoteSettingsRow } from '../model.ts';

interface Columns {
  account_id: number;
  owner_id: number | null;
  owner_name: string | null;
  repository_name: string | null;
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
    fragment`select s.account_id, s.notes_path, s.file_suffix, s.note_mode, s.repository_id, s.folder, s.counter,
        r.owner_id, o.name as owner_name, r.name as repository_name
      from note_settings s
      left join repositories r on r.id = s.repository_id
      left join accounts o on o.id = r.owner_id
      where s.account_id = ${accountId}`,
  );
  if (row === undefined) return undefined;
  return {
    notesPath: presentPath(row),
    fileSuffix: row.file_suffix,
    noteMode: row.note_mode,
    repositoryId: row.repository_id,
    folder: row.folder,
    counter: row.counter,
  };
}

/** If the repository was renamed or transferred, the path has the new name. */
function presentPath(row: Columns): string {
  const { account_id, owner_id, owner_name, repository_name, notes_path, folder } = row;
  const isInNotes = folder === notes_path;
  if (isInNotes || owner_name === null || repository_name === null) return notes_path;
  const owner = owner_id === account_id ? [] : [`@${owner_name}`];
  return [...owner, repository_name, ...(folder === '' ? [] : [folder])].join('/');
}

/** Stores the location of the notes of an account. */
export async function setNotebookLocation(
  tx: Tx,
  accountId: number,
  { repositoryId, folder }: NotebookLocation,
): Promise<void> {
  await tx
    .insertInto('note_settings')
    .values({ account_id: accountId, repository_id: repositoryId, folder, created_at: currentTimeMs() })
    .onConflict((conflict) =>
      conflict.column('account_id').doUpdateSet({
        repository_id: repositoryId,
        folder,
        counter: sql<number>`note_settings.counter + 1`,
      }),
    )
    .execute();
}

/** @param location undefined: unchanged; null: the next call finds the repository */
export async function setSettings(
  tx: Tx,
  accountId: number,
  { notesPath, fileSuffix, noteMode }: NoteSettings,
  location: NotebookLocation | null | undefined,
): Promise<void> {
  const columns = {
    file_suffix: fileSuffix,
    note_mode: noteMode,
  };
  const moved = {
    notes_path: notesPath,
    repository_id: location?.repositoryId ?? null,
    folder: location?.folder ?? '',
  };
  const changed = location === undefined ? columns : { ...columns, ...moved };
  await tx
    .insertInto('note_settings')
    .values({ account_id: accountId, repository_id: null, ...changed, created_at: currentTimeMs() })
    .onConflict((conflict) =>
      conflict
        .column('account_id')
        .doUpdateSet({ ...changed, counter: sql<number>`note_settings.counter + 1` }),
    )
    .execute();
}
