import type { Term } from './query.ts';

// The strings in which the indexes of both databases take words and queries. Words are keys of `words.ts`, perhaps with a
// prefix.

/** Which words count most in the order of the results: A, then B, C and D. */
type Weight = 'A' | 'B' | 'C' | 'D';

/** Returns words as a value of a column of an FTS5 table. */
export function ftsText(words: readonly string[]): string {
  return words.join(' ');
}

/**
 * Returns the query that finds the rows with all terms in an FTS5 table.
 *
 * @param oneOf words of which a row has one; empty: a row needs none
 * @see https://www.sqlite.org/fts5.html, Full-text Query Syntax
 */
export function ftsQuery(terms: readonly Term[], oneOf: readonly string[] = []): string {
  const any = oneOf.length === 0 ? [] : [`(${oneOf.map((word) => `"${word}"`).join(' OR ')})`];
  return [...any, ...terms.map(({ words, isPrefix }) => `"${words.join(' ')}"${isPrefix ? ' *' : ''}`)].join(
    ' AND ',
  );
}

/** PostgreSQL stores no larger position. */
const POSITION_MAX = 16_383;
/** Between two texts, so that no phrase reaches from one into the next. */
const TEXT_GAP = 10;

/**
 * Returns the words of the texts of one row as a `tsvector`.
 *
 * @see https://www.postgresql.org/docs/current/datatype-textsearch.html
 */
export function vectorOf(
  texts: readonly { readonly words: readonly string[]; readonly weight: Weight }[],
): string {
  const places = new Map<string, string[]>();
  let position = 0;
  for (const { words, weight } of texts) {
    for (const word of words) {
      position += 1;
      const known = places.get(word) ?? [];
      places.set(word, known);
      if (position <= POSITION_MAX) known.push(`${position}${weight}`);
    }
    position += TEXT_GAP;
  }
  return [...places]
    .map(([word, at]) => (at.length === 0 ? `'${word}'` : `'${word}':${at.join(',')}`))
    .join(' ');
}

/**
 * Returns the `tsquery` that finds the rows with all terms.
 *
 * @param oneOf words of which a row has one; empty: a row needs none
 * @see https://www.postgresql.org/docs/current/textsearch-controls.html
 */
export function vectorQuery(terms: readonly Term[], oneOf: readonly string[] = []): string {
  const any = oneOf.length === 0 ? [] : [`(${oneOf.map((word) => `'${word}'`).join(' | ')})`];
  return [
    ...any,
    ...terms.map(
      ({ words, isPrefix }) => `(${words.map((word) => `'${word}'`).join(' <-> ')}${isPrefix ? ':*' : ''})`,
    ),
  ].join(' & ');
}
