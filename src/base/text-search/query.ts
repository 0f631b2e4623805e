import { invalid } from '../core/failure.ts';
import { TEXT_SEARCH_LIMITS } from './limits.ts';
import { wordsOf } from './words.ts';

/** Words that stand one after the other. */
export interface Term {
  readonly words: readonly string[];
  /** The last word may be the beginning of a longer one. */
  readonly isPrefix: boolean;
}

/** Which words of a query may be beginnings. */
export interface BeginningRule {
  /** Shorter words stand for themselves alone. */
  readonly charsMin: number;
  /** If more words could be beginnings, the last ones are. A query is often searched while its last word is typed. */
  readonly countMax: number;
}

const PART = /"([^"]*)"?|[^\s"]+/gu;

/**
 * Parses a query: a match has all of its terms. Quotation marks make a phrase; elsewhere, a word may also stand for all
 * words that begin with it. Nothing else has a meaning, so no query is wrong except one that is too long.
 *
 * @returns no terms if the query has no words
 * @throws ForgeError `invalid`
 */
export function termsOf(query: string, beginnings: BeginningRule): readonly Term[] {
  if (query.length > TEXT_SEARCH_LIMITS.wordQueryCharsMax)
    throw invalid(`a query has at most ${TEXT_SEARCH_LIMITS.wordQueryCharsMax} characters`);
  const terms: Term[] = [];
  let count = 0;
  for (const [part, quoted] of query.toWellFormed().matchAll(PART)) {
    const words = [...wordsOf(quoted ?? part)].map(({ key }) => key);
    count += words.length;
    const last = words.at(-1);
    if (last === undefined) continue;
    terms.push({ words, isPrefix: quoted === undefined && [...last].length >= beginnings.charsMin });
  }
  if (count > TEXT_SEARCH_LIMITS.wordQueryWordsMax)
    throw invalid(`a query has at most ${TEXT_SEARCH_LIMITS.wordQueryWordsMax} words`);
  return withLastBeginnings(terms, beginnings);
}

function withLastBeginnings(terms: readonly Term[], { countMax }: BeginningRule): readonly Term[] {
  const [firstAt = 0] = terms.flatMap(({ isPrefix }, at) => (isPrefix ? [at] : [])).slice(-countMax);
  return terms.map((term, at) => (at < firstAt ? { ...term, isPrefix: false } : term));
}
