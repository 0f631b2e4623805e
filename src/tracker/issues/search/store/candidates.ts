import { TRACKER_UNITS } from '../../../../api/access/levels.ts';
import type { Db } from '../../../../base/database/database.ts';
import {
  type Fragment,
  fragment,
  joined,
  literal,
  raw,
  usingIndex,
  values,
} from '../../../../base/database/fragment.ts';
import { queryFirst } from '../../../../base/database/query.ts';
import type { RepositoryId } from '../../../../git/interface/snapshot.ts';
import { unitOf } from '../../../../hosting/repositories/tracker.ts';
import { ISSUE_LIMITS } from '../../limits.ts';
import {
  ISSUES_BY_MILESTONE,
  type IssueConditions,
  isInPartition,
  partitionsOf,
  requiredLinks,
  unionOf,
} from '../../listing/store/conditions.ts';
import { issuesSortedBy, matchesIn, mostSelectiveIndex } from '../../listing/store/driving-index.ts';
import { linksEverywhere, linkTable } from '../../store/links.ts';
import type { ReadableIds } from './readable.ts';
import type { ListedIds } from './texts.ts';

/** Indexes over all repositories, in the order of ids: of all issues, and of the issues of each author. */
export const ISSUES_EVERYWHERE = usingIndex('issues_everywhere');
const ISSUES_BY_AUTHOR_EVERYWHERE = usingIndex('issues_own');

/** The issues that a search looks at, because no other issue matches its filter. */
export interface Candidates extends ListedIds {
  readonly count: number;
}

/** Conditions that only a search over all repositories can have. */
export interface NamedConditions {
  /** names of labels; the issue has one of them */
  readonly anyLabel?: readonly string[];
  /** titles of milestones; the issue has one of them */
  readonly anyMilestone?: readonly string[];
  /** account of which, or of a team of which, a review is requested */
  readonly requestedOfId?: number | undefined;
  /** account that gave a review */
  readonly reviewerId?: number | undefined;
}

/** Statements that select the `issue_id` of pull requests, each by one condition on their reviews. */
export function pullsByReviews({ requestedOfId, reviewerId }: NamedConditions): readonly Fragment[] {
  return [
    ...(requestedOfId === undefined ? [] : [pullsRequestedOf(requestedOfId)]),
    ...(reviewerId === undefined ? [] : [pullsReviewedBy(reviewerId)]),
  ];
}

/** Selects the pull requests of which a review is requested of an account or of a team of it. */
function pullsRequestedOf(accountId: number): Fragment {
  return fragment`select v.issue_id from pull_reviews v where v.account_id = ${accountId} and v.state = 'requested'
      and v.team_id is null
    union select v.issue_id from team_members m cross join pull_reviews v
      where m.account_id = ${accountId} and v.team_id = m.team_id and v.state = 'requested'`;
}

function pullsReviewedBy(accountId: number): Fragment {
  return fragment`select distinct v.issue_id from pull_reviews v
    where v.account_id = ${accountId} and v.state in ('approved', 'rejected', 'comment')`;
}

/** @returns the issues that match the whole filter; undefined if there are too many to list, or if it has no condition */
export async function candidatesInRepository(
  db: Db,
  conditions: IssueConditions,
  repositoryId: RepositoryId,
): Promise<Candidates | undefined> {
  if (!hasFilter(conditions)) return undefined;
  const selection = { ...conditions, repositoryId };
  const index = await mostSelectiveIndex(db, selection);
  return unlessMany(
    db,
    unionOf(partitionsOf(selection).map((partition) => matchesIn(partition, index, selection))),
  );
}

/** @returns a list that includes all issues that match; undefined if there are too many to list */
export async function candidatesAnywhere(
  db: Db,
  conditions: IssueConditions & NamedConditions,
): Promise<Candidates | undefined> {
  const found: { readonly statement: Fragment; readonly listed: Candidates }[] = [];
  for (const statement of statementsAnywhere(conditions)) {
    const listed = await unlessMany(db, inPartitions(conditions, [statement]));
    if (listed !== undefined) found.push({ statement, listed });
  }
  const bySize = found.toSorted((one, other) => one.listed.count - other.listed.count);
  const [best] = bySize;
  const ids = inPartitions(
    conditions,
    bySize.map(({ statement }) => statement),
  );
  return best && { ...best.listed, ids };
}

/**
 * Intersects the statements, partition by partition. Within one partition, most indexes return ids in order, so
 * `intersect` merges them.
 */
function inPartitions(conditions: IssueConditions, statements: readonly Fragment[]): Fragment {
  const partitions = partitionsOf(conditions).map((partition) => {
    const found = statements.map((each) => fragment`${each} and ${isInPartition(raw('d'), partition)}`);
    return fragment`select id from (${joined(found, ' intersect ')}) part`;
  });
  return unionOf(partitions);
}

