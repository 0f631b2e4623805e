import { TEXT_SEARCH_LIMITS } from './limits.ts';
import type { Term } from './query.ts';
import { wordsOfTexts } from './words.ts';

// Whether texts at hand have words: the same answer as that of the indexes.

/** A text without other characters, and short enough that no limit of an index cuts it, needs no list of its words. */
const PLAIN = /^[\x00-\x7f]*$/;
const PLAIN_CHARS_MAX = 16 * 1024;
const PLAIN_WORD = /^[a-z0-9]+$/;

/**
 * Returns a function that checks whether the texts of one row, such as a title and a content, have all terms. The words of
 * a term stand in one of the texts.
 */
export function matcherOf(terms: readonly Term[]): (texts: readonly string[]) => boolean {
  const expressions = terms.map(expressionOf);
  const areCut = terms
    .flatMap(({ words }) => words)
    .some((word) => word.length >= TEXT_SEARCH_LIMITS.indexedWordCharsMax);
  return (texts) => {
    if (!areCut && texts.every(isPlain))
      return expressions.every((expression) => texts.some((text) => expression?.test(text)));
    const words = Object.values(wordsOfTexts(Object.fromEntries(texts.entries()))).map(inRow);
    return terms.every((term) => words.some((row) => row.includes(partOfRow(term))));
  };
}

function isPlain(text: string): boolean {
  return text.length <= PLAIN_CHARS_MAX && PLAIN.test(text);
}

/** Finds a term in plain texts. Undefined if it cannot be in one. */
function expressionOf({ words, isPrefix }: Term): RegExp | undefined {
  if (!words.every((word) => PLAIN_WORD.test(word))) return undefined;
  return new RegExp(`(?<![a-z0-9])${words.join('[^a-z0-9]+')}${isPrefix ? '' : '(?![a-z0-9])'}`, 'i');
}

/** Words contain no spaces. */
function inRow(words: readonly string[]): string {
  return ` ${words.join(' ')} `;
}

function partOfRow({ words, isPrefix }: Term): string {
  return isPrefix ? ` ${words.join(' ')}` : inRow(words);
}
