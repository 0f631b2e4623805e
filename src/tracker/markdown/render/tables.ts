import type { MarkdownIt } from 'markdown-it';

/** A cell is three tokens and takes two characters, so a table without missing cells stays below this. */
const TOKENS_PER_CHAR_MAX = 2;
/** Tokens beyond these, for the cells that short rows lack. */
const SPARE_TOKENS = 12_000;

/**
 * Ends a table when the text has too many tokens for its length, because the parser adds the cells that short rows lack. A
 * thousand short rows of a thousand columns would become a million cells. The other rows stay text.
 */
export function boundTables(parser: MarkdownIt): void {
  const isTooLong: Parameters<typeof parser.block.ruler.push>[1] = (state, _start, _end, silent) =>
    silent &&
    state.parentType === 'table' &&
    state.tokens.length > state.src.length * TOKENS_PER_CHAR_MAX + SPARE_TOKENS;
  // A table ends before a line where a rule of this kind applies.
  parser.block.ruler.push('end_of_table', isTooLong, { alt: ['blockquote'] });
}
