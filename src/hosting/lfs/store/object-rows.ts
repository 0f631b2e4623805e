import { fragment, values } from '../../../base/database/fragment.ts';
import { query } from '../../../base/database/query.ts';
import type { FileRows } from '../../../storage/owned-files/model.ts';
import { keyOf, type LfsObject } from '../model.ts';

/** What the lifecycle of files needs to know of an object. */
export type ObjectFile = Pick<LfsObject, 'id' | 'oid'>;

/** Objects of git-lfs. Each is stored once, however many uploads bring it and repositories link it. */
export const OBJECT_ROWS: FileRows<ObjectFile> = {
  jobs: { collect: 'lfs.collect', sweep: 'lfs.sweep' },
  isShared: true,
  keyOf,

  renew: (tx, { id }, until) =>
    query(tx, fragment`update lfs_objects set collect_at = ${until} where id = ${id} and is_doomed = 0`),

  async listLost(db, now, limit) {
    const rows = await query<{ id: number; oid: string; collect_at: number; is_doomed: number }>(
      db,
      fragment`select id, oid, collect_at, is_doomed from lfs_objects where collect_at is not null
        and (is_doomed = 1 or collect_at <= ${now}) order by collect_at, id limit ${limit}`,
    );
    return rows.map(({ id, oid, collect_at, is_doomed }) => {
      return { id, oid, version: collect_at, isDoomed: is_doomed === 1 };
    });
  },

  async doom(tx, { id, version }) {
    const isSame = fragment`id = ${id} and is_doomed = 0 and collect_at = ${version}`;
    const doomed = await query(
      tx,
      fragment`update lfs_objects set is_doomed = 1 where ${isSame}
        and not exists (select 1 from lfs_links l where l.object_id = lfs_objects.id) returning id`,
    );
    if (doomed.length > 0) return true;
    await query(tx, fragment`update lfs_objects set collect_at = null where ${isSame}`);
    return false;
  },

  delete: (tx, { id }) => query(tx, fragment`delete from lfs_objects where id = ${id} and is_doomed = 1`),

  strays: {
    prefixOf: (digits) => `lfs/${digits}/`,
    // `lfs/ab/cd/REST.ID`
    idOf: (key) => Number(key.slice(key.lastIndexOf('.') + 1)),
    listKnown: (db, ids) => query(db, fragment`select id from lfs_objects where id in (${values(ids)})`),
  },
};
