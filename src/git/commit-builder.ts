import { encodeCommit, parseCommit } from './format/commit-format.ts';
import { newObject } from './format/new-object.ts';
import { isReadByGit } from './format/tree-paths.ts';
import type {
  Commit,
  GitObject,
  NewBlob,
  ObjectFormat,
  Oid,
  Signature,
  StoredBlob,
  TreeMode,
  WriteSession,
} from './model.ts';
import { editTree, type TreeEdit } from './objects/tree-edit.ts';

/** The name and address that a commit gives for a person. */
export type CommitPerson = Pick<Signature, 'name' | 'email'>;

/** One change to the tree of a commit; `content` becomes a new blob. */
export type CommitEdit =
  | TreeEdit
  | {
      readonly kind: 'put';
      readonly path: string;
      readonly mode: Exclude<TreeMode, '040000'>;
      readonly content: NewBlob;
    };

export interface CommitPlan {
  /** none: a commit without history */
  readonly parents: readonly Oid[];
  /** the tree that `edits` apply to; absent: the tree of the first parent, or an empty one */
  readonly tree?: Oid;
  readonly edits: readonly CommitEdit[];
  readonly author: Signature;
  readonly committer: Signature;
  /** stored as it is: git ends it with a line feed */
  readonly message: string;
}

/**
 * Builds a commit and writes its new blobs, its new trees and itself into the session.
 *
 * @throws ForgeError as `editTree` and `encodeCommit`
 */
export async function buildCommit(session: WriteSession, plan: CommitPlan): Promise<Commit> {
  const format = session.base.objectFormat;
  const [parent] = plan.parents;
  const base = plan.tree ?? (parent === undefined ? null : (await session.objects.readCommit(parent)).tree);
  const { root, objects, stored } = await applyEdits(session, base, plan.edits);
  const content = encodeCommit(format, { ...plan, tree: root });
  const commit = newObject(format, 'commit', content);
  await session.addBlobs(stored);
  await write(session, plan, [...objects, commit]);
  return parseCommit(format, commit.oid, content);
}

/** Files that git itself reads can harm those who check them out, so git checks them as in a push. */
async function write(
  session: WriteSession,
  { edits }: CommitPlan,
  objects: readonly GitObject[],
): Promise<void> {
  if (edits.some(({ kind, path }) => kind === 'put' && isReadByGit(path)))
    await session.writeChecked(objects);
  else await session.writeObjects(objects);
}

/** Returns the signature of a commit that a person makes at `ms`, in UTC. */
export function signatureAt(person: CommitPerson, ms: number): Signature {
  return { name: person.name, email: person.email, seconds: Math.floor(ms / 1000), zone: '+0000' };
}

interface NewObjects {
  readonly root: Oid;
  readonly objects: readonly GitObject[];
  readonly stored: readonly StoredBlob[];
}

async function applyEdits(
  session: WriteSession,
  base: Oid | null,
  edits: readonly CommitEdit[],
): Promise<NewObjects> {
  // An unchanged tree keeps its id, even if it was encoded in an unusual way.
  if (base !== null && edits.length === 0) return { root: base, objects: [], stored: [] };
  const format = session.base.objectFormat;
  const blobs: (GitObject | StoredBlob)[] = [];
  const treeEdits = edits.map((edit) => toTreeEdit(format, edit, blobs));
  const { root, objects } = await editTree(session.objects, format, base, treeEdits);
  const inMemory = blobs.filter((blob) => 'content' in blob);
  return { root, objects: [...inMemory, ...objects], stored: blobs.filter((blob) => 'file' in blob) };
}

function toTreeEdit(format: ObjectFormat, edit: CommitEdit, blobs: (GitObject | StoredBlob)[]): TreeEdit {
  if (!('content' in edit)) return edit;
  const { content, ...put } = edit;
  const blob = content instanceof Uint8Array ? newObject(format, 'blob', content) : content;
  blobs.push(blob);
  return { ...put, oid: blob.oid };
}