/** Statements that select issues `d` by an index, each by one condition. */
function statementsAnywhere(conditions: IssueConditions & NamedConditions): readonly Fragment[] {
  const { state, type, authorId, anyLabel = [], anyMilestone = [] } = conditions;
  const statements = requiredLinks(conditions).map(
    ({
      kind,
      subjectIds,
    }) => fragment`select d.issue_id as id from ${linkTable(kind)} d ${linksEverywhere(kind)}
      where d.subject_id in (${values(subjectIds)})`,
  );
  if (authorId !== undefined)
    statements.push(
      fragment`select d.id from issues d ${ISSUES_BY_AUTHOR_EVERYWHERE} where d.author_id = ${authorId}`,
    );
  for (const pulls of pullsByReviews(conditions))
    statements.push(
      fragment`select d.id from (${pulls}) reviews cross join issues d where d.id = reviews.issue_id`,
    );
  if (anyLabel.length > 0)
    statements.push(fragment`select d.issue_id as id from labels l cross join issue_labels d ${linksEverywhere('labels')}
      where l.name in (${values(anyLabel)}) and d.subject_id = l.id`);
  if (anyMilestone.length > 0)
    statements.push(fragment`select d.id from milestones m cross join issues d ${ISSUES_BY_MILESTONE}
      where m.title in (${values(anyMilestone)}) and d.milestone_id = m.id`);
  if (state !== 'all' || type !== 'all')
    statements.push(fragment`select d.id from issues d ${ISSUES_EVERYWHERE} where 1 = 1`);
  return statements;
}

/**
 * Lists the issues of repositories.
 *
 * @returns undefined if these repositories have too many issues to list
 */
export async function candidatesOf(
  db: Db,
  readableIds: ReadableIds,
  conditions: IssueConditions,
): Promise<Candidates | undefined> {
  const units = TRACKER_UNITS.filter((unit) => readableIds[unit].length > 0);
  const counts = units.map(
    (unit) =>
      fragment`select ${COUNT_OF[unit]} as count from repositories where id in (${values(readableIds[unit])})`,
  );
  const row = await queryFirst<{ total: number }>(
    db,
    fragment`select sum(count) as total from (${joined(counts, ' union all ')}) counts`,
  );
  const count = Number(row?.total ?? 0);
  if (count > ISSUE_LIMITS.issuesListedOfOwnerMax) return undefined;
  const found = partitionsOf(conditions).flatMap((partition) => {
    const ids = readableIds[unitOf(partition)];
    if (ids.length === 0) return [];
    return [
      fragment`select d.id from issues d ${issuesSortedBy('number')}
        where d.repository_id in (${values(ids)}) and ${isInPartition(raw('d'), partition)}`,
    ];
  });
  return { ids: unionOf(found), count, range: ALL_IDS };
}

const COUNT_OF = {
  issues: raw('open_issues_count + closed_issues_count'),
  pulls: raw('open_pulls_count + closed_pulls_count'),
};

/** The rows of comments and reviews, and of comments on lines, `e`, and which of these rows have texts. */
export const COMMENT_ROWS = {
  comment: { table: raw('issue_entries'), hasText: raw("e.kind in ('comment', 'review')") },
  line: { table: raw('pull_review_comments'), hasText: raw('1 = 1') },
};
export type CommentKind = keyof typeof COMMENT_ROWS;

/**
 * @returns all comments and reviews of few candidates, or all comments on lines; undefined if there are too many candidates
 *   or comments to list
 */
export async function commentsOf(
  db: Db,
  kind: CommentKind,
  { ids, count }: Candidates,
): Promise<Candidates | undefined> {
  if (count > ISSUE_LIMITS.issuesReadForSearchMax) return undefined;
  const { table, hasText } = COMMENT_ROWS[kind];
  return unlessMany(
    db,
    fragment`select e.id from (${ids}) candidates cross join ${table} e
      where e.issue_id = candidates.id and ${hasText}`,
  );
}

const ALL_IDS: ListedIds['range'] = { oldest: 0, newest: Number.MAX_SAFE_INTEGER };

async function unlessMany(db: Db, ids: Fragment): Promise<Candidates | undefined> {
  const countMax = ISSUE_LIMITS.issuesListedForSearchMax;
  const row = await queryFirst<{ total: number; oldest: number | null; newest: number | null }>(
    db,
    fragment`select count(*) as total, min(id) as oldest, max(id) as newest
      from (select id from (${ids}) found limit ${literal(countMax + 1)}) counted`,
  );
  const { total = 0, oldest, newest } = row ?? {};
  const count = Number(total);
  if (count > countMax) return undefined;
  return { ids, count, range: { oldest: Number(oldest ?? 0), newest: Number(newest ?? 0) } };
}

/** Whether a search in one repository has conditions besides its words. */
export function hasFilter(conditions: IssueConditions): boolean {
  const { state, type, milestones, authorId, since, before, pulls } = conditions;
  const isBound = [authorId, since, before, pulls].some((each) => each !== undefined) || milestones !== null;
  return state !== 'all' || type !== 'all' || isBound || requiredLinks(conditions).length > 0;
}
