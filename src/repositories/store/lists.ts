import { heldParameters, seenBy, viewerParameter } from '../../access/held.ts';
import type { Viewer } from '../../access/viewer.ts';
import { offsetOf, type Page, type Paging } from '../../core/paging.ts';
import { type Db, hotQuery, type Scalar } from '../../database/database.ts';
import type { HeldRepository } from '../model.ts';
import { COLUMNS, heldRepositoriesOf, JOINS, type RepositoryColumns } from './records.ts';

type Listing = (
  db: Db,
  viewer: Viewer,
  chosen: readonly Scalar[],
  paging: Paging,
) => Promise<Page<HeldRepository>>;

/** A list of the repositories that an account has chosen and the viewer may see, the latest first. */
function listing(table: 'stars' | 'watches'): Listing {
  // What somebody keeps of a repository that they do not see any more is told to nobody.
  const from = `(select ${COLUMNS}, chosen.created_at as chosen_at from accounts o ${JOINS}
    join ${table} chosen on chosen.repository_id = r.id
    where chosen.account_id = ? and ${seenBy('chosen.account_id')}) found where found.held > 0`;
  const page = hotQuery<RepositoryColumns>(
    `select * from ${from} order by found.chosen_at desc, found.id desc limit ? offset ?`,
  );
  const count = hotQuery<{ total: number }>(`select count(*) as total from ${from}`);
  return async (db, viewer, chosen, paging) => {
    const parameters = [...heldParameters(viewer), viewerParameter(viewer), ...chosen];
    const rows = await page(db, [...parameters, paging.limit, offsetOf(paging)]);
    const [counted] = await count(db, parameters);
    return { items: await heldRepositoriesOf(db, viewer, rows), total: counted?.total ?? 0 };
  };
}

const starred = listing('stars');
const watched = listing('watches');

/** What an account has starred, the latest first. */
export function listStarredBy(
  db: Db,
  viewer: Viewer,
  accountId: number,
  paging: Paging,
): Promise<Page<HeldRepository>> {
  return starred(db, viewer, [accountId], paging);
}

/** What an account watches, the latest first. */
export function listWatchedBy(
  db: Db,
  viewer: Viewer,
  accountId: number,
  paging: Paging,
): Promise<Page<HeldRepository>> {
  return watched(db, viewer, [accountId], paging);
}
