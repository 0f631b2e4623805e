import type { GitObject, ObjectFormat, Oid } from '../../git/model.ts';
import { encodeCommit } from '../../git/objects/commit-format.ts';
import { newObject } from '../../git/objects/new-object.ts';
import { encodeTree } from '../../git/objects/tree-format.ts';
import type { NewRepository } from '../model.ts';

/** As commits name somebody. */
export interface CommitPerson {
  readonly name: string;
  readonly commitEmail: string;
}

export interface FirstFile {
  readonly name: string;
  readonly text: string;
}

/** The commit that a repository starts with, and the objects it is made of. */
export function firstCommit(
  format: ObjectFormat,
  files: readonly FirstFile[],
  person: CommitPerson,
): { commit: Oid; objects: readonly GitObject[] } {
  const blobs = files.map(({ name, text }) => ({ name, blob: newObject(format, 'blob', Buffer.from(text)) }));
  const entries = blobs.map(({ name, blob }) => ({ mode: '100644' as const, name, oid: blob.oid }));
  const tree = newObject(format, 'tree', encodeTree(format, entries));
  const commit = rootCommit(format, tree.oid, person);
  return { commit: commit.oid, objects: [...blobs.map(({ blob }) => blob), tree, commit] };
}

/** A commit of this tree that has nothing before it. */
export function rootCommit(format: ObjectFormat, tree: Oid, person: CommitPerson): GitObject {
  const author = {
    name: person.name,
    email: person.commitEmail,
    seconds: Math.floor(Date.now() / 1000),
    zone: '+0000',
  };
  const commit = { tree, parents: [], author, committer: author, message: 'Initial commit\n' };
  return newObject(format, 'commit', encodeCommit(format, commit));
}

/** Its name, and what it is. */
export function readmeOf({ name, description }: Pick<NewRepository, 'name' | 'description'>): string {
  return description === '' ? `# ${name}\n` : `# ${name}\n\n${description}\n`;
}
