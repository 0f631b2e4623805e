import type { Tx } from '../../../../base/database/database.ts';
import { fragment, raw } from '../../../../base/database/fragment.ts';
import { query } from '../../../../base/database/query.ts';
import type { RepositoryId } from '../../../../git/interface/snapshot.ts';
import { LINK_COLUMNS, LINK_VALUES } from '../../store/links.ts';
import { AUTHOR, idsHere, isIn, type Range } from '../columns.ts';
import { inRanges } from '../writes.ts';
import { ISSUES } from './tables.ts';

/**
 * Turns staged issues into issues, in the order of their numbers. Does not delete the staged rows. An issue of a pull
 * request needs a staged pull request.
 *
 * @param milestones, labels ids here, by their ids on the other server
 */
export async function publishStagedIssues(
  tx: Tx,
  repositoryId: RepositoryId,
  ids: { readonly milestones: ReadonlyMap<number, number>; readonly labels: ReadonlyMap<number, number> },
): Promise<void> {
  await inRanges(tx, repositoryId, ISSUES, async (tx, range) => {
    await publishIssues(tx, repositoryId, range, ids.milestones);
    if (ids.labels.size > 0) await publishLabels(tx, repositoryId, range, ids.labels);
    await publishAssignees(tx, repositoryId, range);
  });
}

async function publishIssues(
  tx: Tx,
  repositoryId: RepositoryId,
  range: Range,
  milestones: ReadonlyMap<number, number>,
): Promise<void> {
  const hasMilestones = milestones.size > 0;
  const milestone = raw(hasMilestones ? 'm.id_here' : 'cast(null as bigint)');
  const join = hasMilestones
    ? fragment`left join ${idsHere(milestones)} m on m.key = s.milestone_key`
    : raw('');
  await query(
    tx,
    fragment`insert into issues (repository_id, number, is_pull, author_id, original_author, original_author_id, title,
        body, ref, milestone_id, is_closed, closed_at, is_locked, due_at, comments_count, created_at, updated_at)
      select s.repository_id, s.number, s.is_pull, ${AUTHOR}, s.title, s.body, s.ref, ${milestone}, s.is_closed, s.closed_at,
        s.is_locked, s.due_at, (select count(*) from staged_comments c
          where c.repository_id = s.repository_id and c.number = s.number), s.created_at, s.updated_at
      from staged_issues s ${join} where ${isIn(ISSUES, repositoryId, range)}
        and (s.is_pull = 0 or exists (select 1 from staged_pulls p
          where p.repository_id = s.repository_id and p.number = s.number)) order by s.number`,
  );
}

async function publishLabels(
  tx: Tx,
  repositoryId: RepositoryId,
  range: Range,
  labels: ReadonlyMap<number, number>,
): Promise<void> {
  await query(
    tx,
    fragment`insert into issue_labels (issue_id, subject_id, ${LINK_COLUMNS})
      select i.id, l.id_here, ${LINK_VALUES} from staged_issue_labels s
      join ${idsHere(labels)} l on l.key = s.label_key
      join issues i on i.repository_id = s.repository_id and i.number = s.number
      where ${isIn(ISSUES, repositoryId, range)} on conflict do nothing`,
  );
}

async function publishAssignees(tx: Tx, repositoryId: RepositoryId, range: Range): Promise<void> {
  await query(
    tx,
    fragment`insert into issue_assignees (issue_id, subject_id, ${LINK_COLUMNS})
      select i.id, a.id, ${LINK_VALUES} from staged_issue_assignees s
      join accounts a on a.id = s.account_id
      join issues i on i.repository_id = s.repository_id and i.number = s.number
      where ${isIn(ISSUES, repositoryId, range)}`,
  );
}

/** Pins issues in this order. */
export async function pinImported(
  tx: Tx,
  repositoryId: RepositoryId,
  numbers: readonly number[],
): Promise<void> {
  if (numbers.length === 0) return;
  const places = new Map(numbers.map((number, index) => [number, index + 1]));
  await query(
    tx,
    fragment`update issues set pin_order = p.id_here from ${idsHere(places)} p
      where issues.repository_id = ${repositoryId} and issues.number = p.key`,
  );
}

/** Counts the issues and pull requests of a repository, and their comments. */
export async function countImported(
  tx: Tx,
  repositoryId: RepositoryId,
): Promise<{
  readonly issues: { readonly open: number; readonly closed: number };
  readonly pulls: { readonly open: number; readonly closed: number };
  readonly comments: number;
  readonly last: number;
}> {
  const rows = await query<{
    is_pull: number;
    total: number;
    closed: number;
    comments: number;
    last: number;
  }>(
    tx,
    fragment`select is_pull, count(*) as total, cast(sum(is_closed) as bigint) as closed,
      cast(sum(comments_count) as bigint) as comments, max(number) as last
      from issues where repository_id = ${repositoryId} group by is_pull`,
  );
  const countsOf = (isPull: 0 | 1) => {
    const { total = 0, closed = 0 } = rows.find((row) => row.is_pull === isPull) ?? {};
    return { open: total - closed, closed };
  };
  return {
    issues: countsOf(0),
    pulls: countsOf(1),
    comments: rows.reduce((sum, { comments }) => sum + comments, 0),
    last: Math.max(0, ...rows.map(({ last }) => last)),
  };
}
