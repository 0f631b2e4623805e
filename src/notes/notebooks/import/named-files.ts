import { NOTE_LIMITS } from '../limits.ts';
import { isLocalTarget, pathOfTarget } from './links.ts';

/** Targets of Markdown links and pictures, without their titles. */
const TARGET = /\]\(\s*(?:<([^<>\n]{1,1000})>|([^\s()<>]{1,1000}))/g;

/**
 * Lists the files beside a note that its text names. These are the paths of its pictures and links, except for targets
 * on other servers, in the text itself, or outside of the notebook.
 */
export function filesNamedIn(text: string): readonly string[] {
  const paths = new Set<string>();
  for (const [, quoted, plain] of text.matchAll(TARGET)) {
    const target = quoted ?? plain ?? '';
    const path = pathOfTarget(target).replace(/^\.\//, '');
    if (isLocalTarget(target) && isInside(path)) paths.add(path);
    if (paths.size === NOTE_LIMITS.importAttachmentsPerNoteMax) break;
  }
  return [...paths];
}

function isInside(path: string): boolean {
  return !path.split(/[/\\]/).some((part) => part === '..' || part === '.' || part === '');
}
