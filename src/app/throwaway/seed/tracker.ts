import type { SeedApi } from './api.ts';
import type { Target } from './code.ts';
import type { SeedIssue, SeedProtection, SeedPullRequest, SeedRepository } from './model.ts';
import { makeLabels } from './people.ts';
import { SeedError } from './read.ts';

/** What issues and pull requests refer to. */
interface Known {
  /** ids by name */
  readonly labels: ReadonlyMap<string, number>;
  /** ids by title */
  readonly milestones: ReadonlyMap<string, number>;
}

/**
 * Makes labels, milestones, issues and pull requests.
 *
 * @param organizationLabels ids by name of the labels of the owner
 */
export async function makeTracker(
  api: SeedApi,
  target: Target,
  seed: SeedRepository,
  organizationLabels: ReadonlyMap<string, number>,
): Promise<void> {
  const { place, path, as } = target;
  const own = await makeLabels(api, { place: `${place}.labels`, as, path }, seed.labels ?? []);
  const milestones = new Map<string, number>();
  for (const [at, milestone] of (seed.milestones ?? []).entries()) {
    const of = { place: `${place}.milestones[${at}]`, as };
    const { id } = await api.sendPost(of, `${path}/milestones`, milestone);
    milestones.set(milestone.title, id);
  }
  const known = { labels: new Map([...organizationLabels, ...own]), milestones };
  for (const [at, issue] of (seed.issues ?? []).entries())
    await makeIssue(api, { ...target, place: `${place}.issues[${at}]` }, known, issue);
  for (const [at, pull] of (seed.pull_requests ?? []).entries())
    await makePullRequest(api, { ...target, place: `${place}.pull_requests[${at}]` }, known, pull);
}

async function makeIssue(api: SeedApi, target: Target, known: Known, issue: SeedIssue): Promise<void> {
  const { path, as, place } = target;
  const { title, body, author, state } = issue;
  const by = authorOf(target, author);
  const { number } = await api.sendPost({ place, as: by }, `${path}/issues`, { title, body });
  await makeDetails(api, target, { number, known }, issue);
  if (state === 'closed') await api.sendPatch({ place, as }, `${path}/issues/${number}`, { state });
}

async function makePullRequest(
  api: SeedApi,
  target: Target,
  known: Known,
  pull: SeedPullRequest,
): Promise<void> {
  const { path, as, place, defaultBranch } = target;
  const { title, body, author, head, base = defaultBranch, reviewers = [], reviews = [], state } = pull;
  const by = authorOf(target, author);
  const { number } = await api.sendPost({ place, as: by }, `${path}/pulls`, { title, body, head, base });
  await makeDetails(api, target, { number, known }, pull);
  if (reviewers.length > 0)
    await api.sendPost({ place: `${place}.reviewers`, as }, `${path}/pulls/${number}/requested_reviewers`, {
      reviewers,
    });
  for (const [at, { author: reviewer, ...review }] of reviews.entries()) {
    const reviewPlace = `${place}.reviews[${at}]`;
    requireUser(target, `${reviewPlace}.author`, reviewer);
    await api.sendPost({ place: reviewPlace, as: reviewer }, `${path}/pulls/${number}/reviews`, review);
  }
  const of = { place: `${place}.state`, as };
  if (state === 'closed') await api.sendPatch(of, `${path}/pulls/${number}`, { state });
  if (state === 'merged') await api.sendPost(of, `${path}/pulls/${number}/merge`, { Do: 'merge' });
}

/** What only users with write access may set, and the comments. */
async function makeDetails(
  api: SeedApi,
  target: Target,
  { number, known }: { number: number; known: Known },
  { labels = [], assignees, milestone, due_date, comments = [] }: SeedIssue | SeedPullRequest,
): Promise<void> {
  const { path, as, place } = target;
  const ids = labels.map((name, at) => found(known.labels, name, `${place}.labels[${at}]`, 'label'));
  if (ids.length > 0)
    await api.sendPost({ place: `${place}.labels`, as }, `${path}/issues/${number}/labels`, { labels: ids });
  const edit = {
    ...(assignees === undefined ? {} : { assignees }),
    ...(due_date === undefined ? {} : { due_date }),
    ...(milestone === undefined
      ? {}
      : { milestone: found(known.milestones, milestone, `${place}.milestone`, 'milestone') }),
  };
  if (Object.keys(edit).length > 0) await api.sendPatch({ place, as }, `${path}/issues/${number}`, edit);
  for (const [at, { author, body }] of comments.entries()) {
    const commentPlace = `${place}.comments[${at}]`;
    const by = authorOf({ ...target, place: commentPlace }, author);
    await api.sendPost({ place: commentPlace, as: by }, `${path}/issues/${number}/comments`, { body });
  }
}

function found(ids: ReadonlyMap<string, number>, name: string, place: string, what: string): number {
  const id = ids.get(name);
  if (id === undefined) throw new SeedError(place, `the seed has no ${what} ${name} here`);
  return id;
}

function authorOf(target: Target, name: string | undefined): string | undefined {
  if (name === undefined) return target.as;
  requireUser(target, `${target.place}.author`, name);
  return name;
}

/** @throws SeedError */
function requireUser({ identityOf }: Target, place: string, name: string): void {
  identityOf(place, name);
}

export async function makeProtections(
  api: SeedApi,
  { place, path, as }: Target,
  protections: readonly SeedProtection[],
): Promise<void> {
  for (const [at, protection] of protections.entries()) {
    const { rule_name, push, required_approvals = 0, status_checks = [] } = protection;
    await api.sendPost({ place: `${place}.branch_protections[${at}]`, as }, `${path}/branch_protections`, {
      rule_name,
      enable_push: push === undefined || push.length > 0,
      enable_push_whitelist: push !== undefined && push.length > 0,
      push_whitelist_usernames: push ?? [],
      required_approvals,
      enable_status_check: status_checks.length > 0,
      status_check_contexts: status_checks,
    });
  }
}
