import type { ContentsLocation } from '../code/contents/model.ts';

interface Named {
  readonly owner: { readonly name: string };
  readonly name: string;
}

/** Encodes each segment of a path and keeps the slashes. */
export function encoded(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/** Returns the path of an account's page. */
export function accountPath(name: string): string {
  return `/${encodeURIComponent(name)}`;
}

/** Returns the path of a repository's page. */
export function repositoryPath(repository: Named): string {
  return `${accountPath(repository.owner.name)}/${encodeURIComponent(repository.name)}`;
}

/** Returns the path of the page of a file or folder, or of the bytes of a file. */
export function filePath(kind: 'src' | 'raw', { repository, ref }: ContentsLocation, path: string): string {
  const root = `${repositoryPath(repository)}/${kind}/${ref.kind}/${encoded(ref.name)}`;
  return path === '' ? root : `${root}/${encoded(path)}`;
}

/** Returns the path of the page of the files at a tag. */
export function tagPath(repository: Named, name: string): string {
  return `${repositoryPath(repository)}/src/tag/${encoded(name)}`;
}

/** Returns the path of the page of a comparison; with `.diff` or `.patch` after it, that of its text. */
export function comparisonPath(
  repository: Named,
  { base, head, isDirect }: { readonly base: string; readonly head: string; readonly isDirect: boolean },
): string {
  return `${repositoryPath(repository)}/compare/${encoded(base)}${isDirect ? '..' : '...'}${encoded(head)}`;
}

/** Returns the path of the page of a commit. */
export function commitPath(repository: Named, oid: string): string {
  return `${repositoryPath(repository)}/commit/${oid}`;
}

/** Returns the path of the page of a file at a commit, or of its bytes. */
export function commitFilePath(
  kind: 'src' | 'raw',
  repository: Named,
  { oid, path }: { readonly oid: string; readonly path: string },
): string {
  return `${repositoryPath(repository)}/${kind}/commit/${oid}/${encoded(path)}`;
}

/** Returns the path of a page about a path at a ref, such as the commits that changed it. */
export function refPath(
  page: 'commits' | 'blame' | 'find',
  { repository, ref }: Pick<ContentsLocation, 'repository' | 'ref'>,
  path: string,
): string {
  const root = `${repositoryPath(repository)}/${page}/${ref.kind}/${encoded(ref.name)}`;
  return path === '' ? root : `${root}/${encoded(path)}`;
}
