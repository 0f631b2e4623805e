import { TEXT_SEARCH_LIMITS } from './limits.ts';

/** A word of a text. */
export interface Word {
  /** equal for words that a search treats as equal; without quotation marks, spaces and other separators of ASCII */
  readonly key: string;
  /** index of its first UTF-16 unit in the text */
  readonly at: number;
  readonly length: number;
}

/**
 * A word of a text. Scripts without spaces between words are cut into characters, and each symbol is a word. So a phrase of
 * such characters finds any part of a text, also one of two characters.
 */
const WORD = new RegExp(
  [
    String.raw`[[\p{L}\p{N}]&&[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]]\p{M}*`,
    String.raw`[\p{So}\p{Sc}\p{RI}]`,
    String.raw`[[\p{L}\p{N}\p{M}]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]]+`,
  ].join('|'),
  'gv',
);
const PLAIN = /^[a-z0-9]*$/i;
/** Accents of Latin, Greek and Cyrillic letters. In other scripts, marks distinguish words. */
const ACCENTS = /[\u0300-\u036f]/g;
const NOT_IN_KEYS = /[^\p{L}\p{M}\p{N}\p{So}\p{Sc}]|[\u0000-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007f]/gu;

/** Yields the words of a text. */
export function* wordsOf(text: string): Generator<Word> {
  for (const { 0: found, index } of text.matchAll(WORD)) {
    const key = keyOf(found);
    if (key !== '') yield { key, at: index, length: found.length };
  }
}

function keyOf(word: string): string {
  const key = PLAIN.test(word) ? word.toLowerCase() : folded(word);
  return key.length <= TEXT_SEARCH_LIMITS.indexedWordCharsMax
    ? key
    : [...key].slice(0, TEXT_SEARCH_LIMITS.indexedWordCharsMax).join('');
}

/** Folds case, accents, and the forms that Unicode has for one character. */
function folded(word: string): string {
  return word
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(ACCENTS, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replaceAll(NOT_IN_KEYS, '');
}

/** Keys of the words of some texts, in their order. */
export type WordsOf<Name extends string> = Readonly<Record<Name, readonly string[]>>;

/**
 * Lists the words by which a row with some texts is found, such as a title and a content. The words of the first texts have
 * precedence: those of very long texts end at a limit.
 */
export function wordsOfTexts<Name extends string>(texts: Readonly<Record<Name, string>>): WordsOf<Name> {
  const room = new WordRoom();
  const words = {} as Record<Name, readonly string[]>;
  for (const name in texts)
    words[name] = keysOf(texts[name].slice(0, TEXT_SEARCH_LIMITS.indexedTextCharsMax), room);
  return words;
}

/** What an index stores for a new word besides the word itself. */
const BYTES_BESIDES_WORD = 16;

/** The room for the words of one row. PostgreSQL rejects a row whose different words exceed 1 MiB. */
class WordRoom {
  readonly #known = new Set<string>();
  #words = 0;
  #bytes = 0;

  takes(key: string): boolean {
    this.#words += 1;
    if (!this.#known.has(key)) this.#bytes += Buffer.byteLength(key) + BYTES_BESIDES_WORD;
    this.#known.add(key);
    return (
      this.#words <= TEXT_SEARCH_LIMITS.indexedWordsMax &&
      this.#bytes <= TEXT_SEARCH_LIMITS.indexedWordBytesMax
    );
  }
}

function keysOf(text: string, room: WordRoom): readonly string[] {
  const keys: string[] = [];
  for (const { key } of wordsOf(text)) {
    if (!room.takes(key)) break;
    keys.push(key);
  }
  return keys;
}
