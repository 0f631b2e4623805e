import type { Commit, Oid } from '../format/model.ts';
import type { WriteSession } from '../interface/writes.ts';
import { writeEmptyTree } from './write-tree.ts';

/** Returns the tree to which a commit applies its changes: that of its first parent, or the empty tree. */
export async function treeBefore(session: WriteSession, { parents: [parent] }: Commit): Promise<Oid> {
  return parent === undefined
    ? await writeEmptyTree(session)
    : (await session.objects.readCommit(parent)).tree;
}
