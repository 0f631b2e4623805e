import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { notFound } from '../../core/failure.ts';
import { faultPoint } from '../../core/faults.ts';
import type { Engine } from '../engine.ts';
import { condemn, forsake, listObjectFiles, type ObjectFile, pardon } from '../folders/condemned.ts';
import { syncFolder } from '../folders/durability.ts';
import {
  configFile,
  FILE_MODE,
  FOLDER_MODE,
  type RepositoryFolder,
  randomName,
} from '../folders/repository-layout.ts';
import type { RepositoryId } from '../model.ts';
import { runGit } from '../processes/child.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';
import { formatPackedRefs } from '../refs/packed-refs.ts';
import type { RefVersion } from '../refs/ref-versions.ts';
import { lockGitRepository, setPruneGen } from '../store.ts';

/** Unused objects are kept for this long: a push that is under way may build on them. */
export const PRUNE_GRACE_MS = 14 * 24 * 60 * 60_000;

const SETTINGS = [
  'core.fsync=all',
  'core.fsyncMethod=fsync',
  'pack.threads=2',
  'pack.windowMemory=128m',
  'pack.writeReverseIndex=true',
];

/**
 * What a maintenance job works with: a git folder whose refs are exactly those of one version of the rows, over the
 * repository's own objects. The mirror may be behind the rows, and a prune by its refs would delete what was pushed.
 */
export interface Workshop {
  readonly path: string;
  readonly folder: RepositoryFolder;
  readonly at: RefVersion;
  git(args: readonly string[], input?: string): Promise<string>;
}

