import { findReferences } from './find.ts';
import { REFERENCE_LIMITS } from './limits.ts';
import type { CommitReference, Found, IssueReference, ReferenceOptions, References } from './model.ts';
import { spentSecondsIn } from './spent.ts';
import { visibleText } from './visible.ts';

/**
 * Returns what a Markdown text refers to: the text of an issue, a pull request or a comment. Code, HTML and the texts of
 * links do not count. Neither does what exceeds `REFERENCE_LIMITS.referenceTextCharsMax`, nor any further references beyond
 * `REFERENCE_LIMITS.referencesPerTextMax` of a kind.
 *
 * The time is linear. The first call loads the parser, so do not call this in a transaction.
 */
export async function referencesInMarkdown(text: string, options: ReferenceOptions): Promise<References> {
  // Most texts have none, and this is much cheaper than parsing.
  if (!MAY_HAVE_SOME.test(text)) return NONE;
  return referencesIn(await visibleText(beginningOf(text), options), options);
}

/** Returns what a text without markup refers to, such as a commit message. The limits are the same. */
export function referencesInMessage(text: string, options: ReferenceOptions): References {
  return referencesIn(beginningOf(text), options);
}

const MAY_HAVE_SOME = /[@#!]|[0-9a-f]{7}|\/(?:issues|pulls)\//;
const NONE: References = { mentions: [], teams: [], issues: [], commits: [] };

/** Cuts at a space, so that no reference is cut in two. */
function beginningOf(text: string): string {
  let end = REFERENCE_LIMITS.referenceTextCharsMax;
  if (text.length <= end) return text;
  while (end > 0 && !/\s/.test(text.charAt(end))) end -= 1;
  return text.slice(0, end);
}

function referencesIn(text: string, options: ReferenceOptions): References {
  const found = findReferences(text, options);
  const spent = spentSecondsIn(text, found);
  const mentions = found.flatMap((one) => (one.kind === 'mention' ? [one.name] : []));
  const teams = found.flatMap((one) => (one.kind === 'team' ? [one.mention] : []));
  const commits = found.flatMap((one) => (one.kind === 'commit' ? [one.commit] : []));
  return {
    mentions: distinct(mentions, (name) => name.toLowerCase()),
    teams: distinct(teams, ({ organization, team }) => `${organization}/${team}`.toLowerCase()),
    issues: distinctIssues(found, spent),
    commits: distinct(commits, (commit) => `${pathOf(commit)}@${commit.id}`),
  };
}

function distinct<T>(all: readonly T[], keyOf: (one: T) => string): readonly T[] {
  const byKey = new Map<string, T>();
  for (const one of all) {
    const key = keyOf(one);
    if (!byKey.has(key)) byKey.set(key, one);
    if (byKey.size === REFERENCE_LIMITS.referencesPerTextMax) break;
  }
  return [...byKey.values()];
}

/** Joins the references to each issue: the last keyword decides, and the first report of work counts. */
function distinctIssues(
  found: readonly Found[],
  spent: ReadonlyMap<Found, number>,
): readonly IssueReference[] {
  const byKey = new Map<string, IssueReference>();
  for (const one of found) {
    if (one.kind !== 'issue') continue;
    const key = `${pathOf(one.issue)}#${one.issue.number}`;
    const known = byKey.get(key);
    if (known === undefined && byKey.size === REFERENCE_LIMITS.referencesPerTextMax) continue;
    const keyword = one.issue.keyword ?? known?.keyword;
    const spentSeconds = known?.spentSeconds ?? spent.get(one);
    byKey.set(key, {
      ...(known ?? one.issue),
      ...(keyword === undefined ? {} : { keyword }),
      ...(spentSeconds === undefined ? {} : { spentSeconds }),
    });
  }
  return [...byKey.values()];
}

function pathOf({ repository }: IssueReference | CommitReference): string {
  return repository === undefined ? '' : `${repository.owner}/${repository.name}`.toLowerCase();
}
