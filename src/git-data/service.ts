import type { Viewer } from '../access/viewer.ts';
import type { Accounts } from '../accounts/service.ts';
import { invalid, notFound } from '../core/failure.ts';
import { LIMITS } from '../core/limits.ts';
import type { GitStorage, Oid, Snapshot } from '../git/model.ts';
import { malformedRefName } from '../git/refs/ref-names.ts';
import type { Repository, RepositoryPath } from '../repositories/model.ts';
import { resolveRef } from '../repositories/resolve-ref.ts';
import type { Repositories } from '../repositories/service.ts';
import { GIT_DATA } from './actions.ts';
import { type FoundEntry, listTree } from './list-tree.ts';
import type { Blob, CommitDetails, CommitOptions, ListedEntry, TreeOptions, TreePage } from './model.ts';

const OID_PATTERN = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Reads blobs, trees and commits by their ids. */
export class GitData {
  readonly #repositories: Repositories;
  readonly #accounts: Accounts;
  readonly #git: GitStorage;

  constructor(dependencies: { repositories: Repositories; accounts: Accounts; git: GitStorage }) {
    this.#repositories = dependencies.repositories;
    this.#accounts = dependencies.accounts;
    this.#git = dependencies.git;
  }

  /** @throws ForgeError as `Repositories.get`, and `not_found` for an id that is not that of a blob */
  async blob(viewer: Viewer, path: RepositoryPath, oid: string): Promise<Blob> {
    const { repository, snapshot } = await this.#open(viewer, path);
    const info = OID_PATTERN.test(oid) ? await snapshot.objects.info(oid) : undefined;
    if (info?.type !== 'blob') throw notFound('blob');
    const { sizeBytes } = info;
    const blobBytesMax = LIMITS.contentsBlobBytesMax;
    const content = sizeBytes > blobBytesMax ? null : await snapshot.objects.readBlob(oid, { blobBytesMax });
    return { repository, oid, sizeBytes, content };
  }

  /**
   * Lists a page of the entries of a tree.
   *
   * @param name id of a tree, or a branch, tag or commit
   * @throws ForgeError as `Repositories.get`
   */
  async tree(
    viewer: Viewer,
    path: RepositoryPath,
    name: string,
    { isRecursive, page, perPage }: TreeOptions,
  ): Promise<TreePage> {
    const { repository, snapshot } = await this.#open(viewer, path);
    const { oid, tree } = await resolveTree(snapshot, name);
    const { entries, isComplete } = await listTree(snapshot.objects, tree, { isRecursive });
    const shown = entries.slice((page - 1) * perPage, page * perPage);
    return {
      repository,
      oid,
      entries: await Promise.all(shown.map((entry) => withSize(snapshot, entry))),
      page,
      total: entries.length,
      isTruncated: !isComplete || shown.length < entries.length,
    };
  }

  /**
   * @param name a branch, tag or commit
   * @throws ForgeError as `Repositories.get`; `invalid` for a name that no ref can have, and for a commit whose changes
   *   are too large to list
   */
  async commit(
    viewer: Viewer,
    path: RepositoryPath,
    name: string,
    options: CommitOptions,
  ): Promise<CommitDetails> {
    const { repository, snapshot } = await this.#open(viewer, path);
    if (malformedRefName(`refs/heads/${name}`) !== undefined) throw invalid(`no valid ref or sha: ${name}`);
    const resolved = await resolveRef(snapshot, name);
    if (resolved === undefined) throw notFound('commit');
    const commit = await snapshot.objects.readCommit(resolved.commit);
    const changes =
      options.hasStats || options.hasFiles
        ? await this.#git.changes({ snapshot, oid: commit.oid }, { countsLines: options.hasStats })
        : null;
    const [author, committer] = [commit.author.email, commit.committer.email];
    const accounts = await this.#accounts.findByCommitEmails(viewer, [author, committer]);
    const accountOf = (email: string) => accounts.get(email.toLowerCase()) ?? null;
    return {
      repository,
      commit,
      author: accountOf(author),
      committer: accountOf(committer),
      changes,
      options,
    };
  }

  async #open(viewer: Viewer, path: RepositoryPath): Promise<{ repository: Repository; snapshot: Snapshot }> {
    const { repository } = await this.#repositories.get(viewer, path, GIT_DATA.read);
    return { repository, snapshot: await this.#git.open(repository.id) };
  }
}

async function resolveTree(snapshot: Snapshot, name: string): Promise<{ oid: Oid; tree: Oid }> {
  const resolved = await resolveRef(snapshot, name);
  if (resolved !== undefined) {
    const { tree } = await snapshot.objects.readCommit(resolved.commit);
    return { oid: resolved.commit, tree };
  }
  const info = OID_PATTERN.test(name) ? await snapshot.objects.info(name) : undefined;
  if (info?.type !== 'tree') throw notFound('tree');
  return { oid: name, tree: name };
}

async function withSize(snapshot: Snapshot, entry: FoundEntry): Promise<ListedEntry> {
  const isBlob = entry.mode !== '040000' && entry.mode !== '160000';
  const info = isBlob ? await snapshot.objects.info(entry.oid) : undefined;
  return { ...entry, sizeBytes: info?.sizeBytes ?? 0 };
}
