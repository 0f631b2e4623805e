import type { Readable } from 'node:stream';
import type { RepositoryAction } from '../../api/access/actions.ts';
import type { Viewer } from '../../api/access/viewer.ts';
import { notFound } from '../../base/core/failure.ts';
import type { Commit, Oid, TreeEntry } from '../../git/format/model.ts';
import { textOfPath } from '../../git/format/name-bytes.ts';
import { branchRef } from '../../git/format/ref-names.ts';
import type { LastCommit } from '../../git/interface/history.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import { findEntry } from '../../git/trees/find-entry.ts';
import type { PermittedRepository, RepositoryPath } from '../../hosting/repositories/model.ts';
import { resolveCommitId, resolveRef } from '../../hosting/repositories/refs/resolve-ref.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import { HTTP_LIMITS } from '../../http/limits.ts';
import { CONTENTS } from './actions.ts';
import { firstWithEntry, isAddressKind, splitAddress, splitAnyAddress } from './address.ts';
import { contentOf, described, lastOf, typeOf } from './entries.ts';
import { type ExtendedContents, readExtended } from './extended.ts';
import type { LastCommits } from './last-commits/service.ts';
import { CONTENTS_LIMITS } from './limits.ts';
import type { AddressedLocation, ContentsEntry, ContentsLocation, ContentsPlace, Included } from './model.ts';
import { readFiles } from './read-files.ts';

export type Contents =
  | { readonly kind: 'entry'; readonly entry: ContentsEntry }
  | { readonly kind: 'list'; readonly entries: readonly ContentsEntry[] };

export type Look =
  | { readonly kind: 'folder'; readonly entries: readonly TreeEntry[] }
  /** `bytes` is null for a file that is too large for a page */
  | {
      readonly kind: 'file';
      readonly oid: Oid;
      readonly sizeBytes: number;
      readonly bytes: Uint8Array | null;
    };

export interface RawFile {
  readonly name: string;
  readonly type: 'file' | 'symlink';
  readonly oid: Oid;
  readonly sizeBytes: number;
  /** @throws ForgeError `busy` */
  lastCommitAt(): Promise<number>;
  /** Returns all bytes of a small file, which are in memory anyway, and a stream of a larger one. */
  open(): Promise<Uint8Array | Readable>;
}

/** A path at a commit, of a repository or of its wiki. */
type PlacedFile = Pick<ContentsLocation, 'snapshot' | 'commit' | 'path'>;

interface Dependencies {
  readonly repositories: Repositories;
  readonly git: Pick<GitStorage, 'refs'>;
  readonly lastCommits: LastCommits;
}

export class ContentsReader {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Authorizes the request and resolves its ref and path to ids. Later steps use only ids.
   *
   * @param ref a branch, tag or commit; undefined or '' for the default branch
   * @returns undefined for the root of a repository without branches
   * @param action to authorize; the actions differ in the response to a caller who may not read the code
   * @throws ForgeError `not_found`, `unauthenticated`, `forbidden`
   */
  async locate(
    viewer: Viewer,
    repositoryPath: RepositoryPath,
    path: string,
    ref: string | undefined,
    action: RepositoryAction = CONTENTS.read,
  ): Promise<ContentsLocation | undefined> {
    const { repository } = await this.#use.repositories.get(viewer, repositoryPath, action);
    const named = ref === '' ? undefined : ref;
    const asked = named ?? repository.defaultBranch;
    const snapshot = await this.#use.git.refs.open(repository.id);
    // A tag with the name of the default branch never replaces it.
    const resolved = await resolveRef(snapshot, named ?? branchRef(asked));
    if (resolved === undefined) {
      // Checked last, because a repository without branches may have tags.
      if (repository.isEmpty && path === '') return undefined;
      throw notFound('ref');
    }
    const { kind, name, commit } = resolved;
    return { repository, snapshot, ref: { kind, name, asked }, commit, path };
  }

