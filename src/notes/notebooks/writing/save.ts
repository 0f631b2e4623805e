import type { SignedIn } from '../../../api/access/viewer.ts';
import { notFound } from '../../../base/core/failure.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Database, Tx } from '../../../base/database/database.ts';
import type { Oid, Signature } from '../../../git/format/model.ts';
import { branchRef } from '../../../git/format/ref-names.ts';
import type { ObjectReader } from '../../../git/interface/snapshot.ts';
import type { TextMerge, WriteSession } from '../../../git/interface/writes.ts';
import { buildCommit, type CommitEdit, signatureAt } from '../../../git/trees/commit-builder.ts';
import { findEntry } from '../../../git/trees/find-entry.ts';
import type { Repository } from '../../../hosting/repositories/model.ts';
import type { PushOrigin } from '../../../hosting/repositories/refs/push-rules.ts';
import {
  type BranchWriter,
  type BuiltChange,
  Superseded,
} from '../../../hosting/repositories/refs/write-branch.ts';
import type { Accounts } from '../../../people/accounts/service.ts';
import { asUnreadable, unreadable } from '../index/notebook-index.ts';
import type { Notebooks } from '../index/notebooks.ts';
import type { TreeSource } from '../index/tree-changes.ts';
import type { Notebook, OpenNotebook } from '../model.ts';
import { pathOf } from '../names.ts';
import { advanceNotebook } from '../store/notebooks.ts';

/** A notebook during one attempt to change it: its rows, and the files that they describe. */
export interface NotebookVersion {
  readonly open: OpenNotebook;
  readonly source: TreeSource;
  /** Merges two changes of a text. @throws ForgeError `busy` */
  mergeTexts(texts: TextMerge): Promise<Buffer>;
}

/** The files of the repository of a notebook, as of one commit. */
interface NotebookTree {
  readonly objects: ObjectReader;
  readonly tree: Oid;
}

/** A decision about a notebook: to write files in one commit, to write rows, or to change nothing. */
export interface NotebookChange<T> {
  /** null: no file changes */
  readonly commit: {
    readonly message: string;
    readonly edits: readonly FileEdit[];
    /** an edit of an earlier version that this commit merges */
    readonly side?: SideEdit;
  } | null;
  /** Writes the rows that belong to the change, in its transaction; null: no row changes. */
  readonly rows: ((tx: Tx) => Promise<void>) | null;
  readonly result: T;
}

/** A change of one file, with paths inside the notebook. */
export interface FileEdit {
  /** null: the file is new */
  readonly from: string | null;
  /** null: the file is deleted */
  readonly to: string | null;
  /** null: the content is unchanged */
  readonly content: Uint8Array | null;
}

/**
 * An edit of an earlier version of one note. It becomes a separate commit, so that the history contains it as it was
 * sent.
 */
export interface SideEdit {
  /** commit with the version that was edited */
  readonly on: Oid;
  /** inside the notebook */
  readonly path: string;
  readonly content: string;
}

const SAVE: PushOrigin = { kind: 'api', saves: 'notes' };

interface Dependencies {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly branches: BranchWriter;
  readonly notebooks: Notebooks;
}

