import type { Phrase } from './index-text.ts';
import { TEXT_SEARCH_LIMITS } from './limits.ts';
import { wordsOfTexts } from './words.ts';

// Whether texts at hand have words: the same answer as that of the indexes.

/** A text without other characters, and short enough that no limit of an index cuts it, needs no list of its words. */
const PLAIN = /^[\x00-\x7f]*$/;
const PLAIN_CHARS_MAX = 16 * 1024;
const PLAIN_WORD = /^[a-z0-9]+$/;

/**
 * Returns a function that checks whether the texts of one row, such as a title and a content, have one phrase of each list.
 * A phrase is in one of the texts.
 */
export function matcherOf(lists: readonly (readonly Phrase[])[]): (texts: readonly string[]) => boolean {
  const expressions = lists.map(expressionOf);
  const areCut = lists.flat(2).some((word) => word.length >= TEXT_SEARCH_LIMITS.indexedWordCharsMax);
  return (texts) => {
    if (!areCut && texts.every(isPlain))
      return expressions.every((expression) => texts.some((text) => expression?.test(text)));
    const words = Object.values(wordsOfTexts(Object.fromEntries(texts.entries()))).map(inRow);
    return lists.every((phrases) =>
      phrases.some((phrase) => words.some((row) => row.includes(inRow(phrase)))),
    );
  };
}

function isPlain(text: string): boolean {
  return text.length <= PLAIN_CHARS_MAX && PLAIN.test(text);
}

/** Finds one of the phrases in plain texts. Undefined if none can be in one. */
function expressionOf(phrases: readonly Phrase[]): RegExp | undefined {
  const plain = phrases.filter((words) => words.every((word) => PLAIN_WORD.test(word)));
  if (plain.length === 0) return undefined;
  const any = plain.map((words) => words.join('[^a-z0-9]+')).join('|');
  return new RegExp(`(?<![a-z0-9])(?:${any})(?![a-z0-9])`, 'i');
}

/** Words contain no spaces. */
function inRow(words: readonly string[]): string {
  return ` ${words.join(' ')} `;
}
