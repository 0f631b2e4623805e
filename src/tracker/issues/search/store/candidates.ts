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
 * @param repositoryIds repositories whose issues the viewer may read
 * @returns undefined if these repositories have too many issues to list
 */
export async function candidatesOf(
  db: Db,
  repositoryIds: readonly RepositoryId[],
  conditions: IssueConditions,
): Promise<Candidates | undefined> {
  const ids = values(repositoryIds);
  const row = await queryFirst<{ total: number }>(
    db,
    fragment`select sum(open_issues_count + closed_issues_count) as total from repositories where id in (${ids})`,
  );
  const count = Number(row?.total ?? 0);
  if (count > ISSUE_LIMITS.issuesListedOfOwnerMax) return undefined;
  const found = partitionsOf(conditions).map(
    (partition) => fragment`select d.id from issues d ${issuesSortedBy('number')}
      where d.repository_id in (${ids}) and ${isInPartition(raw('d'), partition)}`,
  );
  return { ids: unionOf(found), count, range: ALL_IDS };
}

/** @returns all comments of few candidates; undefined if there are too many candidates or comments to list */
export async function commentsOf(db: Db, { ids, count }: Candidates): Promise<Candidates | undefined> {
  if (count > ISSUE_LIMITS.issuesReadForSearchMax) return undefined;
  return unlessMany(
    db,
    fragment`select e.id from (${ids}) candidates cross join issue_entries e
      where e.issue_id = candidates.id and e.kind = 'comment'`,
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
  const { state, type, milestones, authorId, since, before } = conditions;
  const isBound = [authorId, since, before].some((each) => each !== undefined) || milestones !== null;
  return state !== 'all' || type !== 'all' || isBound || requiredLinks(conditions).length > 0;
}
