import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { notFound } from '../../base/core/failure.ts';
import { faultPoint } from '../../base/core/faults.ts';
import { syncFolder } from '../../base/core/files/durable-files.ts';
import type { Tx } from '../../base/database/database.ts';
import { linkChangeIndex } from '../changes/segments/manifest.ts';
import type { Engine } from '../engine.ts';
import { linkObjects } from '../folders/linked-objects.ts';
import { fillRepositoryFolder, randomName, stagedRoot } from '../folders/repository-layout.ts';
import { BRANCHES } from '../format/ref-names.ts';
import type { RepositoryId } from '../interface/snapshot.ts';
import type { ForkOptions } from '../interface/writes.ts';
import type { RefVersion } from '../refs/ref-versions.ts';
import {
  copyRefs,
  FIRST_GEN,
  findGitRepository,
  insertGitRepository,
  listRefChanges,
  type RefNames,
  setRefs,
} from '../store.ts';
import { PrunedSince } from './ref-commit.ts';

/** What a fork uses of the engine. */
export type ForkNeeds = Pick<
  Engine,
  'completeFolder' | 'database' | 'liveFolders' | 'locks' | 'log' | 'root' | 'moveFreshToFiles' | 'versions'
>;

/** A folder with the parent's objects that no row names yet. */
interface Staged {
  readonly name: string;
  readonly path: string;
  readonly parent: RepositoryId;
  /** the version of the parent whose objects the folder has */
  readonly at: RefVersion;
}

type InTransaction<T> = (tx: Tx, create: (tx: Tx, id: RepositoryId) => Promise<void>) => Promise<T>;

/** Links objects durably, then writes all rows in one transaction, then moves the folder to its final path. */
export async function forkRepository<T>(
  engine: ForkNeeds,
  parent: RepositoryId,
  options: ForkOptions,
  inTransaction: InTransaction<T>,
): Promise<T> {
  for (;;) {
    const staged = await stage(engine, parent);
    try {
      return await writeRows(engine, staged, options, inTransaction);
    } catch (error) {
      if (!(error instanceof PrunedSince)) throw error;
    } finally {
      engine.liveFolders.delete(staged.path);
    }
  }
}

/** Links the parent's objects. Meanwhile pushes to the parent continue, but no prune or repack removes its files. */
async function stage(engine: ForkNeeds, parent: RepositoryId): Promise<Staged> {
  return engine.locks.together(parent, async () => {
    const at = await engine.versions.current(parent);
    await engine.moveFreshToFiles(parent);
    const from = await engine.completeFolder(parent, at.format);
    const name = randomName();
    const root = stagedRoot(engine.root);
    const path = join(root, name);
    engine.liveFolders.add(path);
    try {
      await fillRepositoryFolder(path, at.format);
      await linkObjects(from, path);
      await linkChangeIndex(from.changes, join(path, 'changes'));
      for (const folder of [root, engine.root]) await syncFolder(folder);
    } catch (error) {
      await rm(path, { recursive: true, force: true });
      engine.liveFolders.delete(path);
      throw error;
    }
    faultPoint('after-link');
    return { name, path, parent, at };
  });
}

async function writeRows<T>(
  engine: ForkNeeds,
  staged: Staged,
  options: ForkOptions,
  inTransaction: InTransaction<T>,
): Promise<T> {
  let made: RepositoryId | undefined;
  // If the outcome of the commit is unknown, rows may name the folder. Then it stays until the sweep checks it.
  let mayBeCommitted = false;
  try {
    const answer = await engine.database.transaction(async (tx) => {
      made = undefined;
      mayBeCommitted = false;
      const done = await inTransaction(tx, async (own: Tx, id) => {
        await insertFork(own, id, staged, options);
        made = id;
      });
      mayBeCommitted = made !== undefined;
      return done;
    });
    faultPoint('after-fork');
    if (made !== undefined) await moveIntoPlace(engine, made, staged);
    return answer;
  } finally {
    if (!mayBeCommitted) await rm(staged.path, { recursive: true, force: true });
  }
}

/** Moves the folder of a committed fork. After a failure, the first use of the fork tries again and reports the error. */
async function moveIntoPlace(engine: ForkNeeds, id: RepositoryId, { at }: Staged): Promise<void> {
  try {
    await engine.completeFolder(id, at.format);
  } catch (error) {
    engine.log.warn(
      { repository: id, error: `${error}` },
      'cannot move a fork to its final path yet: its first use tries again',
    );
  }
}

async function insertFork(tx: Tx, id: RepositoryId, staged: Staged, options: ForkOptions): Promise<void> {
  const { parent, at, name } = staged;
  const row = await findGitRepository(tx, parent);
  if (row === undefined) throw notFound('repository');
  if (row.pruneGen !== at.pruneGen) throw new PrunedSince();
  await insertGitRepository(tx, id, { head: at.head, objectFormat: at.format, staged: name });
  const names = namesOf(options, at);
  await copyRefs(tx, { from: parent, until: at.version, to: id, names });
  // Refs pushed since then may need objects that were not linked, so they keep their earlier values.
  const { changes } = await listRefChanges(tx, parent, at.version);
  const before = [...changes.keys()].flatMap((ref) => {
    const was = isAmong(names, ref) ? at.refs.get(ref) : undefined;
    return was === undefined ? [] : [[ref, was] as const];
  });
  await setRefs(tx, id, FIRST_GEN, new Map(before));
}

function namesOf({ refs }: ForkOptions, at: RefVersion): RefNames {
  return refs === 'default-branch' ? { only: at.head } : { prefixes: [BRANCHES, 'refs/tags/'] };
}

function isAmong(names: RefNames, ref: string): boolean {
  return 'only' in names ? ref === names.only : names.prefixes.some((prefix) => ref.startsWith(prefix));
}
