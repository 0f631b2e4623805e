import { withoutUnseen } from '../../base/core/text/text.ts';
import { NOTE_LIMITS } from './limits.ts';
import type { NotePath } from './model.ts';

/** Title of a note without one. */
const UNTITLED = 'New note';
const EXTENSIONS: ReadonlySet<string> = new Set(['txt', 'org', 'markdown', 'md', 'note']);

/** Characters that some file system forbids in a name, including the slash, and control characters. */
const FORBIDDEN = /[*|/\\:"<>?]|[\u0000-\u0008\u000e-\u001f\u007f]/g;
/** Dots at the start of a name. They would hide the file, and `..` would lead out of the folder. */
const LEADING_DOTS = /^[.\s]+/gmu;
const COUNTED = /\s\((\d{1,9})\)$/u;
/** Names of devices, which no file on Windows can have, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?=\.|$)/i;
/** Windows removes these from the end of a name. */
const TRAILING = /[.\s]+$/u;

function sanitize(text: string): string {
  const start = text.slice(0, NOTE_LIMITS.noteNameCharsReadMax);
  return withoutUnseen(start).toWellFormed().replaceAll(FORBIDDEN, '').replaceAll(LEADING_DOTS, '').trim();
}

/** Returns a name that every system can check out, for a new file or folder. */
function portable(name: string): string {
  return name.replace(TRAILING, '').replace(DEVICE, '$&_');
}

/**
 * Returns the title of a note for which a client requests `text`.
 *
 * @param suffix suffix of the file; title and suffix together must fit into the name of a tree entry
 */
export function titleOf(text: string, suffix: string): string {
  const [line = ''] = sanitize(text).split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/u, 1);
  const name = portable(line.trim().replaceAll(/\s/gu, ' '));
  const title = portable(cut(name, { chars: NOTE_LIMITS.noteTitleCharsMax, suffix }));
  // The reference treats the title `0` as empty.
  return title === '' || title === '0' ? UNTITLED : title;
}

/**
 * Returns the start of a text without the marks of Markdown for lists, headings, underlines and emphasis. Version 0.2
 * of the API makes a title of it.
 */
export function plainStart(content: string): string {
  return content
    .slice(0, NOTE_LIMITS.noteTitleSearchedCharsMax)
    .replaceAll(/^[^\S\n]*[*+-][^\S\n]+/gm, '')
    .replaceAll(/^#+[^\S\n]+/gm, '')
    .replaceAll(/[^\S\n]+#+[^\S\n]*$/gm, '')
    .replaceAll(/^(?:=+|-+)[^\S\n]*$/gm, '')
    .replaceAll(/(\*{1,3}|_{1,3})(?=\S)([^\n]*?\S)\1/g, '$2');
}

/** Returns the folder path for a requested category. It never leaves the notebook, and no folder is hidden. */
export function categoryOf(text: string): string {
  return text
    .slice(0, NOTE_LIMITS.noteCategoryCharsReadMax)
    .split('/')
    .map((part) => portable(sanitize(part).replaceAll(/\s/gu, ' ')))
    .map((part) => portable(cut(part, { chars: NOTE_LIMITS.noteTitleCharsMax, suffix: '' })))
    .filter((part) => part !== '')
    .join('/');
}

function cut(text: string, room: { chars: number; suffix: string }): string {
  const bytesMax = NOTE_LIMITS.noteNameBytesMax - Buffer.byteLength(room.suffix);
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
 * Returns `title`, or the first of `title (2)`, `title (3)` … that is free.
 *
 * @param isTaken receives file names with suffix
 */
export function freeTitle(title: string, suffix: string, isTaken: (name: string) => boolean): string {
  let free = title;
  while (isTaken(`${free}${suffix}`)) {
    const count = Number(COUNTED.exec(free)?.[1] ?? 1) + 1;
    const ending = ` (${count})`;
    const room = { chars: NOTE_LIMITS.noteTitleCharsMax - ending.length, suffix: `${ending}${suffix}` };
    free = `${cut(free.replace(COUNTED, ''), room)}${ending}`;
  }
  return free;
}

/** Returns the same key for names that some file system treats as equal. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/**
 * Whether a file of this name is a note.
 *
 * @param suffixes suffixes of the notebook, in addition to the usual ones
 */
export function isNoteName(name: string, suffixes: readonly string[]): boolean {
  const dot = name.lastIndexOf('.');
  if (dot !== -1 && EXTENSIONS.has(name.slice(dot + 1).toLowerCase())) return true;
  return suffixes.some(
    (suffix) => name.length > suffix.length && name.toLowerCase().endsWith(suffix.toLowerCase()),
  );
}

/** Whether files with this suffix are notes in every notebook. */
export function isUsualSuffix(suffix: string): boolean {
  return EXTENSIONS.has(suffix.slice(1).toLowerCase());
}

/** Whether the files of a folder can be notes. */
export function isNoteFolder(name: string): boolean {
  return !name.startsWith('.');
}

/** Parses a path in the notebook. The folders are the category, and the name without its extension is the title. */
export function notePathOf(path: string): NotePath {
  return { path, title: stemOf(path), category: folderOf(path) };
}

/** Returns the last extension of a path, with its dot; '' if it has none. */
export function suffixOf(path: string): string {
  const dot = path.lastIndexOf('.');
  return dot > path.lastIndexOf('/') ? path.slice(dot) : '';
}

export function pathOf(category: string, name: string): string {
  return category === '' ? name : `${category}/${name}`;
}

/** Returns the folder of a path; '' for the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Returns the last part of a path without its extension. */
export function stemOf(path: string): string {
  return nameOf(path).slice(0, nameOf(path).length - suffixOf(path).length);
}
