import type { SignedIn } from '../access/viewer.ts';
import type { Accounts } from '../accounts/service.ts';
import { invalid } from '../core/failure.ts';
import type { Tx } from '../database/database.ts';
import type { GitObject, GitStorage, Oid, TreeEntry, WriteSession } from '../git/model.ts';
import { encodeCommit } from '../git/objects/commit-format.ts';
import { newObject } from '../git/objects/new-object.ts';
import { editTree, findEntry, type TreeEdit } from '../git/objects/tree-edit.ts';
import { type Pushes, requireWritable } from '../repositories/pushes.ts';
import type { Notebook, OpenNotebook } from './model.ts';
import { nameKey, pathOf } from './names.ts';
import { asUnreadable } from './notebook-index.ts';
import { advanceNotebook } from './store/notebooks.ts';
import { folderTree } from './tree-changes.ts';

/** A change of one note, as one commit. */
export interface Save {
  readonly open: OpenNotebook;
  readonly viewer: SignedIn;
  readonly message: string;
  /** what becomes of files, by their paths inside the notebook */
  readonly edits: readonly FileEdit[];
  /** Rows that follow from it, written in the same transaction. */
  readonly inTransaction: (tx: Tx) => Promise<void>;
}

/** What becomes of one file. */
export interface FileEdit {
  /** where it was; null: it is new */
  readonly from: string | null;
  /** where it is afterwards; null: nowhere */
  readonly to: string | null;
  /** null: it stays as it is */
  readonly content: Uint8Array | null;
}

/** What the save was made on is not there any more: nothing was changed, and it is to be made on what is. */
export class Superseded extends Error {}

export class Saving {
  readonly #accounts: Accounts;
  readonly #git: GitStorage;
  readonly #pushes: Pushes;

  constructor(dependencies: { accounts: Accounts; git: GitStorage; pushes: Pushes }) {
    this.#accounts = dependencies.accounts;
    this.#git = dependencies.git;
    this.#pushes = dependencies.pushes;
  }

  /**
   * The names in one folder of the notebook, in the form in which two of them cannot be told apart by every file
   * system.
   */
  async namesIn(open: OpenNotebook, category: string): Promise<ReadonlySet<string>> {
    const { indexedCommit, repositoryId, folder } = open.notebook;
    if (indexedCommit === null) return new Set();
    const snapshot = await this.#git.open(repositoryId);
    const tree = await folderTree(snapshot, indexedCommit, pathIn(folder, category));
    const entries = tree === null ? [] : await snapshot.objects.readTree(tree);
    return new Set(entries.map(({ name }) => nameKey(name)));
  }

  /**
   * @throws Superseded, ForgeError `archived`, `forbidden`, `invalid` for a path that cannot be, `busy` where the
   *   repository is gone: a client that is told that its note is missing would write it anew
   */
  save(save: Save): Promise<void> {
    return asUnreadable(() => this.#save(save));
  }

  async #save(save: Save): Promise<void> {
    const { open, viewer } = save;
    const { notebook, repository } = open;
    requireWritable(repository);
    await using session = await this.#git.write(repository.id);
    const ref = session.base.head;
    if ((session.base.ref(ref) ?? null) !== notebook.indexedCommit) throw new Superseded();
    const { commit, objects } = await this.#build(session, save);
    await session.writeObjects(objects);
    const [result] = await this.#pushes.push(session, {
      repository,
      updates: [{ ref, old: notebook.indexedCommit, new: commit }],
      atomic: true,
      pusher: viewer,
      via: 'api',
      alsoInTransaction: async (tx) => {
        await advance(tx, notebook, commit);
        await save.inTransaction(tx);
      },
    });
    if (result?.outcome !== 'refused') return;
    if (result.cause === 'stale') throw new Superseded();
    throw invalid(result.why);
  }

  async #build(session: WriteSession, save: Save): Promise<{ commit: Oid; objects: readonly GitObject[] }> {
    const { open, viewer, message } = save;
    const { notebook, objectFormat: format } = open;
    const { indexedCommit: parent, folder } = notebook;
    const root = parent === null ? null : (await session.objects.readCommit(parent)).tree;
    const blobs: GitObject[] = [];
    const edits: TreeEdit[] = [];
    for (const { from, to, content } of save.edits) {
      const there = await fileAt(session, root, from === null ? null : pathIn(folder, from));
      if (from !== null && from !== to) edits.push({ kind: 'remove', path: pathIn(folder, from) });
      if (to === null) continue;
      const blob = content === null ? undefined : newObject(format, 'blob', content);
      if (blob !== undefined) blobs.push(blob);
      const oid = blob?.oid ?? there?.oid;
      if (oid === undefined) throw new Superseded();
      // A file that is executable stays so.
      const mode = there?.mode === '100755' ? '100755' : '100644';
      edits.push({ kind: 'put', path: pathIn(folder, to), oid, mode });
    }
    const tree = await editTree(session.objects, format, root, edits);
    const person = await this.#accounts.commitPerson(viewer.accountId);
    const signature = {
      name: person.name,
      email: person.commitEmail,
      seconds: Math.floor(Date.now() / 1000),
      zone: '+0000',
    };
    const content = encodeCommit(format, {
      tree: tree.root,
      parents: parent === null ? [] : [parent],
      author: signature,
      committer: signature,
      message: `${message}\n`,
    });
    const commit = newObject(format, 'commit', content);
    return { commit: commit.oid, objects: [...blobs, ...tree.objects, commit] };
  }
}

function pathIn(folder: string, path: string): string {
  if (path === '') return folder;
  return pathOf(folder, path);
}

async function fileAt(
  session: WriteSession,
  root: Oid | null,
  path: string | null,
): Promise<TreeEntry | undefined> {
  return root === null || path === null ? undefined : findEntry(session.objects, root, path);
}

/** @throws Superseded, which undoes the transaction */
export async function advance(tx: Tx, notebook: Notebook, commit: Oid | null): Promise<void> {
  if (!(await advanceNotebook(tx, notebook, commit))) throw new Superseded();
}
