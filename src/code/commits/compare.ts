import type { Viewer } from '../../api/access/viewer.ts';
import { type ForgeError, notFound } from '../../base/core/failure.ts';
import type { Slice } from '../../base/core/paging.ts';
import { branchRef } from '../../git/format/ref-names.ts';
import type { CommitOf } from '../../git/interface/snapshot.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import { resolveRef } from '../../hosting/repositories/refs/resolve-ref.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { OpenRepository } from '../git-data/commit-reader.ts';
import type { CommitOptions } from '../git-data/model.ts';
import { findHeadRepository } from './head-repository.ts';
import type { ComparedNames, Comparison } from './model.ts';
import type { Commits, PermittedOpen } from './service.ts';

/** Two commits, perhaps of a repository and its fork. */
export interface ComparedCommits {
  readonly inBase: PermittedOpen;
  /** the repository that has the head */
  readonly inHead: OpenRepository;
  readonly base: CommitOf;
  readonly head: CommitOf;
  /** where the differences start: the base, or the last commit that both have */
  readonly from: CommitOf;
}

interface Dependencies {
  readonly repositories: Repositories;
  readonly git: Pick<GitStorage, 'refs' | 'history'>;
  readonly commits: Commits;
}

/** Compares branches, tags and commits, also those of forks. */
export class Compare {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Finds the commits that an address names.
   *
   * @throws ForgeError as `Repositories.get`, also for the repository of the head; `not_found` for unknown names, and if
   *   the two have no history in common; `busy`
   */
  async find(viewer: Viewer, path: RepositoryPath, names: ComparedNames): Promise<ComparedCommits> {
    const inBase = await this.#use.commits.open(viewer, path);
    const inHead = await this.#openHead(viewer, inBase, names);
    const base = await commitOf(inBase, names.base);
    const head = await commitOf(inHead, names.head);
    if (names.isDirect) return { inBase, inHead, base, head, from: base };
    const common = await this.#use.git.history.mergeBase(base, head);
    if (common === undefined) throw nothingInCommon(names);
    return { inBase, inHead, base, head, from: { snapshot: base.snapshot, oid: common } };
  }

  /** @throws ForgeError `busy` */
  async compare(
    viewer: Viewer,
    compared: ComparedCommits,
    shown: { slice: Slice; options: CommitOptions },
  ): Promise<Comparison> {
    const { inHead, base, head, from } = compared;
    const range = { head, without: [base], path: null };
    const page = await this.#use.commits.page(viewer, inHead, range, shown);
    return { ...page, files: () => this.#use.git.history.filesBetween(from, head) };
  }

  async #openHead(viewer: Viewer, inBase: OpenRepository, names: ComparedNames): Promise<OpenRepository> {
    const { repositories, git } = this.#use;
    const repository = await findHeadRepository(repositories, viewer, inBase.repository, names);
    if (repository === inBase.repository) return inBase;
    return { repository, snapshot: await git.refs.open(repository.id) };
  }
}

function nothingInCommon({ base, head }: ComparedNames): ForgeError {
  const [one, other] = [base === '' ? 'the default branch' : base, head === '' ? 'the default branch' : head];
  const say = `${one} and ${other} have no commit in common: compare their files with two dots instead of three`;
  return notFound('common commit', { say });
}

async function commitOf({ repository, snapshot }: OpenRepository, name: string): Promise<CommitOf> {
  const resolved = await resolveRef(snapshot, name === '' ? branchRef(repository.defaultBranch) : name);
  if (resolved === undefined) throw notFound('commit');
  return { snapshot, oid: resolved.commit };
}
