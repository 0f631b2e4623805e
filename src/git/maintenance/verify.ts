import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FOLDER_MODE } from '../../base/core/files/durable-files.ts';
import type { Engine } from '../engine.ts';
import { filesBelow, listCondemned } from '../folders/condemned.ts';
import { undefinedIfMissing } from '../folders/file-errors.ts';
import { listObjectFiles, packNames } from '../folders/object-files.ts';
import type { CompleteFolder, RepositoryFolder } from '../folders/repository-layout.ts';
import type { ObjectReader, RepositoryId } from '../interface/snapshot.ts';
import type { VerifyReport } from '../interface/upkeep.ts';
import { GIT_LIMITS } from '../limits.ts';
import type { ObjectsLocation } from '../objects/cat-file.ts';
import { newSessionCache } from '../objects/object-cache.ts';
import { CachedObjectReader } from '../objects/object-reader.ts';
import { FSCK_SETTINGS } from '../packs/fsck-rules.ts';
import { runGit } from '../processes/child.ts';
import { GitFailedError } from '../processes/git-failed-error.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';
import { looseRefs } from '../refs/mirror.ts';
import { parsePackedRefs } from '../refs/packed-refs.ts';
import { readTargets } from '../refs/ref-updates.ts';
import type { RefVersion } from '../refs/ref-versions.ts';
import { inWorkshop, type Workshop } from './workshop.ts';

/** What a check uses of the engine. */
export type VerifyNeeds = Pick<
  Engine,
  'completeFolder' | 'findFolder' | 'fresh' | 'largeBlobs' | 'liveFolders' | 'pool' | 'versions'
>;

/** Checks whether rows, mirror, objects and git's own fsck agree. Changes nothing, so it may run beside a server. */
export async function verifyRepository(engine: VerifyNeeds, id: RepositoryId): Promise<VerifyReport> {
  let problems: readonly string[] = [];
  for (let attempt = 1; attempt <= GIT_LIMITS.maintenanceRacesMax; attempt += 1) {
    const at = await engine.versions.current(id);
    const before = (await engine.findFolder(id)) ?? (await newFolder(engine, id, at));
    const files = await fileNames(before);
    problems = await verifyFolder(engine, { id, folder: before, at: await engine.versions.current(id) });
    // Maintenance may have replaced files during the check. If all old files are still there, the problems are real.
    const after = new Set(await fileNames(await engine.findFolder(id)));
    if (problems.length === 0 || files.every((name) => after.has(name))) break;
  }
  return { id, problems: problems.slice(0, GIT_LIMITS.verifyProblemsMax) };
}

/** Lists the packs, and the files that maintenance has hidden. */
async function fileNames(folder: RepositoryFolder | undefined): Promise<readonly string[]> {
  if (folder === undefined) return [];
  const hidden = await Promise.all((await listCondemned(folder)).map((path) => filesBelow(path)));
  const files = (await undefinedIfMissing(listObjectFiles(folder))) ?? [];
  return [...packNames(files), ...hidden.flat()];
}

/** Creates the folder of a repository whose objects are all fresh. */
async function newFolder(engine: VerifyNeeds, id: RepositoryId, { format }: RefVersion) {
  return (await engine.fresh.has(id)) ? engine.completeFolder(id, format) : undefined;
}

async function verifyFolder(
  engine: VerifyNeeds,
  { id, folder, at }: { id: RepositoryId; folder: RepositoryFolder | undefined; at: RefVersion },
): Promise<readonly string[]> {
  // The first write creates the folder.
  if (folder === undefined)
    return at.refs.entries('').next().done ? [] : ['the folder of its objects is missing'];
  // The copies below make the folder complete for this check, which must not change its files.
  const complete = folder as CompleteFolder;
  return inWorkshop(engine, { folder: complete, at }, async (workshop) => {
    const copies = freshCopiesOf(workshop);
    await mkdir(copies, { mode: FOLDER_MODE });
    await engine.fresh.copyTo(id, copies);
    return [
      ...(await checkTargets(engine, workshop)),
      ...(await checkMirror(folder, at)),
      ...(await fsck(workshop)),
    ];
  });
}

async function checkTargets(engine: VerifyNeeds, workshop: Workshop): Promise<readonly string[]> {
  const { path, at } = workshop;
  const location = await everyObject(workshop);
  const objects = new CachedObjectReader({
    pool: engine.pool,
    largeBlobs: engine.largeBlobs,
    locate: async () => ({ key: path, location }),
    format: at.format,
    cache: newSessionCache(GIT_LIMITS.sessionCacheBytesMax),
  });
  try {
    return await targetProblems(objects, at);
  } finally {
    engine.pool.end(path);
  }
}

function freshCopiesOf({ path }: Workshop): string {
  return join(path, 'fresh-objects');
}

/**
 * Includes copies of fresh objects, and objects that maintenance has hidden. Maintenance deletes a hidden object only
 * if no ref needs it, and otherwise restores it.
 */
async function everyObject(workshop: Workshop): Promise<Required<ObjectsLocation>> {
  const { path, folder } = workshop;
  const alsoReads = [freshCopiesOf(workshop), ...(await listCondemned(folder))];
  return { gitDir: path, objectsFolder: folder.objects, alsoReads };
}

async function targetProblems(objects: ObjectReader, at: RefVersion): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [ref, { oid, peeled }] of at.refs.entries('')) {
    try {
      const target = (await readTargets(objects, [{ ref, old: null, new: oid }])).get(ref);
      if (target?.peeled !== peeled)
        problems.push(
          `${ref}: the row has ${peeled ?? 'no'} peeled object, the tag ${target?.peeled ?? 'none'}`,
        );
    } catch (error) {
      problems.push(error instanceof Error ? error.message : `${ref}: unreadable`);
    }
  }
  return problems;
}

async function checkMirror(folder: RepositoryFolder, at: RefVersion): Promise<readonly string[]> {
  const text = await undefinedIfMissing(readFile(join(folder.path, 'packed-refs'), 'utf8'));
  const strays = (await looseRefs(folder)).map((path) => `${path}: a ref was written by hand`);
  if (text === undefined) return strays;
  const mirrored = parsePackedRefs(text);
  if (mirrored.version === undefined) return [...strays, 'packed-refs was written by hand'];
  // An older mirror is not a problem, because it is updated before use.
  if (mirrored.version !== at.version) return strays;
  return [...strays, ...differences(mirrored.refs, at)];
}

function differences(
  mirrored: ReturnType<typeof parsePackedRefs>['refs'],
  at: RefVersion,
): readonly string[] {
  const problems: string[] = [];
  for (const [name, { oid, peeled }] of at.refs.entries('')) {
    const found = mirrored.get(name);
    if (found?.oid !== oid || found.peeled !== peeled)
      problems.push(`${name}: the mirror has another object`);
  }
  for (const name of mirrored.keys()) {
    if (at.refs.get(name) === undefined) problems.push(`${name}: only in the mirror`);
  }
  return problems;
}

async function fsck(workshop: Workshop): Promise<readonly string[]> {
  try {
    await runGit(
      {
        args: ['fsck', '--full', '--strict', '--no-dangling', '--no-progress'],
        ...(await everyObject(workshop)),
        settings: FSCK_SETTINGS,
      },
      { slots: PROCESS_SLOTS.maintenance, hasLowPriority: true },
    );
    return [];
  } catch (error) {
    if (!(error instanceof GitFailedError)) throw error;
    return error.stderr === ''
      ? ['git fsck failed without a message']
      : error.stderr.split('\n').map((line) => `fsck: ${line}`);
  }
}
