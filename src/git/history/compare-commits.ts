import { notFound } from '../../base/core/failure.ts';
import type { Engine } from '../engine.ts';
import type { CommitOf, Oid } from '../model.ts';
import { GitFailedError } from '../processes/git-failed-error.ts';
import type { Apart } from './model.ts';
import { sharedObjects } from './shared-objects.ts';
import { walk } from './walk.ts';

/** @see git-rev-list(1), --left-right */
export async function countBetween(engine: Engine, base: CommitOf, head: CommitOf): Promise<Apart> {
  await Promise.all([base, head].map(requireCommit));
  const location = await sharedObjects(engine, head.snapshot, base.snapshot);
  const args = ['rev-list', '--count', '--left-right', '--stdin'];
  const counts = await walk({ args, ...location }, `${base.oid}...${head.oid}\n`);
  const [behind = 0, ahead = 0] = counts.trim().split('\t').map(Number);
  return { behind, ahead };
}

/** @see git-merge-base(1), --is-ancestor */
export async function isAncestor(engine: Engine, ancestor: CommitOf, descendant: CommitOf): Promise<boolean> {
  await Promise.all([ancestor, descendant].map(requireCommit));
  const location = await sharedObjects(engine, descendant.snapshot, ancestor.snapshot);
  const args = ['merge-base', '--is-ancestor', ancestor.oid, descendant.oid];
  try {
    await walk({ args, ...location }, '');
    return true;
  } catch (error) {
    if (error instanceof GitFailedError && error.exitCode === 1) return false;
    throw error;
  }
}

/** Ensures that git gets only the id of an existing commit. @throws ForgeError `not_found` */
export async function requireCommit({ snapshot, oid }: CommitOf): Promise<void> {
  const info = await snapshot.objects.info(oid);
  if (info?.type !== 'commit') throw notFound(`commit ${oid}`);
}

/** @see git-merge-base(1) */
export async function mergeBase(engine: Engine, one: CommitOf, other: CommitOf): Promise<Oid | undefined> {
  await Promise.all([one, other].map(requireCommit));
  const location = await sharedObjects(engine, other.snapshot, one.snapshot);
  try {
    const bases = await walk({ args: ['merge-base', one.oid, other.oid], ...location }, '');
    return bases.trim();
  } catch (error) {
    if (error instanceof GitFailedError && error.exitCode === 1) return undefined;
    throw error;
  }
}
