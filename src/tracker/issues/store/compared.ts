import { LIMITS } from '../../../base/core/limits.ts';
import type { Db } from '../../../base/database/database.ts';
import { type Fragment, fragment, raw } from '../../../base/database/fragment.ts';
import { listed, query } from '../../../base/database/query.ts';
import { matcherOf } from '../../../base/text-search/matches.ts';
import type { WantedTerm } from './terms.ts';

// Searches among few issues: their texts are read and compared. An index of words returns all texts with a frequent word,
// most of which do not match a narrow filter.

/** Issues that were compared with the words of a search. */
interface Compared {
  /** ids of those with the words: in their titles, then in their texts */
  readonly matches: readonly number[];
  /** the others that have comments */
  readonly commented: readonly { readonly id: number; readonly comments_count: number }[];
}

export interface ComparedIssues extends Compared {
  /** No others match the filter of the search. */
  readonly areAll: boolean;
}

/**
 * @param candidates few; `ids` selects those that match the filter
 * @returns undefined if the texts are long
 */
export async function compareIssues(
  db: Db,
  { ids, count }: { readonly ids: Fragment; readonly count: number },
  terms: readonly WantedTerm[],
): Promise<ComparedIssues | undefined> {
  const from = fragment`from (${ids}) candidates cross join issues i where i.id = candidates.id`;
  const texts = await readUnlessLong<IssueText>(db, { of: ISSUES, from, count });
  return texts && { areAll: true, ...compareTexts(texts, terms) };
}

/**
 * Compares the newest of some issues, as many as have short texts together.
 *
 * @param issues statement that selects `NEWEST_TEXTS`
 * @param oldestInReach the oldest issue to which other means reach
 * @returns undefined if the texts do not reach several times as far back
 */
export async function compareNewest(
  db: Db,
  issues: Fragment,
  terms: readonly WantedTerm[],
  { oldestInReach }: { oldestInReach: number },
): Promise<ComparedIssues | undefined> {
  const rows = await query<Sized<IssueText>>(db, issues);
  let room = LIMITS.issueTextsReadForSearchBytesMax;
  const newest: Sized<IssueText>[] = [];
  for (const row of rows.toSorted((one, other) => other.id - one.id)) {
    room -= row.bytes;
    if (room < 0) break;
    newest.push(row);
  }
  const inReach = newest.filter(({ id }) => id >= oldestInReach).length;
  if (newest.length < TIMES_IN_REACH_MIN * Math.max(1, inReach)) return undefined;
  return { areAll: false, ...compareTexts(await withBodies(db, ISSUES, newest), terms) };
}

/** Other means also find issues by their titles and comments. */
const TIMES_IN_REACH_MIN = 3;

/** Size of the texts of `issues i`. */
const TEXT_BYTES = raw('octet_length(i.title) + octet_length(i.body)');

/** What is compared of the newest issues `i`, besides their ids: those that are not much longer than allowed on average. */
export const NEWEST_TEXTS = textsUpTo(
  { bytes: TEXT_BYTES, name: raw('i') },
  bytesAtOnce(LIMITS.newestIssuesReadForSearchMax),
);

function compareTexts(texts: readonly Text<IssueText>[], terms: readonly WantedTerm[]): Compared {
  const matches = matcherOf(terms);
  const [inTitle, inText]: [number[], number[]] = [[], []];
  const commented: IssueText[] = [];
  for (const issue of texts) {
    if (matches([issue.title])) inTitle.push(issue.id);
    else if (matches([issue.title, issue.body])) inText.push(issue.id);
    else if (issue.comments_count > 0) commented.push(issue);
  }
  return { matches: [...newestFirst(inTitle), ...newestFirst(inText)], commented };
}

