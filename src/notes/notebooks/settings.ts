import { invalid } from '../../base/core/failure.ts';
import { newPathProblem } from '../../git/format/tree-paths.ts';
import { NOTE_LIMITS } from './limits.ts';
import { DEFAULT_SETTINGS, NOTES_REPOSITORY, type NotePlace } from './model.ts';

const MODES: ReadonlySet<string> = new Set(['rich', 'edit', 'preview']);

/**
 * Returns the location of notes that a client requests. `..` leads out of a folder, but never out of the root.
 *
 * @throws ForgeError `invalid` for a path that no repository can have
 */
export function notesPathOf(text: string): string {
  if (text.length > NOTE_LIMITS.notesPathCharsMax) throw invalid('the path of the notes is too long');
  const parts: string[] = [];
  for (const part of text.replaceAll('\\', '/').split('/')) {
    const name = part.trim();
    if (name === '..') parts.pop();
    else if (name !== '' && name !== '.') parts.push(name);
  }
  const path = parts.join('/');
  const problem = path === '' ? undefined : newPathProblem(path);
  if (problem !== undefined) throw invalid(problem);
  return path;
}

/** Returns the suffix of new notes that a client requests, with its dot. */
export function fileSuffixOf(text: string): string {
  const kept = text.replaceAll(/[^A-Za-z0-9.-]/g, '').replace(/^\.+/, '');
  const cut = kept.slice(0, NOTE_LIMITS.fileSuffixCharsMax).replace(/\.+$/, '');
  return cut === '' ? DEFAULT_SETTINGS.fileSuffix : `.${cut}`;
}

export function noteModeOf(text: string): string {
  return MODES.has(text) ? text : DEFAULT_SETTINGS.noteMode;
}

/**
 * Parses a location of notes.
 *
 * @param path as `notesPathOf` returns it
 */
export function placeOf(path: string): NotePlace {
  const [first = '', ...rest] = path.split('/');
  if (!first.startsWith('@')) return { kind: 'own', name: first, folder: rest.join('/'), path };
  const [name, ...folder] = rest;
  if (name === undefined || first.length === 1) return { kind: 'own', name: '', folder: '', path };
  return { kind: 'shared', owner: first.slice(1), name, folder: folder.join('/') };
}

/** Returns the folder in the repository `Notes`, which has all notes without a repository of their own. */
export function folderInNotes({ name, folder, path }: Extract<NotePlace, { kind: 'own' }>): string {
  return name.toLowerCase() === NOTES_REPOSITORY.toLowerCase() ? folder : path;
}
