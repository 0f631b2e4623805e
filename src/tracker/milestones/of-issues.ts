// Functions by which the code of issues finds and checks milestones.

import { invalid, notFound } from '../../base/core/failure.ts';
import { parseId } from '../../base/core/text/ids.ts';
import { isPlainLine } from '../../base/core/text/text.ts';
import type { Db } from '../../base/database/database.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { Milestone } from './model.ts';
import { findMilestone, findMilestoneIdsByTitle, findMilestones } from './store.ts';

/** @throws ForgeError `invalid` if the repository has no such milestone, or `not_found` if `otherwise` says so */
export async function requireMilestoneOf(
  db: Db,
  repositoryId: RepositoryId,
  id: number,
  { otherwise = 'invalid' }: { otherwise?: 'invalid' | 'not_found' } = {},
): Promise<Milestone> {
  const found = await findMilestone(db, repositoryId, id);
  if (found !== undefined) return found;
  const say = `the repository has no milestone ${id}`;
  throw otherwise === 'invalid' ? invalid(say) : notFound('milestone', { say });
}

/** Lists the ids of the milestones that a filter names by title or, if no title matches, by id. */
export async function milestoneIdsOf(
  db: Db,
  repositoryId: RepositoryId,
  keys: readonly string[],
): Promise<readonly number[]> {
  const titles = keys.filter(isPlainLine);
  const byTitle = titles.length === 0 ? [] : await findMilestoneIdsByTitle(db, repositoryId, titles);
  if (byTitle.length > 0) return byTitle;
  const ids = keys.flatMap((key) => parseId(key) ?? []);
  return ids.length === 0
    ? []
    : (await findMilestones(db, ids))
        .filter((found) => found.repositoryId === repositoryId)
        .map(({ id }) => id);
}

/** Reads milestones by id. */
export async function readMilestones(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Milestone>> {
  if (ids.length === 0) return new Map();
  return new Map((await findMilestones(db, ids)).map((milestone) => [milestone.id, milestone]));
}
