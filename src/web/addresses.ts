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
