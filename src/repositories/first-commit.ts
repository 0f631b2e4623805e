import { encodeCommit } from '../git/commit-format.ts';
import type { GitObject, Oid } from '../git/model.ts';
import { newObject } from '../git/new-object.ts';
import { encodeTree } from '../git/tree-format.ts';
import type { NewRepository } from './model.ts';

/** The commit a repository starts with: a README that says its name. */
export function firstCommit(
  repository: NewRepository,
  person: { name: string; commitEmail: string },
): { commit: Oid; objects: readonly GitObject[] } {
  const format = repository.objectFormat;
  const readme = newObject(format, 'blob', Buffer.from(readmeText(repository)));
  const tree = newObject(
    format,
    'tree',
    encodeTree(format, [{ mode: '100644', name: 'README.md', oid: readme.oid }]),
  );
  const author = {
    name: person.name,
    email: person.commitEmail,
    seconds: Math.floor(Date.now() / 1000),
    zone: '+0000',
  };
  const content = encodeCommit(format, {
    tree: tree.oid,
    parents: [],
    author,
    committer: author,
    message: 'Initial commit\n',
  });
  const commit = newObject(format, 'commit', content);
  return { commit: commit.oid, objects: [readme, tree, commit] };
}

function readmeText(repository: NewRepository): string {
  const heading = `# ${repository.name}\n`;
  return repository.description === '' ? heading : `${heading}\n${repository.description}\n`;
}
