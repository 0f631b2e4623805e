import type { Viewer } from '../../../api/access/viewer.ts';
import { fromNearerEnd, offsetOf, type Page, type Paging, type Slice } from '../../../base/core/paging.ts';
import { type Db, dialectOf } from '../../../base/database/database.ts';
import type { Fragment } from '../../../base/database/fragment.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import { REPOSITORY_LIMITS } from '../limits.ts';
import { BY_NAME, type RepositoryOrder, type RepositorySelection } from '../selection.ts';
import {
  allOf,
  type Conditions,
  conditionsOf,
  givenMatches,
  hasOtherOwner,
  hasOwner,
  narrowMatches,
  openMatches,
} from '../store/conditions.ts';
import { countOf, idsInOrder, isOneOf, matchesAnyOf, versionOf } from '../store/selections.ts';
import { FewMatches, type FoundMatches } from './few-matches.ts';
import { Remembered } from './remembered.ts';

/** A slice of matches to find. */
interface Wanted extends Slice {
  readonly order: RepositoryOrder;
  /** number of all matches */
  readonly total: number;
}

const NOTHING: Page<RepositoryId> = { items: [], total: 0 };
const BYTES_OF_COUNT = 8;

/**
 * Lists repositories by any conditions, in any order: a page of ids, and the number of all matches.
 *
 * This class alone decides which index finds a page:
 *
 * 1. If an index finds few rows (an owner, a team, stars), those rows are checked and sorted.
 * 2. Otherwise, few matches are found once, and remembered in the order of names. Another order sorts them.
 * 3. Many matches are counted in the index that holds every column of the conditions, and the index of the order is
 *    walked until the page is full.
 */
export class ListPlanner {
  readonly #sortedMax: number;
  readonly #few: FewMatches;
  readonly #counts = new Remembered<number>(() => BYTES_OF_COUNT);

  /** @param options.sortedMax sorts up to this many matches; walks the index of the order for more */
  constructor(options: { sortedMax: number } = { sortedMax: REPOSITORY_LIMITS.searchSortedMax }) {
    this.#sortedMax = options.sortedMax;
    this.#few = new FewMatches(options);
  }

  async list(
    db: Db,
    viewer: Viewer,
    selection: RepositorySelection,
    paging: Paging,
  ): Promise<Page<RepositoryId>> {
    const asked = conditionsOf(dialectOf(db), viewer, selection);
    if (asked.narrow.length > 0)
      return this.#page(db, asked, selection, paging, await countOf(db, narrowMatches(asked)));
    const version = await versionOf(db);
    const few = await this.#few.find(db, asked, selection, version);
    if (few !== undefined) return this.#pageOfFew(db, asked, selection, paging, few);
    return this.#page(db, asked, selection, paging, await this.#count(db, asked, version));
  }

  /** Lists the first of the repositories that an owner or a team has, without counting the others. */
  async listFirst(
    db: Db,
    viewer: Viewer,
    selection: RepositorySelection,
    countMax: number,
  ): Promise<readonly RepositoryId[]> {
    const { order = BY_NAME } = selection;
    const asked = conditionsOf(dialectOf(db), viewer, selection);
    return this.#idsOf(db, asked, { order, total: countMax, limit: countMax, offset: 0 });
  }

  async #pageOfFew(
    db: Db,
    asked: Conditions,
    selection: RepositorySelection,
    paging: Paging,
    { ids, isByName }: FoundMatches,
  ): Promise<Page<RepositoryId>> {
    if (ids.length === 0) return NOTHING;
    const { order = BY_NAME, firstOwnerId } = selection;
    if (isByName && order.by === 'name' && firstOwnerId === undefined) {
      const offset = offsetOf(paging);
      const sorted = order.isDescending ? ids.toReversed() : ids;
      return { items: sorted.slice(offset, offset + paging.limit), total: ids.length };
    }
    const these = { ...asked, narrow: [isOneOf(db, ids)], pass: [] };
    return this.#page(db, these, selection, paging, ids.length);
  }

  async #page(
    db: Db,
    asked: Conditions,
    { order = BY_NAME, firstOwnerId }: RepositorySelection,
    paging: Paging,
    total: number,
  ): Promise<Page<RepositoryId>> {
    const wanted = { order, total, limit: paging.limit, offset: offsetOf(paging) };
    const items =
      firstOwnerId === undefined
        ? await this.#idsOf(db, asked, wanted)
        : await this.#idsWithOwnerFirst(db, asked, firstOwnerId, wanted);
    return { items, total };
  }

  async #idsWithOwnerFirst(
    db: Db,
    asked: Conditions,
    ownerId: number,
    { order, total, limit, offset }: Wanted,
  ): Promise<readonly RepositoryId[]> {
    const first = { ...asked, narrow: [...asked.narrow, hasOwner(ownerId)] };
    const others = { ...asked, pass: [...asked.pass, hasOtherOwner(ownerId)] };
    const ahead = await countOf(db, narrowMatches(first));
    const ids = await this.#idsOf(db, first, { order, total: ahead, limit, offset });
    const rest = { limit: limit - ids.length, offset: Math.max(offset - ahead, 0) };
    return [...ids, ...(await this.#idsOf(db, others, { order, total: total - ahead, ...rest }))];
  }

  async #count(db: Db, asked: Conditions, version: string): Promise<number> {
    const open = openMatches(asked);
    const given = givenMatches(asked);
    const count = (condition: Fragment | undefined) => (condition === undefined ? 0 : countOf(db, condition));
    const countOpen = async () => await count(open);
    const opened = open === undefined ? 0 : await this.#counts.get(open, version, countOpen);
    return opened + (await count(given));
  }

  async #idsOf(db: Db, asked: Conditions, wanted: Wanted): Promise<readonly RepositoryId[]> {
    const { order, total } = wanted;
    const { isFromEnd, ...slice } = fromNearerEnd(wanted, total);
    if (slice.limit === 0) return [];
    const ordering = { by: order.by, isDescending: order.isDescending !== isFromEnd };
    const ids = await idsInOrder(db, this.#matches(asked, total), ordering, slice);
    return isFromEnd ? ids.toReversed() : ids;
  }

  /** Few matches are found by their own indexes and then sorted; many are checked along the index of the order. */
  #matches(asked: Conditions, total: number): Fragment {
    if (asked.narrow.length > 0) return narrowMatches(asked);
    if (total > this.#sortedMax) return allOf([asked.seen, ...asked.pass]);
    return matchesAnyOf([openMatches(asked), givenMatches(asked)].filter((part) => part !== undefined));
  }
}
