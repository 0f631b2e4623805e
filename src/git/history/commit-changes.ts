import { invalid } from '../../base/core/failure.ts';
import { currentCaller } from '../../base/core/fairness/caller.ts';
import type { Engine } from '../engine.ts';
import type { Commit, Oid } from '../format/model.ts';
import { pathOfBytes } from '../format/name-bytes.ts';
import { emptyTreeOid } from '../format/object-format.ts';
import type { ChangedFile, CommitChanges } from '../interface/history.ts';
import type { CommitOf, Snapshot } from '../interface/snapshot.ts';
import { GIT_LIMITS } from '../limits.ts';
import { type GitCommand, runGit } from '../processes/child.ts';
import { failedByLimit } from '../processes/git-failed-error.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';
import { sharedObjects } from './shared-objects.ts';
import { withinMemory } from './within-memory.ts';

type Needs = Pick<Engine, 'completeFolder'>;

/**
 * Compares several commits with their first parents, in one process.
 *
 * @returns changes by the id of the commit
 */
export async function changesOfCommits(
  engine: Needs,
  snapshot: Snapshot,
  commits: readonly Commit[],
  options: { countsLines: boolean },
): Promise<ReadonlyMap<Oid, CommitChanges>> {
  const { path: gitDir } = await engine.completeFolder(snapshot.id, snapshot.objectFormat);
  const cut = await withoutParent(snapshot, commits);
  // A parent that is named after a commit is compared with it, and no other.
  const lines = commits
    .filter((commit) => !cut.includes(commit))
    .map(({ oid, parents }) => [oid, ...parents.slice(0, 1)].join(' '));
  const args = ['diff-tree', '--stdin', '--root', '--always', ...flagsOf(options)];
  const output = lines.length === 0 ? '' : await compare({ args, gitDir }, `${lines.join('\n')}\n`);
  const changes = new Map(parseChangesOf(output, new Set(commits.map(({ oid }) => oid))));
  for (const { oid, tree } of cut) {
    const whole = ['diff-tree', ...flagsOf(options), emptyTreeOid(snapshot.objectFormat), tree];
    changes.set(oid, parseChanges(await compare({ args: whole, gitDir }, '')));
  }
  return changes;
}

/** Compares two commits of one repository or of two. */
export async function filesBetween(
  engine: Needs,
  from: CommitOf,
  to: CommitOf,
): Promise<readonly ChangedFile[]> {
  const [before, after] = await Promise.all(
    [from, to].map(async ({ snapshot, oid }) => (await snapshot.objects.readCommit(oid)).tree),
  );
  const location = await sharedObjects(engine, to.snapshot, from.snapshot);
  const flags = flagsOf({ countsLines: false });
  const args = ['diff-tree', ...flags, before ?? '', after ?? ''];
  return parseChanges(await compare({ args, ...location }, '')).files;
}

function flagsOf({ countsLines }: { countsLines: boolean }): readonly string[] {
  const formats = countsLines ? ['--raw', '--numstat'] : ['--raw'];
  return ['-r', '-z', '--no-renames', '--no-ext-diff', '--no-textconv', ...formats];
}

async function compare(command: GitCommand, input: string): Promise<string> {
  const run = {
    slots: PROCESS_SLOTS.short,
    deadlineMs: GIT_LIMITS.commitChangesMs,
    signal: currentCaller().left,
    input,
  };
  try {
    const { stdout } = await withinMemory(command, (limited) => runGit(limited, run));
    return stdout.toString('latin1');
  } catch (error) {
    if (!failedByLimit(error)) throw error;
    throw invalid('there are too many changes to list: set stat=false and files=false');
  }
}

/** Returns the commits whose first parent is missing, as in a shallow repository. */
async function withoutParent(snapshot: Snapshot, commits: readonly Commit[]): Promise<readonly Commit[]> {
  const isCut = await Promise.all(
    commits.map(async ({ parents: [parent] }) => {
      return parent !== undefined && (await snapshot.objects.info(parent)) === undefined;
    }),
  );
  return commits.filter((_, index) => isCut[index]);
}

const STATUSES: ReadonlyMap<string, ChangedFile['status']> = new Map([
  ['A', 'added'],
  ['D', 'removed'],
]);

/** Parses the changes of several commits: each id, as a field of its own, comes before the changes of its commit. */
function parseChangesOf(output: string, oids: ReadonlySet<Oid>): ReadonlyMap<Oid, CommitChanges> {
  const changes = new Map<Oid, string[]>();
  let current: string[] = [];
  let isPath = false;
  for (const field of output.split('\0')) {
    if (!isPath && oids.has(field)) {
      current = [];
      changes.set(field, current);
      continue;
    }
    // Only the field after `:MODES OIDS STATUS` is a path alone, which may look like an id.
    isPath = !isPath && field.startsWith(':');
    current.push(field);
  }
  return new Map([...changes].map(([oid, fields]) => [oid, parseChanges(fields.join('\0'))]));
}

/**
 * Parses fields that end with NUL: `:MODES OIDS STATUS` and then a path, or `ADDED\tDELETED\tPATH`.
 *
 * @param output bytes as characters, because a path may have any
 */
export function parseChanges(output: string): CommitChanges {
  const files: ChangedFile[] = [];
  let additions = 0;
  let deletions = 0;
  const fields = output.split('\0').values();
  for (const field of fields) {
    if (field.startsWith(':')) {
      const path = pathOfBytes(Buffer.from(fields.next().value ?? '', 'latin1'));
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