export async function inWorkshop<T>(
  engine: Engine,
  id: RepositoryId,
  work: (workshop: Workshop) => Promise<T>,
): Promise<T> {
  const at = await engine.versions.current(id);
  const folder = await engine.ensureFolder(id, at.format);
  const path = join(folder.workshops, randomName());
  engine.liveFolders.add(path);
  try {
    await writeRowsView(path, at);
    return await work({ path, folder, at, git: (args, input) => runIn(path, folder, args, input) });
  } finally {
    await rm(path, { recursive: true, force: true });
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
  gitDir: string,
  folder: RepositoryFolder,
  args: readonly string[],
  input?: string,
): Promise<string> {
  const { stdout } = await runGit(
    { args, gitDir, objectsFolder: folder.objects, settings: SETTINGS },
    { slots: PROCESS_SLOTS.maintenance, input: input ?? '' },
  );
  return stdout.toString().trim();
}

/** Puts all that refs reach into one pack and the rest, with the dates it has, into another. Loses nothing. */
export async function repack(engine: Engine, id: RepositoryId): Promise<'done'> {
  await inWorkshop(engine, id, async (workshop) => {
    const old = await rewritePacks(workshop, null);
    faultPoint('during-repack');
    await engine.locks.alone(id, async () => {
      await dropPackIndexes(workshop.folder);
      await condemn(workshop.folder, workshop.path, old);
      await forsake(workshop.path);
    });
    await writeIndexes(workshop);
  });
  engine.pool.end(`${id}`);
  return 'done';
}

/**
 * Deletes what no ref reaches and was written before the grace. From the moment the new number of prunes is committed,
 * no push can build on what was taken away: its connectivity is checked again. A ref that moved meanwhile may reach it,
 * so then everything is put back.
 */
export async function prune(
  engine: Engine,
  id: RepositoryId,
  graceMs: number,
): Promise<'done' | 'lost-race'> {
  const outcome = await inWorkshop(engine, id, async (workshop) => {
    const old = await rewritePacks(workshop, Date.now() - graceMs);
    const isDone = await engine.locks.alone(id, () => takeAway(engine, id, workshop, old));
    await writeIndexes(workshop);
    return isDone;
  });
  engine.pool.end(`${id}`);
  engine.cache.drop(id);
  return outcome ? 'done' : 'lost-race';
}

async function takeAway(
  engine: Engine,
  id: RepositoryId,
  workshop: Workshop,
  old: readonly ObjectFile[],
): Promise<boolean> {
  // No ref of this process moves from here on, so that nothing is hidden that a ref has come to reach.
  if ((await engine.versions.current(id)).version !== workshop.at.version) return false;
  await dropPackIndexes(workshop.folder);
  await rm(join(workshop.folder.objects, 'info', 'commit-graph'), { force: true });
  await condemn(workshop.folder, workshop.path, old);
  faultPoint('during-prune');
  let isCurrent = false;
  try {
    isCurrent = await engine.database.transaction(async (tx) => {
      const row = await lockGitRepository(tx, id);
      if (row === undefined) throw notFound('no such repository');
      if (row.gen !== workshop.at.version) return false;
      await setPruneGen(tx, id, row.pruneGen + 1);
      return true;
    });
  } finally {
    if (!isCurrent) await pardon(workshop.folder, workshop.path);
  }
  if (isCurrent) await forsake(workshop.path);
  return isCurrent;
}

/**
 * Writes the new packs, next to the old ones.
 *
 * @param expireBeforeMs unused objects written before are left out; null keeps all
 * @returns the files that the new packs replace
 */
async function rewritePacks(
  workshop: Workshop,
  expireBeforeMs: number | null,
): Promise<readonly ObjectFile[]> {
  const { folder } = workshop;
  const old = await listObjectFiles(folder);
  const base = join(folder.packs, 'pack');
  const used = await workshop.git(
    [
      'pack-objects',
      '-q',
      '--all',
      '--revs',
      '--non-empty',
      '--delta-base-offset',
      '--write-bitmap-index',
      base,
    ],
    '',
  );
  const expire = expireBeforeMs === null ? 'never' : `@${Math.floor(expireBeforeMs / 1000)}`;
  const unused = await workshop.git(
    [
      'pack-objects',
      '-q',
      '--cruft',
      `--cruft-expiration=${expire}`,
      '--non-empty',
      '--delta-base-offset',
      base,
    ],
    cruftInput(old, packNames(used)),
  );
  await syncFolder(folder.packs);
  const kept = [...packNames(used), ...packNames(unused)];
  return old.filter(({ path }) => !kept.some((name) => path.startsWith(`pack/${name}.`)));
}

/** pack-objects tells the hash of each pack that it wrote. */
function packNames(answer: string): readonly string[] {
  return answer
    .split('\n')
    .filter((line) => line !== '')
    .map((hash) => `pack-${hash}`);
}

/** The packs that stay, and with a dash those that go: what is in neither is loose or has just come. */
function cruftInput(old: readonly ObjectFile[], fresh: readonly string[]): string {
  const names = old.flatMap(({ path }) => /^pack\/(pack-[0-9a-f]+)\.pack$/.exec(path)?.[1] ?? []);
  const going = names.filter((name) => !fresh.includes(name)).map((name) => `-${name}.pack`);
  return [...fresh.map((name) => `${name}.pack`), ...going, ''].join('\n');
}

/** An index over several packs must not outlive one of them. */
async function dropPackIndexes(folder: RepositoryFolder): Promise<void> {
  await rm(join(folder.packs, 'multi-pack-index'), { force: true });
}

async function writeIndexes(workshop: Workshop): Promise<void> {
  const packs = (await listObjectFiles(workshop.folder)).filter(({ path }) => path.endsWith('.pack'));
  // git refuses to make one over nothing, and a single pack has an index already.
  if (packs.length > 1) await workshop.git(['multi-pack-index', 'write']);
  await writeCommitGraph(workshop);
}

async function writeCommitGraph(workshop: Workshop): Promise<void> {
  await workshop.git(['commit-graph', 'write', '--reachable', '--no-progress']);
}

export async function refreshCommitGraph(engine: Engine, id: RepositoryId): Promise<'done'> {
  await inWorkshop(engine, id, writeCommitGraph);
  return 'done';
}
