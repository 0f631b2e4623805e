import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { invalid } from '../../base/core/failure.ts';
import type { Engine } from '../engine.ts';
import { undefinedIfMissing } from '../folders/file-errors.ts';
import type { GitDir } from '../folders/repository-layout.ts';
import type { Oid } from '../format/model.ts';
import { refChangeProblem } from '../format/ref-names.ts';
import type { RefUpdate } from '../interface/refs.ts';
import type { RepositoryId } from '../interface/snapshot.ts';
import { runGit } from '../processes/child.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';
import { MIRRORED_REFS } from '../refs/mirror.ts';
import { type PackedRefs, parsePackedRefs } from '../refs/packed-refs.ts';
import { lockGitRepository, setHeadRow } from '../store.ts';
import { LocalWriteSession, type SessionNeeds } from '../writes/local-write-session.ts';
import { type CommitNeeds, commitUpdates } from '../writes/ref-commit.ts';

/** What an import uses of the engine. */
export type ImportNeeds = SessionNeeds & CommitNeeds & Pick<Engine, 'snapshotOf'>;

/**
 * Imports refs that were changed with git in the bare repository since the last mirroring.
 *
 * @returns the imported changes, without refs whose rows have changed meanwhile
 * @throws ForgeError `invalid` for an invalid ref name or incomplete history
 */
export async function importHandMadeRefs(
  engine: ImportNeeds,
  id: RepositoryId,
): Promise<readonly RefUpdate[]> {
  const current = await engine.versions.current(id);
  const folder = await engine.completeFolder(id, current.format);
  const mirrored = parsePackedRefs(
    (await undefinedIfMissing(readFile(join(folder.path, MIRRORED_REFS), 'utf8'))) ?? '',
  );
  const updates = changesSince(mirrored, await readHandMadeRefs(folder.path));
  const base = engine.snapshotOf(id, current);
  await using session = new LocalWriteSession(engine, base, current);
  await requireImportable(session, updates);
  const results = await commitUpdates(engine, session, updates, {
    atomic: false,
    inTransaction: async () => [],
  });
  await importHead(engine, id, mirrored, folder.path);
  const moved = new Set(results.filter(({ outcome }) => outcome === 'moved').map(({ ref }) => ref));
  return updates.filter(({ ref }) => moved.has(ref));
}

async function readHandMadeRefs(gitDir: GitDir): Promise<ReadonlyMap<string, Oid>> {
  const { stdout } = await runGit(
    { args: ['for-each-ref', '--format=%(objectname) %(refname)'], gitDir },
    { slots: PROCESS_SLOTS.short },
  );
  const lines = stdout
    .toString()
    .split('\n')
    .filter((line) => line !== '');
  return new Map(lines.map((line) => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]));
}

function changesSince(mirrored: PackedRefs, found: ReadonlyMap<string, Oid>): readonly RefUpdate[] {
  const names = new Set([...mirrored.refs.keys(), ...found.keys()]);
  return [...names]
    .map((ref) => ({ ref, old: mirrored.refs.get(ref)?.oid ?? null, new: found.get(ref) ?? null }))
    .filter((update) => update.old !== update.new);
}

async function requireImportable(session: LocalWriteSession, updates: readonly RefUpdate[]): Promise<void> {
  for (const update of updates) {
    const problem = refChangeProblem(update);
    if (problem !== undefined) throw invalid(`${update.ref}: ${problem}`);
  }
  const missing = await session.findDisconnected(updates.flatMap(({ new: oid }) => oid ?? []));
  if (missing.length > 0) throw invalid(`incomplete history: ${missing.join(', ')}`);
}

async function importHead(
  engine: ImportNeeds,
  id: RepositoryId,
  mirrored: PackedRefs,
  path: string,
): Promise<void> {
  const text = (await undefinedIfMissing(readFile(join(path, 'HEAD'), 'utf8'))) ?? '';
  const head = /^ref: (refs\/\S+)\n?$/.exec(text)?.[1];
  if (head === undefined || mirrored.head === undefined || head === mirrored.head) return;
  await engine.database.transaction(async (tx) => {
    const row = await lockGitRepository(tx, id);
    if (row !== undefined && row.head === mirrored.head) await setHeadRow(tx, id, head, row.gen + 1);
  });
}
