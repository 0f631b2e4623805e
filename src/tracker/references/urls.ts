import type { CommitReference, IssueReference, ReferenceOptions } from './model.ts';

/** A URL in a text, without the punctuation after it. */
interface FoundUrl {
  readonly start: number;
  readonly end: number;
  readonly url: string;
}

export type Target =
  | { readonly kind: 'issue'; readonly issue: IssueReference }
  | { readonly kind: 'commit'; readonly commit: CommitReference };

const SCHEME_CHARS_MAX = 32;
const SCHEME_CHAR = /[a-z0-9+.-]/i;
const URL_END = /[\s<>"]/g;
const PUNCTUATION = ")].,:;!?'*_~";

/** Finds all URLs. The time is linear: each part of the text is looked at once. */
export function urlsIn(text: string): readonly FoundUrl[] {
  const found: FoundUrl[] = [];
  let passed = 0;
  for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', passed)) {
    let start = at;
    const earliest = Math.max(passed, at - SCHEME_CHARS_MAX);
    while (start > earliest && SCHEME_CHAR.test(text.charAt(start - 1))) start -= 1;
    URL_END.lastIndex = at;
    passed = URL_END.exec(text)?.index ?? text.length;
    let end = passed;
    while (end > at + 3 && PUNCTUATION.includes(text.charAt(end - 1))) end -= 1;
    found.push({ start, end, url: text.slice(start, end) });
  }
  return found;
}

const ISSUE_PATH = /^\/([\w.-]+)\/([\w.-]+)\/(issues|pulls)\/(\d{1,16})(?:[?#].*)?$/;
const COMMIT_PATH = /^\/([\w.-]+)\/([\w.-]+)\/commit\/([0-9a-f]{7,64})(?:[?#].*)?$/;

/**
 * Returns the issue or commit that a page of this server shows. The scheme does not matter: a server may have several.
 *
 * @param address a URL, or a path that begins with `/`
 */
export function targetOf(address: string, { baseUrl }: ReferenceOptions): Target | undefined {
  const path = pathBelow(address, baseUrl);
  if (path === undefined) return undefined;
  const [, owner = '', name = '', page, digits] = ISSUE_PATH.exec(path) ?? [];
  if (digits !== undefined) {
    const issue = issueOf(digits, page === 'pulls' ? '!' : '#', { owner, name });
    return issue === undefined ? undefined : { kind: 'issue', issue };
  }
  const [, commitOwner = '', commitName = '', id] = COMMIT_PATH.exec(path) ?? [];
  if (id === undefined) return undefined;
  return { kind: 'commit', commit: { repository: { owner: commitOwner, name: commitName }, id } };
}

function pathBelow(address: string, baseUrl: string): string | undefined {
  const base = baseUrl.replace(/\/$/, '');
  const [, host = '', basePath = ''] = /^[^:]*:\/\/([^/]*)(.*)$/.exec(base) ?? [];
  const isPath = address.startsWith('/') && !address.startsWith('//');
  const [, ownHost, path = ''] = isPath
    ? ['', host, address]
    : (/^https?:\/\/([^/]*)(.*)$/i.exec(address) ?? []);
  if (ownHost?.toLowerCase() !== host.toLowerCase() || !path.startsWith(`${basePath}/`)) return undefined;
  return path.slice(basePath.length);
}

/** @returns undefined if no issue can have this number */
export function issueOf(
  digits: string,
  sign: '#' | '!',
  repository?: { readonly owner: string; readonly name: string },
): IssueReference | undefined {
  const number = Number(digits);
  if (number < 1 || !Number.isSafeInteger(number)) return undefined;
  return { ...(repository === undefined ? {} : { repository }), number, sign };
}
