import type { Db } from '../../../base/database/database.ts';
import { fragment, literal } from '../../../base/database/fragment.ts';
import { query } from '../../../base/database/query.ts';
import type { Phrase } from '../../../base/text-search/index-text.ts';
import type { Term } from '../../../base/text-search/query.ts';
import { ISSUE_LIMITS } from '../limits.ts';

/** Phrases, one of which a text must have. */
export type WantedTerm = readonly Phrase[];

/**
 * Finds the words that the terms of a query stand for. A term that may be a beginning stands for the word itself and
 * for the shortest words that begin with it. All terms together stand for at most `ISSUE_LIMITS.searchedWordsMax` words.
 *
 * The indexes of both databases can find beginnings, too, but would first list all rows with any word that begins so.
 */
export async function wordsOfTerms(
  db: Db,
  terms: readonly Term[],
  { repositoriesOneByOne }: { repositoriesOneByOne: number },
): Promise<readonly WantedTerm[]> {
  const wordsMax = Math.min(
    ISSUE_LIMITS.searchedWordsMax,
    ISSUE_LIMITS.searchedWordsOfRepositoriesMax / Math.max(1, repositoriesOneByOne),
  );
  const countMax = Math.max(1, Math.floor(wordsMax / terms.length));
  const wanted: WantedTerm[] = [];
  for (const { words, isPrefix } of terms) {
    const last = words.at(-1) ?? '';
    const longer = isPrefix && countMax > 1 ? await longerWords(db, last, countMax - 1) : [];
    wanted.push([last, ...longer].map((word) => [...words.slice(0, -1), word]));
  }
  return wanted;
}

/** No word of a text begins with a larger character. */
const AFTER_ALL = '\u{10ffff}';

async function longerWords(db: Db, beginning: string, countMax: number): Promise<readonly string[]> {
  const rows = await query<{ term: string }>(
    db,
    fragment`select term from (select term from issue_terms
        where term > ${beginning} and term < ${`${beginning}${AFTER_ALL}`}
        order by term limit ${literal(ISSUE_LIMITS.comparedWordsMax)}) longer
      order by length(term), term limit ${literal(countMax)}`,
  );
  return rows.map(({ term }) => term);
}
