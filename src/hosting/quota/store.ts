import type { Db } from '../../base/database/database.ts';
import { type Fragment, fragment, joined } from '../../base/database/fragment.ts';
import { queryFirst } from '../../base/database/query.ts';

/** Adds up the results of several statements, with one statement. */
export async function addUp(db: Db, sums: readonly Fragment[]): Promise<number> {
  if (sums.length === 0) return 0;
  const terms = sums.map((sum) => fragment`(${sum})`);
  const row = await queryFirst<{ bytes: number }>(db, fragment`select ${joined(terms, ' + ')} as bytes`);
  return row?.bytes ?? 0;
}