/** @returns ids of those of some issues that have a comment with the words; undefined if the comments are long */
export async function compareComments(
  db: Db,
  commented: Compared['commented'],
  terms: readonly WantedTerm[],
): Promise<readonly number[] | undefined> {
  if (commented.length === 0) return [];
  const ids = commented.map(({ id }) => id);
  const from = fragment`from (${listed(db, 'id', ids)}) candidates cross join issue_entries e
    where e.issue_id = candidates.id and e.kind = 'comment'`;
  const count = commented.reduce((sum, issue) => sum + issue.comments_count, 0);
  const comments = await readUnlessLong<CommentText>(db, { of: COMMENTS, from, count });
  if (comments === undefined) return undefined;
  const matches = matcherOf(terms);
  const found = comments.filter(({ body }) => matches([body]));
  return newestFirst([...new Set(found.map(({ issue_id }) => issue_id))]);
}

/** Rows that have texts. */
interface Source {
  /** alias of the table */
  readonly name: Fragment;
  readonly table: Fragment;
  /** Selects the id, and what a search needs besides the body. */
  readonly columns: Fragment;
  /** size of the texts */
  readonly bytes: Fragment;
}

const ISSUES: Source = {
  name: raw('i'),
  table: raw('issues i'),
  columns: raw('i.id, i.title, i.comments_count'),
  bytes: TEXT_BYTES,
};
const COMMENTS: Source = {
  name: raw('e'),
  table: raw('issue_entries e'),
  columns: raw('e.id, e.issue_id'),
  bytes: raw('octet_length(e.body)'),
};

interface IssueText {
  readonly id: number;
  readonly title: string;
  readonly comments_count: number;
}

interface CommentText {
  readonly id: number;
  readonly issue_id: number;
}

type Text<Row> = Row & { readonly body: string };

/**
 * Reads texts with those that are not much longer than allowed on average, and then the others. So hardly any are read in
 * vain, and most only once.
 *
 * @param from `from … where …` of the rows
 * @param count how many they are at most
 * @returns undefined if the texts are long together
 */
async function readUnlessLong<Row extends { readonly id: number }>(
  db: Db,
  { of, from, count }: { of: Source; from: Fragment; count: number },
): Promise<readonly Text<Row>[] | undefined> {
  const bytesMax = LIMITS.issueTextsReadForSearchBytesMax;
  const texts = textsUpTo(of, bytesAtOnce(count));
  const rows = await query<Sized<Row>>(db, fragment`select ${of.columns}, ${texts} ${from}`);
  if (rows.reduce((sum, { bytes }) => sum + bytes, 0) > bytesMax) return undefined;
  return withBodies(db, of, rows);
}

/** A row with the size of its texts, and with its body unless that is long. */
type Sized<Row> = Row & { body: string | null; readonly bytes: number };

function bytesAtOnce(count: number): number {
  return Math.ceil((2 * LIMITS.issueTextsReadForSearchBytesMax) / Math.max(1, count));
}

function textsUpTo({ bytes, name }: Pick<Source, 'bytes' | 'name'>, bytesMax: number): Fragment {
  return fragment`${bytes} as bytes, case when ${bytes} <= ${bytesMax} then ${name}.body end as body`;
}

/** Reads the bodies that are missing. */
async function withBodies<Row extends { readonly id: number }>(
  db: Db,
  of: Source,
  rows: readonly Sized<Row>[],
): Promise<readonly Text<Row>[]> {
  const long = rows.filter(({ body }) => body === null).map(({ id }) => id);
  const bodies = new Map(long.length === 0 ? [] : await bodiesOf(db, of, long));
  for (const row of rows) row.body ??= bodies.get(row.id) ?? '';
  return rows as readonly Text<Row>[];
}

async function bodiesOf(
  db: Db,
  { name, table }: Source,
  ids: readonly number[],
): Promise<readonly (readonly [number, string])[]> {
  const rows = await query<{ id: number; body: string }>(
    db,
    fragment`select ${name}.id, ${name}.body from (${listed(db, 'id', ids)}) wanted cross join ${table}
      where ${name}.id = wanted.id`,
  );
  return rows.map(({ id, body }) => [id, body]);
}

function newestFirst(ids: readonly number[]): readonly number[] {
  return ids.toSorted((one, other) => other - one);
}
