import type { SignedIn } from '../../api/access/viewer.ts';
import { conflict, invalid, notFound } from '../../base/core/failure.ts';
import type { Tx } from '../../base/database/database.ts';
import type { Oid } from '../../git/format/model.ts';
import { BRANCHES, branchNameProblem, branchRef } from '../../git/format/ref-names.ts';
import type { Snapshot } from '../../git/interface/snapshot.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { Repository, RepositoryPath } from '../../hosting/repositories/model.ts';
import { changeRefs } from '../../hosting/repositories/refs/change-refs.ts';
import { isSamePage, type SeenPage } from '../../hosting/repositories/refs/page-of-refs.ts';
import type { Pushes } from '../../hosting/repositories/refs/pushes.ts';
import { HEAD, resolveRef } from '../../hosting/repositories/refs/resolve-ref.ts';
import { changedSince } from '../../http/conditional.ts';
import { BRANCH } from './actions.ts';
import type { BranchStart } from './model.ts';
import { type RenameServices, writeRename } from './rename-rows.ts';

const ORIGIN = { kind: 'api' } as const;

interface Dependencies extends RenameServices {
  readonly pushes: Pushes;
  readonly git: Pick<GitStorage, 'refs' | 'writes'>;
}

/** Creates, renames and deletes branches. */
export class BranchChanges {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * @throws ForgeError as `Repositories.get` and `changeRefs`; `invalid` for a bad name; `not_found` for a missing start;
   *   `conflict` for a name in use; `precondition_failed`
   * @param seen rejects the branch if this page of the list has changed since the viewer saw it
   */
  async create(
    viewer: SignedIn,
    path: RepositoryPath,
    name: string,
    { start, seen }: { start: BranchStart; seen: SeenPage | undefined },
  ): Promise<void> {
    const { repository } = await this.#use.repositories.get(viewer, path, BRANCH.create);
    this.#use.pushes.requireOpen({ repository, origin: ORIGIN });
    requireName(name);
    await this.#change({
      repository,
      pusher: viewer,
      origin: ORIGIN,
      build: async (session) => {
        const { base } = session;
        if (seen !== undefined && !isSamePage(base, BRANCHES, seen))
          throw changedSince('the list of branches');
        const commit = await startOf(base, repository, start);
        requireFree(base, name);
        // If the start is an id, it may name a commit that no ref reaches any more.
        const [incomplete] = await session.findDisconnected([commit]);
        if (incomplete !== undefined) throw notFound('commit');
        return { updates: [{ ref: branchRef(name), old: null, new: commit }], result: undefined };
      },
    });
  }

  /**
   * Renames a branch. The default branch stays the default, and the protection with its name gets the new name.
   *
   * @param seenTip the tip that the viewer has seen: rejects a branch that has moved since; undefined: accepts any tip
   * @throws ForgeError as `Repositories.get` and `changeRefs`; `not_found`; `invalid` for a bad name or a name in use;
   *   `forbidden` for a default or protected branch, if the viewer does not administer the repository;
   *   `precondition_failed`
   */
  async rename(
    viewer: SignedIn,
    path: RepositoryPath,
    { from, to, seenTip }: { from: string; to: string; seenTip?: Oid | undefined },
  ): Promise<void> {
    const { repository } = await this.#use.repositories.get(viewer, path, BRANCH.rename);
    const renamed = { from: branchRef(from), to: branchRef(to) };
    const origin = { ...ORIGIN, renamed };
    this.#use.pushes.requireOpen({ repository, origin });
    requireName(to);
    const rules = await this.#use.protections.ofBranches(viewer, repository.id);
    const isGuarded = from === repository.defaultBranch || rules.named(from) !== undefined;
    if (isGuarded) await this.#use.repositories.getById(viewer, repository.id, BRANCH.renameProtected);
    await this.#change({
      repository,
      pusher: viewer,
      origin,
      build: async ({ base }) => {
        const tip = requireBranch(base, from);
        if (seenTip !== undefined && tip !== seenTip) throw changedSince(`the branch ${from}`);
        const taken = [renamed.to, `refs/tags/${to}`].find((ref) => base.ref(ref) !== undefined);
        if (taken !== undefined) throw invalid(`${taken} exists already`);
        const updates = [
          { ref: renamed.from, old: tip, new: null },
          { ref: renamed.to, old: null, new: tip },
        ];
        const rename = { viewer, id: repository.id, from, to };
        return { updates, afterRules: (tx) => writeRename(tx, this.#use, rename), result: undefined };
      },
    });
  }

  /**
   * @param options.seenTip as for `rename`
   * @param options.afterRules writes rows and events of this change, in the transaction that deletes the branch
   * @throws ForgeError as `Repositories.get` and `changeRefs`; `not_found`; `forbidden` for the default branch and for
   *   protected branches; `precondition_failed`
   */
  async delete(
    viewer: SignedIn,
    path: RepositoryPath,
    name: string,
    { seenTip, ...rows }: { seenTip?: Oid | undefined; afterRules?: (tx: Tx) => Promise<void> } = {},
  ): Promise<void> {
    const { repository } = await this.#use.repositories.get(viewer, path, BRANCH.delete);
    this.#use.pushes.requireOpen({ repository, origin: ORIGIN });
    await this.#change({
      repository,
      pusher: viewer,
      origin: ORIGIN,
      build: async ({ base }) => {
        const tip = requireBranch(base, name);
        if (seenTip !== undefined && tip !== seenTip) throw changedSince(`the branch ${name}`);
        return { updates: [{ ref: branchRef(name), old: tip, new: null }], ...rows, result: undefined };
      },
    });
  }

  #change(write: Parameters<typeof changeRefs<undefined>>[1]): Promise<undefined> {
    return changeRefs({ git: this.#use.git, pushes: this.#use.pushes }, write);
  }
}

/** @throws ForgeError `invalid` */
function requireName(name: string): void {
  const problem = branchNameProblem(name);
  if (problem !== undefined) throw invalid(`${problem} [branch: ${name}]`);
}

/** @throws ForgeError `conflict` */
function requireFree(base: Snapshot, name: string): void {
  if (base.ref(branchRef(name)) !== undefined) throw conflict(`the branch ${name} exists already`);
  // A branch and a tag of the same name would be ambiguous in URLs and in commands.
  if (base.ref(`refs/tags/${name}`) !== undefined)
    throw conflict(`a tag with the name ${name} exists already`);
}

/** @throws ForgeError `not_found` */
function requireBranch(base: Snapshot, name: string): Oid {
  const tip = base.ref(branchRef(name));
  if (tip === undefined) throw notFound('branch');
  return tip;
}

/** @throws ForgeError `not_found` */
async function startOf(base: Snapshot, { defaultBranch }: Repository, start: BranchStart): Promise<Oid> {
  if (start.kind === 'ref') {
    const resolved = await resolveRef(base, start.name);
    if (resolved === undefined) throw notFound('ref');
    return resolved.commit;
  }
  const isDefault = start.kind !== 'branch' || start.name === HEAD;
  return requireBranch(base, isDefault ? defaultBranch : start.name);
}
