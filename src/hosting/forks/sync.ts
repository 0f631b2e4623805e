import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { ForgeError, notFound } from '../../base/core/failure.ts';
import type { Oid } from '../../git/format/model.ts';
import { branchRef } from '../../git/format/ref-names.ts';
import type { Snapshot } from '../../git/interface/snapshot.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { WriteSession } from '../../git/interface/writes.ts';
import type { ObjectLinks } from '../lfs/links.ts';
import { REPOSITORY } from '../repositories/actions.ts';
import type { Repository, RepositoryPath } from '../repositories/model.ts';
import type { Pushes } from '../repositories/refs/pushes.ts';
import type { BranchWriter, BuiltChange } from '../repositories/refs/write-branch.ts';
import type { Repositories } from '../repositories/service.ts';
import { FORK } from './actions.ts';
import { type BranchBesideParent, canFollow } from './model.ts';

const ORIGIN = { kind: 'api' } as const;

interface Pair {
  readonly fork: Repository;
  readonly parent: Repository;
}

interface Dependencies {
  readonly repositories: Repositories;
  readonly git: Pick<GitStorage, 'refs' | 'history'>;
  readonly pushes: Pushes;
  readonly branches: BranchWriter;
  readonly objectLinks: ObjectLinks;
}

/** Fast-forwards branches of forks to their parents. A branch with commits of its own stays as it is. */
export class ForkSync {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Compares a branch of a fork with the parent's branch of the same name.
   *
   * @param branch '' for the default branch of the fork
   * @throws ForgeError as `Repositories.get`, also for the parent; `bad_request` if the repository is not a fork;
   *   `not_found` if one of the two has no such branch; `busy`
   */
  async compare(viewer: Viewer, path: RepositoryPath, branch: string): Promise<BranchBesideParent> {
    const { repository: fork } = await this.#use.repositories.get(viewer, path, REPOSITORY.fetch);
    const pair = { fork, parent: await this.#parentOf(viewer, fork) };
    const inFork = await this.#use.git.refs.open(fork.id);
    const inParent = await this.#use.git.refs.open(pair.parent.id);
    return this.#compare({ inFork, inParent }, nameOf(branch, pair));
  }

  /**
   * Fast-forwards a branch of a fork to its parent. The transaction that moves the branch checks again that the viewer
   * may read the parent.
   *
   * @param branch as `compare`
   * @returns the comparison before the branch moved
   * @throws ForgeError as `compare`, and `archived`; `forbidden` without permission to push
   */
  async follow(viewer: SignedIn, path: RepositoryPath, branch: string): Promise<BranchBesideParent> {
    const { repository: fork } = await this.#use.repositories.get(viewer, path, FORK.syncFork);
    this.#use.pushes.requireOpen({ repository: fork, origin: ORIGIN });
    const pair = { fork, parent: await this.#parentOf(viewer, fork) };
    const name = nameOf(branch, pair);
    return this.#use.branches.write({
      repository: fork,
      branch: name,
      pusher: viewer,
      origin: ORIGIN,
      // It may copy a long history.
      isLong: true,
      build: (session) => this.#fastForward(session, viewer, pair, name),
    });
  }

  async #fastForward(
    session: WriteSession,
    viewer: SignedIn,
    { fork, parent }: Pair,
    branch: string,
  ): Promise<BuiltChange<BranchBesideParent>> {
    const inParent = await this.#use.git.refs.open(parent.id);
    const found = await this.#compare({ inFork: session.base, inParent }, branch);
    if (!canFollow(found)) return { commit: null, result: found };
    await session.copyFrom(inParent, [found.inParent]);
    const oids = await this.#use.objectLinks.namedIn(session, [found.inParent], parent.id);
    await this.#use.objectLinks.copyNow(viewer, { from: parent.id, to: fork.id, oids });
    return {
      commit: found.inParent,
      result: found,
      alsoInTransaction: async (tx) => {
        await this.#use.repositories.lock(tx, viewer, parent.id, REPOSITORY.fetch);
      },
    };
  }

  async #compare(
    { inFork, inParent }: { inFork: Snapshot; inParent: Snapshot },
    branch: string,
  ): Promise<BranchBesideParent> {
    const forkTip = tipOf(inFork, branch);
    const parentTip = tipOf(inParent, branch);
    const tips = { branch, inFork: forkTip, inParent: parentTip };
    if (forkTip === parentTip) return { ...tips, behind: 0, ahead: 0 };
    const counts = await this.#use.git.history.countBetween(
      { snapshot: inParent, oid: parentTip },
      { snapshot: inFork, oid: forkTip },
    );
    return { ...tips, ...counts };
  }

  async #parentOf(viewer: Viewer, { parentId }: Repository): Promise<Repository> {
    if (parentId === null)
      throw new ForgeError({ kind: 'bad_request', what: 'this repository is not a fork' });
    const { repository } = await this.#use.repositories.getById(viewer, parentId, REPOSITORY.fetch);
    return repository;
  }
}

function nameOf(branch: string, { fork }: Pair): string {
  return branch === '' ? fork.defaultBranch : branch;
}

function tipOf(snapshot: Snapshot, branch: string): Oid {
  const oid = snapshot.ref(branchRef(branch));
  if (oid === undefined) throw notFound('branch');
  return oid;
}
