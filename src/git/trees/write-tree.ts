import { EditedTree, type WrittenTree } from '../format/edited-tree.ts';
import type { GitObject, ObjectFormat, Oid } from '../format/model.ts';
import { newObject } from '../format/new-object.ts';
import type { ObjectReader } from '../interface/snapshot.ts';
import type { NewBlob, StoredBlob, WriteSession } from '../interface/writes.ts';

/** A blob to write: in memory, or in a file. */
export type BlobObject = GitObject | StoredBlob;

export function blobObject(format: ObjectFormat, blob: NewBlob): BlobObject {
  return blob instanceof Uint8Array ? newObject(format, 'blob', blob) : blob;
}

/** Returns a tree to edit. @param root null: a new tree */
export function editedTree(objects: ObjectReader, format: ObjectFormat, root: Oid | null): EditedTree {
  return new EditedTree(root, { format, openTree: (oid) => objects.openTree(oid) });
}

/** Returns the tree of a commit to edit. @param parent null: a new tree */
export async function treeOn(
  { base, objects }: Pick<WriteSession, 'base' | 'objects'>,
  parent: Oid | null,
): Promise<EditedTree> {
  const root = parent === null ? null : (await objects.readCommit(parent)).tree;
  return editedTree(objects, base.objectFormat, root);
}

/**
 * Writes the new objects of a tree into a session.
 *
 * @param more objects that name the tree, such as its commit
 * @throws ForgeError as `WriteSession.writeChecked`
 */
export async function writeTree(
  session: WriteSession,
  { objects, isReadByGit }: WrittenTree,
  { blobs, more = [] }: { readonly blobs: readonly BlobObject[]; readonly more?: readonly GitObject[] },
): Promise<void> {
  await session.addBlobs(blobs.filter((blob) => 'isStored' in blob));
  const all = [...blobs.filter((blob) => 'content' in blob), ...objects, ...more];
  // Files that git itself reads can harm those who check them out, so git checks them as in a push.
  if (isReadByGit) await session.writeChecked(all);
  else await session.writeObjects(all);
}

/** Writes the empty tree into a session, for what has to read it. @returns its id */
export async function writeEmptyTree(session: WriteSession): Promise<Oid> {
  const tree = newObject(session.base.objectFormat, 'tree', new Uint8Array());
  await session.writeObjects([tree]);
  return tree.oid;
}
