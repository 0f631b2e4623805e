import { type Db, dialectOf, type Tx } from '../../../base/database/database.ts';
import { type Fragment, flag, fragment, joined, literal, raw } from '../../../base/database/fragment.ts';
import { pauseInTransaction } from '../../../base/database/pause.ts';
import { query, queryFirst } from '../../../base/database/query.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import { ISSUE_LIMITS } from '../limits.ts';
import type { ImportedAuthor, ImportedComment, ImportedIssue } from '../models/staging.ts';
import { LINK_COLUMNS, LINK_VALUES } from '../store/links.ts';

/** Adds issues of a repository that is being imported. If two have the same number, the first one remains. */
export async function insertStagedIssues(
  tx: Tx,
  repositoryId: RepositoryId,
  issues: readonly ImportedIssue[],
): Promise<void> {
  const rows = issues.map((issue) => ({
    repository_id: repositoryId,
    number: issue.number,
    ...authorColumns(issue.author),
    title: issue.title,
    body: issue.body,
    ref: issue.ref,
    milestone_key: issue.milestoneKey,
    is_closed: flag(issue.closedAt !== null),
    closed_at: issue.closedAt,
    is_locked: flag(issue.isLocked),
    due_at: issue.dueAt,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
  }));
  const labels = issues.flatMap(({ number, labelKeys }) =>
    labelKeys.map((label_key) => ({ repository_id: repositoryId, number, label_key })),
  );
  const assignees = issues.flatMap(({ number, assigneeIds }) =>
    assigneeIds.map((account_id) => ({ repository_id: repositoryId, number, account_id })),
  );
  for (const part of partsOf(rows))
    await tx
      .insertInto('staged_issues')
      .values(part)
      .onConflict((c) => c.doNothing())
      .execute();
  for (const part of partsOf(labels))
    await tx
      .insertInto('staged_issue_labels')
      .values(part)
      .onConflict((c) => c.doNothing())
      .execute();
  for (const part of partsOf(assignees))
    await tx
      .insertInto('staged_issue_assignees')
      .values(part)
      .onConflict((c) => c.doNothing())
      .execute();
}

/** Adds comments of a repository that is being imported. If two have the same key, the first one remains. */
export async function insertStagedComments(
  tx: Tx,
  repositoryId: RepositoryId,
  comments: readonly ImportedComment[],
): Promise<void> {
  const rows = comments.map((comment) => ({
    repository_id: repositoryId,
    comment_key: comment.key,
    number: comment.number,
    ...authorColumns(comment.author),
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
  }));
  for (const part of partsOf(rows))
    await tx
      .insertInto('staged_comments')
      .values(part)
      .onConflict((c) => c.doNothing())
      .execute();
}

/** Splits rows, because a statement cannot have parameters for all rows of a page. */
function* partsOf<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < rows.length; at += ISSUE_LIMITS.importedRowsAtOnce)
    yield rows.slice(at, at + ISSUE_LIMITS.importedRowsAtOnce);
}

function authorColumns({ accountId, original }: ImportedAuthor) {
  return { author_id: accountId, original_author: original.name, original_author_id: original.id };
}

const ISSUES = { table: raw('staged_issues'), key: raw('number') };
const COMMENTS = { table: raw('staged_comments'), key: raw('comment_key') };

/** Keys after `from`, up to and including `to`. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** Returns the next range of rows, bounded in number; undefined after the last one. */
async function nextRange(
  db: Db,
  { table, key }: typeof ISSUES,
  repositoryId: RepositoryId,
  from: number,
): Promise<Range | undefined> {
  const row = await queryFirst<{ last: number | null }>(
    db,
    fragment`select max(id) as last from (select ${key} as id from ${table}
      where repository_id = ${repositoryId} and ${key} > ${from}
      order by ${key} limit ${literal(ISSUE_LIMITS.importedRowsAtOnce)}) batch`,
  );
  const last = row?.last ?? null;
  return last === null ? undefined : { from, to: last };
}

/**
 * Turns staged issues and their comments into issues, in the order of their numbers. Does not delete the staged rows.
 *
 * @param milestones, labels ids here, by their ids on the other server
 */
export async function publishStaged(
  tx: Tx,
  repositoryId: RepositoryId,
  ids: { readonly milestones: ReadonlyMap<number, number>; readonly labels: ReadonlyMap<number, number> },
): Promise<void> {
  for (let from = 0; ; ) {
    const range = await nextRange(tx, ISSUES, repositoryId, from);
    if (range === undefined) break;
    await publishIssues(tx, repositoryId, range, ids.milestones);
    if (ids.labels.size > 0) await publishLabels(tx, repositoryId, range, ids.labels);
    await publishAssignees(tx, repositoryId, range);
    await pauseInTransaction(tx);
    from = range.to;
  }
  for (let from = 0; ; ) {
    const range = await nextRange(tx, COMMENTS, repositoryId, from);
    if (range === undefined) break;
    await publishComments(tx, repositoryId, range);
    await pauseInTransaction(tx);
    from = range.to;
  }
}

