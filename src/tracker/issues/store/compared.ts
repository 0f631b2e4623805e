import type { Db } from '../../../base/database/database.ts';
import { type Fragment, fragment, raw } from '../../../base/database/fragment.ts';
import { listed, query } from '../../../base/database/query.ts';
import { matcherOf } from '../../../base/text-search/matches.ts';
import { ISSUE_LIMITS } from '../limits.ts';
import type { WantedTerm } from './terms.ts';

// Searches among few issues by reading and comparing their texts. For a frequent word, an index of words would return
// many texts, and most of them do not match a narrow filter.

/** Issues that were compared with the words of a search. */
interface Compared {
  /** ids of issues with the words: first in the title, then in the text */
  readonly matches: readonly number[];
  /** the remaining issues that have comments */
  readonly commented: readonly { readonly id: number; readonly comments_count: number }[];
}

export interface ComparedIssues extends Compared {
  /** No other issues match the filter of the search. */
  readonly areAll: boolean;
}

/**
 * @param candidates few issues; `ids` selects all that match the filter
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
 * Compares the newest of some issues, until their texts exceed the limit of bytes.
 *
 * @param issues statement that selects `NEWEST_TEXTS`
 * @param oldestInReach the oldest issue that a search in the indexes of words would look at
 * @returns undefined if this does not compare several times as many issues as that search would
 */
export async function compareNewest(
  db: Db,
  issues: Fragment,
  terms: readonly WantedTerm[],
  { oldestInReach }: { oldestInReach: number },
): Promise<ComparedIssues | undefined> {
  const rows = await query<Sized<IssueText>>(db, issues);
  let room = ISSUE_LIMITS.issueTextsReadForSearchBytesMax;
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

/** Smallest ratio that pays, because the indexes also find issues by their titles and comments. */
const TIMES_IN_REACH_MIN = 3;

/** Size of the texts of `issues i`. */
const TEXT_BYTES = raw('octet_length(i.title) + octet_length(i.body)');

/** Columns with the texts of the newest issues `i`. Leaves out a text that is much longer than the allowed average. */
export const NEWEST_TEXTS = textsUpTo(
  { bytes: TEXT_BYTES, name: raw('i') },
  bytesAtOnce(ISSUE_LIMITS.newestIssuesReadForSearchMax),
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

/** @returns ids of the issues that have a comment with the words; undefined if the comments are long */
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

/** A table whose rows have texts. */
interface Source {
  /** alias of the table */
  readonly name: Fragment;
  readonly table: Fragment;
  /** the id, and the other columns that a search needs besides the body */
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
 * Reads the texts of rows, first without the ones that are much longer than the allowed average. So it reads hardly any
 * text in vain, and most in one query.
 *
 * @param from `from … where …` of the rows
 * @param count largest number of rows
 * @returns undefined if the texts together are too long
 */
async function readUnlessLong<Row extends { readonly id: number }>(
  db: Db,
  { of, from, count }: { of: Source; from: Fragment; count: number },
): Promise<readonly Text<Row>[] | undefined> {
  const bytesMax = ISSUE_LIMITS.issueTextsReadForSearchBytesMax;
  const texts = textsUpTo(of, bytesAtOnce(count));
  const rows = await query<Sized<Row>>(db, fragment`select ${of.columns}, ${texts} ${from}`);
  if (rows.reduce((sum, { bytes }) => sum + bytes, 0) > bytesMax) return undefined;
  return withBodies(db, of, rows);
}

/** A row with the size of its texts. The body is null if it is long. */
type Sized<Row> = Row & { body: string | null; readonly bytes: number };

function bytesAtOnce(count: number): number {
  return Math.ceil((2 * ISSUE_LIMITS.issueTextsReadForSearchBytesMax) / Math.max(1, count));
}

function textsUpTo({ bytes, name }: Pick<Source, 'bytes' | 'name'>, bytesMax: number): Fragment {
  return fragment`${bytes} as bytes, case when ${bytes} <= ${bytesMax} then ${name}.body end as body`;
}

/** Reads the bodies that were left out. */
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
