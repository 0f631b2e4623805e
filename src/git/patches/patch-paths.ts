import { setImmediate as giveOthersATurn } from 'node:timers/promises';
import { pathsInHeader } from '../format/diffs/header-paths.ts';
import { GIT_LIMITS } from '../limits.ts';

/** Reading a patch gives way to other work after this, ms. */
const READ_AT_ONCE_MS = 10;

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

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
