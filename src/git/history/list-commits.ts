import { createInterface } from 'node:readline';
import type { Oid } from '../model.ts';
import { startGit } from '../processes/child.ts';
import { GitFailedError } from '../processes/git-failed-error.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';

export interface ListedCommit {
  readonly oid: Oid;
  readonly parents: readonly Oid[];
}

/**
 * Lists commits that `tips` reach and `known` do not, each after its parents.
 *
 * @see git-rev-list(1), --topo-order
 */
export async function listCommits(
  gitDir: string,
  tips: readonly Oid[],
  known: readonly Oid[],
): Promise<readonly ListedCommit[]> {
  const args = ['rev-list', '--topo-order', '--reverse', '--parents', '--stdin'];
  const child = await startGit({ args, gitDir }, { slots: PROCESS_SLOTS.short });
  child.stdin.end([...tips, ...known.map((oid) => `^${oid}`), ''].join('\n'));
  const commits: ListedCommit[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const [oid = '', ...parents] = line.split(' ');
    commits.push({ oid, parents });
  }
  const { exitCode, stderr } = await child.done;
  if (exitCode !== 0) throw new GitFailedError('rev-list', { exitCode, stderr });
  return commits;
}
