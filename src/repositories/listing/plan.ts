import type { Viewer } from '../../access/viewer.ts';
import { LIMITS } from '../../core/limits.ts';
import { fromNearerEnd, offsetOf, type Page, type Paging, type Stretch } from '../../core/paging.ts';
import { type Db, dialectOf } from '../../database/database.ts';
import type { Fragment } from '../../database/fragment.ts';
import type { RepositoryId } from '../../git/model.ts';
import { BY_NAME, type RepositoryOrder, type RepositorySelection, type SearchWords } from '../selection.ts';
import { allOf, type Conditions, conditionsOf, hasOtherOwner, hasOwner } from '../store/conditions.ts';
import {
  countOf,
  firstIds,
  idsInOrder,
  idsWithTrigrams,
  isOneOf,
  matchesAnyOf,
} from '../store/selections.ts';
import { rareTrigramQuery, trigramQuery } from '../store/trigrams.ts';
import { CountCache } from './count-cache.ts';

/** A stretch of matches to find. */
interface Wanted extends Stretch {
  readonly order: RepositoryOrder;
  /** number of all matches */
  readonly total: number;
}

/**
 * Lists repositories by any conditions, in any order: a page of ids, and the number of all matches.
 *
 * This class alone decides which index finds a page:
 *
 * 1. If an index finds few rows (an owner, a team, stars, rare words), those rows are checked and sorted.
 * 2. Otherwise the matches are counted in the index that holds every column of the conditions. Few matches are sorted.
 * 3. If the matches are many, the index of the order is walked until the page is full.
 */
export class ListPlanner {
  readonly #sortedMax: number;
  readonly #counts = new CountCache();

  /** @param options.sortedMax sorts up to this many matches; walks the index of the order for more */
  constructor(options: { sortedMax: number } = { sortedMax: LIMITS.searchSortedMax }) {
    this.#sortedMax = options.sortedMax;
  }

  async list(
    db: Db,
    viewer: Viewer,
    selection: RepositorySelection,
    paging: Paging,
  ): Promise<Page<RepositoryId>> {
    const { order = BY_NAME, firstOwnerId } = selection;
    const asked = await this.#narrowedByWords(db, conditionsOf(dialectOf(db), viewer, selection), selection);
    const total = await this.#count(db, asked);
    const wanted = { order, total, limit: paging.limit, offset: offsetOf(paging) };
    const items =
      firstOwnerId === undefined
        ? await this.#idsOf(db, asked, wanted)
        : await this.#idsWithOwnerFirst(db, asked, firstOwnerId, wanted);
    return { items, total };
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

  async #idsWithOwnerFirst(
    db: Db,
    asked: Conditions,
    ownerId: number,
    { order, total, limit, offset }: Wanted,
  ): Promise<readonly RepositoryId[]> {
    const first = { ...asked, narrow: [...asked.narrow, hasOwner(ownerId)] };
    const others = { ...asked, pass: [...asked.pass, hasOtherOwner(ownerId)] };
    const ahead = await this.#count(db, first);
    const ids = await this.#idsOf(db, first, { order, total: ahead, limit, offset });
    const rest = { limit: limit - ids.length, offset: Math.max(offset - ahead, 0) };
    return [...ids, ...(await this.#idsOf(db, others, { order, total: total - ahead, ...rest }))];
  }

  /** If words are rare, finds the repositories with those words, and checks all other conditions on these only. */
  async #narrowedByWords(
    db: Db,
    asked: Conditions,
    { words = [] }: RepositorySelection,
  ): Promise<Conditions> {
    if (dialectOf(db) !== 'sqlite' || words.length === 0 || asked.narrow.length > 0) return asked;
    const open = openMatches(asked);
    const known = open && (await this.#counts.find(db, open));
    if (known !== undefined && known.total > this.#sortedMax) return asked;
    const trigrams = trigramQuery(words);
    const ids =
      trigrams === undefined
        ? await this.#firstMatches(db, asked, known?.ids)
        : await this.#candidates(db, words, trigrams);
    return ids.length > this.#sortedMax ? asked : { ...asked, narrow: [isOneOf(ids)] };
  }

  /** Finds what may match: with the rarest trigrams, and with all of them if that is too much to sort. */
  async #candidates(
    db: Db,
    words: readonly SearchWords[],
    trigrams: string,
  ): Promise<readonly RepositoryId[]> {
    const rare = await rareTrigramQuery(db, words);
    const found = rare === undefined ? undefined : await idsWithTrigrams(db, rare, this.#sortedMax + 1);
    const isEnough = found !== undefined && found.length <= this.#sortedMax;
    return isEnough ? found : idsWithTrigrams(db, trigrams, this.#sortedMax + 1);
  }

  /** For words too short for the trigram index: reads the texts, until there are more matches than are sorted. */
  async #firstMatches(
    db: Db,
    asked: Conditions,
    known: readonly RepositoryId[] | undefined,
  ): Promise<readonly RepositoryId[]> {
    const open = known ?? (await this.#firstOpen(db, asked));
    const given = givenMatches(asked);
    if (given === undefined || open.length > this.#sortedMax) return open;
    return [...open, ...(await firstIds(db, given, this.#sortedMax + 1))];
  }

  async #firstOpen(db: Db, asked: Conditions): Promise<readonly RepositoryId[]> {
    const open = openMatches(asked);
    if (open === undefined) return [];
    const find = async () => {
      const ids = await firstIds(db, open, this.#sortedMax + 1);
      return { total: ids.length, ids };
    };
    const isComplete = ({ total }: { total: number }) => total <= this.#sortedMax;
    const { ids = [] } = await this.#counts.count(db, open, find, isComplete);
    return ids;
  }

  async #count(db: Db, asked: Conditions): Promise<number> {
    if (asked.narrow.length > 0) return countOf(db, narrowMatches(asked));
    const open = await this.#countOpen(db, asked);
    const given = givenMatches(asked);
    return given === undefined ? open : open + (await countOf(db, given));
  }

  async #countOpen(db: Db, asked: Conditions): Promise<number> {
    const open = openMatches(asked);
    if (open === undefined) return 0;
    const count = async () => ({ total: await countOf(db, open) });
    const { total } = (await this.#counts.find(db, open)) ?? (await this.#counts.count(db, open, count));
    return total;
  }

  async #idsOf(db: Db, asked: Conditions, wanted: Wanted): Promise<readonly RepositoryId[]> {
    const { order, total } = wanted;
    const { isFromEnd, ...stretch } = fromNearerEnd(wanted, total);
    if (stretch.limit === 0) return [];
    const way = { by: order.by, isDescending: order.isDescending !== isFromEnd };
    const ids = await idsInOrder(db, this.#matches(asked, total), way, stretch);
    return isFromEnd ? ids.toReversed() : ids;
  }

  /** Few matches are found by their own indexes and then sorted; many are checked along the index of the order. */
  #matches(asked: Conditions, total: number): Fragment {
    if (asked.narrow.length > 0) return narrowMatches(asked);
    if (total > this.#sortedMax) return allOf([asked.seen, ...asked.pass]);
    return matchesAnyOf([openMatches(asked), givenMatches(asked)].filter((part) => part !== undefined));
  }
}

function openMatches({ open, pass }: Conditions): Fragment | undefined {
  return open && allOf([open, ...pass]);
}

function givenMatches({ given, pass }: Conditions): Fragment | undefined {
  return given && allOf([given, ...pass]);
}

function narrowMatches({ narrow, seen, pass }: Conditions): Fragment {
  return allOf([...narrow, seen, ...pass]);
}
