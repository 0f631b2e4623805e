import { join } from 'node:path';
import { Readable } from 'node:stream';
import { invalid } from '../../base/core/failure.ts';
import { currentCaller } from '../../base/core/fairness/caller.ts';
import type { GitDir } from '../folders/repository-layout.ts';
import type { EditedTree } from '../format/edited-tree.ts';
import type { FileState } from '../format/model.ts';
import { bytesOfPath, pathOfBytes } from '../format/name-bytes.ts';
import type { PatchedFile } from '../interface/writes.ts';
import { GIT_LIMITS } from '../limits.ts';
import { type GitCommand, runGit } from '../processes/child.ts';
import { GitFailedError, wasTooMuch } from '../processes/git-failed-error.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';
import { pathsInPatch } from './patch-paths.ts';

interface PatchedRepository {
  readonly gitDir: GitDir;
  /** a quarantine, for the new blobs and the index */
  readonly objectsFolder: string;
}

type Index = ReadonlyMap<string, FileState>;

/**
 * Applies a patch to a tree without files on disk: git sees an index that has only the files which the patch names. The
 * new blobs are in the quarantine.
 *
 * @param tree without edits, and no edits are made
 * @throws ForgeError `invalid` with git's reason if the patch does not apply, `busy`
 */
export async function applyPatch(
  repository: PatchedRepository,
  tree: EditedTree,
  patch: Uint8Array,
): Promise<readonly PatchedFile[]> {
  const paths = await pathsInPatch(patch);
  if (paths.size === 0) throw invalid('the patch changes no files');
  if (paths.size > GIT_LIMITS.patchFilesMax)
    throw invalid(`a patch changes at most ${GIT_LIMITS.patchFilesMax} files`);
  const before = await filesAt(tree, paths);
  const after = await patchedIndex(repository, before, patch);
  return changesBetween(paths, before, after);
}

async function filesAt(tree: EditedTree, paths: ReadonlySet<string>): Promise<Index> {
  const found = new Map<string, FileState>();
  for (const path of paths) {
    const entry = await tree.at(path);
    if (entry !== undefined && entry.mode !== '040000') found.set(path, { mode: entry.mode, oid: entry.oid });
  }
  return found;
}

async function patchedIndex(repository: PatchedRepository, before: Index, patch: Uint8Array): Promise<Index> {
  const { gitDir, objectsFolder } = repository;
  const location = { gitDir, objectsFolder, indexFile: join(objectsFolder, 'patch-index') };
  const leave = await PROCESS_SLOTS.patches.enter();
  try {
    const lines = [...before].map(([path, { mode, oid }]) =>
      Buffer.concat([Buffer.from(`${mode} ${oid}\t`), bytesOfPath(path), Buffer.from([0])]),
    );
    await run({ ...location, args: ['update-index', '-z', '--index-info'] }, Readable.from(lines));
    const args = ['apply', '--cached', '--whitespace=nowarn', '-p1', '-'];
    const settings = ['core.fsync=loose-object', 'core.fsyncMethod=fsync'];
    await run({ ...location, args, settings }, Readable.from([Buffer.from(patch)])).catch(
      (error: unknown) => {
        throw rejection(error);
      },
    );
    return parseIndex(await run({ ...location, args: ['ls-files', '--stage', '-z'] }, Readable.from([])));
  } finally {
    leave();
  }
}

async function run(command: GitCommand, input: Readable): Promise<string> {
  const limited = { ...command, memoryBytesMax: GIT_LIMITS.patchMemoryBytesMax };
  const how = { slots: null, deadlineMs: GIT_LIMITS.patchMs, hasLowPriority: true } as const;
  const { stdout } = await runGit(limited, { ...how, signal: currentCaller().left, input });
  return stdout.toString('latin1');
}

/** What git says about the patch. Other lines may contain paths of this machine. */
const REASON =
  /^error: (?:patch failed: |corrupt |invalid path |affected file |No valid patches|.+: (?:does not |already exists |patch does not |wrong type))/;
/** Not the patch, but this machine. */
const FAULT = /No space left|quota exceeded|unable to|cannot open/i;

function rejection(error: unknown): unknown {
  if (!(error instanceof GitFailedError)) return error;
  const { stderr } = error;
  if (wasTooMuch(error)) return invalid('the patch takes too much time or memory');
  // A reason may name a file, and so contain any words.
  const reasons = stderr.split('\n').filter((line) => REASON.test(line));
  if (reasons.length === 0) return FAULT.test(stderr) ? error : invalid('git cannot read this patch');
  return invalid(reasons.map((line) => line.slice('error: '.length)).join('; '));
}

/** @see git-ls-files(1), OUTPUT: `MODE OID STAGE\tPATH`; characters stand for bytes */
function parseIndex(output: string): Index {
  const entries = output.split('\0').filter((line) => line !== '');
  return new Map(
    entries.map((line) => {
      const tab = line.indexOf('\t');
      const [mode = '', oid = ''] = line.slice(0, tab).split(' ');
      return [
        pathOfBytes(Buffer.from(line.slice(tab + 1), 'latin1')),
        { mode: mode as FileState['mode'], oid },
      ];
    }),
  );
}

/** @throws ForgeError `invalid` */
function changesBetween(paths: ReadonlySet<string>, before: Index, after: Index): readonly PatchedFile[] {
  const unexpected = [...after.keys()].find((path) => !paths.has(path));
  // Whether it replaces a file is unknown.
  if (unexpected !== undefined)
    throw invalid(`the patch names ${unexpected} in a form that is not supported`);
  return [...paths].flatMap((path): PatchedFile[] => {
    const [was, is] = [before.get(path) ?? null, after.get(path) ?? null];
    const isSame = was?.oid === is?.oid && was?.mode === is?.mode;
    return isSame ? [] : [{ path, before: was, after: is }];
  });
}
