import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Person } from '../../../support/forge/forge.ts';
import type { Wire } from '../../issues/tracker.ts';
import { commitFile, entriesOf, openPull, PULLS, startEngine } from '../pulls.ts';

export const PULL = `${PULLS}/1`;
export const REVIEWS = `${PULL}/reviews`;
export const REQUESTS = `${PULL}/requested_reviewers`;
/** A comment on a line that the pull request adds. */
export const AT_VALVE = { path: 'valve.txt', new_position: 2, body: 'Why?' };
/** The file that the pull request changes: its lines on `main`. */
export const LINES: readonly string[] = Array.from({ length: 12 }, (_, index) => `line ${index + 1}\n`);

/**
 * Starts a forge in which ben has opened a pull request. It replaces line 5 of `pump.txt`, and adds `valve.txt` with three
 * lines.
 */
export async function startPull(t: TestContext) {
  const started = await startEngine(t);
  const { ada, ben } = started;
  const base = await commitFile(ada, 'pump.txt', LINES.join(''));
  const first = await commitFile(ben, 'pump.txt', LINES.with(4, 'pump\n').join(''), {
    branch: 'pump',
    from: 'main',
  });
  const head = await commitFile(ben, 'valve.txt', 'one\ntwo\nthree\n', { branch: 'pump' });
  await openPull(ben);
  return { ...started, base, first, head };
}

/** Creates a review, and returns its record. */
export async function review(who: Person, fields: Record<string, unknown>): Promise<Wire> {
  const answer = await who.post(REVIEWS, fields);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** Reviews without a verdict, with these comments. @returns the records of the comments */
export async function commented(who: Person, ...comments: readonly Wire[]): Promise<readonly Wire[]> {
  const { id } = await review(who, { event: 'COMMENT', body: 'See below.', comments });
  return (await who.get(`${REVIEWS}/${id}/comments`)).body;
}

/** Returns the entries of some kinds in the timeline of the pull request. */
export function entries(who: Person, ...kinds: readonly string[]): Promise<readonly Wire[]> {
  return entriesOf(who, 1, ...kinds);
}

export async function states(who: Person): Promise<readonly string[]> {
  return (await who.get(REVIEWS)).body.map((each: Wire) => each.state);
}

/** Returns of whom reviews are requested: names of users, and then names of teams after the word `team`. */
export async function requested(who: Person, at = PULL): Promise<readonly string[]> {
  const { requested_reviewers: users, requested_reviewers_teams: teams } = (await who.get(at)).body;
  return [...users.map(({ login }: Wire) => login), ...teams.map(({ name }: Wire) => `team ${name}`)];
}
