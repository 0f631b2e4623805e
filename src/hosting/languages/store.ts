import type { Db, Tx } from '../../base/database/database.ts';
import { fragment } from '../../base/database/fragment.ts';
import { query } from '../../base/database/query.ts';
import type { Oid } from '../../git/format/model.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { LanguageBytes, Measurement } from './model.ts';

export async function listLanguages(db: Db, id: RepositoryId): Promise<LanguageBytes> {
  const rows = await query<{ language: string; bytes: number }>(
    db,
    fragment`select language, bytes from repository_languages
      where repository_id = ${id} order by bytes desc, language`,
  );
  return new Map(rows.map((row) => [row.language, row.bytes]));
}

interface MeasuredRow {
  repository_id: number;
  tree: string | null;
  rules: string;
  language: string | null;
  bytes: number | null;
}

/** Returns the last measurement of a repository, or else of its parent. */
export async function findMeasurement(db: Db, id: RepositoryId): Promise<Measurement | undefined> {
  // One statement, so that a measurement and its languages match.
  const rows = await query<MeasuredRow>(
    db,
    fragment`select m.repository_id, m.tree, m.rules, l.language, l.bytes from repositories r
    join language_measurements m on m.repository_id = r.id or m.repository_id = r.parent_id
    left join repository_languages l on l.repository_id = m.repository_id
    where r.id = ${id}`,
  );
  const own = rows.filter((row) => row.repository_id === id);
  const used = own.length > 0 ? own : rows;
  const [first] = used;
  if (first === undefined) return undefined;
  const bytes = new Map(
    used.flatMap((row) => (row.language === null ? [] : [[row.language, row.bytes ?? 0]])),
  );
  return { isOwn: own.length > 0, tree: first.tree, rules: first.rules, bytes };
}

export async function replaceMeasurement(
  tx: Tx,
  id: RepositoryId,
  { tree, rules, bytes }: { tree: Oid | null; rules: string; bytes: LanguageBytes },
): Promise<void> {
  await tx
    .insertInto('language_measurements')
    .values({ repository_id: id, tree, rules })
    .onConflict((conflict) => conflict.column('repository_id').doUpdateSet({ tree, rules }))
    .execute();
  await tx.deleteFrom('repository_languages').where('repository_id', '=', id).execute();
  const rows = [...bytes].map(([language, count]) => ({ repository_id: id, language, bytes: count }));
  if (rows.length > 0) await tx.insertInto('repository_languages').values(rows).execute();
}
