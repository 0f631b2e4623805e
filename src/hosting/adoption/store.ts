import type { Db } from '../../base/database/database.ts';
import { fragment } from '../../base/database/fragment.ts';
import { listed, query } from '../../base/database/query.ts';

/**
 * Finds the paths at which there is a repository.
 *
 * @param paths `owner/name` in lower case
 */
export async function listTaken(db: Db, paths: readonly string[]): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  const owners = [...new Set(paths.map((path) => path.split('/')[0] ?? ''))];
  const rows = await query<{ owner: string; name: string }>(
    db,
    fragment`select o.lower_name as owner, r.lower_name as name
      from (${listed(db, 'name', owners)}) wanted
        join accounts o on o.lower_name = wanted.name
        join repositories r on r.owner_id = o.id`,
  );
  const wanted = new Set(paths);
  return new Set(rows.map(({ owner, name }) => `${owner}/${name}`).filter((path) => wanted.has(path)));
}
