import type { Viewer } from '../../api/access/viewer.ts';
import { conflict, type ForgeError, notFound } from '../../base/core/failure.ts';
import { offsetOf, type Paging, type Slice } from '../../base/core/paging.ts';
import { createSizedCache } from '../../base/core/sized-cache.ts';
import { withoutOuterSlashes } from '../../base/core/text/text.ts';
import type { Oid } from '../../git/format/model.ts';
import { branchRef } from '../../git/format/ref-names.ts';
import { treePathProblem } from '../../git/format/tree-paths.ts';
import type { CommitRange } from '../../git/interface/history.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import { GIT_LIMITS } from '../../git/limits.ts';
import type { PermittedRepository, RepositoryPath } from '../../hosting/repositories/model.ts';
import { resolveRef } from '../../hosting/repositories/refs/resolve-ref.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { CommitReader, OpenRepository } from '../git-data/commit-reader.ts';
import type { CommitDetails, CommitOptions } from '../git-data/model.ts';
import { COMMIT } from './actions.ts';
import type { CommitFilter, CommitPage } from './model.ts';

interface Dependencies {
  readonly repositories: Repositories;
  readonly git: Pick<GitStorage, 'refs' | 'history'>;
  readonly commitReader: CommitReader;
}

/** A repository at one version, and what the viewer may do there. */
export interface PermittedOpen extends OpenRepository {
  readonly permitted: PermittedRepository;
}

/** Lists commits. */
export class Commits {
  readonly #use: Dependencies;
  readonly #counts = createSizedCache<string, { readonly total: number }>({
    sizeMax: GIT_LIMITS.commitCountsCachedMax,
    sizeOf: () => 1,
  });

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError as `Repositories.get` */
  async open(viewer: Viewer, path: RepositoryPath): Promise<PermittedOpen> {
    const permitted = await this.#use.repositories.get(viewer, path, COMMIT.read);
    const { repository } = permitted;
    return { permitted, repository, snapshot: await this.#use.git.refs.open(repository.id) };
  }

  /**
   * Lists a page of commits, newest first.
   *
   * @throws ForgeError as `Repositories.get`; `conflict` for an empty repository; `not_found` for an unknown name, and
   *   for a path that no commit changed; `busy`
   */
  async list(
    viewer: Viewer,
    path: RepositoryPath,
    filter: CommitFilter,
    { paging, options }: { paging: Paging; options: CommitOptions },
  ): Promise<CommitPage> {
    const opened = await this.open(viewer, path);
    const range = await this.#rangeOf(opened, filter);
    const slice = { limit: paging.limit, offset: offsetOf(paging) };
    return this.page(viewer, opened, range, { slice, options });
  }

  /**
   * Reads a slice of a range.
   *
   * @param opened the repository that has its head
   * @throws ForgeError `not_found` for a path that no commit changed, at any time; `busy`
   */
  async page(
    viewer: Viewer,
    opened: OpenRepository,
    range: CommitRange,
    { slice, options }: { slice: Slice; options: CommitOptions },
  ): Promise<CommitPage> {
    const { oids, total } = await this.#listed(range, slice);
    if (total === 0 && range.path !== null) await this.#requireChanges({ ...range, times: undefined });
    const commits = await this.#use.commitReader.read(viewer, opened, oids, options);
    return { snapshot: opened.snapshot, commits, total };
  }

  /** @throws ForgeError `busy`; `invalid` for commits whose changes are too many to list */
  describe({ snapshot, commits }: CommitPage, options: CommitOptions): Promise<readonly CommitDetails[]> {
    return this.#use.commitReader.describe(snapshot, commits, options);
  }

  async #rangeOf(opened: OpenRepository, { from, not, path, times }: CommitFilter): Promise<CommitRange> {
    const { repository, snapshot } = opened;
    const named = from === '' ? branchRef(repository.defaultBranch) : from;
    const resolved = await resolveRef(snapshot, named);
    if (resolved === undefined) throw repository.isEmpty ? isEmpty() : notFound('commit');
    const without = not === '' ? undefined : await resolveRef(snapshot, not);
    if (not !== '' && without === undefined) throw notFound('commit');
    const trimmed = withoutOuterSlashes(path);
    if (trimmed !== '' && treePathProblem(trimmed) !== undefined) throw notFound('path');
    return {
      head: { snapshot, oid: resolved.commit },
      without: without === undefined ? [] : [{ snapshot, oid: without.commit }],
      path: trimmed === '' ? null : trimmed,
      times,
    };
  }

  async #listed(
    range: CommitRange,
    slice: Slice,
  ): Promise<{ readonly oids: readonly Oid[]; readonly total: number }> {
    if (range.times === undefined) {
      const [oids, total] = await Promise.all([
        this.#use.git.history.listCommits(range, slice),
        this.#count(range),
      ]);
      return { oids, total };
    }
    // A list that knows its end need not pass all older commits to find more of these times.
    const total = await this.#count(range);
    const limit = Math.min(slice.limit, total - slice.offset);
    const oids = limit > 0 ? await this.#use.git.history.listCommits(range, { ...slice, limit }) : [];
    return { oids, total };
  }

  /** @throws ForgeError `not_found` */
  async #requireChanges(range: CommitRange): Promise<void> {
    if ((await this.#count(range)) === 0) throw notFound('path');
  }

  /** Commits never change, so their number is found once. */
  async #count(range: CommitRange): Promise<number> {
    const { head, without, path, times } = range;
    const key = JSON.stringify([head.snapshot.id, head.oid, without.map(({ oid }) => oid), path, times]);
    const known = this.#counts.get(key);
    if (known !== undefined) return known.total;
    const total = await this.#use.git.history.countCommits(range);
    this.#counts.set(key, { total });
    return total;
  }
}

function isEmpty(): ForgeError {
  return conflict('Git Repository is empty.');
}
