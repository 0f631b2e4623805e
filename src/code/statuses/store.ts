import { accountVisible } from '../../api/access/store/account.ts';
import type { Viewer } from '../../api/access/viewer.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import type { Db, Tx } from '../../base/database/database.ts';
import { type Fragment, fragment, raw, values } from '../../base/database/fragment.ts';
import { query, queryFirst, queryPage } from '../../base/database/query.ts';
import type { Oid } from '../../git/format/model.ts';
import type { Repository } from '../../hosting/repositories/model.ts';
import { OWNER_COLUMNS, type OwnerColumns, ownerOfColumns } from '../../people/accounts/columns.ts';
import type { CommitStatus, NewStatus, StatusFilter, StatusState } from './model.ts';

/** A commit of a repository that the viewer may see. */
export interface CommitIn {
  readonly repository: Repository;
  readonly commit: Oid;
}

type StatusRow = {
  status_number: number;
  state: StatusState;
  context: string;
  description: string;
  target_url: string;
  status_created_at: number;
  shows_creator: number;
} & Partial<OwnerColumns>;

function ofCommit({ repository, commit }: CommitIn): Fragment {
  return fragment`s.repository_id = ${repository.id} and s.commit_oid = ${commit}`;
}

export function listStatuses(
  db: Db,
  viewer: Viewer,
  of: CommitIn,
  { state, isOldestFirst }: StatusFilter,
  paging: Paging,
): Promise<Page<CommitStatus>> {
  const condition = state === null ? ofCommit(of) : fragment`${ofCommit(of)} and s.state = ${state}`;
  const orderBy = raw(isOldestFirst ? 's.number' : 's.number desc');
  return listPage(db, viewer, of, { condition, orderBy }, paging);
}

/** Lists the latest status of each context, by context. */
export function listLatestStatuses(
  db: Db,
  viewer: Viewer,
  of: CommitIn,
  paging: Paging,
): Promise<Page<CommitStatus>> {
  const condition = fragment`${ofCommit(of)} and s.is_latest = 1`;
  return listPage(db, viewer, of, { condition, orderBy: raw('s.context') }, paging);
}

function listPage(
  db: Db,
  viewer: Viewer,
  of: CommitIn,
  { condition, orderBy }: { condition: Fragment; orderBy: Fragment },
  paging: Paging,
): Promise<Page<CommitStatus>> {
  const statuses = {
    select: fragment`s.number as status_number, s.state, s.context, s.description, s.target_url,
      s.created_at as status_created_at, ${accountVisible(viewer)} as shows_creator, ${OWNER_COLUMNS}`,
    from: fragment`commit_statuses s left join accounts o on o.id = s.creator_id where ${condition}`,
    orderBy,
  };
  return queryPage(db, statuses, paging, (row: StatusRow) => statusOfRow(of, row));
}

function statusOfRow(of: CommitIn, row: StatusRow): CommitStatus {
  return {
    ...of,
    number: row.status_number,
    state: row.state,
    context: row.context,
    description: row.description,
    targetUrl: row.target_url,
    creator: hasCreator(row) && row.shows_creator === 1 ? ownerOfColumns(row) : null,
    createdAt: row.status_created_at,
  };
}

function hasCreator(row: Partial<OwnerColumns>): row is OwnerColumns {
  return typeof row.owner_id === 'number';
}

/** Lists the different states of the latest statuses. */
export async function listLatestStates(db: Db, of: CommitIn): Promise<readonly StatusState[]> {
  const rows = await query<{ state: StatusState }>(
    db,
    fragment`select distinct s.state from commit_statuses s where ${ofCommit(of)} and s.is_latest = 1`,
  );
  return rows.map(({ state }) => state);
}

/** Lists the different states of the latest statuses of several commits of a repository. */
export async function listLatestStatesOf(
  db: Db,
  { id }: Pick<Repository, 'id'>,
  commits: readonly Oid[],
): Promise<ReadonlyMap<Oid, readonly StatusState[]>> {
  if (commits.length === 0) return new Map();
  const rows = await query<{ commit_oid: Oid; state: StatusState }>(
    db,
    fragment`select distinct s.commit_oid, s.state from commit_statuses s
      where s.repository_id = ${id} and s.commit_oid in (${values(commits)}) and s.is_latest = 1`,
  );
  const byCommit = Map.groupBy(rows, ({ commit_oid: commit }) => commit);
  return new Map([...byCommit].map(([commit, found]) => [commit, found.map(({ state }) => state)]));
}

/** Returns the number of the last status of a commit; 0 without one. */
export async function lastStatusNumber(tx: Tx, of: CommitIn): Promise<number> {
  const row = await queryFirst<{ last: number | null }>(
    tx,
    fragment`select max(s.number) as last from commit_statuses s where ${ofCommit(of)}`,
  );
  return row?.last ?? 0;
}

/** Inserts a status that replaces the latest one of its context. The caller holds the lock of the repository. */
export async function insertStatus(
  tx: Tx,
  { repository, commit }: CommitIn,
  status: NewStatus & { readonly number: number; readonly creatorId: number; readonly createdAt: number },
): Promise<void> {
  await tx
    .updateTable('commit_statuses')
    .set({ is_latest: 0 })
    .where('repository_id', '=', repository.id)
    .where('commit_oid', '=', commit)
    .where('is_latest', '=', 1)
    .where('context', '=', status.context)
    .execute();
  await tx
    .insertInto('commit_statuses')
    .values({
      repository_id: repository.id,
      commit_oid: commit,
      number: status.number,
      context: status.context,
      state: status.state,
      target_url: status.targetUrl,
      description: status.description,
      creator_id: status.creatorId,
      is_latest: 1,
      created_at: status.createdAt,
    })
    .execute();
}
