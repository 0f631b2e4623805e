import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '../../core/limits.ts';
import type { Engine } from '../engine.ts';
import { undefinedIfMissing } from '../folders/file-errors.ts';
import type { RepositoryFolder } from '../folders/repository-layout.ts';
import type { RepositoryId, VerifyReport } from '../model.ts';
import { FSCK_SETTINGS } from '../packs/fsck-rules.ts';
import { runGit } from '../processes/child.ts';
import { GitFailedError } from '../processes/git-failed-error.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';
import { looseRefs } from '../refs/mirror.ts';
import { parsePackedRefs } from '../refs/packed-refs.ts';
import { readTargets } from '../refs/ref-updates.ts';
import type { RefVersion } from '../refs/ref-versions.ts';
import { inWorkshop, subjectOf, type Workshop } from './workshop.ts';

/** Checks whether rows, mirror, objects and git's own fsck agree. */
export async function verifyRepository(engine: Engine, id: RepositoryId): Promise<VerifyReport> {
  const problems = await inWorkshop(engine, await subjectOf(engine, id), async (workshop) => [
    ...(await checkTargets(engine, id, workshop.at)),
    ...(await checkMirror(workshop.folder, workshop.at)),
    ...(await fsck(workshop)),
  ]);
  return { id, problems: problems.slice(0, LIMITS.verifyProblemsMax) };
}

async function checkTargets(engine: Engine, id: RepositoryId, at: RefVersion): Promise<readonly string[]> {
  const objects = engine.reader(id, at.format);
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
  // An older mirror is no problem: it is updated before use.
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
        gitDir: workshop.path,
        objectsFolder: workshop.folder.objects,
        settings: FSCK_SETTINGS,
      },
      { slots: PROCESS_SLOTS.maintenance },
    );
    return [];
  } catch (error) {
    if (!(error instanceof GitFailedError)) throw error;
    return error.stderr === ''
      ? ['git fsck failed without a message']
      : error.stderr.split('\n').map((line) => `fsck: ${line}`);
  }
}
