import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { listObjectFiles, packNames } from '../folders/object-files.ts';
import type { RepositoryFolder } from '../folders/repository-layout.ts';
import type { RepositoryId } from '../interface/snapshot.ts';
import { inWorkshop, subjectOf, type Workshop, type WorkshopNeeds } from './workshop.ts';

/** Deletes the index over several packs, which must not outlive any of them. */
export async function dropPackIndexes(folder: RepositoryFolder): Promise<void> {
  await rm(join(folder.packs, 'multi-pack-index'), { force: true });
}

export async function writeIndexes(workshop: Workshop): Promise<void> {
  const packs = packNames(await listObjectFiles(workshop.folder));
  // git rejects an empty multi-pack index, and a single pack has its own index.
  if (packs.length > 1) await workshop.git(['multi-pack-index', 'write']);
  await writeCommitGraph(workshop);
}

async function writeCommitGraph(workshop: Workshop): Promise<void> {
  await workshop.git(['commit-graph', 'write', '--reachable', '--no-progress']);
}

export async function refreshCommitGraph(engine: WorkshopNeeds, id: RepositoryId): Promise<'done'> {
  await inWorkshop(engine, await subjectOf(engine, id), writeCommitGraph);
  return 'done';
}
