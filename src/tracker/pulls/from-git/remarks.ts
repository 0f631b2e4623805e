import { reaches } from '../../../api/access/levels.ts';
import type { Viewer } from '../../../api/access/viewer.ts';
import type { Database } from '../../../base/database/database.ts';
import { encodePath } from '../../../code/contents/present.ts';
import type { FinishedPush } from '../../../code/transport/remarks.ts';
import { branchNameOf, numberOfPullHead } from '../../../git/format/ref-names.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import { isGranted } from '../../../hosting/repositories/authorize.ts';
import type { PermittedRepository, Repository } from '../../../hosting/repositories/model.ts';
import { repositoryAddresses } from '../../../hosting/repositories/present.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import { showsUnit } from '../../../hosting/repositories/tracker.ts';
import type { Addresses } from '../../../http/app.ts';
import { issueAddresses } from '../../issues/present.ts';
import { PULL } from '../actions.ts';
import { PULL_LIMITS } from '../limits.ts';
import { findDependents } from '../store/moves.ts';

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
  readonly addresses: Addresses;
}

/** Says after a push where the pull requests of its branches are, and where to open one for a new branch. */
export class PullRemarks {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  async about(push: FinishedPush): Promise<readonly string[]> {
    const remarks = [...this.#aboutProposals(push), ...(await this.#aboutBranches(push))];
    return remarks.slice(0, PULL_LIMITS.remarksPerPushMax).flatMap((lines) => ['', ...lines, '']);
  }

  #aboutProposals({ permitted, moved }: FinishedPush): readonly (readonly string[])[] {
    return moved.flatMap(({ ref }) => {
      const number = numberOfPullHead(ref);
      return number === undefined ? [] : [this.#existing(permitted.repository, number)];
    });
  }

  async #aboutBranches({ pusher, permitted, moved }: FinishedPush): Promise<readonly (readonly string[])[]> {
    const { repository } = permitted;
    const isOwnBase = (branch: string) => repository.parentId === null && branch === repository.defaultBranch;
    const pushed = moved
      .flatMap(({ ref, old, new: tip }) => {
        const branch = tip === null ? undefined : branchNameOf(ref);
        return branch === undefined || isOwnBase(branch) ? [] : [{ branch, isNew: old === null }];
      })
      .slice(0, PULL_LIMITS.remarksPerPushMax);
    if (pushed.length === 0) return [];
    const { database } = this.#use;
    const names = pushed.map(({ branch }) => branch);
    const { heads: found } = await findDependents(database.reader, repository.id, names);
    const heads = [...found].sort((one, other) => one.issueId - other.issueId);
    const bases = await this.#findBases(
      pusher,
      permitted,
      heads.map(({ repositoryId }) => repositoryId),
    );
    const base = baseOf(pusher, permitted);
    return pushed.flatMap(({ branch, isNew }) => {
      const existing = heads.flatMap((head) => {
        const of = head.branch === branch ? bases.get(head.repositoryId) : undefined;
        return of === undefined ? [] : [this.#existing(of.repository, head.number)];
      });
      if (existing.length > 0 || !isNew || base === undefined) return existing;
      return this.#possible(base.repository, repository, branch);
    });
  }

  /** Finds the repositories whose pull requests the pusher may read. */
  async #findBases(
    pusher: Viewer,
    permitted: PermittedRepository,
    ids: readonly RepositoryId[],
  ): Promise<ReadonlyMap<RepositoryId, PermittedRepository>> {
    const { repositories, database } = this.#use;
    const own = permitted.repository.id;
    const others = ids.filter((id) => id !== own);
    const found = others.length === 0 ? [] : await repositories.findSeveral(database.reader, pusher, others);
    const readable = [[own, permitted] as const, ...found].filter(
      ([, each]) => showsUnit(each, 'pulls') && isGranted(pusher, each, PULL.read),
    );
    return new Map(readable);
  }

  #existing(repository: Repository, number: number): readonly string[] {
    const { htmlUrl } = issueAddresses({ repository, number, isPull: true }, this.#use.addresses);
    return ['Visit the existing pull request:', `  ${htmlUrl}`];
  }

  #possible(base: Repository, head: Repository, branch: string): readonly (readonly string[])[] {
    const isOwn = base.id === head.id;
    if (isOwn && branch === base.defaultBranch) return [];
    const { htmlUrl } = repositoryAddresses(base, this.#use.addresses);
    const owner = isOwn ? '' : `${head.owner.name}:`;
    const url = `${htmlUrl}/compare/${encodePath(base.defaultBranch)}...${owner}${encodePath(branch)}`;
    return [[`Create a new pull request for '${owner}${branch}':`, `  ${url}`]];
  }
}

/** Returns where a pull request from a repository leads: to its parent, or else to the repository itself. */
function baseOf(viewer: Viewer, permitted: PermittedRepository): PermittedRepository | undefined {
  const mayOpen = (found: PermittedRepository) => {
    const { archivedAt, isMirror, isEmpty } = found.repository;
    if (archivedAt !== null || isMirror || isEmpty || !reaches(found.units.code, 'read')) return false;
    return showsUnit(found, 'pulls') && isGranted(viewer, found, PULL.create);
  };
  const { parent } = permitted;
  return (parent === null ? [permitted] : [parent, permitted]).find(mayOpen);
}
