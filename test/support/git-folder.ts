import type { LocalStorage } from '../../src/git/create.ts';
import type { Snapshot } from '../../src/git/interface/snapshot.ts';
import type { GitStorage } from '../../src/git/interface/storage.ts';
import type { TransferResources } from '../../src/git/processes/transfer-resources.ts';

/** Returns the folder of a repository, with refs at least as new as `snapshot`. The product never hands it out. */
export async function mirrorOf(git: GitStorage, snapshot: Snapshot): Promise<{ readonly gitDir: string }> {
  const { path } = await (git as LocalStorage).engine.mirroredFolder(snapshot);
  return { gitDir: path };
}

/** Returns the slots and the disk space that all transfers share. */
export function resourcesOf(git: GitStorage): TransferResources {
  return (git as LocalStorage).engine.transfers;
}

/** Returns the folder of a repository, which has all objects. Its refs may be out of date. */
export async function objectsFolderOf(
  git: GitStorage,
  { id, objectFormat }: Snapshot,
): Promise<{ readonly gitDir: string }> {
  const { path } = await (git as LocalStorage).engine.completeFolder(id, objectFormat);
  return { gitDir: path };
}
