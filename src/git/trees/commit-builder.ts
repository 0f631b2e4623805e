import { encodeCommit, parseCommit } from '../format/commit-format.ts';
import type { EditedTree } from '../format/edited-tree.ts';
import type { Commit, GitObject, Oid, Signature, TreeMode } from '../format/model.ts';
import { newObject } from '../format/new-object.ts';
import type { NewBlob, WriteSession } from '../interface/writes.ts';
import { type BlobObject, blobObject, editedTree, treeOn, writeTree } from './write-tree.ts';

/** The name and address that a commit gives for a person. */
export type CommitPerson = Pick<Signature, 'name' | 'email'>;

/** One change to the tree of a commit; `content` becomes a new blob. */
export type CommitEdit =
  | { readonly kind: 'remove'; readonly path: string }
  | { readonly kind: 'put'; readonly path: string; readonly mode: TreeMode; readonly oid: Oid }
  | {
      readonly kind: 'put';
      readonly path: string;
      readonly mode: Exclude<TreeMode, '040000'>;
      readonly content: NewBlob;
    };

/** A commit except for its tree. */
interface CommitFacts {
  /** none: a commit without history */
  readonly parents: readonly Oid[];
  readonly author: Signature;
  readonly committer: Signature;
  /** stored as it is: git ends it with a line feed */
  readonly message: string;
  /** The server must not sign it: the committer is not known to be the user who asked for it. */
  readonly isUnsigned?: boolean;
}

export interface CommitPlan extends CommitFacts {
  /** the tree that `edits` apply to; absent: the tree of the first parent, or an empty one */
  readonly tree?: Oid;
  readonly edits: readonly CommitEdit[];
}

/**
 * Builds a commit and writes its new blobs, its new trees and itself into the session.
 *
 * @throws ForgeError as `EditedTree` and `commitTree`
 */
export async function buildCommit(
  session: WriteSession,
  { tree: base, edits, ...facts }: CommitPlan,
): Promise<Commit> {
  const {
    objects,
    base: { objectFormat },
  } = session;
  const [parent = null] = facts.parents;
  const tree = base === undefined ? await treeOn(session, parent) : editedTree(objects, objectFormat, base);
  const blobs: BlobObject[] = [];
  for (const edit of edits) {
    if (edit.kind === 'remove') await tree.remove(edit.path);
    else if ('oid' in edit) await tree.put(edit.path, edit);
    else {
      const blob = blobObject(objectFormat, edit.content);
      blobs.push(blob);
      await tree.put(edit.path, { mode: edit.mode, oid: blob.oid });
    }
  }
  return commitTree(session, { ...facts, tree, blobs });
}

/**
 * Writes a commit of an edited tree into the session, with the new trees and `blobs`.
 *
 * @throws ForgeError as `encodeCommit` and `writeTree`
 */
export async function commitTree(
  session: WriteSession,
  {
    tree,
    blobs,
    ...facts
  }: CommitFacts & { readonly tree: EditedTree; readonly blobs: readonly BlobObject[] },
): Promise<Commit> {
  const written = tree.write();
  const { commit, object } = await newCommit(session, { ...facts, tree: written.root });
  await writeTree(session, written, { blobs, more: [object] });
  return commit;
}

/**
 * Writes a commit of a tree of the repository or of the session.
 *
 * @throws ForgeError as `encodeCommit`
 */
export async function commitOfTree(
  session: WriteSession,
  facts: CommitFacts & { readonly tree: Oid },
): Promise<Commit> {
  const { commit, object } = await newCommit(session, facts);
  await session.writeObjects([object]);
  return commit;
}

/** Every commit that the server makes for a user is made here, so that the server signs all of them. */
async function newCommit(
  { base: { objectFormat: format }, signCommit }: WriteSession,
  { isUnsigned = false, ...facts }: CommitFacts & { readonly tree: Oid },
): Promise<{ readonly commit: Commit; readonly object: GitObject }> {
  const unsigned = encodeCommit(format, facts);
  const content =
    signCommit === undefined || isUnsigned
      ? unsigned
      : encodeCommit(format, { ...facts, signature: await signCommit(unsigned) });
  const object = newObject(format, 'commit', content);
  return { commit: parseCommit(format, object.oid, content), object };
}

/** Returns the signature of a commit that a person makes at `ms`, in UTC. */
export function signatureAt(person: CommitPerson, ms: number): Signature {
  return { name: person.name, email: person.email, seconds: Math.floor(ms / 1000), zone: '+0000' };
}