/** Writes notebooks: each change is one commit together with its rows. */
export class NotebookWriter {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Changes the viewer's notebook as `decide` returns. If another writer was faster, `decide` runs again on the changed
   * notebook, so an edit is compared with, or merged into, the newest version.
   *
   * @throws ForgeError the errors of `decide`; `not_found` if there is no notebook; `archived`, `forbidden`, `invalid`
   *   for an impossible path; `busy` if the repository is gone, because a client that receives "not found" would create
   *   its note again
   */
  async write<T>(
    viewer: SignedIn,
    decide: (version: NotebookVersion) => Promise<NotebookChange<T>>,
  ): Promise<{ open: OpenNotebook; result: T }> {
    const located = await this.#use.notebooks.locate(viewer, await this.#use.notebooks.settingsOf(viewer));
    // Only a caller who may not create a notebook has none.
    if (located === undefined) throw notFound('note');
    const { repository } = located;
    return this.#writeBranch(viewer, repository, SAVE, async (session, tip) => {
      // The index may be ahead of the session.
      const open = await this.#use.notebooks.catchUp(located);
      if (open.notebook.indexedCommit !== tip) throw new Superseded();
      const { suffixes } = open.notebook;
      const source = { objects: session.objects, objectFormat: repository.objectFormat, suffixes };
      const change = await decide({ open, source, mergeTexts: (texts) => session.mergeTexts(texts) });
      return {
        ...(await this.#build(session, viewer, open, change)),
        result: { open, result: change.result },
      };
    });
  }

  /**
   * Adds files to the repository of a notebook as one commit. If one of them is a note, it is indexed like a pushed
   * note.
   *
   * @param filesOn returns the files, with paths in the repository. It runs again if another writer was faster
   * @throws ForgeError the errors of `filesOn`; `archived`, `forbidden`, `busy`
   */
  async addFiles(
    viewer: SignedIn,
    repository: Repository,
    filesOn: (
      tree: NotebookTree,
    ) => Promise<{ readonly message: string; readonly edits: readonly CommitEdit[] }>,
  ): Promise<void> {
    await this.#writeBranch(viewer, repository, { kind: 'api' }, async (session, tip) => {
      if (tip === null) throw unreadable('it has no commit');
      const { tree } = await session.objects.readCommit(tip);
      const { message, edits } = await filesOn({ objects: session.objects, tree });
      const author = await this.#authorOf(viewer);
      const { oid } = await buildCommit(session, {
        parents: [tip],
        edits,
        author,
        committer: author,
        message: `${message}\n`,
      });
      return { commit: oid, result: undefined };
    });
  }

  /** Writes the default branch, which the rows of the notebook describe. */
  #writeBranch<T>(
    viewer: SignedIn,
    repository: Repository,
    origin: PushOrigin,
    build: (session: WriteSession, tip: Oid | null) => Promise<BuiltChange<T>>,
  ): Promise<T> {
    const write = {
      repository,
      branch: repository.defaultBranch,
      pusher: viewer,
      origin,
      build: async (session: WriteSession, tip: Oid | null) => {
        if (session.base.head !== branchRef(repository.defaultBranch))
          throw unreadable('its default branch has changed');
        return build(session, tip);
      },
    };
    return asUnreadable(() => this.#use.branches.write(write));
  }

  async #authorOf(viewer: SignedIn): Promise<Signature> {
    return signatureAt(await this.#use.accounts.commitPerson(viewer.accountId), currentTimeMs());
  }

  async #build(
    session: WriteSession,
    viewer: SignedIn,
    { notebook }: OpenNotebook,
    { commit, rows }: NotebookChange<unknown>,
  ): Promise<Omit<BuiltChange<unknown>, 'result'>> {
    const { indexedCommit: parent, folder } = notebook;
    const alsoInTransaction = async (tx: Tx, indexed: Oid | null) => {
      await advance(tx, notebook, indexed);
      await rows?.(tx);
    };
    if (commit === null) {
      if (rows !== null) await this.#use.database.transaction((tx) => alsoInTransaction(tx, parent));
      return { commit: null };
    }
    const author = await this.#authorOf(viewer);
    const sides =
      commit.side === undefined ? [] : await buildSide(session, { author, folder, parent, ...commit });
    const { oid } = await buildCommit(session, {
      parents: parent === null ? [] : [parent, ...sides],
      edits: await editsOf(session, { parent, folder, files: commit.edits }),
      author,
      committer: author,
      message: `${commit.message}\n`,
    });
    return { commit: oid, alsoInTransaction: (tx) => alsoInTransaction(tx, oid) };
  }
}

async function editsOf(
  session: WriteSession,
  { parent, folder, files }: { parent: Oid | null; folder: string; files: readonly FileEdit[] },
): Promise<readonly CommitEdit[]> {
  const root = parent === null ? null : (await session.objects.readCommit(parent)).tree;
  const edits: CommitEdit[] = [];
  for (const { from, to, content } of files) {
    const existing =
      root === null || from === null
        ? undefined
        : await findEntry(session.objects, root, pathOf(folder, from));
    if (from !== null && from !== to) edits.push({ kind: 'remove', path: pathOf(folder, from) });
    if (to === null) continue;
    // The edit does not change whether the file is executable.
    const mode = existing?.mode === '100755' ? '100755' : '100644';
    const put = { kind: 'put', path: pathOf(folder, to), mode } as const;
    if (content !== null) edits.push({ ...put, content });
    else if (existing !== undefined) edits.push({ ...put, oid: existing.oid });
    else throw new Superseded();
  }
  return edits;
}

/**
 * Commits an edit of an earlier version on top of the commit with that version, if it belongs to the history of the
 * branch.
 */
async function buildSide(
  session: WriteSession,
  {
    side,
    parent,
    folder,
    author,
    message,
  }: { side?: SideEdit; parent: Oid | null; folder: string; author: Signature; message: string },
): Promise<readonly Oid[]> {
  if (side === undefined || parent === null) return [];
  const commits = { ancestor: side.on, descendant: parent };
  if (!(await session.isReached(commits))) return [];
  const edit = { from: side.path, to: side.path, content: Buffer.from(side.content) };
  const { oid } = await buildCommit(session, {
    parents: [side.on],
    edits: await editsOf(session, { parent: side.on, folder, files: [edit] }),
    author,
    committer: author,
    message: `${message}\n`,
  });
  return [oid];
}

/** @throws Superseded, which undoes the transaction */
async function advance(tx: Tx, notebook: Notebook, commit: Oid | null): Promise<void> {
  if (!(await advanceNotebook(tx, notebook, commit))) throw new Superseded();
}
