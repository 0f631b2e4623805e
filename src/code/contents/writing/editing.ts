import type { SignedIn, Viewer } from '../../../api/access/viewer.ts';
import { notFound, undefinedIf } from '../../../base/core/failure.ts';
import type { Hunk } from '../../../git/format/diffs/model.ts';
import { parseHunks } from '../../../git/format/diffs/parse-hunks.ts';
import type { Oid } from '../../../git/format/model.ts';
import { BRANCHES, branchRef } from '../../../git/format/ref-names.ts';
import type { Snapshot } from '../../../git/interface/snapshot.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import { findEntry } from '../../../git/trees/find-entry.ts';
import type { PermittedRepository, RepositoryPath } from '../../../hosting/repositories/model.ts';
import { resolveRef } from '../../../hosting/repositories/refs/resolve-ref.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import { CONTENTS } from '../actions.ts';
import { splitAddress } from '../address.ts';
import { CONTENTS_LIMITS } from '../limits.ts';
import type { ChangeTarget } from './target.ts';
import type { ContentsWriter } from './write.ts';

/** A place in a branch that the viewer may change. */
export interface EditedPlace {
  readonly permitted: PermittedRepository;
  readonly target: ChangeTarget;
  readonly snapshot: Snapshot;
  readonly branch: string;
  /** commit of the branch; null: there is no such branch, or the repository is empty */
  readonly tip: Oid | null;
  /** of a file or folder, which may be new; '' for the root */
  readonly path: string;
}

/** What is at a path. */
export type EditedFile =
  | { readonly kind: 'text'; readonly oid: Oid; readonly text: string }
  /** a binary or very large file */
  | { readonly kind: 'other'; readonly oid: Oid }
  | { readonly kind: 'folder' }
  | { readonly kind: 'none' };

interface Dependencies {
  readonly repositories: Repositories;
  readonly git: Pick<GitStorage, 'refs' | 'history'>;
  readonly writing: ContentsWriter;
}

/** Reads what people need who edit files in a browser. `ContentsWriter` writes what they send. */
export class FileEditing {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Finds a place by its address, in which the names of a branch and a path follow each other. In an empty repository, the
   * address begins with the default branch.
   *
   * @throws ForgeError as `ContentsWriter.find`; `not_found` for an unknown branch
   */
  async locate(viewer: Viewer, path: RepositoryPath, refAndPath: string): Promise<EditedPlace> {
    const opened = await this.#open(viewer, path);
    const { snapshot, permitted } = opened;
    const split = splitAddress(snapshot, { kind: 'branch', refAndPath });
    if (split !== undefined) {
      const resolved = await resolveRef(snapshot, split.ref);
      if (resolved === undefined) throw notFound('branch');
      return { ...opened, branch: resolved.name, tip: resolved.commit, path: split.path };
    }
    const { defaultBranch } = permitted.repository;
    const isFirst = snapshot.countRefs(BRANCHES) === 0;
    if (!isFirst || !`${refAndPath}/`.startsWith(`${defaultBranch}/`)) throw notFound('branch');
    const rest = refAndPath.slice(defaultBranch.length + 1);
    return { ...opened, branch: defaultBranch, tip: null, path: rest };
  }

  /**
   * Finds a place by the names that a form has kept.
   *
   * @returns `tip` null for a branch that was deleted meanwhile
   * @throws ForgeError as `ContentsWriter.find`
   */
  async at(
    viewer: Viewer,
    path: RepositoryPath,
    { branch, file }: { readonly branch: string; readonly file: string },
  ): Promise<EditedPlace> {
    const opened = await this.#open(viewer, path);
    const tip = opened.snapshot.ref(branchRef(branch)) ?? null;
    return { ...opened, branch, tip, path: file };
  }

  async #open(viewer: Viewer, path: RepositoryPath) {
    const target = await this.#use.writing.find(viewer, path);
    const permitted = await this.#use.repositories.get(viewer, path, CONTENTS.readRaw);
    const snapshot = await this.#use.git.refs.open(permitted.repository.id);
    return { permitted, target, snapshot };
  }

  /** Reads what is at a path of the branch. */
  async read({ snapshot, tip }: EditedPlace, path: string): Promise<EditedFile> {
    if (path === '') return { kind: 'folder' };
    if (tip === null) return { kind: 'none' };
    const { objects } = snapshot;
    const entry = await findEntry(objects, (await objects.readCommit(tip)).tree, path);
    if (entry === undefined) return { kind: 'none' };
    const { mode, oid } = entry;
    if (mode === '040000') return { kind: 'folder' };
    if (mode !== '100644' && mode !== '100755') return { kind: 'other', oid };
    const blobBytesMax = CONTENTS_LIMITS.pageFileBytesMax;
    const bytes = await objects.readBlob(oid, { blobBytesMax }).catch(undefinedIf('too_large'));
    const text = bytes === undefined ? undefined : textOf(bytes);
    return text === undefined ? { kind: 'other', oid } : { kind: 'text', oid, text };
  }

  /**
   * Compares the version of a file that someone has seen with the current one.
   *
   * @returns undefined if the seen version is gone, or if they are too different
   */
  async changesSince(
    { snapshot }: EditedPlace,
    { seen, current }: { readonly seen: Oid; readonly current: Oid },
  ): Promise<readonly Hunk[] | undefined> {
    const format = seen.length === current.length;
    const isKnown = format && (await snapshot.objects.info(seen))?.type === 'blob';
    if (!isKnown) return undefined;
    const blobs = { from: seen, to: current };
    const text = await this.#use.git.history
      .compareBlobs(snapshot, blobs)
      .catch(undefinedIf('invalid', 'busy'));
    return text?.startsWith('@@') === true ? parseHunks(text) : undefined;
  }

  /** Returns a name for a new branch of the viewer that no branch has. */
  freeBranchName({ snapshot }: EditedPlace, { name }: SignedIn): string {
    for (let number = 1; number < CONTENTS_LIMITS.branchNamesTriedMax; number += 1) {
      const branch = `${name}-patch-${number}`;
      if (snapshot.ref(branchRef(branch)) === undefined) return branch;
    }
    return '';
  }
}

function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    // Without `ignoreBOM`, the decoder would remove the mark, and an edit would change the first line.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
