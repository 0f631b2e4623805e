import { newPathProblem } from '../../../git/format/tree-paths.ts';
import { categoryOf, pathOf } from '../names.ts';
import { NotTakenError } from './model.ts';

/** Files that programs create in every folder. */
const LITTER: ReadonlySet<string> = new Set(['__macosx', 'thumbs.db', 'desktop.ini', '@eadir']);
/** Folders in which some apps keep the attachments of a note. */
const ATTACHMENTS = /^\.attachments\.\d+$/;

/** Whether a file or folder of this name is part of a program and not of the notes. */
export function isHiddenName(name: string): boolean {
  return (name.startsWith('.') && !ATTACHMENTS.test(name)) || LITTER.has(name.toLowerCase());
}

/** @throws NotTakenError for a path that is absolute or leads out of its archive */
export function requireInside(name: string): void {
  if (name.startsWith('/') || /^[a-z]:/i.test(name)) throw new NotTakenError('its path is absolute');
  if (name.split('/').includes('..')) throw new NotTakenError('its path leads out of the archive');
}

/**
 * Returns the path in a notebook for a path in a source.
 *
 * @throws NotTakenError for a path that git or a file system rejects
 */
export function importedPath(category: string, name: string): string {
  const path = pathOf(categoryOf(category), name);
  const problem = newPathProblem(path);
  if (problem !== undefined) throw new NotTakenError(problem);
  return path;
}
