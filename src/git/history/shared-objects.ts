import { invalid } from '../../base/core/failure.ts';
import type { Engine } from '../engine.ts';
import type { ObjectSource } from '../interface/snapshot.ts';
import type { GitCommand } from '../processes/child.ts';

type Needs = Pick<Engine, 'completeFolder'>;

/** Folders for one git command that reads the objects of two repositories. */
type SharedObjects = Pick<GitCommand, 'gitDir' | 'alsoReads'>;

export async function sharedObjects(
  engine: Needs,
  one: ObjectSource,
  other: ObjectSource,
): Promise<SharedObjects> {
  if (one.objectFormat !== other.objectFormat) {
    throw invalid('the two repositories have different object formats');
  }
  const { path: gitDir } = await engine.completeFolder(one.id, one.objectFormat);
  if (other.id === one.id) return { gitDir };
  const { objects } = await engine.completeFolder(other.id, other.objectFormat);
  return { gitDir, alsoReads: [objects] };
}
