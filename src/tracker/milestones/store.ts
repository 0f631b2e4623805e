import type { Selectable } from 'kysely';
import type { Page, Paging } from '../../base/core/paging.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Db, Tx } from '../../base/database/database.ts';
import { type Fragment, flag, fragment, raw, values } from '../../base/database/fragment.ts';
import { query, queryCount, queryFirst, queryPage } from '../../base/database/query.ts';
import type { MilestonesTable } from '../../base/database/schema/milestones.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { Milestone, MilestoneFields, MilestoneFilter } from './model.ts';

type MilestoneRow = Selectable<MilestonesTable>;

function milestoneOf(row: MilestoneRow): Milestone {
  return {
    id: row.id,
    repositoryId: row.repository_id,
    title: row.title,
    description: row.description,
    dueAt: row.due_at,
    isClosed: row.closed_at !== null,
    closedAt: row.closed_at,
    openIssuesCount: row.open_issues_count,
    closedIssuesCount: row.closed_issues_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Lists milestones, those that are due first at the beginning, those without a due date at the end. */
export function listMilestones(
  db: Db,
  repositoryId: RepositoryId,
  { state, title }: MilestoneFilter,
  paging: Paging,
): Promise<Page<Milestone>> {
  const pattern = `%${title.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
  const list = {
    select: raw('*'),
    from: fragment`milestones where repository_id = ${repositoryId} and ${isIn(state)}
      and (${flag(title === '')} = 1 or lower_title like ${pattern} escape '\\')`,
    orderBy: raw('case when due_at is null then 1 else 0 end, due_at, title, id'),
  };
  return queryPage(db, list, paging, milestoneOf);
}

function isIn(state: MilestoneFilter['state']): Fragment {
  if (state === 'all') return raw('1 = 1');
  return state === 'open' ? raw('closed_at is null') : raw('closed_at is not null');
}

export function findMilestone(
  db: Db,
  repositoryId: RepositoryId,
  id: number,
): Promise<Milestone | undefined> {
  return findFirst(db, repositoryId, fragment`id = ${id}`);
}

/** Finds the oldest milestone with a title. */
export function findMilestoneByTitle(
  db: Db,
  repositoryId: RepositoryId,
  title: string,
): Promise<Milestone | undefined> {
  return findFirst(db, repositoryId, fragment`title = ${title}`);
}

async function findFirst(
  db: Db,
  repositoryId: RepositoryId,
  condition: Fragment,
): Promise<Milestone | undefined> {
  const row = await queryFirst<MilestoneRow>(
    db,
    fragment`select * from milestones where repository_id = ${repositoryId} and ${condition}
      order by id limit 1`,
  );
  return row && milestoneOf(row);
}

/** Finds milestones by their ids. */
export async function findMilestones(db: Db, ids: readonly number[]): Promise<readonly Milestone[]> {
  const rows = await query<MilestoneRow>(db, fragment`select * from milestones where id in (${values(ids)})`);
  return rows.map(milestoneOf);
}

/** Lists the ids of the milestones of a repository that have one of these titles. */
export async function findMilestoneIdsByTitle(
  db: Db,
  repositoryId: RepositoryId,
  titles: readonly string[],
): Promise<readonly number[]> {
  const rows = await query<{ id: number }>(
    db,
    fragment`select id from milestones where repository_id = ${repositoryId} and title in (${values(titles)})`,
  );
  return rows.map(({ id }) => id);
}

export function countMilestones(tx: Tx, repositoryId: RepositoryId): Promise<number> {
  return queryCount(tx, fragment`milestones where repository_id = ${repositoryId}`);
}

export async function insertMilestone(
  tx: Tx,
  repositoryId: RepositoryId,
  fields: MilestoneFields,
): Promise<Milestone> {
  const at = currentTimeMs();
  const row = await tx
    .insertInto('milestones')
    .values({
      repository_id: repositoryId,
      ...milestoneColumns(fields),
      closed_at: fields.isClosed ? at : null,
      created_at: at,
      updated_at: at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return milestoneOf(row);
}

/** A milestone that is closed already keeps the time at which that happened. */
export async function setMilestone(
  tx: Tx,
  { id, closedAt }: Milestone,
  fields: MilestoneFields,
): Promise<Milestone> {
  const at = currentTimeMs();
  const row = await tx
    .updateTable('milestones')
    .set({
      ...milestoneColumns(fields),
      closed_at: fields.isClosed ? (closedAt ?? at) : null,
      updated_at: at,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return milestoneOf(row);
}

export async function deleteMilestone(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('milestones').where('id', '=', id).execute();
}

export function milestoneColumns({ title, description, dueAt }: MilestoneFields) {
  return { title, lower_title: title.toLowerCase(), description, due_at: dueAt };
}
