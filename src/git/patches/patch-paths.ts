import { setImmediate as giveOthersATurn } from 'node:timers/promises';
import { pathOfBytes } from '../format/name-bytes.ts';
import { GIT_LIMITS } from '../limits.ts';

/** Reading a patch gives way to other work after this, ms. */
const READ_AT_ONCE_MS = 10;

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
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
 * Returns the paths that a patch in the form of `git diff` or `diff -u` may change, and perhaps others. git decides which
 * of them count; a path that is missing here only makes it reject the patch.
 *
 * @see git-diff(1), GENERATING PATCH TEXT WITH -P
 */
export async function pathsInPatch(patch: Uint8Array): Promise<ReadonlySet<string>> {
  const paths = new Set<string>();
  let since = performance.now();
  let [oldLeft, newLeft] = [0, 0];
  for (const line of linesOf(patch)) {
    if (performance.now() - since > READ_AT_ONCE_MS) {
      await giveOthersATurn();
      since = performance.now();
    }
    if (oldLeft > 0 || newLeft > 0) {
      const first = line.charAt(0);
      if (first !== '+' && first !== '\\') oldLeft -= 1;
      if (first !== '-' && first !== '\\') newLeft -= 1;
      continue;
    }
    if (line.length > GIT_LIMITS.patchHeaderCharsMax) continue;
    const hunk = HUNK.exec(line);
    if (hunk !== null) [oldLeft, newLeft] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
    else for (const path of pathsInHeader(line)) paths.add(path);
  }
  return paths;
}

/** Yields lines as bytes: each character stands for one. */
function* linesOf(patch: Uint8Array): Generator<string> {
  const bytes = Buffer.from(patch.buffer, patch.byteOffset, patch.byteLength);
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0x0a, at);
    const next = end === -1 ? bytes.length : end;
    yield bytes.toString('latin1', at, next);
    at = next + 1;
  }
}

function* pathsInHeader(line: string): Generator<string> {
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
