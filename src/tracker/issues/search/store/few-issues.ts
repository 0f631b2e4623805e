import type { Db } from '../../../../base/database/database.ts';
import { fragment } from '../../../../base/database/fragment.ts';
import { listed, query, queryFirst } from '../../../../base/database/query.ts';
import { matcherOf } from '../../../../base/text-search/matches.ts';
import { ISSUE_LIMITS } from '../../limits.ts';
import { type BoundSearch, matching } from './bound-search.ts';
import type { RequiredTerm } from './terms.ts';

/**
 * Finds the words of few issues by reading their titles and texts: the index would list all texts with a frequent word.
 *
 * @returns all issues that match, the ones with the words in their titles first; undefined if there are many candidates,
 *   or if their texts are long
 */
export async function compareIssues(
  db: Db,
  search: BoundSearch,
  terms: readonly RequiredTerm[],
): Promise<readonly number[] | undefined> {
  const { candidates } = search;
  if (candidates === undefined || candidates.count > ISSUE_LIMITS.issuesReadForSearchMax) return undefined;
  const from = fragment`from (${candidates.ids}) found cross join issues text ${matching(search)} and text.id = found.id`;
  const size = await queryFirst<{ bytes: number | null }>(
    db,
    fragment`select sum(octet_length(text.title) + octet_length(text.body)) as bytes ${from}`,
  );
  if (Number(size?.bytes ?? 0) > ISSUE_LIMITS.textsReadForSearchBytesMax) return undefined;
  const rows = await query<IssueText>(db, fragment`select text.id, text.title, text.body ${from}`);
  const matches = matcherOf(terms);
  return sortedByTitle(
    rows.filter(({ title, body }) => matches([title, body])),
    terms,
  );
}

interface IssueText {
  readonly id: number;
  readonly title: string;
  readonly body: string;
}

/** Returns ids: first of the issues that have the words in their titles, and then of the others, the newest first. */
function sortedByTitle(
  issues: readonly Pick<IssueText, 'id' | 'title'>[],
  terms: readonly RequiredTerm[],
): readonly number[] {
  const matches = matcherOf(terms);
  const newestFirst = issues.toSorted((one, other) => other.id - one.id);
  const [inTitle = [], inText = []] = [true, false].map((isInTitle) =>
    newestFirst.filter(({ title }) => matches([title]) === isInTitle).map(({ id }) => id),
  );
  return [...inTitle, ...inText];
}

/** Moves the issues that have the words in their titles to the front. */
export async function titlesFirst(
  db: Db,
  ids: readonly number[],
  terms: readonly RequiredTerm[],
): Promise<readonly number[]> {
  if (ids.length < 2) return ids;
  const found = listed(db, 'id', ids);
  const rows = await query<Pick<IssueText, 'id' | 'title'>>(
    db,
    fragment`select i.id, i.title from (${found}) found cross join issues i where i.id = found.id`,
  );
  return sortedByTitle(rows, terms);
}
