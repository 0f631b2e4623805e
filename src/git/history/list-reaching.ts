import type { Engine } from '../engine.ts';
import type { Oid } from '../format/model.ts';
import type { CommitOf } from '../interface/snapshot.ts';
import { sharedObjects } from './shared-objects.ts';
import { requireCommit, walk } from './walk.ts';

type Needs = Pick<Engine, 'completeFolder'>;

/** @see git-rev-list(1), --ancestry-path */
export async function listReaching(
  engine: Needs,
  commit: CommitOf,
  tips: readonly Oid[],
): Promise<ReadonlySet<Oid>> {
  await requireCommit(commit);
  const others = tips.filter((tip) => tip !== commit.oid);
  const reaching = new Set(others.length < tips.length ? [commit.oid] : []);
  if (others.length === 0) return reaching;
  const location = await sharedObjects(engine, commit.snapshot, commit.snapshot);
  const args = ['rev-list', '--ignore-missing', '--ancestry-path', '--stdin'];
  const listed = await walk({ args, ...location }, `^${commit.oid}\n${others.join('\n')}\n`);
  const found = new Set(listed.split('\n'));
  for (const tip of others) if (found.has(tip)) reaching.add(tip);
  return reaching;
}
