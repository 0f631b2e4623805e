import { conflict } from '../../../base/core/failure.ts';
import type { Commit, Oid, Signature } from '../../../git/format/model.ts';
import type { MergeOutcome, WriteSession } from '../../../git/interface/writes.ts';
import { commitOfTree } from '../../../git/trees/commit-builder.ts';
import { treeBefore } from '../../../git/trees/tree-before.ts';
import { PULL_LIMITS } from '../limits.ts';
import type { BuildStyle } from '../model.ts';

/** A merge of one commit into another. */
export interface BuildPlan {
  readonly onto: Oid;
  readonly head: Oid;
  /** of the commit of a squash */
  readonly author: Signature;
  readonly committer: Signature;
  /** of the new commit of a merge or a squash; git ends it with a line feed */
  readonly message: string;
}

/**
 * Writes the commits of a merge into a session.
 *
 * @returns the commit to which the branch moves, and the last commit that both sides have
 * @throws ForgeError `conflict` if both sides changed the same, the histories are unrelated, the branch has all commits of
 *   the head already, it cannot be fast-forwarded, or there are too many commits or changes to merge; `busy`
 */
export async function buildMerge(
  session: WriteSession,
  style: BuildStyle,
  plan: BuildPlan,
): Promise<{ readonly commit: Oid; readonly base: Oid }> {
  const { onto, head } = plan;
  const [base] = await session.merges.findBases({ ours: onto, theirs: head });
  if (base === undefined) throw conflict('the two branches have no commit in common');
  if (base === head) throw conflict('the base has all commits of the pull request already');
  return { base, commit: await BUILDERS[style](session, { ...plan, base }) };
}

type Builder = (session: WriteSession, plan: BuildPlan & { readonly base: Oid }) => Promise<Oid>;

const BUILDERS: Readonly<Record<BuildStyle, Builder>> = {
  merge: async (session, plan) => writeMerge(session, plan, await mergedTree(session, plan)),

  async squash(session, plan) {
    const { onto, author, committer, message } = plan;
    const tree = await mergedTree(session, plan);
    return (await commitOfTree(session, { tree, parents: [onto], author, committer, message })).oid;
  },

  async 'fast-forward-only'(_session, { base, onto, head }) {
    if (base !== onto) throw conflict('the base has commits that the pull request lacks: update it first');
    return head;
  },

  rebase: async (session, plan) => (await rebase(session, plan)).oid,

  async 'rebase-merge'(session, plan) {
    const rebased = await rebase(session, plan);
    return writeMerge(session, { ...plan, head: rebased.oid }, rebased.tree);
  },
};

async function writeMerge(session: WriteSession, plan: BuildPlan, tree: Oid): Promise<Oid> {
  const { onto, head, committer, message } = plan;
  const facts = { tree, parents: [onto, head], author: committer, committer, message };
  return (await commitOfTree(session, facts)).oid;
}

async function mergedTree(session: WriteSession, { onto, head }: BuildPlan): Promise<Oid> {
  const outcome = await session.merges.mergeCommits({ ours: onto, theirs: head });
  if (outcome === undefined) throw conflict('the two branches have no commit in common');
  return cleanTree(outcome);
}

/**
 * Applies the commits that `head` has and `onto` lacks, one after the other, as `git rebase` does: it leaves out merges,
 * and commits whose changes are there already. A commit that already follows stays as it is.
 *
 * @returns the last commit
 * @throws ForgeError as `buildMerge`
 */
export async function rebase(
  session: WriteSession,
  { onto, head, committer }: Pick<BuildPlan, 'onto' | 'head' | 'committer'>,
): Promise<Commit> {
  const { objects } = session;
  let tip = await objects.readCommit(onto);
  for (const commit of await commitsToApply(session, { onto, head })) {
    const [parent] = commit.parents;
    if (parent === tip.oid) {
      tip = commit;
      continue;
    }
    const before = await treeBefore(session, commit);
    const outcome = await session.merges.mergeTrees({ base: before, ours: tip.tree, theirs: commit.tree });
    const tree = cleanTree(outcome, commit);
    const isThereAlready = tree === tip.tree && commit.tree !== before;
    if (isThereAlready) continue;
    const { author, message } = commit;
    tip = await commitOfTree(session, { tree, parents: [tip.oid], author, committer, message });
  }
  return tip;
}

/** Lists commits so that each comes after its parents, without merges. */
async function commitsToApply(
  session: WriteSession,
  { onto, head }: { readonly onto: Oid; readonly head: Oid },
): Promise<readonly Commit[]> {
  const countMax = PULL_LIMITS.rebasedCommitsMax;
  const oids = await session.listCommitsSince({ tip: head, base: onto }, countMax + 1);
  if (oids.length > countMax)
    throw conflict(`a rebase applies at most ${countMax} commits: merge the pull request instead`);
  const commits = new Map<Oid, Commit>();
  for (const oid of oids) commits.set(oid, await session.objects.readCommit(oid));
  return parentsFirst(commits, head).filter(({ parents }) => parents.length <= 1);
}

/** Sorts commits that `head` reaches so that each comes after its parents. */
function parentsFirst(commits: ReadonlyMap<Oid, Commit>, head: Oid): readonly Commit[] {
  const sorted = new Set<Commit>();
  const waiting = [head];
  for (let oid = waiting.at(-1); oid !== undefined; oid = waiting.at(-1)) {
    const commit = commits.get(oid);
    const missing =
      commit === undefined || sorted.has(commit)
        ? []
        : commit.parents.filter((parent) => {
            const found = commits.get(parent);
            return found !== undefined && !sorted.has(found);
          });
    // The first parent is last in the list of what waits, so its line comes first.
    if (missing.length > 0) waiting.push(...missing.toReversed());
    else {
      waiting.pop();
      if (commit !== undefined) sorted.add(commit);
    }
  }
  return [...sorted];
}

function cleanTree(outcome: MergeOutcome, commit?: Commit): Oid {
  if (outcome.kind === 'clean') return outcome.tree;
  const at = commit === undefined ? '' : ` by the commit ${commit.oid}`;
  throw conflict(`conflicts in ${outcome.paths.join(', ')}${at}`);
}
