import { LIMITS } from '../../core/limits.ts';
import type { Db } from '../../database/database.ts';
import { type Fragment, fragment, raw } from '../../database/fragment.ts';
import { listed, query, queryFirst } from '../../database/query.ts';
import { matcherOf } from '../../text-search/matches.ts';
import type { WantedTerm } from './terms.ts';

// Searches among few issues: their texts are read and compared. An index of words returns all texts with a frequent word,
// most of which do not match a narrow filter.

interface IssueText {
  readonly id: number;
  readonly title: string;
  readonly body: string;
  readonly comments_count: number;
}

/** Issues that were compared with the words of a search. */
interface Compared {
  /** ids of those with the words: in their titles, then in their texts */
  readonly matches: readonly number[];
  /** ids of the others that have comments */
  readonly commented: readonly number[];
}

export interface ComparedIssues extends Compared {
  /** No others match the filter of the search. */
  readonly areAll: boolean;
}

/**
 * @param ids statement that selects few ids as `id`
 * @returns undefined if the texts are long
 */
export async function compareIssues(
  db: Db,
  ids: Fragment,
  terms: readonly WantedTerm[],
): Promise<ComparedIssues | undefined> {
  const from = fragment`from (${ids}) candidates cross join issues i where i.id = candidates.id`;
  if (await areLong(db, TEXT_BYTES, from)) return undefined;
  return { areAll: true, ...(await compareTexts(db, from, terms)) };
}

/**
 * Compares the newest of some issues, as many as have short texts together.
 *
 * @param issues statement that selects `id`, and `TEXT_BYTES` as `bytes`
 * @param oldestInReach the oldest issue to which other means reach
 * @returns undefined if the texts do not reach several times as far back
 */
export async function compareNewest(
  db: Db,
  issues: Fragment,
  terms: readonly WantedTerm[],
  { oldestInReach }: { oldestInReach: number },
): Promise<ComparedIssues | undefined> {
  const rows = await query<{ id: number; bytes: number }>(db, issues);
  let room = LIMITS.issueTextsReadForSearchBytesMax;
  const newest: number[] = [];
  for (const { id, bytes } of rows.toSorted((one, other) => other.id - one.id)) {
    room -= bytes;
    if (room < 0) break;
    newest.push(id);
  }
  const inReach = newest.filter((id) => id >= oldestInReach).length;
  if (newest.length < TIMES_IN_REACH_MIN * Math.max(1, inReach)) return undefined;
  const from = fragment`from (${listed(db, 'id', newest)}) candidates cross join issues i
    where i.id = candidates.id`;
  return { areAll: false, ...(await compareTexts(db, from, terms)) };
}

/** Other means also find issues by their titles and comments. */
const TIMES_IN_REACH_MIN = 3;

/** Size of the texts of `issues i`. */
export const TEXT_BYTES = raw('octet_length(i.title) + octet_length(i.body)');

/** @param from `from … where …` of `issues i` */
async function compareTexts(db: Db, from: Fragment, terms: readonly WantedTerm[]): Promise<Compared> {
  const issues = await query<IssueText>(db, fragment`select i.id, i.title, i.body, i.comments_count ${from}`);
  const matches = matcherOf(terms);
  const [inTitle, inText, commented]: [number[], number[], number[]] = [[], [], []];
  for (const { id, title, body, comments_count } of issues) {
    if (matches([title])) inTitle.push(id);
    else if (matches([title, body])) inText.push(id);
    else if (comments_count > 0) commented.push(id);
  }
  return { matches: [...newestFirst(inTitle), ...newestFirst(inText)], commented };
}

/** @returns ids of those of some issues that have a comment with the words; undefined if the comments are long */
export async function compareComments(
  db: Db,
  issueIds: readonly number[],
  terms: readonly WantedTerm[],
): Promise<readonly number[] | undefined> {
  if (issueIds.length === 0) return [];
  const from = fragment`from (${listed(db, 'id', issueIds)}) candidates cross join issue_entries e
    where e.issue_id = candidates.id and e.kind = 'comment'`;
  if (await areLong(db, fragment`octet_length(e.body)`, from)) return undefined;
  const comments = await query<{ id: number; body: string }>(
    db,
    fragment`select e.issue_id as id, e.body ${from}`,
  );
  const matches = matcherOf(terms);
  return newestFirst([...new Set(comments.filter(({ body }) => matches([body])).map(({ id }) => id))]);
}

async function areLong(db: Db, bytes: Fragment, from: Fragment): Promise<boolean> {
  const row = await queryFirst<{ bytes: number | null }>(db, fragment`select sum(${bytes}) as bytes ${from}`);
  return Number(row?.bytes ?? 0) > LIMITS.issueTextsReadForSearchBytesMax;
}

function newestFirst(ids: readonly number[]): readonly number[] {
  return ids.toSorted((one, other) => other - one);
}
