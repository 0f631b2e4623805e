import { seenBy } from '../../../api/access/store/repository.ts';
import type { Viewer } from '../../../api/access/viewer.ts';
import type { Page, Paging } from '../../../base/core/paging.ts';
import type { Db } from '../../../base/database/database.ts';
import { fragment, raw } from '../../../base/database/fragment.ts';
import { queryPage } from '../../../base/database/query.ts';
import type { PermittedRepository } from '../model.ts';
import {
  permittedRepositoriesOf,
  type RepositoryColumns,
  repositoryColumns,
  repositoryJoins,
} from './records.ts';

/** Lists the repositories that an account has starred and the viewer may see, the latest star first. */
export function listStarredBy(
  db: Db,
  viewer: Viewer,
  accountId: number,
  paging: Paging,
): Promise<Page<PermittedRepository>> {
  return listMarked(db, viewer, { table: 'stars', accountId }, paging);
}

/** Lists the repositories that an account watches and the viewer may see, the latest watch first. */
export function listWatchedBy(
  db: Db,
  viewer: Viewer,
  accountId: number,
  paging: Paging,
): Promise<Page<PermittedRepository>> {
  return listMarked(db, viewer, { table: 'watches', accountId }, paging);
}

/** Leaves out marks on repositories that the account itself does not see any more. */
async function listMarked(
  db: Db,
  viewer: Viewer,
  { table, accountId }: { table: 'stars' | 'watches'; accountId: number },
  paging: Paging,
): Promise<Page<PermittedRepository>> {
  const marked = {
    select: fragment`*`,
    from: fragment`(select ${repositoryColumns(viewer)}, mark.created_at as marked_at
      from accounts o ${repositoryJoins(viewer)} join ${raw(table)} mark on mark.repository_id = r.id
      where mark.account_id = ${accountId} and ${seenBy(fragment`mark.account_id`)}) found where found.permissions > 0`,
    orderBy: fragment`found.marked_at desc, found.id desc`,
  };
  const { items, total } = await queryPage(db, marked, paging, (row: RepositoryColumns) => row);
  return { items: await permittedRepositoriesOf(db, viewer, items), total };
}
