import type { Db } from '../../../../base/database/database.ts';
import { fragment, literal } from '../../../../base/database/fragment.ts';
import { query } from '../../../../base/database/query.ts';
import type { Phrase } from '../../../../base/text-search/index-text.ts';
import type { Term } from '../../../../base/text-search/query.ts';
import { ISSUE_LIMITS } from '../../limits.ts';

/** A text has to have one of these phrases. */
export type RequiredTerm = readonly Phrase[];

/** The words that the terms of a query stand for. */
export interface ExpandedTerms {
  readonly terms: readonly RequiredTerm[];
  /**
   * false: a term may be a beginning, and more words may begin so. It does not depend on the words that exist: they are also
   * those of texts that the viewer may not read
   */
  readonly hasAllWords: boolean;
}

/**
 * Finds the words that the terms of a query stand for. A term that may be a beginning stands for the word itself and
 * for the shortest words that begin with it. All terms together stand for at most `ISSUE_LIMITS.searchedWordsMax` words.
 *
 * The indexes of both databases can find beginnings, too, but would first list all rows with any word that begins so.
 */
export async function expandTerms(db: Db, wanted: readonly Term[]): Promise<ExpandedTerms> {
  const longerMax = Math.max(0, Math.floor(ISSUE_LIMITS.searchedWordsMax / wanted.length) - 1);
  const terms: RequiredTerm[] = [];
  for (const { words, isPrefix } of wanted) {
    const last = words.at(-1) ?? '';
    const longer = isPrefix && longerMax > 0 ? await longerWords(db, last, longerMax) : [];
    terms.push([last, ...longer].map((word) => [...words.slice(0, -1), word]));
  }
  return { terms, hasAllWords: wanted.every(({ isPrefix }) => !isPrefix) };
}

/** No word of a text begins with a larger character. */
const AFTER_ALL = '\u{10ffff}';

/** Lists the shortest words that begin so. */
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