  /**
   * Authorizes the request and resolves an address in which a ref and a path follow each other, such as
   * `branch/main/docs/plan.md`.
   *
   * @throws ForgeError as `locate`
   */
  async locateAddress(
    viewer: Viewer,
    repositoryPath: RepositoryPath,
    address: { kind: string; refAndPath: string },
    action: RepositoryAction = CONTENTS.readRaw,
  ): Promise<AddressedLocation> {
    const permitted = await this.#use.repositories.get(viewer, repositoryPath, action);
    const { repository } = permitted;
    const snapshot = await this.#use.git.refs.open(repository.id);
    const split = splitAddress(snapshot, address);
    // A branch may look like an abbreviated id.
    const resolve = address.kind === 'commit' ? resolveCommitId : resolveRef;
    const resolved = split === undefined ? undefined : await resolve(snapshot, split.ref);
    if (split === undefined || resolved === undefined) throw notFound('ref');
    const { kind, name, commit } = resolved;
    const ref = { kind, name, asked: split.ref };
    return { permitted, repository, snapshot, ref, commit, path: split.path };
  }

  /**
   * Returns the root of the default branch, for a caller who may read the code; undefined if the branch has no commit.
   */
  async openDefaultBranch(permitted: PermittedRepository): Promise<AddressedLocation | undefined> {
    const { repository } = permitted;
    const { defaultBranch: name } = repository;
    const snapshot = await this.#use.git.refs.open(repository.id);
    const commit = snapshot.ref(branchRef(name));
    if (commit === undefined) return undefined;
    const ref = { kind: 'branch', name, asked: name } as const;
    return { permitted, repository, snapshot, ref, commit, path: '' };
  }

  /**
   * As `locate`, for raw bytes. Without a ref, the path may begin with one: a branch, a tag or the full id of a commit. A
   * file of the default branch comes first.
   *
   * @throws ForgeError as `locate`
   */
  async locateRaw(
    viewer: Viewer,
    repositoryPath: RepositoryPath,
    path: string,
    ref: string | undefined,
  ): Promise<ContentsLocation | undefined> {
    if (ref !== undefined && ref !== '')
      return this.locate(viewer, repositoryPath, path, ref, CONTENTS.readRaw);
    const { repository } = await this.#use.repositories.get(viewer, repositoryPath, CONTENTS.readRaw);
    const snapshot = await this.#use.git.refs.open(repository.id);
    const { defaultBranch } = repository;
    const onDefault = { ref: branchRef(defaultBranch), asked: defaultBranch, path };
    return firstWithEntry(repository, snapshot, [onDefault, ...splitAnyAddress(snapshot, path)]);
  }

  /**
   * As `locateAddress`, for raw bytes and an address that may not say what its ref is.
   *
   * @throws ForgeError as `locate`
   */
  async locateRawAddress(
    viewer: Viewer,
    repositoryPath: RepositoryPath,
    address: { kind: string; refAndPath: string },
  ): Promise<ContentsLocation> {
    if (isAddressKind(address.kind)) return this.locateAddress(viewer, repositoryPath, address);
    const { repository } = await this.#use.repositories.get(viewer, repositoryPath, CONTENTS.readRaw);
    const snapshot = await this.#use.git.refs.open(repository.id);
    const whole = `${address.kind}/${address.refAndPath}`;
    return firstWithEntry(repository, snapshot, splitAnyAddress(snapshot, whole));
  }

  /**
   * Reads what a page shows of a location, which is less than `read` returns.
   *
   * @throws ForgeError `not_found` also for a submodule
   */
  async look(location: ContentsLocation): Promise<Look> {
    const { objects } = location.snapshot;
    const { tree } = await objects.readCommit(location.commit);
    if (location.path === '') return { kind: 'folder', entries: await objects.readTree(tree) };
    const entry = await findEntry(objects, tree, location.path);
    if (entry === undefined || entry.mode === '160000') throw notFound('path');
    if (entry.mode === '040000') return { kind: 'folder', entries: await objects.readTree(entry.oid) };
    const { sizeBytes = 0 } = (await objects.info(entry.oid)) ?? {};
    if (sizeBytes > CONTENTS_LIMITS.pageFileBytesMax)
      return { kind: 'file', oid: entry.oid, sizeBytes, bytes: null };
    const bytes = await objects.readBlob(entry.oid, { blobBytesMax: CONTENTS_LIMITS.pageFileBytesMax });
    return { kind: 'file', oid: entry.oid, sizeBytes, bytes };
  }

