import { invalid } from '../../base/core/failure.ts';
import type { Engine } from '../engine.ts';
import type { Snapshot } from '../model.ts';
import type { GitCommand } from '../processes/child.ts';

/** Folders for one git command that reads the objects of two repositories. */
type SharedObjects = Pick<GitCommand, 'gitDir' | 'alsoReads'>;

export async function sharedObjects(engine: Engine, one: Snapshot, other: Snapshot): Promise<SharedObjects> {
  if (one.objectFormat !== other.objectFormat) {
    throw invalid('the two repositories have different object formats');
  }
  const { path: gitDir } = await engine.ensureFolder(one.id, one.objectFormat);
  if (other.id === one.id) return { gitDir };
  const { objects } = await engine.ensureFolder(other.id, other.objectFormat);
  return { gitDir, alsoReads: [objects] };
}
