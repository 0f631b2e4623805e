import { folderOf } from '../names.ts';

/** Characters that end the target of a Markdown link, or have a meaning in an address. */
const ENCODED = /[\s()<>[\]%?#"'\\]/g;

/** Writes a path as the target of a Markdown link. */
export function linkTarget(path: string): string {
  return path.replaceAll(
    ENCODED,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`,
  );
}

/** Reads the target of a link as a path, without the part after `?` or `#`. */
export function pathOfTarget(target: string): string {
  const path = target.replace(/[?#].*$/, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Whether a target leads to a file beside the text, instead of another server or a place in the text. */
export function isLocalTarget(target: string): boolean {
  return target !== '' && !/^(?:[a-z][a-z0-9+.-]*:|[/\\#?])/i.test(target);
}

/** Returns a path relative to the folder of another path. */
export function relativePath(from: string, to: string): string {
  const start = folderOf(from) === '' ? [] : folderOf(from).split('/');
  const end = to.split('/');
  let shared = 0;
  while (shared < start.length && shared < end.length - 1 && start[shared] === end[shared]) shared += 1;
  return [...start.slice(shared).map(() => '..'), ...end.slice(shared)].join('/');
}

/** Resolves a relative path in a file; undefined if it leads out of the root. */
export function resolvePath(from: string, relative: string): string | undefined {
  const parts = folderOf(from) === '' ? [] : folderOf(from).split('/');
  for (const part of relative.split('/')) {
    if (part === '..' && parts.pop() === undefined) return undefined;
    if (part !== '..' && part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}
