import { type Db, hotQuery, type Scalar } from '../../database/database.ts';
import type { RepositoryId } from '../../git/model.ts';
import type { Condition } from './conditions.ts';

export function firstIds(
  db: Db,
  { sql, parameters }: Condition,
  limit: number,
): Promise<readonly RepositoryId[]> {
  return idsBy(db, `select r.id from repositories r where ${sql} limit ?`, [...parameters, limit]);
}

export function idsWithTrigrams(db: Db, query: string, limit: number): Promise<readonly RepositoryId[]> {
  const sql = 'select f.rowid as id from repository_trigrams f where repository_trigrams match ? limit ?';
  return idsBy(db, sql, [query, limit]);
}

export async function idsBy(
  db: Db,
  sql: string,
  parameters: readonly Scalar[],
): Promise<readonly RepositoryId[]> {
  const rows = await hotQuery<{ id: RepositoryId }>(sql)(db, parameters);
  return rows.map((row) => row.id);
}

export async function countOf(db: Db, { sql, parameters }: Condition): Promise<number> {
  const query = hotQuery<{ total: number }>(`select count(*) as total from repositories r where ${sql}`);
  const [row] = await query(db, parameters);
  return row?.total ?? 0;
}

const version = hotQuery<{ version: number }>('select version from search_versions');

export async function versionOf(db: Db): Promise<number> {
  const [row] = await version(db, []);
  return row?.version ?? 0;
}
