import { invalid } from '../../base/core/failure.ts';
import { currentCaller } from '../../base/core/fairness/caller.ts';
import type { Engine } from '../engine.ts';
import type { Commit, ObjectFormat, Oid } from '../format/model.ts';
import { pathOfBytes } from '../format/name-bytes.ts';
import { emptyTreeOid } from '../format/object-format.ts';
import type { ChangedFile, CommitChanges } from '../interface/history.ts';
import type { CommitOf, Snapshot } from '../interface/snapshot.ts';
import { GIT_LIMITS } from '../limits.ts';
import { type GitCommand, runGit } from '../processes/child.ts';
import { failedByLimit } from '../processes/git-failed-error.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';
import { BINARY, COLON, countAt, fieldAt, rawAt, statusOf } from './printed-entries.ts';
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
  const format = snapshot.objectFormat;
  const output =
    lines.length === 0 ? Buffer.alloc(0) : await compare({ args, gitDir }, `${lines.join('\n')}\n`);
  const changes = new Map(parseChangesOf(output, format, new Set(commits.map(({ oid }) => oid))));
  for (const { oid, tree } of cut) {
    const whole = ['diff-tree', ...flagsOf(options), emptyTreeOid(format), tree];
    changes.set(oid, changesAt(await compare({ args: whole, gitDir }, ''), format).changes);
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
  const output = await compare({ args, ...location }, '');
  return changesAt(output, to.snapshot.objectFormat).changes.files;
}

function flagsOf({ countsLines }: { countsLines: boolean }): readonly string[] {
  const formats = countsLines ? ['--raw', '--numstat'] : ['--raw'];
  return ['-r', '-z', '--no-renames', '--no-ext-diff', '--no-textconv', ...formats];
}

async function compare(command: GitCommand, input: string): Promise<Buffer> {
  const run = {
    slots: PROCESS_SLOTS.short,
    deadlineMs: GIT_LIMITS.commitChangesMs,
    signal: currentCaller().left,
    input,
  };
  try {
    const { stdout } = await withinMemory(command, (limited) => runGit(limited, run));
    return stdout;
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

/** Parses the changes of several commits: each id, as a field of its own, comes before the changes of its commit. */
function parseChangesOf(
  output: Buffer,
  format: ObjectFormat,
  oids: ReadonlySet<Oid>,
): ReadonlyMap<Oid, CommitChanges> {
  const changes = new Map<Oid, CommitChanges>();
  for (let at = 0; at < output.length; ) {
    const oid = fieldAt(output, at).toString('latin1');
    if (!oids.has(oid)) throw new Error('git has compared another commit');
    const found = changesAt(output, format, at + oid.length + 1, oids);
    changes.set(oid, found.changes);
    at = found.end;
  }
  return changes;
}

const NO_OIDS: ReadonlySet<Oid> = new Set();

/** Reads the entries of `--raw` and of `--numstat`, up to the id of another commit or the end of the output. */
function changesAt(
  output: Buffer,
  format: ObjectFormat,
  start = 0,
  oids = NO_OIDS,
): { readonly changes: CommitChanges; readonly end: number } {
  const files: ChangedFile[] = [];
  let [additions, deletions] = [0, 0];
  let at = start;
  while (at < output.length) {
    if (output[at] === COLON) {
      const { header, newPath, end } = rawAt(output, at, format);
      const status = statusOf(header.toString('latin1', header.length - 1));
      // Without `-M`, git finds no renamed files.
      files.push({ path: pathOfBytes(newPath), status: status === 'renamed' ? 'modified' : status });
      at = end;
      continue;
    }
    if (oids.has(fieldAt(output, at).toString('latin1'))) break;
    const { lines, end } = countAt(output, at);
    if (lines.additions !== BINARY) {
      additions += lines.additions;
      deletions += lines.deletions;
    }
    at = end;
  }
  return { changes: { files, additions, deletions }, end: at };
}
