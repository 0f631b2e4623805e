import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type PageQuery, type Paging, pageOfWhole } from '../base/core/paging.ts';
import { type Addresses, basePathOf } from './app.ts';

/** Query parameters of every list. */
export const PagingQuery = { page: Type.Optional(Type.Integer()), limit: Type.Optional(Type.Integer()) };

/**
 * Sets `X-Total-Count`, `Link` if there is another page, and, unless it is set, the header that lets scripts in a
 * browser read them.
 */
export function setPagingHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  addresses: Addresses,
  list: { readonly paging: Paging; readonly total: number; readonly hasLinks?: boolean },
): void {
  const { paging, total, hasLinks = true } = list;
  reply.header('x-total-count', total);
  const links = hasLinks ? linksOf(requestUrl(request, addresses), paging, total) : '';
  if (links !== '') reply.header('link', links);
  if (!reply.hasHeader('access-control-expose-headers'))
    reply.header('access-control-expose-headers', links === '' ? 'X-Total-Count' : 'Link, X-Total-Count');
}

/** Sets older headers of paging, too, which clients of some lists still read. */
export function setDetailedPagingHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  addresses: Addresses,
  list: { readonly paging: Paging; readonly total: number },
): void {
  const { paging, total } = list;
  setPagingHeaders(request, reply, addresses, list);
  const pages = Math.ceil(total / paging.limit);
  const older = {
    'X-Page': paging.page,
    'X-PerPage': paging.limit,
    'X-Total': total,
    'X-PageCount': pages,
    'X-HasMore': String(paging.page < pages),
  };
  reply.headers(older);
  const exposed = reply.getHeader('access-control-expose-headers');
  reply.header('access-control-expose-headers', [exposed, ...Object.keys(older)].join(', '));
}

/** Returns the page of a whole list that a request asks for, and sets its headers. */
export function pageOfList<Item>(
  { request, reply, query }: { request: FastifyRequest; reply: FastifyReply; query: PageQuery },
  addresses: Addresses,
  all: readonly Item[],
): readonly Item[] {
  const { items, ...list } = pageOfWhole(all, query);
  setPagingHeaders(request, reply, addresses, list);
  return items;
}

/** Sets `Link` to the next page, for a list whose number of items is not known. */
export function setNextLink(
  request: FastifyRequest,
  reply: FastifyReply,
  addresses: Addresses,
  { page }: Paging,
): void {
  reply.header('link', `<${pageUrl(requestUrl(request, addresses), page + 1)}>; rel="next"`);
  reply.header('access-control-expose-headers', 'Link');
}

function requestUrl(request: FastifyRequest, addresses: Addresses): URL {
  // Only path and query come from the request, and the address from the settings. Otherwise a path that begins with two
  // slashes would name another host.
  const queryAt = request.url.indexOf('?');
  const url = new URL(addresses.baseUrl);
  url.pathname = basePathOf(url) + (queryAt === -1 ? request.url : request.url.slice(0, queryAt));
  url.search = queryAt === -1 ? '' : request.url.slice(queryAt);
  return url;
}

function linksOf(url: URL, paging: Paging, total: number): string {
  const lastPage = Math.max(1, Math.ceil(total / paging.limit));
  const { page } = paging;
  const links: string[] = [];
  const add = (target: number, rel: string) => links.push(`<${pageUrl(url, target)}>; rel="${rel}"`);
  if (page < lastPage) {
    add(page + 1, 'next');
    add(lastPage, 'last');
  }
  if (page > 1 && lastPage > 1) {
    add(1, 'first');
    add(Math.min(page - 1, lastPage), 'prev');
  }
  return links.join(',');
}

function pageUrl(url: URL, page: number): string {
  const target = new URL(url);
  target.searchParams.set('page', String(page));
  target.searchParams.sort();
  return target.href;
}
