import type { Viewer } from '../../api/access/viewer.ts';
import { ForgeError, invalid, notFound } from '../../base/core/failure.ts';
import type { Oid } from '../../git/format/model.ts';
import { branchRef, malformedRefName } from '../../git/format/ref-names.ts';
import type { Snapshot } from '../../git/interface/snapshot.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import { findEntry } from '../../git/trees/find-entry.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import { resolveRef } from '../../hosting/repositories/refs/resolve-ref.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import { CONTENTS_LIMITS } from '../contents/limits.ts';
import { GIT_DATA } from './actions.ts';
import type { CommitReader, OpenRepository } from './commit-reader.ts';
import { GIT_DATA_LIMITS } from './limits.ts';
import { type FoundEntry, listTree } from './list-tree.ts';
import type {
  Blob,
  CommitDetails,
  CommitOptions,
  KnownCommit,
  ListedEntry,
  TreeOptions,
  TreePage,
} from './model.ts';

const OID_PATTERN = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** A tree whose entries are not listed yet. */
interface FoundTree extends OpenRepository {
  /** the tree, or the commit that was asked for */
  readonly oid: Oid;
  readonly tree: Oid;
}

/** A commit whose changes are not read yet. */
interface FoundCommit {
  readonly snapshot: Snapshot;
  readonly known: KnownCommit;
}

interface Dependencies {
  readonly repositories: Repositories;
  readonly commits: CommitReader;
  readonly git: Pick<GitStorage, 'refs'>;
}

/** Reads blobs, trees and commits by their ids. */
export class GitData {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError as `Repositories.get` */
  async open(viewer: Viewer, path: RepositoryPath): Promise<OpenRepository> {
    const { repository } = await this.#use.repositories.get(viewer, path, GIT_DATA.read);
    return { repository, snapshot: await this.#use.git.refs.open(repository.id) };
  }

  /** @throws ForgeError `not_found` for an id that is not that of a blob */
  async blob({ repository, snapshot }: OpenRepository, oid: string): Promise<Blob> {
    const info = OID_PATTERN.test(oid) ? await snapshot.objects.info(oid) : undefined;
    if (info?.type !== 'blob') throw notFound('blob');
    const { sizeBytes } = info;
    const blobBytesMax = CONTENTS_LIMITS.contentsBlobBytesMax;
    const content = sizeBytes > blobBytesMax ? null : await snapshot.objects.readBlob(oid, { blobBytesMax });
    return { repository, oid, sizeBytes, content };
  }

  /**
   * Reads several blobs.
   *
   * @throws ForgeError `bad_request` for an id that is not that of a blob
   */
  async blobs({ repository, snapshot }: OpenRepository, oids: readonly string[]): Promise<readonly Blob[]> {
    const blobs: Blob[] = [];
    let bytesLeft: number = GIT_DATA_LIMITS.blobsListedBytesMax;
    for (const oid of oids) {
      const info = OID_PATTERN.test(oid) ? await snapshot.objects.info(oid) : undefined;
      if (info?.type !== 'blob')
        throw new ForgeError({ kind: 'bad_request', what: `no blob ${oid.slice(0, 64)}` });
      const { sizeBytes } = info;
      const blobBytesMax = Math.min(bytesLeft, CONTENTS_LIMITS.contentsBlobBytesMax);
      const content =
        sizeBytes > blobBytesMax ? null : await snapshot.objects.readBlob(oid, { blobBytesMax });
      bytesLeft -= content?.length ?? 0;
      blobs.push({ repository, oid, sizeBytes, content });
    }
    return blobs;
  }

  /**
   * Finds a tree without listing its entries.
   *
   * @param name id of a tree; or a branch, tag or commit, which a colon and the path of a folder may follow
   * @throws ForgeError as `open`, and `not_found`
   */
  async findTree(viewer: Viewer, path: RepositoryPath, name: string): Promise<FoundTree> {
    const opened = await this.open(viewer, path);
    return { ...opened, ...(await resolveTree(opened.snapshot, name)) };
  }

  /** Lists a page of the entries of a tree. */
  async tree(
    { repository, snapshot, oid, tree }: FoundTree,
    { isRecursive, page, perPage }: TreeOptions,
  ): Promise<TreePage> {
    const { entries, isComplete } = await listTree(snapshot.objects, tree, { isRecursive });
    const shown = entries.slice((page - 1) * perPage, page * perPage);
    return {
      repository,
      oid,
      entries: await Promise.all(shown.map((entry) => withSize(snapshot, entry))),
      page,
      total: entries.length,
      // Past the end it is false: clients ask for pages as long as it is true.
      isTruncated: shown.length > 0 && (!isComplete || page * perPage < entries.length),
    };
  }

  /**
   * Finds a commit without reading its changes.
   *
   * @param name a branch, tag or commit
   * @throws ForgeError as `Repositories.get`; `invalid` for a name that no ref can have
   */
  async findCommit(
    viewer: Viewer,
    path: RepositoryPath,
    name: string,
    options: CommitOptions,
  ): Promise<FoundCommit> {
    const opened = await this.open(viewer, path);
    if (malformedRefName(branchRef(name)) !== undefined) throw invalid(`no valid ref or sha: ${name}`);
    const resolved = await resolveRef(opened.snapshot, name);
    if (resolved === undefined) throw notFound('commit');
    const [known] = await this.#use.commits.read(viewer, opened, [resolved.commit], options);
    if (known === undefined) throw notFound('commit');
    return { snapshot: opened.snapshot, known };
  }

  /** @throws ForgeError `busy`; `invalid` for a commit whose changes are too many to list */
  async describe({ snapshot, known }: FoundCommit, options: CommitOptions): Promise<CommitDetails> {
    const [details] = await this.#use.commits.describe(snapshot, [known], options);
    if (details === undefined) throw notFound('commit');
    return details;
  }
}

async function resolveTree(snapshot: Snapshot, name: string): Promise<{ oid: Oid; tree: Oid }> {
  const colon = name.indexOf(':');
  // No ref has a colon in its name.
  if (colon !== -1) return folderAt(snapshot, name.slice(0, colon), name.slice(colon + 1));
  const resolved = await resolveRef(snapshot, name);
  if (resolved !== undefined) {
    const { tree } = await snapshot.objects.readCommit(resolved.commit);
    return { oid: resolved.commit, tree };
  }
  const info = OID_PATTERN.test(name) ? await snapshot.objects.info(name) : undefined;
  if (info?.type !== 'tree') throw notFound('tree');
  return { oid: name, tree: name };
}

/** Resolves a folder at a branch, tag or commit, in the form in which git itself names it. */
async function folderAt(snapshot: Snapshot, name: string, path: string): Promise<{ oid: Oid; tree: Oid }> {
  const resolved = await resolveRef(snapshot, name);
  if (resolved === undefined) throw notFound('commit');
  const { tree } = await snapshot.objects.readCommit(resolved.commit);
  if (path === '') return { oid: tree, tree };
  const entry = await findEntry(snapshot.objects, tree, path.replace(/\/$/, ''));
  if (entry?.mode !== '040000') throw notFound('tree');
  return { oid: entry.oid, tree: entry.oid };
}

async function withSize(snapshot: Snapshot, entry: FoundEntry): Promise<ListedEntry> {
  const isBlob = entry.mode !== '040000' && entry.mode !== '160000';
  const info = isBlob ? await snapshot.objects.info(entry.oid) : undefined;
  return { ...entry, sizeBytes: info?.sizeBytes ?? 0 };
}
