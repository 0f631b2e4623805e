import { findReferences } from './find.ts';
import { REFERENCE_LIMITS } from './limits.ts';
import type { CommitReference, IssueReference, ReferenceOptions, References } from './model.ts';
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

/**
 * Returns what an issue or a pull request refers to. The title has no markup and mentions no user, as in the reference. The
 * limits are those of `referencesInMarkdown`.
 */
export async function referencesInIssue(
  { title, body }: { readonly title: string; readonly body: string },
  options: ReferenceOptions,
): Promise<References> {
  const ofTitle = referencesInMessage(title, options);
  const ofBody = await referencesInMarkdown(body, options);
  return {
    ...ofBody,
    issues: distinctIssues([...ofTitle.issues, ...ofBody.issues]),
    commits: distinctCommits([...ofTitle.commits, ...ofBody.commits]),
  };
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
  const issues = found.flatMap((one) => (one.kind === 'issue' ? [withSpent(one.issue, spent.get(one))] : []));
  const commits = found.flatMap((one) => (one.kind === 'commit' ? [one.commit] : []));
  return {
    mentions: distinct(mentions, (name) => name.toLowerCase()),
    teams: distinct(teams, ({ organization, team }) => `${organization}/${team}`.toLowerCase()),
    issues: distinctIssues(issues),
    commits: distinctCommits(commits),
  };
}

function withSpent(issue: IssueReference, spentSeconds: number | undefined): IssueReference {
  return spentSeconds === undefined ? issue : { ...issue, spentSeconds };
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

function distinctCommits(all: readonly CommitReference[]): readonly CommitReference[] {
  return distinct(all, (commit) => `${pathOf(commit)}@${commit.id}`);
}

/** Joins the references to each issue: the last keyword decides, and the first report of work counts. */
function distinctIssues(all: readonly IssueReference[]): readonly IssueReference[] {
  const byKey = new Map<string, IssueReference>();
  for (const issue of all) {
    const key = `${pathOf(issue)}#${issue.number}`;
    const known = byKey.get(key);
    if (known === undefined && byKey.size === REFERENCE_LIMITS.referencesPerTextMax) continue;
    const keyword = issue.keyword ?? known?.keyword;
    const withKeyword = { ...(known ?? issue), ...(keyword === undefined ? {} : { keyword }) };
    byKey.set(key, withSpent(withKeyword, known?.spentSeconds ?? issue.spentSeconds));
  }
  return [...byKey.values()];
}

function pathOf({ repository }: IssueReference | CommitReference): string {
  return repository === undefined ? '' : `${repository.owner}/${repository.name}`.toLowerCase();
}
