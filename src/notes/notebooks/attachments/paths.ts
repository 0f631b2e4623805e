import { NOTE_LIMITS } from '../limits.ts';
import { pathOf } from '../names.ts';

/**
 * Resolves the path of an attachment in a note, relative to the folder of the note. `..` leads out of a folder, but
 * never out of the notebook.
 *
 * @returns a path in the notebook; '' for its root
 */
export function attachmentPath(category: string, text: string): string {
  const parts = category === '' ? [] : category.split('/');
  for (const part of text.replaceAll('\\', '/').split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/**
 * Returns the name of a new attachment.
 *
 * @param random 32 hex digits
 * @param sentName name of the file on the client; its last extension is kept
 */
export function attachmentName(random: string, sentName: string): string {
  const [name = ''] = sentName.split(/[\\/]/).slice(-1);
  const dot = name.lastIndexOf('.');
  const extension = dot === -1 ? '' : name.slice(dot + 1).replaceAll(/[^A-Za-z0-9]/g, '');
  const kept = extension.slice(0, NOTE_LIMITS.attachmentExtensionCharsMax);
  return kept === '' ? random : `${random}.${kept}`;
}

/** Returns the path in the repository of a file of the notebook. */
export function inRepository(notebookFolder: string, path: string): string {
  return path === '' ? notebookFolder : pathOf(notebookFolder, path);
}
