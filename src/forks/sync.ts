import type { SignedIn, Viewer } from '../access/viewer.ts';
import { ForgeError, notFound } from '../core/failure.ts';
import type { GitStorage, Oid, Snapshot } from '../git/model.ts';
import { REPOSITORY } from '../repositories/actions.ts';
import type { Repository, RepositoryPath } from '../repositories/model.ts';
import { type Pushes, requireWritable } from '../repositories/pushes.ts';
import type { Repositories } from '../repositories/service.ts';
import { FORK } from './actions.ts';
import { type BranchBesideParent, canFollow } from './model.ts';

/** How often a branch is looked at anew that was pushed to meanwhile. */
const ATTEMPTS_MAX = 5;

interface Pair {
  readonly fork: Repository;
  readonly parent: Repository;
}

/** Brings branches of forks to where their parents are, as long as the fork has nothing of its own there. */
export class ForkSync {
  readonly #repositories: Repositories;
  readonly #git: GitStorage;
  readonly #pushes: Pushes;

  constructor(dependencies: { repositories: Repositories; git: GitStorage; pushes: Pushes }) {
    this.#repositories = dependencies.repositories;
    this.#git = dependencies.git;
    this.#pushes = dependencies.pushes;
  }

  /**
   * How a branch stands to the one of the same name of the parent.
   *
   * @param branch '' for the default branch of the fork
   * @throws ForgeError as `Repositories.get`, also for the parent; `bad_request` for what is no fork; `not_found` where
   *   one of the two has no such branch; `busy`
   */
  async compare(viewer: Viewer, path: RepositoryPath, branch: string): Promise<BranchBesideParent> {
    const { repository: fork } = await this.#repositories.get(viewer, path, REPOSITORY.fetch);
    const pair = { fork, parent: await this.#parentOf(viewer, fork) };
    const inFork = await this.#git.open(fork.id);
    const inParent = await this.#git.open(pair.parent.id);
    return this.#compare({ inFork, inParent }, nameOf(branch, pair));
  }

  /**
   * Moves a branch of a fork on to where its parent has it, in the way of every push. Whether the viewer may read the
   * parent is asked again in the transaction that moves it.
   *
   * @param branch as `compare`
   * @returns where the branch was
   * @throws ForgeError as `compare`, and `archived`; `forbidden` without the right to push
   */
  async follow(viewer: SignedIn, path: RepositoryPath, branch: string): Promise<BranchBesideParent> {
    const { repository: fork } = await this.#repositories.get(viewer, path, FORK.syncFork);
    requireWritable(fork);
    const pair = { fork, parent: await this.#parentOf(viewer, fork) };
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
      const found = await this.#attempt(viewer, pair, nameOf(branch, pair));
      if (found !== 'branch moved') return found;
    }
    throw new ForgeError({
      kind: 'busy',
      what: 'the branch keeps changing: try again',
      retryAfterSeconds: 1,
    });
  }

  async #attempt(viewer: SignedIn, pair: Pair, branch: string): Promise<BranchBesideParent | 'branch moved'> {
    const { fork, parent } = pair;
    const inParent = await this.#git.open(parent.id);
    await using session = await this.#git.write(fork.id);
    const found = await this.#compare({ inFork: session.base, inParent }, branch);
    if (!canFollow(found)) return found;
    await session.takeFrom(inParent, [found.inParent]);
    const [result] = await this.#pushes.push(session, {
      repository: fork,
      updates: [{ ref: `refs/heads/${branch}`, old: found.inFork, new: found.inParent }],
      atomic: true,
      pusher: viewer,
      via: 'api',
      alsoInTransaction: async (tx) => {
        await this.#repositories.lock(tx, viewer, parent.id, REPOSITORY.fetch);
      },
    });
    return result?.outcome === 'moved' ? found : 'branch moved';
  }

  async #compare(
    { inFork, inParent }: { inFork: Snapshot; inParent: Snapshot },
    branch: string,
  ): Promise<BranchBesideParent> {
    const forkTip = tipOf(inFork, branch);
    const parentTip = tipOf(inParent, branch);
    const tips = { branch, inFork: forkTip, inParent: parentTip };
    if (forkTip === parentTip) return { ...tips, behind: 0, ahead: 0 };
    const apart = await this.#git.countBetween(
      { snapshot: inParent, oid: parentTip },
      { snapshot: inFork, oid: forkTip },
    );
    return { ...tips, ...apart };
  }

  async #parentOf(viewer: Viewer, { parentId }: Repository): Promise<Repository> {
    if (parentId === null) throw new ForgeError({ kind: 'bad_request', what: 'the repository is no fork' });
    const { repository } = await this.#repositories.getById(viewer, parentId, REPOSITORY.fetch);
    return repository;
  }
}

function nameOf(branch: string, { fork }: Pair): string {
  return branch === '' ? fork.defaultBranch : branch;
}

function tipOf(snapshot: Snapshot, branch: string): Oid {
  const oid = snapshot.ref(`refs/heads/${branch}`);
  if (oid === undefined) throw notFound('branch');
  return oid;
}
