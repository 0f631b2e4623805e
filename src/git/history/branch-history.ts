import { ForgeError } from '../../base/core/failure.ts';
import { currentCaller } from '../../base/core/fairness/caller.ts';
import type { Oid } from '../format/model.ts';
import { GIT_LIMITS } from '../limits.ts';
import type { ObjectsLocation } from '../objects/cat-file.ts';
import { type GitCommand, runGit } from '../processes/child.ts';
import { GitFailedError } from '../processes/git-failed-error.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';

/**
 * Whether `descendant` is or reaches `ancestor`. Both are commits.
 *
 * @see git-merge-base(1), --is-ancestor
 */
export async function isReached(
  location: ObjectsLocation,
  { ancestor, descendant }: { ancestor: Oid; descendant: Oid },
): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', ancestor, descendant];
  return (await walk({ args, ...location }, '')) !== undefined;
}

/**
 * Returns the first commit on the line of first parents of `tip` that `known` reaches; null if there is none.
 *
 * @see git-rev-list(1), --first-parent
 */
export async function findBranchBase(
  location: ObjectsLocation,
  tip: Oid,
  known: readonly Oid[],
): Promise<Oid | null> {
  const args = ['rev-list', '--first-parent', '--parents', '--stdin'];
  const input = [tip, ...known.map((oid) => `^${oid}`), ''].join('\n');
  const lines = ((await walk({ args, ...location }, input)) ?? '').trimEnd().split('\n');
  const oldest = lines.at(-1) ?? '';
  if (oldest === '') return tip;
  const [, parent] = oldest.split(' ');
  return parent ?? null;
}

/**
 * Lists the best common ancestors of two commits; none of unrelated histories.
 *
 * @see git-merge-base(1), --all
 */
export async function listMergeBases(
  location: ObjectsLocation,
  commits: readonly [Oid, Oid],
): Promise<readonly Oid[]> {
  const args = ['merge-base', '--all', ...commits];
  return ((await walk({ args, ...location }, '')) ?? '').split('\n').filter((oid) => oid !== '');
}

/**
 * Lists at most `countMax` of the commits that `tip` reaches and `base` does not.
 *
 * @param base null: nothing
 * @see git-rev-list(1)
 */
export async function listCommitsSince(
  location: ObjectsLocation,
  { tip, base }: { tip: Oid; base: Oid | null },
  countMax: number,
): Promise<readonly Oid[]> {
  const args = ['rev-list', `--max-count=${countMax}`, '--stdin'];
  const input = [tip, ...(base === null ? [] : [`^${base}`]), ''].join('\n');
  return ((await walk({ args, ...location }, input)) ?? '').split('\n').filter((oid) => oid !== '');
}

/** Returns what git prints; undefined if it ends with 1, which stands for "no". */
async function walk(command: GitCommand, input: string): Promise<string | undefined> {
  const { left } = currentCaller();
  const run = { slots: PROCESS_SLOTS.short, deadlineMs: GIT_LIMITS.historyWalkMs, signal: left, input };
  try {
    return (await runGit(command, run)).stdout.toString();
  } catch (error) {
    if (!(error instanceof GitFailedError)) throw error;
    if (error.exitCode === 1) return undefined;
    if (error.exitCode !== null) throw error;
    const what = 'this history takes too long to check against the protection of the branch';
    throw new ForgeError({ kind: 'busy', what, retryAfterSeconds: 60 });
  }
}
