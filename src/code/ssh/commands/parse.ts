import type { TransferOperation } from '../../../api/access/viewer.ts';
import { withoutEndSlashes } from '../../../base/core/text/text.ts';
import { pathInGitUrl } from '../../../hosting/repositories/git-clients.ts';
import type { RepositoryPath } from '../../../hosting/repositories/model.ts';
import { SSH_LIMITS } from '../limits.ts';

export type SshCommand =
  | { readonly kind: 'fetch' | 'push' | 'archive'; readonly path: RepositoryPath }
  | {
      readonly kind: 'large files' | 'large files over HTTP';
      readonly path: RepositoryPath;
      readonly operation: TransferOperation;
    };

const GIT_COMMANDS: Readonly<Record<string, 'fetch' | 'push' | 'archive'>> = {
  'git-upload-pack': 'fetch',
  'git-receive-pack': 'push',
  'git-upload-archive': 'archive',
};

const LFS_COMMANDS: Readonly<
  Record<string, { kind: 'large files' | 'large files over HTTP'; moreMax: number }>
> = {
  'git-lfs-transfer': { kind: 'large files', moreMax: 0 },
  // Old clients add the id of an object.
  'git-lfs-authenticate': { kind: 'large files over HTTP', moreMax: 1 },
};

/** Parses what a client wants to run; undefined for anything that this server does not run. */
export function parseCommand(text: string): SshCommand | undefined {
  const words = text.length > SSH_LIMITS.commandCharsMax ? undefined : splitWords(text);
  if (words === undefined) return undefined;
  // Some clients send "git upload-pack".
  const [program = '', ...args] = words[0] === 'git' ? [`git-${words[1]}`, ...words.slice(2)] : words;
  const path = pathOf(args[0] ?? '');
  if (path === undefined) return undefined;
  const largeFiles = Object.hasOwn(LFS_COMMANDS, program) ? LFS_COMMANDS[program] : undefined;
  if (largeFiles !== undefined) {
    const [, operation, ...rest] = args;
    const isKnown = operation === 'download' || operation === 'upload';
    return isKnown && rest.length <= largeFiles.moreMax
      ? { kind: largeFiles.kind, path, operation }
      : undefined;
  }
  const kind = Object.hasOwn(GIT_COMMANDS, program) ? GIT_COMMANDS[program] : undefined;
  return kind === undefined || args.length !== 1 ? undefined : { kind, path };
}

/** Returns the path of a repository: with or without a slash before it, and `.git` and a slash after it. */
function pathOf(text: string): RepositoryPath | undefined {
  const [owner = '', repo = '', ...rest] = withoutEndSlashes(text).replace(/^\//, '').split('/');
  if (owner === '' || repo === '' || rest.length > 0) return undefined;
  return pathInGitUrl({ owner, repo });
}

/** Characters that mean something to a shell, so a client that sends one wants a shell. */
const SPECIAL = /[\u0000-\u0008\u000a-\u001f\u007f;&|<>()$`*?[\]#!{}]/;

/**
 * Splits a command into words as a shell does: git quotes paths. There is no shell here, and nothing is expanded.
 *
 * @returns undefined if the text needs a shell
 */
export function splitWords(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === ' ' || character === '\t') {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    const piece = pieceAt(text, at);
    if (piece === undefined) return undefined;
    word = (word ?? '') + piece.text;
    at = piece.last;
  }
  return word === undefined ? words : [...words, word];
}

/** Reads one piece of a word: quoted text, an escaped character, or a character. */
function pieceAt(text: string, at: number): { text: string; last: number } | undefined {
  const character = text.charAt(at);
  if (character === "'" || character === '"') {
    const end = text.indexOf(character, at + 1);
    const quoted = text.slice(at + 1, end);
    // Within double quotes, a shell expands these.
    if (end === -1 || quoted.includes('\0') || (character === '"' && /[$`\\]/.test(quoted))) return undefined;
    return { text: quoted, last: end };
  }
  if (character === '\\') {
    const escaped = text.charAt(at + 1);
    return escaped === '' || escaped === '\n' ? undefined : { text: escaped, last: at + 1 };
  }
  return SPECIAL.test(character) ? undefined : { text: character, last: at };
}
