import { hasUnseen, isPlainLine } from '../../base/core/text/text.ts';
import { newPathProblem } from '../../git/format/tree-paths.ts';
import { WIKI_PAGE_LIMITS } from './limits.ts';

// A page has three names. Its title is what people read. Its address is the last part of its URL. Its file is in the root
// of the git repository of the wiki:
//
//   title               address               file
//   Home Page           Home-Page             Home-Page.md
//   100% Free           100%25-Free           100%25-Free.md
//   2000-01-02 meeting  2000-01-02+meeting.-  2000-01-02 meeting.-.md

export const HOME = 'Home';
export const SIDEBAR = '_Sidebar';
export const FOOTER = '_Footer';

const EXTENSION = '.md';
/** Ends a name whose hyphens stand for themselves, and not for spaces. */
const MARKER = '.-';
/** Other pages have these addresses. */
const RESERVED: ReadonlySet<string> = new Set(['_pages', '_new', '_edit', 'raw']);
/** A browser removes them from an address. */
const FOLDERS: ReadonlySet<string> = new Set(['.', '..']);

/** Returns the address of the page with a title. */
export function addressOfTitle(title: string): string {
  const isMarked = title.includes('-') || title.endsWith(EXTENSION);
  return escapeQuery(isMarked ? `${title}${MARKER}` : title.replaceAll(' ', '-'));
}

/** Returns the name of the file in which the page with a title is stored. */
export function fileOfTitle(title: string): string {
  return `${addressOfTitle(title).replaceAll('+', ' ')}${EXTENSION}`;
}

/**
 * Returns the title that an address stands for, or the name of a file without its extension.
 *
 * @returns undefined for a name whose escapes are malformed
 */
export function titleOfName(name: string): string | undefined {
  return unescapeQuery(name.endsWith(MARKER) ? name.slice(0, -MARKER.length) : name.replaceAll('-', ' '));
}

/** Returns the name of a file without its extension; undefined for a file that is no page. */
export function stemOfFile(file: string): string | undefined {
  return file.endsWith(EXTENSION) && file.length > EXTENSION.length && isPlainLine(file)
    ? file.slice(0, -EXTENSION.length)
    : undefined;
}

/** Returns the file that an address names by its own name, as in `Home.md`; undefined for the address of a title. */
export function fileOfAddress(address: string): string | undefined {
  if (!address.endsWith(EXTENSION)) return undefined;
  try {
    return decodeURIComponent(address);
  } catch {
    return undefined;
  }
}

/** Explains why no page can get a title, or returns undefined. */
export function titleProblem(title: string): string | undefined {
  const { titleCharsMax, fileNameBytesMax } = WIKI_PAGE_LIMITS;
  if (title === '') return 'a page needs a title';
  if (title.length > titleCharsMax) return `a title has at most ${titleCharsMax} characters`;
  if (!isPlainLine(title) || hasUnseen(title))
    return 'a title is one line without control characters and invisible characters';
  if (RESERVED.has(title) || FOLDERS.has(title)) return `the title is reserved: ${title}`;
  const file = fileOfTitle(title);
  if (Buffer.byteLength(file) > fileNameBytesMax)
    return `the name of the file of this page would be longer than ${fileNameBytesMax} bytes: use a shorter title`;
  return newPathProblem(file);
}

/** Escapes a text as in a query: RFC 3986, section 2.3, has the characters that stay; a space becomes a plus. */
function escapeQuery(text: string): string {
  const escaped = encodeURIComponent(text).replaceAll('%20', '+');
  return escaped.replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}

function unescapeQuery(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
