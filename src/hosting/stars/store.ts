import { accountVisible } from '../../api/access/store/account.ts';
import { seenBy } from '../../api/access/store/repository.ts';
import { idOf, overridesRights, type Viewer } from '../../api/access/viewer.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Db, Tx } from '../../base/database/database.ts';
import { type Fragment, flag, fragment, raw, values } from '../../base/database/fragment.ts';
import { query, queryFirst, queryPage } from '../../base/database/query.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import { USER_COLUMNS, userOfColumns } from '../../people/accounts/columns.ts';
import type { ShownAccount } from '../../people/accounts/model.ts';

/** An account's mark on a repository. */
export interface Mark {
  readonly accountId: number;
  readonly repositoryId: RepositoryId;
}

type MarkTable = 'stars' | 'watches';

/** Reads and writes the rows of one kind of mark. */
export interface MarkRows {
  has(db: Db, mark: Mark): Promise<boolean>;
  /** @returns whether it was missing */
  insert(tx: Tx, mark: Mark): Promise<boolean>;
  /** @returns whether it existed */
  delete(tx: Tx, mark: Mark): Promise<boolean>;
  /**
   * Lists the accounts that have marked a repository, the earliest first. Leaves out accounts that no longer see the
   * repository, that are hidden from the viewer, or that hide their activity from the viewer.
   */
  listPeople(db: Db, viewer: Viewer, id: RepositoryId, paging: Paging): Promise<Page<ShownAccount>>;
}

/**
 * Whether the account of `mark` still sees the repository. If not, lists leave out the mark. The row stays, so the mark
 * is back when the access is back.
 */
const STILL_VISIBLE = seenBy(fragment`mark.account_id`);

export const STAR_ROWS = rowsOf('stars');
export const WATCH_ROWS = rowsOf('watches');

function rowsOf(name: MarkTable): MarkRows {
  const table = raw(name);
  const isMark = ({ accountId, repositoryId }: Mark) =>
    fragment`account_id = ${accountId} and repository_id = ${repositoryId}`;
  const hasRow = async (db: Db, statement: Fragment) => (await queryFirst(db, statement)) !== undefined;
  return {
    has: (db, mark) => hasRow(db, fragment`select account_id from ${table} where ${isMark(mark)}`),
    insert: (tx, { accountId, repositoryId }) =>
      hasRow(
        tx,
        fragment`insert into ${table} (account_id, repository_id, created_at)
          values (${accountId}, ${repositoryId}, ${currentTimeMs()})
          on conflict (account_id, repository_id) do nothing returning account_id`,
      ),
    delete: (tx, mark) =>
      hasRow(tx, fragment`delete from ${table} where ${isMark(mark)} returning account_id`),
    listPeople: (db, viewer, id, paging) => listPeople(db, viewer, { table, id }, paging),
  };
}

function listPeople(
  db: Db,
  viewer: Viewer,
  { table, id }: { table: Fragment; id: RepositoryId },
  paging: Paging,
): Promise<Page<ShownAccount>> {
  const people = {
    select: USER_COLUMNS,
    from: fragment`(select mark.account_id, mark.created_at from ${table} mark
        join repositories r on r.id = mark.repository_id
        join accounts o on o.id = r.owner_id
        where mark.repository_id = ${id} and ${STILL_VISIBLE}) marked
      join accounts o on o.id = marked.account_id
      where ${accountVisible(viewer)} = 1
        and (o.hides_activity = 0 or o.id = ${idOf(viewer)} or ${flag(overridesRights(viewer))} = 1)`,
    orderBy: fragment`marked.created_at, o.id`,
  };
  return queryPage(db, people, paging, userOfColumns);
}

/** Deletes the marks of an account on the repositories of an owner. @returns the ids of the repositories */
export async function deleteMarksWith(
  tx: Tx,
  name: MarkTable,
  { ownerId, accountId }: { readonly ownerId: number; readonly accountId: number },
): Promise<readonly RepositoryId[]> {
  const rows = await query<{ id: RepositoryId }>(
    tx,
    fragment`delete from ${raw(name)} where account_id = ${accountId}
      and repository_id in (select r.id from repositories r where r.owner_id = ${ownerId})
    returning repository_id as id`,
  );
  return rows.map(({ id }) => id);
}

/** Repositories by the number of marks that each of them lost. Most lose the same few, so this has few entries. */
type LostMarks = ReadonlyMap<number, readonly RepositoryId[]>;

export function deleteStarsOf(tx: Tx, repositoryIds: readonly RepositoryId[]): Promise<LostMarks> {
  return deleteMarks(
    tx,
    fragment`delete from stars where repository_id in (${values(repositoryIds)}) returning repository_id as id`,
  );
}

/** Deletes the watches of accounts that no longer see the repositories. */
export function deleteWatchesWithoutAccess(
  tx: Tx,
  repositoryIds: readonly RepositoryId[],
): Promise<LostMarks> {
  return deleteMarks(
    tx,
    fragment`delete from watches where (account_id, repository_id) in (
      select mark.account_id, mark.repository_id from watches mark
        join repositories r on r.id = mark.repository_id
        join accounts o on o.id = r.owner_id
        where mark.repository_id in (${values(repositoryIds)}) and not ${STILL_VISIBLE})
    returning repository_id as id`,
  );
}

async function deleteMarks(tx: Tx, statement: Fragment): Promise<LostMarks> {
  const deleted = await query<{ id: RepositoryId }>(tx, statement);
  const byRepository = Map.groupBy(deleted, ({ id }) => id);
  const byCount = Map.groupBy(byRepository, ([, marks]) => marks.length);
  return new Map([...byCount].map(([count, entries]) => [count, entries.map(([id]) => id)]));
}
