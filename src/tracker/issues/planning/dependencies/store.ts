import { IS_OF_SWITCHED_ON_UNIT } from '../../../../api/access/store/trackers.ts';
import type { Viewer } from '../../../../api/access/viewer.ts';
import type { Db, Tx } from '../../../../base/database/database.ts';
import { fragment, raw, values } from '../../../../base/database/fragment.ts';
import { query, queryCount, queryFirst } from '../../../../base/database/query.ts';
import {
  AUTHOR_JOIN,
  type AuthoredIssue,
  type IssueRow,
  issueColumns,
  issueOfRow,
} from '../../store/issues.ts';

/** `dependencies`: the issues that block an issue. `blocks`: the issues that it blocks. */
export type Direction = 'dependencies' | 'blocks';

const COLUMNS = {
  dependencies: { own: raw('d.issue_id'), other: raw('d.depends_on_id') },
  blocks: { own: raw('d.depends_on_id'), other: raw('d.issue_id') },
};

/** Lists the issues on the other side of the dependencies of an issue, the newest first. */
export async function listDependencies(
  db: Db,
  viewer: Viewer,
  direction: Direction,
  issueId: number,
): Promise<readonly AuthoredIssue[]> {
  const { own, other } = COLUMNS[direction];
  const rows = await query<IssueRow>(
    db,
    fragment`select ${issueColumns(viewer)} from issue_dependencies d join issues i on i.id = ${other}
      ${AUTHOR_JOIN} where ${own} = ${issueId} order by i.id desc`,
  );
  return rows.map(issueOfRow);
}

export function countDependencies(db: Db, direction: Direction, issueId: number): Promise<number> {
  return queryCount(db, fragment`issue_dependencies d where ${COLUMNS[direction].own} = ${issueId}`);
}

export interface Dependency {
  readonly issueId: number;
  readonly dependsOnId: number;
}

export async function hasDependency(db: Db, { issueId, dependsOnId }: Dependency): Promise<boolean> {
  const found = await queryFirst(
    db,
    fragment`select 1 as found from issue_dependencies where issue_id = ${issueId} and depends_on_id = ${dependsOnId}`,
  );
  return found !== undefined;
}

export async function insertDependency(tx: Tx, { issueId, dependsOnId }: Dependency): Promise<void> {
  await query(
    tx,
    fragment`insert into issue_dependencies (issue_id, depends_on_id) values (${issueId}, ${dependsOnId})`,
  );
}

export async function deleteDependency(tx: Tx, { issueId, dependsOnId }: Dependency): Promise<void> {
  await query(
    tx,
    fragment`delete from issue_dependencies where issue_id = ${issueId} and depends_on_id = ${dependsOnId}`,
  );
}

/**
 * Filters issues: returns the ids of those that depend on an open issue. Issues of a kind that is switched off do not
 * count.
 */
export async function findWithOpenDependency(
  db: Db,
  issueIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (issueIds.length === 0) return new Set();
  const rows = await query<{ issue_id: number }>(
    db,
    fragment`select distinct d.issue_id from issue_dependencies d join issues i on i.id = d.depends_on_id
      join repositories r on r.id = i.repository_id
      where d.issue_id in (${values(issueIds)}) and i.is_closed = 0 and ${IS_OF_SWITCHED_ON_UNIT}`,
  );
  return new Set(rows.map(({ issue_id: id }) => id));
}
