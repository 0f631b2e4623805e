import { type Selectable, sql } from 'kysely';
import type { Page, Paging } from '../../base/core/paging.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Db, Tx } from '../../base/database/database.ts';
import { type Fragment, flag, fragment, raw, values } from '../../base/database/fragment.ts';
import { query, queryCount, queryFirst, queryPage } from '../../base/database/query.ts';
import type { LabelsTable } from '../../base/database/schema/labels.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { LabelTemplate } from '../../hosting/templates/model.ts';
import type { Label, LabelFields, LabelOrder, LabelOwner } from './model.ts';

type LabelRow = Selectable<LabelsTable>;

const ORDERS: Readonly<Record<LabelOrder, Fragment>> = {
  name: raw('name, id'),
  'name-reversed': raw('name desc, id desc'),
  'most-issues': raw('issues_count desc, name, id'),
  'least-issues': raw('issues_count, name, id'),
};

function labelOf(row: LabelRow): Label {
  return {
    id: row.id,
    name: row.name,
    color: row.color,
    description: row.description,
    isExclusive: row.is_exclusive === 1,
    isArchived: row.archived_at !== null,
  };
}

/** Whether a row of `labels` belongs to an owner. */
function isOf(owner: LabelOwner): Fragment {
  return owner.kind === 'repository'
    ? fragment`repository_id = ${owner.repository.id}`
    : fragment`organization_id = ${owner.organization.id}`;
}

export function listLabels(
  db: Db,
  owner: LabelOwner,
  order: LabelOrder,
  paging: Paging,
): Promise<Page<Label>> {
  const list = { select: raw('*'), from: fragment`labels where ${isOf(owner)}`, orderBy: ORDERS[order] };
  return queryPage(db, list, paging, labelOf);
}

export async function findLabel(db: Db, owner: LabelOwner, id: number): Promise<Label | undefined> {
  const row = await queryFirst<LabelRow>(
    db,
    fragment`select * from labels where id = ${id} and ${isOf(owner)}`,
  );
  return row && labelOf(row);
}

/** A label, with its organization if it belongs to one. */
export interface FoundLabel {
  readonly label: Label;
  readonly organizationId: number | null;
  readonly organizationName: string | null;
}

type FoundLabelRow = LabelRow & { readonly organization_name: string | null };

/** A repository, which can use its own labels and those of its owner. */
interface LabelUser {
  readonly id: RepositoryId;
  readonly ownerId: number;
}

function offeredTo(repository: LabelUser): Fragment {
  return fragment`(l.repository_id = ${repository.id} or l.organization_id = ${repository.ownerId})`;
}

/** Finds the labels that a repository can use, its own and those of its owner, by id. */
export function findOfferedLabels(
  db: Db,
  repository: LabelUser,
  ids: readonly number[],
): Promise<readonly FoundLabel[]> {
  return findWithOwners(
    db,
    fragment`l.id in (${values(ids)})
      and ${offeredTo(repository)}`,
  );
}

/** Lists the labels that a repository can use and that have one of these names, in the order of their names. */
export function findOfferedLabelsByName(
  db: Db,
  repository: LabelUser,
  names: readonly string[],
): Promise<readonly FoundLabel[]> {
  // A condition on the name alone would find the labels of all repositories: most have one called bug.
  const hasName = fragment`l.name in (${values(names)})`;
  return findWithOwners(
    db,
    fragment`(l.repository_id = ${repository.id} and ${hasName} or l.organization_id = ${repository.ownerId} and ${hasName})`,
  );
}

/** Finds labels by their ids, in the order of their names. */
export function findLabels(db: Db, ids: readonly number[]): Promise<readonly FoundLabel[]> {
  return findWithOwners(db, fragment`l.id in (${values(ids)})`);
}

async function findWithOwners(db: Db, condition: Fragment): Promise<readonly FoundLabel[]> {
  const rows = await query<FoundLabelRow>(
    db,
    fragment`select l.*, o.name as organization_name from labels l left join accounts o on o.id = l.organization_id
      where ${condition} order by l.name, l.id`,
  );
  return rows.map((row) => ({
    label: labelOf(row),
    organizationId: row.organization_id,
    organizationName: row.organization_name,
  }));
}

export function countLabels(tx: Tx, owner: LabelOwner): Promise<number> {
  return queryCount(tx, fragment`labels where ${isOf(owner)}`);
}

export async function insertLabel(tx: Tx, owner: LabelOwner, fields: LabelFields): Promise<Label> {
  const at = currentTimeMs();
  const row = await tx
    .insertInto('labels')
    .values({
      repository_id: owner.kind === 'repository' ? owner.repository.id : null,
      organization_id: owner.kind === 'organization' ? owner.organization.id : null,
      ...labelColumns(fields),
      archived_at: fields.isArchived ? at : null,
      created_at: at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return labelOf(row);
}

/** A label that is archived already keeps the time at which that happened. */
export async function setLabel(tx: Tx, id: number, fields: LabelFields): Promise<void> {
  const archivedAt = fields.isArchived ? sql<number>`coalesce(archived_at, ${currentTimeMs()})` : null;
  await tx
    .updateTable('labels')
    .set({ ...labelColumns(fields), archived_at: archivedAt })
    .where('id', '=', id)
    .execute();
}

export async function deleteLabel(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('labels').where('id', '=', id).execute();
}

export function labelColumns({ name, color, description, isExclusive }: LabelFields) {
  return { name, color, description, is_exclusive: flag(isExclusive) };
}

/** Adds a label set to a new repository, in its order. */
export async function insertLabelSet(
  tx: Tx,
  id: RepositoryId,
  labels: readonly LabelTemplate[],
): Promise<void> {
  if (labels.length === 0) return;
  const at = currentTimeMs();
  const rows = labels.map(({ name, color, description, isExclusive }) => ({
    repository_id: id,
    name,
    color,
    description,
    is_exclusive: flag(isExclusive),
    created_at: at,
  }));
  await tx.insertInto('labels').values(rows).execute();
}

/** Copies the labels of one repository to another, in their order. */
export async function copyLabels(tx: Tx, from: RepositoryId, to: RepositoryId): Promise<void> {
  const copied = raw('name, color, description, is_exclusive, archived_at');
  await query(
    tx,
    fragment`insert into labels (repository_id, ${copied}, created_at)
      select cast(${to} as bigint), ${copied}, cast(${currentTimeMs()} as bigint)
      from labels where repository_id = ${from} order by id`,
  );
}
