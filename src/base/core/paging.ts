import { CORE_LIMITS } from './limits.ts';

export interface Paging {
  /** 1-based */
  readonly page: number;
  readonly limit: number;
}

/** The parameters of a request for a page. */
export interface PageQuery {
  readonly page?: number | undefined;
  readonly limit?: number | undefined;
}

/** One page of a list, and the number of items on all pages. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

/** Reads `page` and `limit` from a query. Unusable values become the default, and a large limit the maximum. */
export function pagingOf(query: PageQuery): Paging {
  const page = query.page !== undefined && query.page > 0 ? query.page : 1;
  const limit = query.limit !== undefined && query.limit > 0 ? query.limit : CORE_LIMITS.pageItemsDefault;
  return { page, limit: Math.min(limit, CORE_LIMITS.pageItemsMax) };
}

/**
 * Chooses a page of a list that is whole in memory. Without `page` and `limit`, the page is the whole list, because
 * clients of short lists often cannot ask for another page.
 */
export function pageOfWhole<Item>(
  all: readonly Item[],
  query: PageQuery,
): Page<Item> & { readonly paging: Paging } {
  const isWhole = query.page === undefined && query.limit === undefined;
  const paging = isWhole ? { page: 1, limit: Math.max(all.length, 1) } : pagingOf(query);
  const offset = offsetOf(paging);
  return { items: all.slice(offset, offset + paging.limit), total: all.length, paging };
}

export function offsetOf(paging: Paging): number {
  return Math.min((paging.page - 1) * paging.limit, Number.MAX_SAFE_INTEGER);
}

/** A slice of a list: `limit` items after the first `offset`. */
export interface Slice {
  readonly limit: number;
  readonly offset: number;
}

/**
 * Counts a slice of a list of `total` items from the nearer end. A database reads the items that it skips, so a page
 * of the second half costs less from the end. Items counted from the end come in reverse order.
 */
export function fromNearerEnd(slice: Slice, total: number): Slice & { readonly isFromEnd: boolean } {
  const limit = Math.max(Math.min(slice.limit, total - slice.offset), 0);
  const isFromEnd = slice.offset > total / 2;
  return { limit, offset: isFromEnd ? total - slice.offset - limit : slice.offset, isFromEnd };
}
