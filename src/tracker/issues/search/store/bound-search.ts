import type { Viewer } from '../../../../api/access/viewer.ts';
import {
  type Fragment,
  fragment,
  joined,
  raw,
  usingIndex,
  values,
} from '../../../../base/database/fragment.ts';
import type { Term } from '../../../../base/text-search/query.ts';
import { hasLink, type IssueConditions, requiredLinks, rowMatches } from '../../listing/store/conditions.ts';
import type { IssueOrder } from '../../model.ts';
import { linksOfIssue } from '../../store/links.ts';
import { type Candidates, type NamedConditions, pullsByReviews } from './candidates.ts';
import { isInReadable, type ReadableIds } from './readable.ts';

/**
 * A search in one repository that was looked up for the viewer, or in all repositories whose issues or pull requests the
 * viewer may read.
 */
export interface IssueSearch extends IssueConditions, NamedConditions {
  readonly viewer: Viewer;
  /** only issues of these repositories, which the viewer may read; absent: of all */
  readonly readableIds?: ReadableIds | undefined;
  /** An issue has all of them in its title and text, or in one comment or review. Empty: an issue needs no words. */
  readonly terms: readonly Term[];
  readonly order: IssueOrder;
  /**
   * The viewer may read the code of the repository; in a search over all repositories, the credential of the viewer may read
   * code. Only then do comments on lines count.
   */
  readonly isCodeReadable: boolean;
  /** issues of this repository come first */
  readonly firstRepositoryId?: number | undefined;
}

/** A search, with the rows that its statements refer to. */
export interface BoundSearch extends IssueSearch {
  /** undefined: too many issues match the filter to list them */
  readonly candidates: Candidates | undefined;
  readonly hasFilter: boolean;
  /**
   * the condition that the viewer may read `issues i` of `repositories r`; undefined if the search names repositories that
   * were checked
   */
  readonly mayRead: Fragment | undefined;
}

/** Returns `… where …`, which checks the issues `found` for the conditions that the candidates do not cover. */
export function matching(search: BoundSearch): Fragment {
  const { repositoryId, readableIds, mayRead, candidates } = search;
  // In one repository, the candidates are the matches.
  if (repositoryId !== undefined && candidates !== undefined) return raw('where 1 = 1');
  const ofRow = [...rowMatches(search), ...namedMilestones(search)];
  if (readableIds !== undefined) ofRow.unshift(isInReadable(readableIds));
  const conditions = [
    ...requiredLinks(search).map((link) => hasLink(raw('found.id'), link)),
    ...namedLabels(search),
    ...reviewsMatch(search),
  ];
  // Joins issues first: few of them match the columns of a filter, but the viewer may read most repositories.
  const needsIssue = ofRow.length > 0 || mayRead !== undefined;
  if (needsIssue) conditions.push(raw('i.id = found.id'), ...ofRow);
  if (mayRead !== undefined) conditions.push(raw('r.id = i.repository_id'), mayRead);
  const issues = raw(needsIssue ? 'cross join issues i' : '');
  const repositories = raw(mayRead === undefined ? '' : 'cross join repositories r');
  return fragment`${issues} ${repositories} where ${joined([raw('1 = 1'), ...conditions], ' and ')}`;
}

const LABELS_BY_NAME = usingIndex('labels_names');

function namedLabels({ anyLabel = [] }: NamedConditions): readonly Fragment[] {
  if (anyLabel.length === 0) return [];
  return [
    fragment`exists (select 1 from issue_labels link ${linksOfIssue('labels')}
      cross join labels l ${LABELS_BY_NAME}
      where l.id = link.subject_id and link.issue_id = found.id and l.name in (${values(anyLabel)}))`,
  ];
}

function reviewsMatch(conditions: NamedConditions): readonly Fragment[] {
  return pullsByReviews(conditions).map(
    (pulls) => fragment`found.id in (select issue_id from (${pulls}) reviews)`,
  );
}

function namedMilestones({ anyMilestone = [] }: NamedConditions): readonly Fragment[] {
  if (anyMilestone.length === 0) return [];
  return [
    fragment`exists (select 1 from milestones m
      where m.id = i.milestone_id and m.title in (${values(anyMilestone)}))`,
  ];
}
