import type { Db } from '../../../../base/database/database.ts';
import { fragment } from '../../../../base/database/fragment.ts';
import { query, queryFirst } from '../../../../base/database/query.ts';
import { matcherOf } from '../../../../base/text-search/matches.ts';
import { ISSUE_LIMITS } from '../../limits.ts';
import { type BoundSearch, matching } from './bound-search.ts';

/**
 * Finds the words of few issues by reading their titles and texts: the index would list all texts with a frequent word.
 *
 * @returns all issues that match, the ones with the words in their titles first; undefined if there are many candidates,
 *   or if their texts are long
 */
export async function compareIssues(db: Db, search: BoundSearch): Promise<readonly number[] | undefined> {
  const { candidates, terms } = search;
  if (candidates === undefined || candidates.count > ISSUE_LIMITS.issuesReadForSearchMax) return undefined;
  const from = fragment`from (${candidates.ids}) found cross join issues text ${matching(search)} and text.id = found.id`;
  const size = await queryFirst<{ bytes: number | null }>(
    db,
    fragment`select sum(octet_length(text.title) + octet_length(text.body)) as bytes ${from}`,
  );
  if (Number(size?.bytes ?? 0) > ISSUE_LIMITS.textsReadForSearchBytesMax) return undefined;
  const rows = await query<IssueText>(db, fragment`select text.id, text.title, text.body ${from}`);
  const matches = matcherOf(terms);
  const found = rows
    .filter(({ title, body }) => matches([title, body]))
    .toSorted((one, other) => other.id - one.id);
  const inTitle = found.filter(({ title }) => matches([title]));
  return [...new Set([...inTitle, ...found])].map(({ id }) => id);
}

interface IssueText {
  readonly id: number;
  readonly title: string;
  readonly body: string;
}
