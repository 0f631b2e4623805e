import { LIMITS } from '../core/limits.ts';
import type { NotePath } from './model.ts';

/** What a note is called that nobody has given a title. */
const UNTITLED = 'New note';
const EXTENSIONS: ReadonlySet<string> = new Set(['txt', 'org', 'markdown', 'md', 'note']);

/** What some file system forbids in a name, a slash included; controls have no use in one. */
const FORBIDDEN = /[*|/\\:"<>?]|[\u0000-\u0008\u000e-\u001f\u007f]/g;
/** A name that began with a dot would be hidden; `..` would leave the folder. */
const LEADING_DOTS = /^[.\s]+/gmu;
const COUNTED = /\s\((\d{1,9})\)$/u;

function sanitize(text: string): string {
  return text.toWellFormed().replaceAll(FORBIDDEN, '').replaceAll(LEADING_DOTS, '').trim();
}

/**
 * The title that a note gets when a client asks for `text`.
 *
 * @param suffix of its file, which has to fit into a name of a tree, too
 */
export function titleOf(text: string, suffix: string): string {
  const [line = ''] = sanitize(text).split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/u, 1);
  const title = cut(line.trim().replaceAll(/\s/gu, ' '), { chars: LIMITS.noteTitleCharsMax, suffix }).trim();
  // The interface's reference takes a title of just `0` for none.
  return title === '' || title === '0' ? UNTITLED : title;
}

/** The folders that a client asks for, one behind the other: never out of the notebook, never a hidden one. */
export function categoryOf(text: string): string {
  return text
    .split('/')
    .map((part) => sanitize(part).replaceAll(/\s/gu, ' '))
    .filter((part) => part !== '')
    .join('/');
}

function cut(text: string, room: { chars: number; suffix: string }): string {
  const bytesMax = LIMITS.treeNameBytesMax - Buffer.byteLength(room.suffix);
  const kept: string[] = [];
  let bytes = 0;
  for (const char of text) {
    bytes += Buffer.byteLength(char);
    if (kept.length === room.chars || bytes > bytesMax) break;
    kept.push(char);
  }
  return kept.join('');
}

/**
 * `title`, or the next one of `title (2)`, `title (3)` that is free.
 *
 * @param isTaken asked for file names, with their suffix
 */
export function freeTitle(title: string, suffix: string, isTaken: (name: string) => boolean): string {
  let free = title;
  while (isTaken(`${free}${suffix}`)) {
    const count = Number(COUNTED.exec(free)?.[1] ?? 1) + 1;
    const ending = ` (${count})`;
    const room = { chars: LIMITS.noteTitleCharsMax - ending.length, suffix: `${ending}${suffix}` };
    free = `${cut(free.replace(COUNTED, ''), room)}${ending}`;
  }
  return free;
}

/** Names that some file system takes for one and the same. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** Whether a file of this name is a note. */
export function isNoteName(name: string): boolean {
  const dot = name.lastIndexOf('.');
  return dot !== -1 && EXTENSIONS.has(name.slice(dot + 1).toLowerCase());
}

/** Whether the files of a folder can be notes. */
export function isNoteFolder(name: string): boolean {
  return !name.startsWith('.');
}

/** What a path inside the notebook says: the folders are the category, the name without its extension the title. */
export function notePathOf(path: string): NotePath {
  const slash = path.lastIndexOf('/');
  const name = path.slice(slash + 1);
  return {
    path,
    title: name.slice(0, name.length - suffixOf(path).length),
    category: path.slice(0, Math.max(0, slash)),
  };
}

/** The last extension of a path's name, with its dot; '' without one. */
export function suffixOf(path: string): string {
  const dot = path.lastIndexOf('.');
  return dot > path.lastIndexOf('/') ? path.slice(dot) : '';
}

export function pathOf(category: string, name: string): string {
  return category === '' ? name : `${category}/${name}`;
}
