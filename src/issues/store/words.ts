import { dialectOf, type Tx } from '../../database/database.ts';
import { fragment } from '../../database/fragment.ts';
import { query } from '../../database/query.ts';
import { ftsText, vectorOf } from '../../text-search/index-text.ts';
import { wordsOfTexts } from '../../text-search/words.ts';

// The words of texts as the indexes have them. Besides its words, a row has one that stands for its repository, so that a
// search of one repository does not read those of others; no text has this word.

/** Returns the word that stands for a repository. */
export function homeWord(repositoryId: number): string {
  return `·${repositoryId}`;
}

/** Returns a word of a title as only titles have it, so that a search finds titles first. */
export function headingWord(word: string): string {
  return `t·${word}`;
}

/** Replaces the words by which an issue is found. */
export async function setIssueWords(
  tx: Tx,
  issue: {
    readonly id: number;
    readonly repositoryId: number;
    readonly title: string;
    readonly body: string;
  },
): Promise<void> {
  const { title, body } = wordsOfTexts({ title: issue.title, body: issue.body });
  const home = [homeWord(issue.repositoryId)];
  const heading = title.map(headingWord);
  if (dialectOf(tx) === 'postgres') {
    const words = vectorOf([home, heading, title, body].map((each) => ({ words: each, weight: 'D' })));
    await query(
      tx,
      fragment`insert into issue_words (rowid, words) values (${issue.id}, cast(${words} as tsvector))
        on conflict (rowid) do update set words = excluded.words`,
    );
    return;
  }
  await query(
    tx,
    fragment`insert or replace into issue_words (rowid, home, heading, title, body)
      values (${issue.id}, ${ftsText(home)}, ${ftsText(heading)}, ${ftsText(title)}, ${ftsText(body)})`,
  );
}

/** Replaces the words by which a comment is found. */
export async function setCommentWords(
  tx: Tx,
  comment: { readonly id: number; readonly repositoryId: number; readonly body: string },
): Promise<void> {
  const { body } = wordsOfTexts({ body: comment.body });
  const home = [homeWord(comment.repositoryId)];
  if (dialectOf(tx) === 'postgres') {
    const words = vectorOf([home, body].map((each) => ({ words: each, weight: 'D' })));
    await query(
      tx,
      fragment`insert into comment_words (rowid, words) values (${comment.id}, cast(${words} as tsvector))
        on conflict (rowid) do update set words = excluded.words`,
    );
    return;
  }
  await query(
    tx,
    fragment`insert or replace into comment_words (rowid, home, body)
      values (${comment.id}, ${ftsText(home)}, ${ftsText(body)})`,
  );
}
