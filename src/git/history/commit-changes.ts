import { currentCaller } from '../../core/caller.ts';
import { invalid } from '../../core/failure.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Engine } from '../engine.ts';
import type { ChangedFile, CommitChanges, CommitOf, Oid, Snapshot } from '../model.ts';
import { emptyTreeOid } from '../objects/object-format.ts';
import { runGit } from '../processes/child.ts';
import { GitFailedError, ranOutOfMemory } from '../processes/git-failed-error.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';

/**
 * Compares a commit with its first parent, or with nothing if it has none.
 *
 * @see git-diff-tree(1), RAW OUTPUT FORMAT
 */
export async function commitChanges(
  engine: Engine,
  { snapshot, oid }: CommitOf,
  options: { countsLines: boolean },
): Promise<CommitChanges> {
  const commit = await snapshot.objects.readCommit(oid);
  const before = await treeOf(snapshot, commit.parents[0]);
  const { path: gitDir } = await engine.ensureFolder(snapshot.id, snapshot.objectFormat);
  const formats = options.countsLines ? ['--raw', '--numstat'] : ['--raw'];
  const flags = ['-r', '-z', '--no-renames', '--no-ext-diff', '--no-textconv', ...formats];
  const args = ['diff-tree', ...flags, before, commit.tree];
  const command = { args, gitDir, memoryBytesMax: LIMITS.gitComparisonBytesMax };
  const run = {
    slots: PROCESS_SLOTS.short,
    deadlineMs: LIMITS.commitChangesMs,
    signal: currentCaller().left,
  };
  try {
    const { stdout } = await runGit(command, run);
    return parseChanges(stdout.toString());
  } catch (error) {
    if (!(error instanceof GitFailedError) || !wasTooMuch(error)) throw error;
    throw invalid('this commit changes too much to list: set stat=false and files=false');
  }
}

/** Returns whether git was ended by the deadline, or because it printed too much, or ran out of memory. */
function wasTooMuch(error: GitFailedError): boolean {
  return error.exitCode === null || ranOutOfMemory(error);
}

/** A shallow repository may lack the parent. */
async function treeOf(snapshot: Snapshot, parent: Oid | undefined): Promise<Oid> {
  const isPresent = parent !== undefined && (await snapshot.objects.info(parent)) !== undefined;
  return isPresent ? (await snapshot.objects.readCommit(parent)).tree : emptyTreeOid(snapshot.objectFormat);
}

const STATUSES: ReadonlyMap<string, ChangedFile['status']> = new Map([
  ['A', 'added'],
  ['D', 'removed'],
]);

/** Parses fields that end with NUL: `:MODES OIDS STATUS` and then a path, or `ADDED\tDELETED\tPATH`. */
export function parseChanges(output: string): CommitChanges {
  const files: ChangedFile[] = [];
  let additions = 0;
  let deletions = 0;
  const fields = output.split('\0').values();
  for (const field of fields) {
    if (field.startsWith(':')) {
      const path = fields.next().value ?? '';
      files.push({ path, status: STATUSES.get(field.at(-1) ?? '') ?? 'modified' });
      continue;
    }
    // A binary file has `-` instead of numbers.
    const [added = '', deleted = ''] = field.split('\t');
    additions += Number.parseInt(added, 10) || 0;
    deletions += Number.parseInt(deleted, 10) || 0;
  }
  return { files, additions, deletions };
}
