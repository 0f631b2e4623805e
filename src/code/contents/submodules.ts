import type { Oid } from '../../git/format/model.ts';
import { pathOfBytes } from '../../git/format/name-bytes.ts';
import type { ObjectReader } from '../../git/interface/snapshot.ts';
import { readFileAt } from '../../git/trees/read-file.ts';

const GITMODULES_BYTES_MAX = 256 * 1024;

/** Returns the address of the submodule at `path` from `.gitmodules`; null without one. */
export async function submoduleUrlAt(
  objects: ObjectReader,
  commit: Oid,
  path: string,
): Promise<string | null> {
  const { tree } = await objects.readCommit(commit);
  const content = await readFileAt(objects, tree, '.gitmodules', GITMODULES_BYTES_MAX);
  if (content === undefined) return null;
  return parseGitmodules(content.toString('latin1')).get(path) ?? null;
}

/**
 * Parses `.gitmodules` into a map from path to URL, for sections with both.
 *
 * @param text each character stands for a byte
 * @see gitmodules(5)
 */
export function parseGitmodules(text: string): ReadonlyMap<string, string> {
  const urls = new Map<string, string>();
  for (const section of text.split(/^[\t ]*\[/m).slice(1)) {
    if (!/^submodule\s+"/.test(section)) continue;
    const path = settingIn(section, 'path');
    const url = settingIn(section, 'url');
    if (path !== undefined && url !== undefined)
      urls.set(pathOfBytes(Buffer.from(path, 'latin1')), Buffer.from(url, 'latin1').toString());
  }
  return urls;
}

function settingIn(section: string, key: string): string | undefined {
  const match = new RegExp(`^[\\t ]*${key}[\\t ]*=(.*)$`, 'im').exec(section);
  return match?.[1] === undefined ? undefined : withoutBlanks(match[1]).replace(/^"(.*)"$/, '$1');
}

/** As `trim`, which would also remove the byte 0xa0 of a character in UTF-8. */
function withoutBlanks(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** @param code of a character */
function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}
