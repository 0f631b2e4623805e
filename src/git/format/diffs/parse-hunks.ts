import { GIT_LIMITS } from '../../limits.ts';
import { firstLine } from './line-spans.ts';
import type { DiffLine, Hunk } from './model.ts';

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(?: (.*))?$/s;
/** Ends a line that was too long. */
export const CUT_MARK = ' [line cut]';

interface Begun {
  readonly hunk: Hunk;
  readonly lines: DiffLine[];
  nextOld: number;
  nextNew: number;
}

/**
 * Parses hunks in git's unified format.
 *
 * @param text '' or whole hunks of one file, without the lines before them
 * @see git-diff(1), GENERATING PATCH TEXT WITH -P
 */
export function parseHunks(text: string): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let begun: Begun | undefined;
  for (let at = 0; at < text.length; ) {
    const feed = text.indexOf('\n', at);
    const end = feed === -1 ? text.length : feed;
    const sign = text.charAt(at);
    if (sign === '@') {
      begun = begin(text.slice(at, end));
      hunks.push(begun.hunk);
    } else if (begun !== undefined)
      addLine(begun, sign, text.slice(at + 1, Math.min(end, at + 1 + TEXT_MAX)));
    at = end + 1;
  }
  return hunks;
}

/** One more shows that a line is too long. */
const TEXT_MAX = GIT_LIMITS.diffLineCharsMax + 1;

function begin(header: string): Begun {
  const parsed = HEADER.exec(header);
  if (parsed === null) throw new Error('malformed header of a hunk');
  const [, oldStart, oldCount = 1, newStart, newCount = 1, heading = ''] = parsed;
  const lines: DiffLine[] = [];
  const old = { start: Number(oldStart), count: Number(oldCount) };
  const now = { start: Number(newStart), count: Number(newCount) };
  const hunk = { old, new: now, heading, lines };
  return { hunk, lines, nextOld: firstLine(old), nextNew: firstLine(now) };
}

function addLine(begun: Begun, sign: string, text: string): void {
  const { lines } = begun;
  const last = lines.at(-1);
  if (sign === '\\') {
    if (last !== undefined) lines[lines.length - 1] = { ...last, hasLineFeed: false };
    return;
  }
  const kind = sign === '+' ? 'added' : sign === '-' ? 'removed' : 'context';
  const [oldNumber, newNumber] = [
    kind === 'added' ? null : begun.nextOld,
    kind === 'removed' ? null : begun.nextNew,
  ];
  begun.nextOld += oldNumber === null ? 0 : 1;
  begun.nextNew += newNumber === null ? 0 : 1;
  lines.push({ kind, oldNumber, newNumber, text: shownText(text), hasLineFeed: true });
}

function shownText(line: string): string {
  // Columns of PostgreSQL have no NUL.
  const text = line.replaceAll('\0', '\ufffd');
  if (text.length <= GIT_LIMITS.diffLineCharsMax) return text;
  // A half of a surrogate pair is not text.
  return text.slice(0, GIT_LIMITS.diffLineCharsMax).replace(/[\ud800-\udbff]$/, '') + CUT_MARK;
}
