import { GIT_LIMITS } from '../limits.ts';
import { bytesOfName, bytesOfPath, isQuotedPath, textOfPath } from './name-bytes.ts';

/** Code points that HFS+ ignores when it compares names: next_hfs_char in git's utf8.c. */
const IGNORED_BY_HFS = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** `.git` and its short name on NTFS, with the trailing dots, spaces and streams (`:…`) that Windows ignores. */
const DOT_GIT = /^(?:\.git|git~1)[ .]*(?::.*)?$/i;

/**
 * Explains why a path is invalid in a tree, or returns undefined for a valid one. A path must not leave the tree, and no
 * client's file system may treat a part of it as the `.git` folder. New paths have further rules: `newPathProblem`.
 */
export function treePathProblem(path: string): string | undefined {
  if (path === '') return 'a path is needed';
  if (!path.isWellFormed()) return 'a path must be valid Unicode';
  if (isLonger(bytesOfPath, path, GIT_LIMITS.treePathBytesMax)) {
    return `a path is at most ${GIT_LIMITS.treePathBytesMax} bytes long`;
  }
  if (path.includes('\0')) return 'a path cannot hold a NUL character';
  return path
    .split('/')
    .map(treeNameProblem)
    .find((problem) => problem !== undefined);
}

/** Explains why nothing new may have this path, or returns undefined. A push may bring paths that only break this rule. */
export function newPathProblem(path: string): string | undefined {
  return treePathProblem(path) ?? newNameProblem(path);
}

/** Explains why no new file or folder may have a name, or returns undefined. */
export function newNameProblem(name: string): string | undefined {
  if (isQuotedPath(name)) return 'a new name cannot have the form that stands for a name that is not UTF-8';
  // Windows treats a backslash as a separator, so one name here would be several folders there.
  if (name.includes('\\')) return 'a path cannot hold a backslash';
  if (/[\u0000-\u001f\u007f]/.test(name)) return 'a path cannot hold control characters';
  return undefined;
}

/** The text of a quoted name is longer than its bytes. */
function isLonger(bytesOf: (text: string) => Buffer, text: string, bytesMax: number): boolean {
  return Buffer.byteLength(text) > bytesMax && bytesOf(text).length > bytesMax;
}

function treeNameProblem(name: string): string | undefined {
  if (name === '') return 'a path cannot begin or end with a slash, or hold two in a row';
  if (name === '.' || name === '..') return 'a path cannot hold . or .. as a name';
  if (isLonger(bytesOfName, name, GIT_LIMITS.treeNameBytesMax)) {
    return `a name in a path is at most ${GIT_LIMITS.treeNameBytesMax} bytes long`;
  }
  if (DOT_GIT.test(textOfPath(name).replaceAll(IGNORED_BY_HFS, '')))
    return 'a path cannot hold .git as a name';
  return undefined;
}

/**
 * Names under which git reads `.gitmodules` and `.gitattributes`, on any file system. The short names of NTFS are matched
 * more broadly than git does, because their digits depend on a hash.
 */
const READ_BY_GIT = /^(?:\.git(?:modules|attributes)|[a-z0-9]{0,6}~\d+)[ .]*(?::.*)?$/i;

/** Whether git itself may read a file at this path, so that git must check it. */
export function isReadByGit(path: string): boolean {
  return textOfPath(path)
    .split('/')
    .some((name) => READ_BY_GIT.test(name.replaceAll(IGNORED_BY_HFS, '')));
}
