import { type Db, dialectOf, type Tx } from '../../../../base/database/database.ts';
import { type Fragment, fragment, joined, raw } from '../../../../base/database/fragment.ts';
import { query, queryCount } from '../../../../base/database/query.ts';
import { ftsText, vectorOf } from '../../../../base/text-search/index-text.ts';
import { type WordsOf, wordsOfTexts } from '../../../../base/text-search/words.ts';

// The words of texts, in the form in which the indexes have them.

/** What has words: an issue, a comment or a review, or a comment on lines. */
export type TextKind = 'issue' | 'comment' | 'line';

interface StoredText {
  /** of the issue, of the entry, or of the comment on lines */
  readonly id: number;
  readonly repositoryId: number;
}

/**
 * Returns the word that stands for a repository, so that a search of one repository does not read texts of other
 * repositories. No text has this word.
 */
export function repositoryWord(repositoryId: number): string {
  return `·${repositoryId}`;
}

/** Returns the form of a word that only titles have, so that a search can find titles first. */
export function headingWord(word: string): string {
  return `t·${word}`;
}

/** Replaces the words by which an issue is found. */
export async function setIssueWords(
  tx: Tx,
  { title: heading, body: text, ...issue }: StoredText & { readonly title: string; readonly body: string },
): Promise<void> {
  const { title, body } = wordsOfTexts({ title: heading, body: text });
  await setTexts(tx, 'issue', [{ ...issue, words: issueWords({ title, body }) }]);
}

/** Returns the words of an issue as the indexes have them, by column. */
export function issueWords({
  title,
  body,
}: WordsOf<'title' | 'body'>): WordsOf<'heading' | 'title' | 'body'> {
  return { heading: title.map(headingWord), title, body };
}

/** Replaces the words by which comments or reviews, or comments on lines, are found. */
export async function setWords(
  tx: Tx,
  kind: Exclude<TextKind, 'issue'>,
  texts: readonly (StoredText & { readonly body: string })[],
): Promise<void> {
  const found = texts.map(({ body, ...text }): TextWords => ({ ...text, words: wordsOfTexts({ body }) }));
  await setTexts(tx, kind, found);
}

/** A text with its words, by column. All texts of one kind have the same columns. */
export type TextWords = StoredText & { readonly words: WordsOf<string> };

/** Texts that one statement writes, because databases limit its parameters. */
const TEXTS_AT_ONCE = 500;

/** Replaces the words of texts in the indexes. */
export async function setTexts(tx: Tx, kind: TextKind, texts: readonly TextWords[]): Promise<void> {
  const set = dialectOf(tx) === 'postgres' ? setVectors : setRows;
  // FTS5 collects rows in memory only while their row ids rise.
  const oldestFirst = texts.toSorted((one, other) => one.id - other.id);
  for (let at = 0; at < texts.length; at += TEXTS_AT_ONCE)
    await set(tx, raw(`${kind}_texts`), oldestFirst.slice(at, at + TEXTS_AT_ONCE));
}

async function setRows(tx: Tx, table: Fragment, texts: readonly TextWords[]): Promise<void> {
  const columns = raw(['rowid', 'repository', ...Object.keys(texts[0]?.words ?? {})].join(', '));
  const rows = texts.map(({ id, repositoryId, words }) => {
    const columnsOfText = [[repositoryWord(repositoryId)], ...Object.values(words)];
    return fragment`(${joined([fragment`${id}`, ...columnsOfText.map((each) => fragment`${ftsText(each)}`)], ', ')})`;
  });
  await query(tx, fragment`insert or replace into ${table} (${columns}) values ${joined(rows, ', ')}`);
}

async function setVectors(tx: Tx, table: Fragment, texts: readonly TextWords[]): Promise<void> {
  const rows = texts.map(({ id, repositoryId, words }) => {
    const all = [[repositoryWord(repositoryId)], ...Object.values(words)];
    const vector = vectorOf(all.map((each) => ({ words: each, weight: 'D' })));
    return fragment`(${id}, ${repositoryId}, cast(${vector} as tsvector))`;
  });
  await query(
    tx,
    fragment`insert into ${table} (id, repository_id, words) values ${joined(rows, ', ')}
      on conflict (id) do update set words = excluded.words`,
  );
}

/** The job that indexes the texts of a repository after an import. Its key is the id of the repository. */
export const INDEXING_JOB = 'issues.finish-import';

/**
 * Whether the indexes have the words of all texts, of one repository or of all.
 *
 * @param repositoryId undefined: all repositories
 */
export async function areAllIndexed(db: Db, repositoryId: number | undefined): Promise<boolean> {
  const isOfRepository = repositoryId === undefined ? raw('') : fragment` and key = ${String(repositoryId)}`;
  const pending = fragment`(select 1 from jobs where kind = ${INDEXING_JOB}${isOfRepository} limit 1) pending`;
  return (await queryCount(db, pending)) === 0;
}
