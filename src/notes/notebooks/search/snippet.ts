import { TEXT_SEARCH_LIMITS } from '../../../base/text-search/limits.ts';
import type { Term } from '../../../base/text-search/query.ts';
import { type Word, wordsOf } from '../../../base/text-search/words.ts';
import { NOTE_LIMITS } from '../limits.ts';

/** A piece of a snippet. */
export interface SnippetPart {
  readonly text: string;
  readonly match: boolean;
}

/** Characters of a snippet before its first match. */
const LEAD_CHARS = 40;
const SPACES = /\s+/gu;

/**
 * Returns the part of a text with the most different words of a query, divided into matches and the text between them.
 */
export function snippetOf(content: string, terms: readonly Term[]): readonly SnippetPart[] {
  const text = content.slice(0, TEXT_SEARCH_LIMITS.indexedTextCharsMax);
  const matches = matchesIn(text, terms);
  const first = densest(matches);
  const start = first === undefined ? 0 : wordStart(text, Math.max(0, first.at - LEAD_CHARS), first.at);
  const end = charEnd(text, start + NOTE_LIMITS.noteSnippetCharsMax);
  const shown = matches.filter(({ at, length }) => at >= start && at + length <= end);
  return partsOf(text, { start, end }, shown);
}

interface Match extends Word {
  /** which word of the query it is */
  readonly number: number;
}

function matchesIn(text: string, terms: readonly Term[]): readonly Match[] {
  const wanted = terms.flatMap(({ words, isPrefix }) =>
    words.map((key, index) => ({ key, isPrefix: isPrefix && index === words.length - 1 })),
  );
  const exact = new Map(wanted.map(({ key }, number) => [key, number]));
  const prefixes = wanted.flatMap(({ key, isPrefix }, number) => (isPrefix ? [{ key, number }] : []));
  const matches: Match[] = [];
  for (const word of wordsOf(text)) {
    const number = exact.get(word.key) ?? prefixes.find(({ key }) => word.key.startsWith(key))?.number;
    if (number !== undefined) matches.push({ ...word, number });
    if (matches.length === NOTE_LIMITS.noteSnippetMatchesMax) break;
  }
  return matches;
}

/** Finds the match after which a snippet has the most different words of the query. */
function densest(matches: readonly Match[]): Match | undefined {
  let best: { match: Match; count: number } | undefined;
  const within = new Map<number, number>();
  let end = 0;
  for (const match of matches) {
    for (let next = matches[end]; next !== undefined; next = matches[end]) {
      if (next.at + next.length > match.at + NOTE_LIMITS.noteSnippetCharsMax - LEAD_CHARS) break;
      within.set(next.number, (within.get(next.number) ?? 0) + 1);
      end += 1;
    }
    if (best === undefined || within.size > best.count) best = { match, count: within.size };
    const left = (within.get(match.number) ?? 0) - 1;
    if (left > 0) within.set(match.number, left);
    else within.delete(match.number);
  }
  return best?.match;
}

/** Returns the start of a word between `from` and `to`; `from` if there is none. */
function wordStart(text: string, from: number, to: number): number {
  if (from === 0) return 0;
  const space = text.slice(from, to).search(/\s/u);
  return space === -1 ? charEnd(text, from) : from + space + 1;
}

/** Moves a position out of the middle of a character. */
function charEnd(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : Math.min(at, text.length);
}

function partsOf(
  text: string,
  { start, end }: { start: number; end: number },
  matches: readonly Match[],
): readonly SnippetPart[] {
  const parts: SnippetPart[] = [];
  const add = (from: number, to: number, match: boolean) => {
    if (from < to) parts.push({ text: text.slice(from, to).replaceAll(SPACES, ' '), match });
  };
  let at = start;
  for (const match of matches) {
    add(at, match.at, false);
    add(match.at, match.at + match.length, true);
    at = match.at + match.length;
  }
  add(at, end, false);
  return parts;
}
