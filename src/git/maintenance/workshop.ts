import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FairSlots } from '../../base/core/fairness/fair-slots.ts';
import { FILE_MODE, FOLDER_MODE } from '../../base/core/files/durable-files.ts';
import type { Engine } from '../engine.ts';
import { hasCondemned } from '../folders/condemned.ts';
import { type CompleteFolder, configFile, type GitDir, randomName } from '../folders/repository-layout.ts';
import type { RepositoryId } from '../interface/snapshot.ts';
import { runGit } from '../processes/child.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';
import { formatPackedRefs } from '../refs/packed-refs.ts';
import type { RefVersion } from '../refs/ref-versions.ts';

/** What a workshop uses of the engine. */
export type WorkshopNeeds = Pick<Engine, 'completeFolder' | 'liveFolders' | 'versions'>;

const SETTINGS = [
  'core.fsync=all',
  'core.fsyncMethod=fsync',
  'pack.threads=2',
  'pack.windowMemory=128m',
  'pack.writeReverseIndex=true',
];

/**
 * A temporary git folder for one maintenance job, with the refs of one version of the rows and the repository's own
 * objects. The mirror is unsuitable: it can be behind the rows, and a prune by its refs would delete pushed objects.
 */
export interface Workshop {
  readonly path: GitDir;
  readonly folder: CompleteFolder;
  readonly at: RefVersion;
  git(args: readonly string[], input?: string): Promise<string>;
  /** Runs a short command without a slot, because pushes wait for its caller. */
  gitAtOnce(args: readonly string[], input: string): Promise<string>;
}

/** A repository at the start of a maintenance job. */
export interface Subject {
  readonly folder: CompleteFolder;
  readonly at: RefVersion;
}

export async function subjectOf(
  engine: Pick<Engine, 'completeFolder' | 'versions'>,
  id: RepositoryId,
): Promise<Subject> {
  const at = await engine.versions.current(id);
  return { at, folder: await engine.completeFolder(id, at.format) };
}

export async function inWorkshop<T>(
  engine: Pick<Engine, 'liveFolders'>,
  { folder, at }: Subject,
  work: (workshop: Workshop) => Promise<T>,
): Promise<T> {
  const path = join(folder.workshops, randomName()) as GitDir;
  engine.liveFolders.add(path);
  try {
    await writeRowsView(path, at);
    const git = (args: readonly string[], input = '') =>
      runIn(path, folder, { args, input, slots: PROCESS_SLOTS.maintenance });
    const gitAtOnce = (args: readonly string[], input: string) =>
      runIn(path, folder, { args, input, slots: null });
    return await work({ path, folder, at, git, gitAtOnce });
  } finally {
    // Refs may need hidden files that the job could not restore. The next sweep restores them.
    if (!(await hasCondemned(path))) await rm(path, { recursive: true, force: true });
    engine.liveFolders.delete(path);
  }
}

async function writeRowsView(path: string, at: RefVersion): Promise<void> {
  await mkdir(join(path, 'refs'), { recursive: true, mode: FOLDER_MODE });
  await writeFile(join(path, 'HEAD'), `ref: ${at.head}\n`, { mode: FILE_MODE });
  await writeFile(join(path, 'config'), configFile(at.format), { mode: FILE_MODE });
  await writeFile(join(path, 'packed-refs'), formatPackedRefs(at), { mode: FILE_MODE });
}

async function runIn(
  gitDir: GitDir,
  folder: CompleteFolder,
  run: { args: readonly string[]; input: string; slots: FairSlots | null },
): Promise<string> {
  const { args, ...how } = run;
  const command = { args, gitDir, objectsFolder: folder.objects, settings: SETTINGS };
  const { stdout } = await runGit(command, { ...how, hasLowPriority: true });
  return stdout.toString().trim();
}
