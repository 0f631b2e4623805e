import { pathOfBytes } from '../name-bytes.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '"': '"',
  '\\': '\\',
};

/**
 * Yields the paths that a line of the header of a file in a diff names: the old path before the new one.
 *
 * @param line each of its characters stands for a byte
 * @see git-diff(1), GENERATING PATCH TEXT WITH -P
 */
export function* pathsInHeader(line: string): Generator<string> {
  const file = /^(?:---|\+\+\+) (.+)$/.exec(line);
  const moved = /^(?:rename|copy) (?:from|to) (.+)$/.exec(line);
  const both = /^diff --git (.+)$/.exec(line);
  if (file !== null) yield* withoutFirstPart(nameIn(file[1] ?? ''));
  else if (moved !== null) yield decoded(nameIn(moved[1] ?? ''));
  else if (both !== null) yield* nameInBoth(both[1] ?? '');
}

/** A name ends at a tab, after which other tools write a date. */
function nameIn(text: string): string {
  if (text.startsWith('"')) return unquoted(text);
  const tab = text.indexOf('\t');
  return tab === -1 ? text : text.slice(0, tab);
}

/** A header without other lines names the same file twice: `a/NAME b/NAME`. */
function* nameInBoth(text: string): Generator<string> {
  if (text.startsWith('"')) {
    yield* withoutFirstPart(unquoted(text));
    return;
  }
  const half = (text.length - 1) / 2;
  if (Number.isInteger(half) && text.charAt(half) === ' ') yield* withoutFirstPart(text.slice(0, half));
}

/** Yields the name without its first folder, which is `a` or `b`. */
function* withoutFirstPart(name: string): Generator<string> {
  const slash = name.indexOf('/');
  if (slash !== -1 && name !== '/dev/null') yield decoded(name.slice(slash + 1));
}

/** @see git-config(1), core.quotePath */
function unquoted(text: string): string {
  const end = /^"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? '';
  return end.replaceAll(/\\([0-7]{1,3}|.)/g, (_, escaped: string) =>
    /^[0-7]/.test(escaped)
      ? String.fromCharCode(Number.parseInt(escaped, 8) & 0xff)
      : (ESCAPES[escaped] ?? escaped),
  );
}

/** Returns the path of which a text has the bytes. */
function decoded(text: string): string {
  return pathOfBytes(Buffer.from(text, 'latin1'));
}