// An account may have been deleted since the import began.
const AUTHOR = raw(
  '(select a.id from accounts a where a.id = s.author_id), s.original_author, s.original_author_id',
);

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
    fragment`insert into issues (repository_id, number, author_id, original_author, original_author_id, title, body,
        ref, milestone_id, is_closed, closed_at, is_locked, due_at, comments_count, created_at, updated_at)
      select s.repository_id, s.number, ${AUTHOR}, s.title, s.body, s.ref, ${milestone}, s.is_closed, s.closed_at,
        s.is_locked, s.due_at, (select count(*) from staged_comments c
          where c.repository_id = s.repository_id and c.number = s.number), s.created_at, s.updated_at
      from staged_issues s ${join} where ${isIn(ISSUES.key, repositoryId, range)} order by s.number`,
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
      where ${isIn(ISSUES.key, repositoryId, range)} on conflict do nothing`,
  );
}

async function publishAssignees(tx: Tx, repositoryId: RepositoryId, range: Range): Promise<void> {
  await query(
    tx,
    fragment`insert into issue_assignees (issue_id, subject_id, ${LINK_COLUMNS})
      select i.id, a.id, ${LINK_VALUES} from staged_issue_assignees s
      join accounts a on a.id = s.account_id
      join issues i on i.repository_id = s.repository_id and i.number = s.number
      where ${isIn(ISSUES.key, repositoryId, range)}`,
  );
}

async function publishComments(tx: Tx, repositoryId: RepositoryId, range: Range): Promise<void> {
  await query(
    tx,
    fragment`insert into issue_entries (issue_id, repository_id, author_id, original_author, original_author_id,
        kind, body, details, created_at, updated_at)
      select i.id, s.repository_id, ${AUTHOR}, 'comment', s.body, '{}', s.created_at, s.updated_at
      from staged_comments s join issues i on i.repository_id = s.repository_id and i.number = s.number
      where ${isIn(COMMENTS.key, repositoryId, range)} order by s.comment_key`,
  );
}

function isIn(key: Fragment, repositoryId: RepositoryId, { from, to }: Range): Fragment {
  return fragment`s.repository_id = ${repositoryId} and s.${key} > ${from} and s.${key} <= ${to}`;
}

/** A table of ids here by ids on the other server. Neither may be empty. */
function idsHere(ids: ReadonlyMap<number, number>): Fragment {
  const rows = [...ids].map(([key, here]) => fragment`(cast(${key} as bigint), cast(${here} as bigint))`);
  return fragment`(select column1 as key, column2 as id_here from (values ${joined(rows, ', ')}) pairs)`;
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

/** Counts the issues of a repository that has no pull requests, and their comments. */
export async function countImported(
  tx: Tx,
  repositoryId: RepositoryId,
): Promise<{
  readonly open: number;
  readonly closed: number;
  readonly comments: number;
  readonly last: number;
}> {
  const counted = await queryFirst<{ total: number; closed: number; comments: number; last: number }>(
    tx,
    fragment`select count(*) as total, cast(coalesce(sum(is_closed), 0) as bigint) as closed,
      cast(coalesce(sum(comments_count), 0) as bigint) as comments, coalesce(max(number), 0) as last
      from issues where repository_id = ${repositoryId}`,
  );
  const { total = 0, closed = 0, comments = 0, last = 0 } = counted ?? {};
  return { open: total - closed, closed, comments, last };
}

/** Deletes some staged rows of a repository. @returns whether there may be more */
export async function deleteStaged(tx: Tx, repositoryId: RepositoryId): Promise<boolean> {
  const comments = await nextRange(tx, COMMENTS, repositoryId, 0);
  if (comments !== undefined) {
    await query(
      tx,
      fragment`delete from staged_comments where repository_id = ${repositoryId} and comment_key <= ${comments.to}`,
    );
    return true;
  }
  const issues = await nextRange(tx, ISSUES, repositoryId, 0);
  if (issues === undefined) return false;
  const upTo = fragment`repository_id = ${repositoryId} and number <= ${issues.to}`;
  await query(tx, fragment`delete from staged_issue_labels where ${upTo}`);
  await query(tx, fragment`delete from staged_issue_assignees where ${upTo}`);
  await query(tx, fragment`delete from staged_issues where ${upTo}`);
  return true;
}

/** A text whose words are to be indexed. */
export interface TextRow {
  readonly id: number;
  readonly repositoryId: RepositoryId;
  /** '' for a comment */
  readonly title: string;
  readonly body: string;
}

/** Lists issues or comments of a repository in the order of their ids, and locks them against edits. */
export async function lockTexts(
  tx: Tx,
  kind: 'issue' | 'comment',
  { repositoryId, after }: { readonly repositoryId: RepositoryId; readonly after: number },
): Promise<readonly TextRow[]> {
  const hold = raw(dialectOf(tx) === 'postgres' ? 'for update' : '');
  const limit = literal(ISSUE_LIMITS.importedTextsIndexedAtOnce);
  const rows = await query<{ id: number; title: string; body: string }>(
    tx,
    kind === 'issue'
      ? fragment`select id, title, body from issues
          where repository_id = ${repositoryId} and id > ${after} order by id limit ${limit} ${hold}`
      : fragment`select id, '' as title, body from issue_entries
          where repository_id = ${repositoryId} and kind = 'comment' and id > ${after} order by id limit ${limit} ${hold}`,
  );
  return rows.map((row) => ({ ...row, repositoryId }));
}
