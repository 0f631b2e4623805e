import type { Found, Keyword, ReferenceOptions } from './model.ts';
import { issueOf, targetOf, urlsIn } from './urls.ts';

// What stands before and after a reference. Each pattern below starts at a boundary and matches characters that are no
// boundary, so no part of a text is read more than a few times.
const BEFORE = String.raw`(?<=^|[\s([|])`;
const AFTER = String.raw`(?=$|[\s)\]|]|[:;,.?!](?:\s|$))`;
const QUOTABLE_BEFORE = String.raw`(?<=^|[\s([|'"])`;
const QUOTABLE_AFTER = String.raw`(?=$|[\s)\]|'"]|[:;,.?!](?:\s|$))`;
const AFTER_MENTION = String.raw`(?=$|[\s)\]|']|[:;,.?!](?:\s|$))`;
const NAME = String.raw`[-\w][-.\w]*?`;
const REPOSITORY = String.raw`([\w.-]+)\/([\w.-]+)`;

const MENTION = new RegExp(`${BEFORE}@(${NAME})(?:\\/(${NAME}))?${AFTER_MENTION}`, 'g');
const ISSUE = new RegExp(`${QUOTABLE_BEFORE}([#!])(\\d{1,16})${QUOTABLE_AFTER}`, 'g');
const ISSUE_ELSEWHERE = new RegExp(`${BEFORE}${REPOSITORY}([#!])(\\d{1,16})${AFTER}`, 'g');
const COMMIT = new RegExp(`${BEFORE}([0-9a-f]{7,64})${AFTER}`, 'g');
const COMMIT_ELSEWHERE = new RegExp(`${BEFORE}${REPOSITORY}@([0-9a-f]{7,64})${AFTER}`, 'g');

/** The longest keyword, a colon, a space, and the boundary before it. */
const KEYWORD_CHARS_MAX = 12;
const CLOSES = /(?:^|[\s([|])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):? $/i;
const REOPENS = /(?:^|[\s([|])(?:reopen(?:s|ed)?):? $/i;

/**
 * Finds the references in a text without markup, in the order of the text. What a URL contains is no reference, unless
 * the URL is the page of an issue or a commit.
 */
export function findReferences(text: string, options: ReferenceOptions): readonly Found[] {
  const urls = urlsIn(text);
  const isOutsideUrls = outside(urls);
  const found = [
    ...urls.flatMap(({ url, start, end }) => {
      const target = targetOf(url, options);
      return target === undefined ? [] : [{ start, end, ...target }];
    }),
    ...[...mentionsIn(text), ...issuesIn(text), ...commitsIn(text)].filter(isOutsideUrls),
  ].sort((one, other) => one.start - other.start);
  return found.map((reference) => (reference.kind === 'issue' ? withKeyword(text, reference) : reference));
}

type FoundIssue = Extract<Found, { readonly kind: 'issue' }>;
type Span = { readonly start: number; readonly end: number };

/** Returns a check for spans that come in any order. */
function outside(spans: readonly Span[]): (span: Span) => boolean {
  if (spans.length === 0) return () => true;
  return ({ start }) => {
    let low = 0;
    let high = spans.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((spans[middle]?.start ?? 0) <= start) low = middle + 1;
      else high = middle;
    }
    return start >= (spans[low - 1]?.end ?? 0);
  };
}

function mentionsIn(text: string): readonly Found[] {
  return [...text.matchAll(MENTION)].map((match) => {
    const [all, name = '', team] = match;
    const span = { start: match.index, end: match.index + all.length };
    if (team === undefined) return { ...span, kind: 'mention', name };
    return { ...span, kind: 'team', mention: { organization: name, team } };
  });
}

function issuesIn(text: string): readonly Found[] {
  const here = [...text.matchAll(ISSUE)].map((match) => {
    const [, sign, digits = ''] = match;
    return { match, issue: issueOf(digits, sign === '!' ? '!' : '#') };
  });
  const elsewhere = [...text.matchAll(ISSUE_ELSEWHERE)].map((match) => {
    const [, owner = '', name = '', sign, digits = ''] = match;
    return { match, issue: issueOf(digits, sign === '!' ? '!' : '#', { owner, name }) };
  });
  return [...here, ...elsewhere].flatMap(({ match, issue }) =>
    issue === undefined
      ? []
      : [{ kind: 'issue', start: match.index, end: match.index + match[0].length, issue }],
  );
}

function commitsIn(text: string): readonly Found[] {
  const here = [...text.matchAll(COMMIT)].map((match) => ({ match, commit: { id: match[1] ?? '' } }));
  const elsewhere = [...text.matchAll(COMMIT_ELSEWHERE)].map((match) => {
    const [, owner = '', name = '', id = ''] = match;
    return { match, commit: { repository: { owner, name }, id } };
  });
  return [...here, ...elsewhere].map(({ match, commit }) => ({
    kind: 'commit',
    start: match.index,
    end: match.index + match[0].length,
    commit,
  }));
}

function withKeyword(text: string, found: FoundIssue): Found {
  const keyword = keywordBefore(text, found.start);
  return keyword === undefined ? found : { ...found, issue: { ...found.issue, keyword } };
}

function keywordBefore(text: string, start: number): Keyword | undefined {
  const before = text.slice(Math.max(0, start - KEYWORD_CHARS_MAX), start);
  if (CLOSES.test(before)) return 'closes';
  return REOPENS.test(before) ? 'reopens' : undefined;
}
