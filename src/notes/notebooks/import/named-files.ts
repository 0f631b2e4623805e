import { NOTE_LIMITS } from '../limits.ts';

/** Targets of Markdown links and pictures, without their titles. */
const TARGET = /\]\(\s*(?:<([^<>\n]{1,1000})>|([^\s()<>]{1,1000}))/g;

/**
 * Lists the files beside a note that its text names. These are the paths of its pictures and links, except for targets
 * on other servers, in the text itself, or outside of the notebook.
 */
export function filesNamedIn(text: string): readonly string[] {
  const paths = new Set<string>();
  for (const [, quoted, plain] of text.matchAll(TARGET)) {
    const path = decoded(quoted ?? plain ?? '').replace(/^\.\//, '');
    if (isInside(path)) paths.add(path);
    if (paths.size === NOTE_LIMITS.importAttachmentsPerNoteMax) break;
  }
  return [...paths];
}

function decoded(target: string): string {
  try {
    return decodeURIComponent(target.replace(/[?#].*$/, ''));
  } catch {
    return target;
  }
}

function isInside(path: string): boolean {
  const isLocal = path !== '' && !/^(?:[a-z][a-z0-9+.-]*:|\/|\\)/i.test(path);
  return isLocal && !path.split(/[/\\]/).some((part) => part === '..' || part === '.' || part === '');
}
