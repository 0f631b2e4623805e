import type { Db } from '../../../base/database/database.ts';
import {
  type Fragment,
  fragment,
  joined,
  literal,
  raw,
  usingIndex,
  values,
} from '../../../base/database/fragment.ts';
import { queryCount, queryFirst } from '../../../base/database/query.ts';
import type { RepositoryId } from '../../../git/model.ts';
import { ISSUE_LIMITS } from '../limits.ts';
import { type IssueConditions, isOfPart, linksOf, partsOf } from './conditions.ts';
import { linksEverywhere, tableOf } from './links.ts';
import { BY_MILESTONE, issuesSortedBy, matchesOf, narrowestWay, unionOf } from './ways.ts';

/** Indexes over all repositories, in the order of ids: of all issues, and of the issues of each author. */
export const EVERYWHERE = usingIndex('issues_everywhere');
const OWN = usingIndex('issues_own');

/** The issues that a search looks at. No other issue matches its filter. */
export interface Candidates {
  /** statement that selects their ids as `id` */
  readonly ids: Fragment;
  readonly count: number;
  /** the largest and the smallest id, if there are many candidates in one repository */
  readonly newest?: number | undefined;
  readonly oldest?: number | undefined;
  /** At least 75 % of the issues of the repository from `oldest` to `newest` are candidates. */
  readonly areDense?: boolean;
  /** All candidates match the search, and the viewer may read them. */
  readonly areMatches?: boolean;
}

/** Conditions that only a search over all repositories can have. */
export interface NamedConditions {
  /** names of labels; the issue has one of them */
  readonly anyLabel?: readonly string[];
  /** titles of milestones; the issue has one of them */
  readonly anyMilestone?: readonly string[];
}

/** @returns the issues that match the whole filter; undefined if there are too many to list */
export async function candidatesInRepository(
  db: Db,
  conditions: IssueConditions,
): Promise<Candidates | undefined> {
  const { repositoryId } = conditions;
  if (repositoryId === undefined || isWithoutFilter(conditions)) return undefined;
  const selection = { ...conditions, repositoryId };
  const way = await narrowestWay(db, selection);
  const check = way.isLong === true ? 'lists' : 'rows';
  const ids = unionOf(partsOf(selection).map((part) => matchesOf(way, selection, part, { check })));
  const few = await ifFew(db, ids);
  if (few === undefined || few.count <= ISSUE_LIMITS.issuesReadForSearchMax) return few;
  const range = await queryFirst<{ newest: number; oldest: number; span: number }>(
    db,
    fragment`select newest, oldest, (select number from issues where id = newest)
        - (select number from issues where id = oldest) + 1 as span
      from (select max(id) as newest, min(id) as oldest from (${ids}) found) ends`,
  );
  if (range === undefined) return few;
  const { newest, oldest, span } = range;
  return { ...few, newest, oldest, areDense: few.count >= Number(span) * DENSE_SHARE_MIN };
}

const DENSE_SHARE_MIN = 0.75;

/** @returns a list that includes all issues that match; undefined if there are too many to list */
export async function candidatesAnywhere(
  db: Db,
  conditions: IssueConditions & NamedConditions,
): Promise<Candidates | undefined> {
  const found: { readonly way: Fragment; readonly count: number }[] = [];
  for (const way of waysAnywhere(conditions)) {
    const few = await ifFew(db, inParts(conditions, [way]));
    if (few !== undefined) found.push({ way, count: few.count });
  }
  const ways = found.toSorted((one, other) => one.count - other.count);
  const [best] = ways;
  return (
    best && {
      ids: inParts(
        conditions,
        ways.map(({ way }) => way),
      ),
      count: best.count,
    }
  );
}

/**
 * Intersects the statements, part by part. Within one part, most indexes return ids in order, so `intersect` merges
 * them.
 */
function inParts(conditions: IssueConditions, ways: readonly Fragment[]): Fragment {
  const parts = partsOf(conditions).map((part) => {
    const found = ways.map((way) => fragment`${way} and ${isOfPart(raw('d'), part)}`);
    return fragment`select id from (${joined(found, ' intersect ')}) part`;
  });
  return unionOf(parts);
}

/** Statements that select issues `d` by an index, each by one condition. */
function waysAnywhere(conditions: IssueConditions & NamedConditions): readonly Fragment[] {
  const { state, type, authorId, anyLabel = [], anyMilestone = [] } = conditions;
  const ways = linksOf(conditions).map(
    ({
      kind,
      subjectIds,
    }) => fragment`select d.issue_id as id from ${tableOf(kind)} d ${linksEverywhere(kind)}
      where d.subject_id in (${values(subjectIds)})`,
  );
  if (authorId !== undefined)
    ways.push(fragment`select d.id from issues d ${OWN} where d.author_id = ${authorId}`);
  if (anyLabel.length > 0)
    ways.push(fragment`select d.issue_id as id from labels l cross join issue_labels d ${linksEverywhere('labels')}
      where l.name in (${values(anyLabel)}) and d.subject_id = l.id`);
  if (anyMilestone.length > 0)
    ways.push(fragment`select d.id from milestones m cross join issues d ${BY_MILESTONE}
      where m.title in (${values(anyMilestone)}) and d.milestone_id = m.id`);
  if (state !== 'all' || type !== 'all')
    ways.push(fragment`select d.id from issues d ${EVERYWHERE} where 1 = 1`);
  return ways;
}

/**
 * @param repositoryIds repositories whose issues the viewer may read
 * @returns undefined if these repositories have too many issues to list
 */
export async function candidatesOf(
  db: Db,
  repositoryIds: readonly RepositoryId[],
  conditions: IssueConditions & NamedConditions,
): Promise<Candidates | undefined> {
  const ids = values(repositoryIds);
  const row = await queryFirst<{ total: number }>(
    db,
    fragment`select sum(open_issues_count + closed_issues_count) as total from repositories where id in (${ids})`,
  );
  const count = Number(row?.total ?? 0);
  if (count > ISSUE_LIMITS.issuesListedOfOwnerMax) return undefined;
  const ofAll = fragment`from issues d ${issuesSortedBy('number')} where d.repository_id in (${ids})`;
  const found =
    conditions.state === 'all' && conditions.type === 'all'
      ? fragment`select +d.id as id ${ofAll}`
      : unionOf(
          partsOf(conditions).map((part) => fragment`select d.id ${ofAll} and ${isOfPart(raw('d'), part)}`),
        );
  const { anyLabel = [], anyMilestone = [] } = conditions;
  const areMatches =
    isWithoutFilter({ ...conditions, state: 'all', type: 'all' }) &&
    anyLabel.length === 0 &&
    anyMilestone.length === 0;
  return { ids: found, count, areMatches };
}

async function ifFew(db: Db, ids: Fragment): Promise<Candidates | undefined> {
  const countMax = ISSUE_LIMITS.issuesListedForSearchMax;
  const count = await queryCount(
    db,
    fragment`(select 1 from (${ids}) found limit ${literal(countMax + 1)}) counted`,
  );
  return count > countMax ? undefined : { ids, count };
}

function isWithoutFilter(conditions: IssueConditions): boolean {
  const { state, type, milestones, authorId, since, before } = conditions;
  const columns = [authorId, since, before].every((each) => each === undefined) && milestones === null;
  return state === 'all' && type === 'all' && columns && linksOf(conditions).length === 0;
}
