import type { Page, Paging } from '../../../base/core/paging.ts';
import type { Db } from '../../../base/database/database.ts';
import { fragment, raw } from '../../../base/database/fragment.ts';
import { queryFirst, queryPage } from '../../../base/database/query.ts';
import type { DeletedNote } from '../model.ts';

interface Columns {
  id: number;
  path: string;
  oid: string;
  title: string;
  category: string;
  modified_at: number;
  deleted_at: number;
}

const COLUMNS = raw('id, path, oid, title, category, modified_at, deleted_at');

function deletedOf({ modified_at, deleted_at, ...note }: Columns): DeletedNote {
  return { ...note, modifiedAt: modified_at, deletedAt: deleted_at };
}

export async function findDeletedNote(
  db: Db,
  key: { id: number; notebookId: number },
): Promise<DeletedNote | undefined> {
  const row = await queryFirst<Columns>(
    db,
    fragment`select ${COLUMNS} from notes
      where id = ${key.id} and notebook_id = ${key.notebookId} and deleted_at is not null`,
  );
  return row && deletedOf(row);
}

/** Lists the notes of a notebook that were deleted since a time, ms, the last deleted first. */
export async function listDeletedNotes(
  db: Db,
  { notebookId, since }: { notebookId: number; since: number },
  paging: Paging,
): Promise<Page<DeletedNote>> {
  const list = {
    select: COLUMNS,
    from: fragment`notes where notebook_id = ${notebookId} and deleted_at >= ${since} and deleted_at is not null`,
    orderBy: raw('deleted_at desc, id desc'),
  };
  return queryPage<Columns, DeletedNote>(db, list, paging, deletedOf);
}
