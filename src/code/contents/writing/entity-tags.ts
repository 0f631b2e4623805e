import type { FastifyRequest } from 'fastify';
import { ForgeError } from '../../../base/core/failure.ts';
import type { EditedTree } from '../../../git/format/edited-tree.ts';
import type { Oid } from '../../../git/format/model.ts';
import { branchRef } from '../../../git/format/ref-names.ts';
import type { Repository } from '../../../hosting/repositories/model.ts';
import type { Addresses } from '../../../http/app.ts';
import { isMatch, versionOf } from '../../../http/conditional.ts';
import type { ContentsLocation, FileChange } from '../model.ts';
import { pathsOf } from './plan.ts';

type Shown = Pick<ContentsLocation, 'repository' | 'commit' | 'path' | 'ref'>;

/** The entity tag of the root folder as long as there is no commit. */
export const EMPTY_TAG = 'empty';

/** Returns the entity tag of a file or a folder: a hash of everything that its record shows. No object is read for it. */
export function contentsTag(
  { repository, commit, path, ref }: Shown,
  addresses: Addresses,
  /** a form of the record other than that of `/contents` */
  form?: string,
): string {
  const shown = [
    commit,
    path,
    ref.asked,
    ref.kind,
    repository.owner.name,
    repository.name,
    addresses.baseUrl,
    ...(form === undefined ? [] : [form]),
  ];
  return versionOf(shown);
}

/** What a change with `If-Match` is based on. */
interface Precondition {
  readonly repository: Repository;
  /** the branch on which the change is based */
  readonly branch: string;
  readonly addresses: Addresses;
  /** undefined: the changes are made to the root folder */
  readonly change: FileChange<unknown> | undefined;
}

/**
 * Returns the check of `If-Match`; undefined without this header. The current versions are those of the file, from either
 * route that reads files, and of the folders that contain it.
 */
export function currentRequired(request: FastifyRequest, precondition: Precondition) {
  const header = request.headers['if-match'];
  if (header === undefined) return undefined;
  return async (tree: EditedTree, parent: Oid | null): Promise<void> => {
    const own = await ownTags(tree, precondition);
    const records = header.trim() === '*' ? [] : recordTags(parent, precondition);
    if (isMatch(header, new Set([...own, ...records]))) return;
    const what = 'the file or folder has changed: read it again';
    throw new ForgeError({ kind: 'precondition_failed', what });
  };
}

/** Returns the ids of what a change replaces or removes, which are the tags of raw files. */
async function ownTags(tree: EditedTree, { change }: Precondition): Promise<readonly Oid[]> {
  if (tree.base === null) return [];
  if (change === undefined) return [tree.base];
  const tags: Oid[] = [];
  for (const path of pathsOf(change)) {
    const entry = await tree.at(path);
    if (entry !== undefined) tags.push(entry.oid);
  }
  return tags;
}

/** Returns the tags of the records of the file and of the folders that contain it. */
function recordTags(
  commit: Oid | null,
  { repository, branch, addresses, change }: Precondition,
): readonly string[] {
  if (commit === null) return [EMPTY_TAG];
  const paths = new Set(change === undefined ? [''] : pathsOf(change).flatMap(withFolders));
  const refs = [
    { kind: 'branch', name: branch, asked: branch },
    { kind: 'branch', name: branch, asked: branchRef(branch) },
    { kind: 'commit', name: commit, asked: commit },
  ] as const;
  return [...paths].flatMap((path) =>
    refs.map((ref) => contentsTag({ repository, commit, path, ref }, addresses)),
  );
}

/** Returns the path and those of its folders, up to the root. */
function withFolders(path: string): readonly string[] {
  const paths = [''];
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) paths.push(path.slice(0, at));
  return [...paths, path];
}
