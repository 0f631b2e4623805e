import { ForgeError, invalid } from '../../base/core/failure.ts';
import { currentCaller } from '../../base/core/fairness/caller.ts';
import type { Engine } from '../engine.ts';
import type { Oid } from '../format/model.ts';
import { bytesOfPath } from '../format/name-bytes.ts';
import type { BlobChange } from '../interface/history.ts';
import type { Snapshot } from '../interface/snapshot.ts';
import { GIT_LIMITS } from '../limits.ts';
import { runGit } from '../processes/child.ts';
import { GitFailedError } from '../processes/git-failed-error.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';

type Needs = Pick<Engine, 'completeFolder'>;

/**
 * Compares commits with their first parents at one path, in one process.
 *
 * @see git-log(1), --raw
 */
export async function blobChangesOf(
  engine: Needs,
  snapshot: Snapshot,
  commits: readonly Oid[],
  path: string,
): Promise<ReadonlyMap<Oid, BlobChange>> {
  if (commits.length === 0) return new Map();
  if (/[\n\0]/.test(path)) throw invalid('a path must be one line');
  const { path: gitDir } = await engine.completeFolder(snapshot.id, snapshot.objectFormat);
  const formats = ['--raw', '-z', '-r', '--no-abbrev', '--format=%H', '--diff-merges=first-parent'];
  const safe = ['--no-renames', '--no-ext-diff', '--no-textconv', '--no-color', '--no-show-signature'];
  const args = ['--literal-pathspecs', 'log', '--no-walk=unsorted', '--stdin', ...formats, ...safe];
  const bytes = bytesOfPath(path);
  const input = Buffer.concat([Buffer.from(`${commits.join('\n')}\n--\n`), bytes, Buffer.from('\n')]);
  const run = {
    slots: PROCESS_SLOTS.short,
    deadlineMs: GIT_LIMITS.commitChangesMs,
    signal: currentCaller().left,
    input,
  };
  const limited = { args, gitDir, memoryBytesMax: GIT_LIMITS.gitComparisonBytesMax };
  try {
    const { stdout } = await runGit(limited, run);
    return parseBlobChanges(stdout.toString('latin1'), bytes.toString('latin1'));
  } catch (error) {
    if (!(error instanceof GitFailedError) || error.exitCode !== null) throw error;
    const what = 'this history takes too long to read';
    throw new ForgeError({ kind: 'busy', what, retryAfterSeconds: 60 });
  }
}

const COMMIT = /^[0-9a-f]{40,64}$/;
/** Modes before and after, ids before and after. */
const CHANGE = /^\n?:(\d{6}) (\d{6}) ([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [A-Z]$/;

/**
 * Parses fields that end with NUL: a commit, and then for each of its changes `:MODES OIDS STATUS` and a path. Characters
 * stand for bytes.
 */
function parseBlobChanges(output: string, path: string): ReadonlyMap<Oid, BlobChange> {
  const changes = new Map<Oid, BlobChange>();
  let commit: Oid | undefined;
  const fields = output.split('\0').values();
  for (const field of fields) {
    const change = CHANGE.exec(field);
    if (change === null) {
      if (COMMIT.test(field)) commit = field;
      continue;
    }
    const [, modeBefore = '', modeAfter = '', before = '', after = ''] = change;
    // If the path was a folder, these are files below it.
    const isHere = fields.next().value === path;
    if (!isHere || commit === undefined) continue;
    changes.set(commit, { before: fileOid(modeBefore, before), after: fileOid(modeAfter, after) });
  }
  return changes;
}

function fileOid(mode: string, oid: Oid): Oid | null {
  return mode === '100644' || mode === '100755' ? oid : null;
}
