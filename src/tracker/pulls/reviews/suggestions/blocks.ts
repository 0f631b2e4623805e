const OPENING = /^ {0,3}(`{3,}|~{3,})\s*(\S*)/;

/** A text, and the suggestions in it. */
export interface SplitText {
  /** without the blocks of suggestions */
  readonly text: string;
  /** the lines of each, without line feeds */
  readonly suggestions: readonly (readonly string[])[];
}

/** Finds the suggestions in a text: fenced blocks of Markdown whose first word is `suggestion`. */
export function splitSuggestions(text: string): SplitText {
  const suggestions: string[][] = [];
  const others: string[] = [];
  let fence = '';
  let lines: string[] | undefined;
  for (const line of text.split(/\r?\n/)) {
    const [, marks = '', word] = OPENING.exec(line) ?? [];
    const isInSuggestion = lines !== undefined;
    if (fence === '' && marks !== '') {
      fence = marks;
      lines = word === 'suggestion' ? [] : undefined;
      if (lines !== undefined) suggestions.push(lines);
      else others.push(line);
    } else if (fence !== '' && word === '' && marks.startsWith(fence)) {
      fence = '';
      lines = undefined;
      if (!isInSuggestion) others.push(line);
    } else if (lines === undefined) others.push(line);
    else lines.push(line);
  }
  return { text: others.join('\n'), suggestions };
}

/** Returns the lines of the suggestions in a text. */
export function suggestionsIn(text: string): SplitText['suggestions'] {
  return splitSuggestions(text).suggestions;
}

/** Lines of a file, from 1, and the lines that replace them. */
export interface Replacement {
  readonly line: number;
  readonly extraLines: number;
  readonly lines: readonly string[];
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Replaces lines of a file. New lines end as the file's own lines do.
 *
 * @returns undefined if the file lacks some of the lines, or two replacements are about the same line
 */
export function withReplacements(
  content: Uint8Array,
  replacements: readonly Replacement[],
): Buffer | undefined {
  const starts = lineStarts(content);
  const pieces: Uint8Array[] = [];
  let line = 1;
  for (const each of replacements.toSorted((one, other) => one.line - other.line)) {
    const next = each.line + each.extraLines + 1;
    if (each.line < line || next > starts.length) return undefined;
    pieces.push(content.subarray(starts[line - 1], starts[each.line - 1]));
    pieces.push(newLines(content.subarray(starts[each.line - 1], starts[next - 1]), each.lines));
    line = next;
  }
  pieces.push(content.subarray(starts[line - 1]));
  return Buffer.concat(pieces);
}

/** Returns where lines start, and where the last one ends. */
function lineStarts(content: Uint8Array): readonly number[] {
  const starts = [0];
  for (let at = content.indexOf(LINE_FEED); at !== -1; at = content.indexOf(LINE_FEED, at + 1))
    starts.push(at + 1);
  if (starts.at(-1) !== content.length) starts.push(content.length);
  return starts;
}

function newLines(replaced: Uint8Array, lines: readonly string[]): Buffer {
  const isEnded = replaced.at(-1) === LINE_FEED;
  const ending = isEnded && replaced.at(-2) === CARRIAGE_RETURN ? '\r\n' : '\n';
  return Buffer.from(lines.join(ending) + (isEnded && lines.length > 0 ? ending : ''));
}
