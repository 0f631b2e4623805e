import type { RepositoryAction } from '../../api/access/actions.ts';
import { reaches } from '../../api/access/levels.ts';
import type { Viewer } from '../../api/access/viewer.ts';
import { notFound } from '../../base/core/failure.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import type { Oid } from '../../git/format/model.ts';
import { BRANCHES, branchRef } from '../../git/format/ref-names.ts';
import type { Snapshot } from '../../git/interface/snapshot.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { PermittedRepository, Repository, RepositoryPath } from '../../hosting/repositories/model.ts';
import { pageOfRefs } from '../../hosting/repositories/refs/page-of-refs.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import { Comparisons } from '../protection/comparisons.ts';
import { mayMerge, mayPush, type ProtectionForViewer } from '../protection/model.ts';
import type { Protections } from '../protection/service.ts';
import { signedCommit } from '../verification/model.ts';
import type { SignatureVerifier } from '../verification/service.ts';
import { BRANCH } from './actions.ts';
import type { Branch, BranchOverview, BranchRights } from './model.ts';

/** A branch before its commit is read. */
interface FoundBranch {
  readonly repository: Repository;
  readonly snapshot: Snapshot;
  readonly name: string;
  readonly tip: Oid;
  readonly protection: ProtectionForViewer | undefined;
  readonly rights: BranchRights;
}

interface Dependencies {
  readonly repositories: Repositories;
  readonly accounts: Accounts;
  readonly protections: Protections;
  readonly git: Pick<GitStorage, 'refs' | 'history'>;
  readonly verifier: SignatureVerifier;
}

export class BranchReader {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Lists branches by name. Reads only the commits of the page.
   *
   * @throws ForgeError as `Repositories.get`
   */
  async list(
    viewer: Viewer,
    path: RepositoryPath,
    paging: Paging,
    action: RepositoryAction = BRANCH.read,
  ): Promise<Page<Branch>> {
    const permitted = await this.#use.repositories.get(viewer, path, action);
    const snapshot = await this.#use.git.refs.open(permitted.repository.id);
    const { items, total } = pageOfRefs(snapshot, BRANCHES, paging);
    return { items: await this.#readAll(viewer, { permitted, snapshot }, items), total };
  }

  /**
   * Lists branches by name, beside the default branch, with which all are compared.
   *
   * @throws ForgeError as `Repositories.get`; `busy`
   */
  async overview(viewer: Viewer, path: RepositoryPath, paging: Paging): Promise<BranchOverview> {
    const permitted = await this.#use.repositories.get(viewer, path, BRANCH.read);
    const { id, defaultBranch } = permitted.repository;
    const snapshot = await this.#use.git.refs.open(id);
    const { items, total } = pageOfRefs(snapshot, BRANCHES, paging);
    const base = snapshot.ref(branchRef(defaultBranch));
    const others = items.filter(({ name }) => name !== defaultBranch);
    const refs = base === undefined ? others : [{ name: defaultBranch, oid: base }, ...others];
    const branches = await this.#readAll(viewer, { permitted, snapshot }, refs);
    const tips = others.map(({ oid }) => oid);
    const counts =
      base === undefined
        ? new Map()
        : await this.#use.git.history.countsAgainst({ snapshot, oid: base }, tips);
    return { permitted, branches, total, counts };
  }

  async #readAll(
    viewer: Viewer,
    { permitted, snapshot }: { readonly permitted: PermittedRepository; readonly snapshot: Snapshot },
    refs: readonly { readonly name: string; readonly oid: Oid }[],
  ): Promise<readonly Branch[]> {
    const rules = await this.#use.protections.ofBranches(viewer, permitted.repository.id);
    const comparisons = new Comparisons();
    const found: FoundBranch[] = [];
    for (const { name, oid } of refs) {
      if (comparisons.isDueToRest) await comparisons.rest();
      const protection = comparisons.run((budget) => rules.firstMatch(name, budget));
      found.push(describe(permitted, { snapshot, name, tip: oid }, protection));
    }
    return this.#withCommits(viewer, found);
  }

  /** @throws ForgeError as `Repositories.get`, and `not_found` for a missing branch */
  async get(
    viewer: Viewer,
    path: RepositoryPath,
    name: string,
    action: RepositoryAction = BRANCH.read,
  ): Promise<Branch> {
    const permitted = await this.#use.repositories.get(viewer, path, action);
    const snapshot = await this.#use.git.refs.open(permitted.repository.id);
    const tip = snapshot.ref(branchRef(name));
    if (tip === undefined) throw notFound('branch');
    const rules = await this.#use.protections.ofBranches(viewer, permitted.repository.id);
    const protection = new Comparisons().run((budget) => rules.firstMatch(name, budget));
    const [branch] = await this.#withCommits(viewer, [
      describe(permitted, { snapshot, name, tip }, protection),
    ]);
    if (branch === undefined) throw notFound('branch');
    return branch;
  }

  async #withCommits(viewer: Viewer, found: readonly FoundBranch[]): Promise<readonly Branch[]> {
    const commits = await Promise.all(found.map(({ snapshot, tip }) => snapshot.objects.readCommit(tip)));
    const emails = commits.flatMap(({ author, committer }) => [author.email, committer.email]);
    const accounts = await this.#use.accounts.findByCommitEmails(viewer, emails);
    const userNames = new Map([...accounts].map(([email, { name }]) => [email, name]));
    const verifications = await this.#use.verifier.verify(viewer, commits.map(signedCommit));
    return found.flatMap(({ repository, name, protection, rights }, index) => {
      const [commit, verification] = [commits[index], verifications[index]];
      if (commit === undefined || verification === undefined) return [];
      return [{ repository, name, commit, verification, userNames, protection, rights }];
    });
  }
}

function describe(
  { repository, level, units }: PermittedRepository,
  branch: Pick<FoundBranch, 'snapshot' | 'name' | 'tip'>,
  protection: ProtectionForViewer | undefined,
): FoundBranch {
  const writes = reaches(units.code, 'write');
  const rights = {
    mayPush: writes && (protection === undefined || mayPush(protection)),
    mayMerge: writes && (protection === undefined || mayMerge(protection)),
    seesProtections: reaches(level, 'admin'),
  };
  return { repository, ...branch, protection, rights };
}
