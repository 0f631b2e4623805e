import { reaches } from '../../../api/access/levels.ts';
import type { SignedIn } from '../../../api/access/viewer.ts';
import { conflict, invalid, notFound } from '../../../base/core/failure.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Commit, Oid, Signature } from '../../../git/format/model.ts';
import { branchNameProblem, branchRef } from '../../../git/format/ref-names.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import type { WriteSession } from '../../../git/interface/writes.ts';
import { commitOfTree, signatureAt } from '../../../git/trees/commit-builder.ts';
import { treeBefore } from '../../../git/trees/tree-before.ts';
import type { PermittedRepository, Repository, RepositoryPath } from '../../../hosting/repositories/model.ts';
import { changeRefs } from '../../../hosting/repositories/refs/change-refs.ts';
import { requireNotArchived } from '../../../hosting/repositories/refs/push-rules.ts';
import type { Pushes } from '../../../hosting/repositories/refs/pushes.ts';
import { resolveCommitId } from '../../../hosting/repositories/refs/resolve-ref.ts';
import type { BranchWriter } from '../../../hosting/repositories/refs/write-branch.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import type { Accounts } from '../../../people/accounts/service.ts';
import { PULL } from '../actions.ts';
import type { Pull } from '../model.ts';
import type { Pulls } from '../service.ts';

/** What happens to the changes of a commit. */
export type Application = 'revert' | 'cherry-pick';

/** What a request asks for. */
export interface ApplicationWish {
  /** of which the new commit follows the tip; '' for the default branch */
  readonly branch: string;
  /** a branch to create for the new commit; '' to add it to `branch` */
  readonly newBranch: string;
  /** opens a pull request from the new branch */
  readonly opensPull: boolean;
  /** '' for the default */
  readonly message: string;
}

/** A commit that was made from the changes of another one. */
export interface AppliedCommit {
  readonly sha: Oid;
  readonly branch: string;
  readonly repository: Repository;
  /** null: none was asked for */
  readonly pull: Pull | null;
}

interface Dependencies {
  readonly accounts: Accounts;
  readonly git: Pick<GitStorage, 'refs' | 'writes'>;
  readonly repositories: Repositories;
  readonly branches: BranchWriter;
  readonly pushes: Pushes;
  readonly pulls: Pulls;
}

/** Takes the changes of a commit back, or makes them on another branch. */
export class AppliedCommits {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * A commit with several parents is compared with its first one.
   *
   * @param id full or abbreviated id of a commit
   * @throws ForgeError as `Repositories.get` and `BranchWriter.write`; `not_found` for an unknown commit or branch;
   *   `conflict` if the branch has changed the same, or has the changes already; `invalid` for a bad name; as
   *   `Pulls.create`
   */
  async apply(
    viewer: SignedIn,
    path: RepositoryPath,
    { id, application, wish }: { id: string; application: Application; wish: ApplicationWish },
  ): Promise<AppliedCommit> {
    const { accounts, git, branches, pulls } = this.#use;
    const permitted = await this.#use.repositories.get(viewer, path, PULL.apply);
    const { repository } = permitted;
    requireNotArchived(repository);
    const { newBranch, opensPull } = wish;
    if (opensPull) requirePullable(permitted, newBranch);
    const snapshot = await git.refs.open(repository.id);
    const resolved = await resolveCommitId(snapshot, id);
    if (resolved === undefined) throw notFound('commit');
    const commit = await snapshot.objects.readCommit(resolved.commit);
    const branch = wish.branch === '' ? repository.defaultBranch : wish.branch;
    const caller = signatureAt(await accounts.commitPerson(viewer.accountId), currentTimeMs());
    const change = { repository, pusher: viewer, origin: { kind: 'api' } } as const;
    const build = (session: WriteSession, onto: Oid) =>
      applied(session, { commit, onto, application, caller, message: wish.message });
    if (newBranch === '') {
      const sha = await branches.write({
        ...change,
        branch,
        build: async (session, tip) => {
          if (tip === null) throw notFound('branch');
          const { oid } = await build(session, tip);
          return { commit: oid, result: oid };
        },
      });
      return { sha, branch, repository, pull: null };
    }
    const { oid: sha, message } = await this.#toNewBranch(change, { branch, newBranch }, build);
    const named = { title: subjectOf(message), body: bodyOf(message), base: branch, head: newBranch };
    const pull = opensPull ? await pulls.create(viewer, path, { ...NEW_PULL, ...named }) : null;
    return { sha, branch: newBranch, repository, pull };
  }

  #toNewBranch(
    change: {
      readonly repository: Repository;
      readonly pusher: SignedIn;
      readonly origin: { readonly kind: 'api' };
    },
    { branch, newBranch }: { readonly branch: string; readonly newBranch: string },
    build: (session: WriteSession, onto: Oid) => Promise<Commit>,
  ): Promise<Commit> {
    const problem = branchNameProblem(newBranch);
    if (problem !== undefined) throw invalid(`${problem} [new_branch: ${newBranch}]`);
    return changeRefs(this.#use, {
      ...change,
      build: async (session) => {
        const tip = session.base.ref(branchRef(branch));
        if (tip === undefined) throw notFound('branch');
        if (session.base.ref(branchRef(newBranch)) !== undefined)
          throw conflict(`the branch ${newBranch} exists already`);
        const commit = await build(session, tip);
        return { updates: [{ ref: branchRef(newBranch), old: null, new: commit.oid }], result: commit };
      },
    });
  }
}

const NEW_PULL = { assignees: [], milestone: null, dueAt: null, labels: [] };

/** @throws ForgeError `invalid` unless a pull request can be opened from the new branch */
function requirePullable({ repository, units }: PermittedRepository, newBranch: string): void {
  if (newBranch === '') throw invalid('a pull request needs new_branch');
  if (repository.units.pulls === null || !reaches(units.pulls, 'read'))
    throw invalid('the repository takes no pull requests');
}

async function applied(
  session: WriteSession,
  {
    commit,
    onto,
    application,
    caller,
    message,
  }: {
    readonly commit: Commit;
    readonly onto: Oid;
    readonly application: Application;
    readonly caller: Signature;
    readonly message: string;
  },
): Promise<Commit> {
  const { objects, merges } = session;
  const before = await treeBefore(session, commit);
  const { tree: ours } = await objects.readCommit(onto);
  const isRevert = application === 'revert';
  const [base, theirs] = isRevert ? [commit.tree, before] : [before, commit.tree];
  const outcome = await merges.mergeTrees({ base, ours, theirs });
  if (outcome.kind === 'conflict') throw conflict(`conflicts in ${outcome.paths.join(', ')}`);
  if (outcome.tree === ours) throw conflict('the branch has these changes already');
  return commitOfTree(session, {
    tree: outcome.tree,
    parents: [onto],
    author: isRevert ? caller : commit.author,
    committer: caller,
    message: message === '' ? defaultMessage(commit, application) : `${message}\n`,
  });
}

function defaultMessage({ oid, message }: Commit, application: Application): string {
  if (application === 'revert') return `Revert "${subjectOf(message)}"\n\nThis reverts commit ${oid}.\n`;
  return `${message.trimEnd()}\n\n(cherry picked from commit ${oid})\n`;
}

function subjectOf(message: string): string {
  return message.split('\n', 1)[0]?.trim() ?? '';
}

function bodyOf(message: string): string {
  return message.split('\n').slice(1).join('\n').trim();
}
