import { dialectOf, type Tx } from '../../../base/database/database.ts';
import { type Fragment, fragment, joined, raw } from '../../../base/database/fragment.ts';
import { listed, query } from '../../../base/database/query.ts';
import { ftsText, vectorOf } from '../../../base/text-search/index-text.ts';
import { type WordsOf, wordsOfTexts } from '../../../base/text-search/words.ts';

// The words of texts, in the form in which the indexes have them.

/** What has words: an issue, or a comment. */
export type TextKind = 'issue' | 'comment';

interface StoredText {
  /** of the issue, or of the entry */
  readonly id: number;
  readonly repositoryId: number;
}

/**
 * Returns the word that stands for a repository in the indexes of PostgreSQL, so that a search of one repository does
 * not read texts of other repositories. No text has this word.
 */
export function homeWord(repositoryId: number): string {
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
  await insertTerms(tx, [...title, ...body]);
  await setTexts(tx, 'issue', [{ ...issue, words: issueWords({ title, body }) }]);
}

/** Returns the words of an issue as the indexes have them, by column. */
export function issueWords({
  title,
  body,
}: WordsOf<'title' | 'body'>): WordsOf<'heading' | 'title' | 'body'> {
  return { heading: title.map(headingWord), title, body };
}

/** Replaces the words by which a comment is found. */
export async function setCommentWords(
  tx: Tx,
  { body: text, ...comment }: StoredText & { readonly body: string },
): Promise<void> {
  const words = wordsOfTexts({ body: text });
  await insertTerms(tx, words.body);
  await setTexts(tx, 'comment', [{ ...comment, words }]);
}

/** A text with its words, by column. All texts of one kind have the same columns. */
export type TextWords = StoredText & { readonly words: WordsOf<string> };

/** Texts that one statement writes, because databases limit its parameters. */
const TEXTS_AT_ONCE = 500;

/** Replaces the words of texts in the indexes. */
export async function setTexts(tx: Tx, kind: TextKind, texts: readonly TextWords[]): Promise<void> {
  if (dialectOf(tx) === 'postgres') {
    for (let at = 0; at < texts.length; at += TEXTS_AT_ONCE)
      await setVectors(tx, kind, texts.slice(at, at + TEXTS_AT_ONCE));
    return;
  }
  // Row ids: see migrations 0039 and 0046. FTS5 collects rows in memory only while their row ids rise.
  const newestFirst = texts.toSorted((one, other) => other.id - one.id);
  await insertTexts(
    tx,
    `${kind}_texts`,
    newestFirst.map((text) => [fragment`((4294967295 - ${text.id}) << 31) | ${text.repositoryId}`, text]),
  );
  const byRepository = newestFirst
    .toSorted((one, other) => one.repositoryId - other.repositoryId)
    .map((text) => [fragment`(${text.repositoryId} << 32) | (4294967295 - ${text.id})`, text] as const);
  await insertTexts(tx, `repository_${kind}_texts`, byRepository);
}

async function insertTexts(
  tx: Tx,
  table: string,
  rows: readonly (readonly [Fragment, TextWords])[],
): Promise<void> {
  const [[, first] = []] = rows;
  if (first === undefined) return;
  const columns = raw(Object.keys(first.words).join(', '));
  const lines = rows.map(([rowId, { words }]) => {
    const texts = Object.values(words).map((each) => fragment`${ftsText(each)}`);
    return fragment`(${joined([rowId, ...texts], ', ')})`;
  });
  for (let at = 0; at < lines.length; at += TEXTS_AT_ONCE)
    await query(
      tx,
      fragment`insert or replace into ${raw(table)} (rowid, ${columns})
        values ${joined(lines.slice(at, at + TEXTS_AT_ONCE), ', ')}`,
    );
}

async function setVectors(tx: Tx, kind: TextKind, texts: readonly TextWords[]): Promise<void> {
  const rows = texts.map(({ id, repositoryId, words }) => {
    const all = [[homeWord(repositoryId)], ...Object.values(words)];
    const vector = vectorOf(all.map((each) => ({ words: each, weight: 'D' })));
    return fragment`(${id}, ${repositoryId}, cast(${vector} as tsvector))`;
  });
  await query(
    tx,
    fragment`insert into ${raw(`${kind}_texts`)} (id, repository_id, words) values ${joined(rows, ', ')}
      on conflict (id) do update set words = excluded.words`,
  );
}

/**
 * Records words of texts, so that a search finds words by their beginning. Most are known already and cost only a
 * look-up.
 */
export async function insertTerms(tx: Tx, words: readonly string[]): Promise<void> {
  // Sorted, so that two transactions do not wait for each other.
  const terms = [...new Set(words)].toSorted();
  await query(
    tx,
    fragment`insert into issue_terms (term) select term from (${listed(tx, 'term', terms)}) wanted
      where not exists (select 1 from issue_terms known where known.term = wanted.term)
      on conflict do nothing`,
  );
}
