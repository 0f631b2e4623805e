import { WEB_LIMITS } from '../../limits.ts';

/** A piece of a line. */
export interface Piece {
  readonly text: string;
  readonly isChanged: boolean;
}

/** The pieces of a line before a change, and after it. */
export interface ChangedWords {
  readonly old: readonly Piece[];
  readonly new: readonly Piece[];
}

const WORDS = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu;

/**
 * Finds the words that differ in a line.
 *
 * @returns undefined for lines that are too long, equal, or so different that marks do not help
 */
export function changedWords(before: string, after: string): ChangedWords | undefined {
  const { markedLineCharsMax } = WEB_LIMITS;
  if (before === after || Math.max(before.length, after.length) > markedLineCharsMax) return undefined;
  const [old, now] = [before.match(WORDS) ?? [], after.match(WORDS) ?? []];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (
    end < old.length - start &&
    end < now.length - start &&
    old[old.length - 1 - end] === now[now.length - 1 - end]
  )
    end += 1;
  const middle = commonIn(old.slice(start, old.length - end), now.slice(start, now.length - end));
  const isCommonIn = (words: readonly string[], inMiddle: ReadonlySet<number>) =>
    words.map((_, index) => index < start || index >= words.length - end || inMiddle.has(index - start));
  const [oldCommon, newCommon] = [isCommonIn(old, middle.old), isCommonIn(now, middle.new)];
  const common = old.filter((word, index) => oldCommon[index] === true && word.trim() !== '').join('').length;
  const shorter = Math.min(before.replaceAll(/\s/g, '').length, after.replaceAll(/\s/g, '').length);
  if (common * COMMON_SHARE < shorter) return undefined;
  return { old: piecesOf(old, oldCommon), new: piecesOf(now, newCommon) };
}

/** Lines have at least one character of this many in common. */
const COMMON_SHARE = 3;

/** Finds a longest common subsequence. @returns places in the two lists; none if it would take too long */
function commonIn(
  old: readonly string[],
  now: readonly string[],
): { readonly old: ReadonlySet<number>; readonly new: ReadonlySet<number> } {
  const found = { old: new Set<number>(), new: new Set<number>() };
  if (old.length * now.length > WEB_LIMITS.markedWordPairsMax) return found;
  const width = now.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  const at = (row: number, column: number) => lengths[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1)
    for (let column = now.length - 1; column >= 0; column -= 1)
      lengths[row * width + column] =
        old[row] === now[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  for (let row = 0, column = 0; row < old.length && column < now.length; ) {
    if (old[row] === now[column]) {
      found.old.add(row);
      found.new.add(column);
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return found;
}

/** Joins neighbors. A blank between two changed words belongs to them. */
function piecesOf(words: readonly string[], isCommon: readonly boolean[]): readonly Piece[] {
  const pieces: { text: string; isChanged: boolean }[] = [];
  for (const [index, text] of words.entries()) {
    const isBetween = text.trim() === '' && isCommon[index - 1] === false && isCommon[index + 1] === false;
    const isChanged = isCommon[index] === false || isBetween;
    const last = pieces.at(-1);
    if (last?.isChanged === isChanged) last.text += text;
    else pieces.push({ text, isChanged });
  }
  return pieces;
}
