import { withoutEndSlashes, withoutOuterSlashes } from '../../base/core/text/text.ts';
import type { Repository, RepositoryPath } from '../../hosting/repositories/model.ts';
import type { Addresses } from '../../http/app.ts';
import { MARKDOWN_LIMITS } from './limits.ts';
import type { LinkBases } from './model.ts';

/** The page to which a text belongs. */
export interface Context {
  /** URL without a slash at the end; undefined for none */
  readonly url: string | undefined;
  /** the repository of a page of this server, which may not exist */
  readonly repository: RepositoryPath | undefined;
  /** ref and folder of a page of files, such as `branch/main/docs`; '' for another page */
  readonly source: string;
  readonly isWiki: boolean;
}

const NAME = /^[\w.-]+$/;

/**
 * Parses a context: a URL, a path, or `owner/repo`, with or without a ref and a folder, as in
 * `/ada/engine/src/branch/main/docs`.
 */
export function parseContext(
  text: string,
  {
    addresses,
    branchPath = '',
    isWiki,
  }: { addresses: Addresses; branchPath?: string | undefined; isWiki: boolean },
): Context {
  const { baseUrl } = addresses;
  const given = withoutEndSlashes(text.trim());
  const foreign = { url: given === '' ? undefined : given, repository: undefined, source: '', isWiki };
  if (given === '') return foreign;
  const path = pathOf(given, baseUrl);
  if (path === undefined) return foreign;
  const [owner = '', name = '', page, kind = '', ...folders] = path.split('/');
  const url = `${baseUrl}/${path}`;
  if (!NAME.test(owner) || !NAME.test(name)) return { ...foreign, url };
  const isSource = page === 'src' && /^(?:branch|commit|tag)$/.test(kind) && folders.length > 0;
  const source = isSource ? [kind, ...folders].join('/') : withoutOuterSlashes(branchPath);
  return { url, repository: { owner, name }, source, isWiki };
}

/** @returns the path without a slash at its start; undefined for another server */
function pathOf(text: string, baseUrl: string): string | undefined {
  if (text === baseUrl || text.startsWith(`${baseUrl}/`)) return text.slice(baseUrl.length + 1);
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(text)) return undefined;
  const basePath = new URL(baseUrl).pathname.replace(/\/$/, '');
  const path = text.startsWith(`${basePath}/`) ? text.slice(basePath.length) : text;
  return path.replace(/^\/+/, '');
}

/**
 * Returns the folders of relative addresses.
 *
 * @param repository that of the context, if the viewer may see it
 */
export function linkBasesOf(
  context: Context,
  repository: Repository | undefined,
  { baseUrl }: Addresses,
): LinkBases | undefined {
  const isLong = (context.url ?? '').length + context.source.length > MARKDOWN_LIMITS.markdownContextCharsMax;
  if (isLong) return undefined;
  if (context.url === undefined || !/^https?:\/\/[^/]/i.test(context.url)) return undefined;
  if (context.repository === undefined) return both(context.url);
  const { owner, name } = context.repository;
  const root = `${baseUrl}/${owner}/${name}`;
  if (context.isWiki) return { links: `${root}/wiki/`, images: `${root}/wiki/raw/` };
  const source =
    context.source !== '' ? context.source : repository && `branch/${encodedPath(repository.defaultBranch)}`;
  if (source === undefined) return both(context.url);
  return { links: `${root}/src/${source}/`, images: `${root}/media/${source}/` };
}

function both(url: string): LinkBases {
  return { links: `${url}/`, images: `${url}/` };
}

function encodedPath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
