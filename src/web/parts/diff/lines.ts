import { asWritten, type Html } from '../../../base/core/text/html.ts';
import type { DiffLine, DiffSide, Hunk } from '../../../git/format/diffs/model.ts';
import { WEB_LIMITS } from '../../limits.ts';
import { changedWords, type Piece } from './words.ts';

/** Lines that were removed, and lines that took their place; or a line that stays, which is on both sides. */
export interface LinePair {
  readonly old: DiffLine | undefined;
  readonly new: DiffLine | undefined;
}

/** Returns the lines of a hunk side by side. */
export function pairsOf({ lines }: Hunk): readonly LinePair[] {
  const pairs: LinePair[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at];
    if (line?.kind === 'context') {
      pairs.push({ old: line, new: line });
      at += 1;
      continue;
    }
    const removed = runFrom(lines, at, 'removed');
    const added = runFrom(lines, at + removed.length, 'added');
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1)
      pairs.push({ old: removed[index], new: added[index] });
    at += removed.length + added.length;
  }
  return pairs;
}

function runFrom(lines: readonly DiffLine[], start: number, kind: DiffLine['kind']): readonly DiffLine[] {
  let end = start;
  while (lines[end]?.kind === kind) end += 1;
  return lines.slice(start, end);
}

/** Returns the texts of the changed lines of a hunk in which words are marked. Other lines have no entry. */
export function markedLines(pairs: readonly LinePair[]): ReadonlyMap<DiffLine, Html> {
  const marked = new Map<DiffLine, Html>();
  const changed = pairs.filter((pair) => pair.old !== pair.new);
  if (changed.length > WEB_LIMITS.markedLinesMax) return marked;
  for (const { old, new: now } of changed) {
    if (old === undefined || now === undefined) continue;
    const words = changedWords(old.text, now.text);
    if (words === undefined) continue;
    marked.set(old, piecesHtml(words.old, 'del'));
    marked.set(now, piecesHtml(words.new, 'ins'));
  }
  return marked;
}

function piecesHtml(pieces: readonly Piece[], element: 'ins' | 'del'): Html {
  const parts = pieces.map(({ text, isChanged }) => {
    const escaped = lineText(text).html;
    return isChanged ? `<${element}>${escaped}</${element}>` : escaped;
  });
  return { html: parts.join('') };
}

/** Characters that change the order in which the others are shown, so that code looks different from what it does. */
const REORDERING = /[\u202a-\u202e\u2066-\u2069]/g;

/** Returns the text of a line as HTML. */
export function lineText(text: string): Html {
  return asWritten(
    text.replaceAll(REORDERING, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`),
  );
}

/** Returns the number of a line on one side; undefined if it is not there. */
export function numberOn(line: DiffLine | undefined, side: DiffSide): number | undefined {
  return (side === 'old' ? line?.oldNumber : line?.newNumber) ?? undefined;
}