  /**
   * Finds the commits that last changed entries of the folder at a location, by their names.
   *
   * @throws ForgeError `busy` if the history is too long to search
   */
  async lastCommitsOf(location: PlacedFile, names: readonly string[]): Promise<ReadonlyMap<string, Commit>> {
    const { snapshot, commit, path } = location;
    const last = await this.#use.lastCommits.find(snapshot, commit, path, [...names]);
    const oids = [...new Set([...last.values()].map(({ oid }) => oid))];
    const commits = await Promise.all(oids.map((oid) => snapshot.objects.readCommit(oid)));
    const byId = new Map(commits.map((each) => [each.oid, each]));
    const found = new Map<string, Commit>();
    for (const [name, { oid }] of last) {
      const known = byId.get(oid);
      if (known !== undefined) found.set(name, known);
    }
    return found;
  }

  /** @throws ForgeError `not_found` */
  async read(location: ContentsLocation): Promise<Contents> {
    const { objects } = location.snapshot;
    const { tree } = await objects.readCommit(location.commit);
    if (location.path === '') return { kind: 'list', entries: await this.#list(location, tree) };
    const entry = await findEntry(objects, tree, location.path);
    if (entry === undefined) throw notFound('path');
    if (entry.mode === '040000') return { kind: 'list', entries: await this.#list(location, entry.oid) };
    return { kind: 'entry', entry: await this.#entry(location, entry) };
  }

  /** @throws ForgeError `not_found`, `busy` */
  readExtended(location: ContentsLocation, included: Included): Promise<ExtendedContents> {
    return readExtended(this.#use.lastCommits, location, included);
  }

  /**
   * Reads several files; null for a path without one.
   *
   * @throws ForgeError `busy`
   */
  readFiles(place: ContentsPlace, paths: readonly string[]): Promise<readonly (ContentsEntry | null)[]> {
    return readFiles(this.#use.lastCommits, place, paths, {
      contentBytesMax: CONTENTS_LIMITS.contentsBlobBytesMax,
    });
  }

  /** @throws ForgeError `not_found` also for a folder */
  async readEntry(location: ContentsLocation): Promise<ContentsEntry> {
    const contents = await this.read(location);
    if (contents.kind === 'list') throw notFound('file');
    return contents.entry;
  }

  async #list(location: ContentsLocation, tree: Oid): Promise<readonly ContentsEntry[]> {
    const entries = await location.snapshot.objects.readTree(tree);
    const names = entries.map(({ name }) => name);
    const last = await this.#use.lastCommits.find(location.snapshot, location.commit, location.path, names);
    return Promise.all(
      entries.map(async (entry): Promise<ContentsEntry> => {
        const lastCommit = lastOf(last, entry.name);
        const path = location.path === '' ? entry.name : `${location.path}/${entry.name}`;
        return { ...(await described(location, entry, path)), lastCommit, content: null };
      }),
    );
  }

  async #entry(location: ContentsLocation, entry: TreeEntry): Promise<ContentsEntry> {
    const about = await described(location, entry, location.path);
    const lastCommit = await this.#lastCommitOf(location);
    const content = about.type === 'file' ? await contentOf(location, about) : null;
    return { ...about, lastCommit, content };
  }

  async #lastCommitOf(location: PlacedFile): Promise<LastCommit> {
    const slash = location.path.lastIndexOf('/');
    const folder = slash === -1 ? '' : location.path.slice(0, slash);
    const name = location.path.slice(slash + 1);
    const last = await this.#use.lastCommits.find(location.snapshot, location.commit, folder, [name]);
    return lastOf(last, name);
  }

  /**
   * Opens a file or symlink to stream it.
   *
   * @throws ForgeError `not_found` for any other entry
   */
  async openRaw(location: PlacedFile): Promise<RawFile> {
    const { objects } = location.snapshot;
    const { tree } = await objects.readCommit(location.commit);
    const entry = await findEntry(objects, tree, location.path);
    const type = entry === undefined ? undefined : typeOf(entry);
    if (entry === undefined || (type !== 'file' && type !== 'symlink')) throw notFound('file');
    const info = await objects.info(entry.oid);
    if (info === undefined) throw notFound('blob');
    const { oid } = entry;
    const name = textOfPath(entry.name);
    const lastCommitAt = async () => (await this.#lastCommitOf(location)).seconds * 1000;
    const open = async () =>
      info.sizeBytes <= HTTP_LIMITS.responseBytesUncounted
        ? objects.readBlob(oid, { blobBytesMax: HTTP_LIMITS.responseBytesUncounted })
        : (await objects.streamBlob(oid)).stream;
    return { name, type, oid, sizeBytes: info.sizeBytes, lastCommitAt, open };
  }
}
