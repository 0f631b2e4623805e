import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { SignedIn } from '../../../api/access/viewer.ts';
import { ForgeError } from '../../../base/core/failure.ts';
import type { Oid } from '../../../git/format/model.ts';
import type { ObjectReader } from '../../../git/interface/snapshot.ts';
import type { DraftContent } from '../../../git/interface/writes.ts';
import { formatLfsPointer, LFS_POINTER_BYTES_MAX, parseLfsPointer } from '../../../hosting/lfs/pointer.ts';
import type { LargeFiles } from '../../../hosting/lfs/service.ts';
import type { Repository } from '../../../hosting/repositories/model.ts';
import type { FileContent, FileContents } from '../file-contents.ts';
import type { FileChange } from '../model.ts';
import { findLfsPaths } from './lfs-paths.ts';

/** Which of the changed files are large, by the attributes at a commit. */
export interface LargePaths {
  readonly commit: Oid;
  readonly paths: ReadonlySet<string>;
}

/** Stores the contents of files that `.gitattributes` gives to git-lfs, and makes pointers to them. */
export class LargeContents {
  readonly #files: LargeFiles;

  constructor({ largeFiles }: { largeFiles: LargeFiles }) {
    this.#files = largeFiles;
  }

  /** Finds the files with a new content that are large. */
  async findPaths(
    objects: ObjectReader,
    commit: Oid,
    changes: readonly FileChange<unknown>[],
  ): Promise<LargePaths> {
    const paths = changes.flatMap((change) =>
      change.kind === 'delete' || change.content === undefined ? [] : [change.path],
    );
    if (paths.length === 0 || !this.#files.isEnabled) return { commit, paths: new Set() };
    const { tree } = await objects.readCommit(commit);
    return { commit, paths: await findLfsPaths(objects, tree, paths) };
  }

  /**
   * Requires that the same files are large at the commit that a change is built on, as another change may have been faster.
   *
   * @throws ForgeError `busy`
   */
  async requireSame(
    objects: ObjectReader,
    commit: Oid | null,
    changes: readonly FileChange<unknown>[],
    found: LargePaths | undefined,
  ): Promise<void> {
    if (commit === null || commit === found?.commit) return;
    const { paths } = await this.findPaths(objects, commit, changes);
    const before = found?.paths ?? new Set();
    if (paths.size === before.size && [...paths].every((path) => before.has(path))) return;
    const what = 'the attributes of these files have changed meanwhile: try again';
    throw new ForgeError({ kind: 'busy', what, retryAfterSeconds: 1 });
  }

  /**
   * Stores the contents of large files as objects of the repository.
   *
   * @returns their pointers
   * @throws ForgeError as `LargeFiles.receive`
   */
  async store(
    to: { viewer: SignedIn; repository: Repository },
    contents: FileContents,
    { changes, large }: { changes: readonly FileChange[]; large: LargePaths },
  ): Promise<ReadonlyMap<FileContent, Buffer>> {
    const pointers = new Map<FileContent, Buffer>();
    for (const change of changes) {
      if (change.kind === 'delete' || change.content === undefined || !large.paths.has(change.path)) continue;
      const pointer = await this.#pointerTo(to, await contents.contentOf(change.content));
      if (pointer !== undefined) pointers.set(change.content, pointer);
    }
    return pointers;
  }

  /** @returns undefined for a content that stays as it is: nothing, or a pointer. git-lfs leaves them, too */
  async #pointerTo(
    to: { viewer: SignedIn; repository: Repository },
    content: DraftContent,
  ): Promise<Buffer | undefined> {
    const { sizeBytes } = content;
    if (sizeBytes === 0 || (await isPointer(content))) return undefined;
    return storeLarge(this.#files, to, content);
  }
}

/**
 * Stores a content as an object of a repository.
 *
 * @returns the pointer to it
 * @throws ForgeError as `LargeFiles.receive`
 */
export async function storeLarge(
  files: LargeFiles,
  to: { viewer: SignedIn; repository: Repository },
  { sizeBytes, read }: DraftContent,
): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of read()) hash.update(chunk);
  const object = { oid: hash.digest('hex'), sizeBytes };
  await files.receive(to, object, read());
  return formatLfsPointer(object);
}

async function isPointer({ sizeBytes, read }: DraftContent): Promise<boolean> {
  return sizeBytes <= LFS_POINTER_BYTES_MAX && parseLfsPointer(await buffer(read())) !== undefined;
}
