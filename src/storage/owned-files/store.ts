import { type Fragment, fragment, values } from '../../base/database/fragment.ts';
import { query } from '../../base/database/query.ts';
import { uuidKey, uuidOfKey, uuidPrefix } from '../keys.ts';
import type { FileRows } from './model.ts';

/** The row of a file with a random id. */
export interface UuidFile {
  readonly id: number;
  readonly uuid: string;
}

/** A table with a row for each file, and the columns `id`, `uuid`, `collect_at` and `is_doomed`. */
interface UuidTable {
  /** as in `FileRows` */
  readonly jobs: FileRows<UuidFile>['jobs'];
  /** its name */
  readonly table: Fragment;
  /** condition of the rows without a link */
  readonly isUnlinked: Fragment;
  /** of the keys, as in `uuidKey` */
  readonly folder: string;
}

/** The rows of files that have random ids and one upload each. A file is due for deletion at `collect_at`. */
export function uuidRows({ jobs, table, isUnlinked, folder }: UuidTable): FileRows<UuidFile, string> {
  return {
    jobs,
    isShared: false,
    keyOf: (file) => uuidKey(folder, file),

    renew: (tx, { id }, until) =>
      query(
        tx,
        fragment`update ${table} set collect_at = ${until} where id = ${id} and is_doomed = 0 and ${isUnlinked}`,
      ),

    async listLost(db, now, limit) {
      const rows = await query<{ id: number; uuid: string; collect_at: number; is_doomed: number }>(
        db,
        fragment`select id, uuid, collect_at, is_doomed from ${table}
          where ${isUnlinked} and (is_doomed = 1 or collect_at <= ${now}) order by id limit ${limit}`,
      );
      return rows.map(({ id, uuid, collect_at, is_doomed }) => {
        return { id, uuid, version: collect_at, isDoomed: is_doomed === 1 };
      });
    },

    async doom(tx, { id, version }) {
      const doomed = await query(
        tx,
        fragment`update ${table} set is_doomed = 1
          where id = ${id} and ${isUnlinked} and collect_at = ${version} returning id`,
      );
      return doomed.length > 0;
    },

    delete: (tx, { id }) => query(tx, fragment`delete from ${table} where id = ${id} and is_doomed = 1`),

    strays: {
      prefixOf: (digits) => uuidPrefix(folder, digits),
      idOf: uuidOfKey,
      listKnown: (db, uuids) =>
        query(db, fragment`select uuid as id from ${table} where uuid in (${values(uuids)})`),
    },
  };
}
