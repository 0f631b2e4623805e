import { type Seen, seenRepositories } from '../../access/seen.ts';
import type { Viewer } from '../../access/viewer.ts';
import { LIMITS } from '../../core/limits.ts';
import { offsetOf, type Page, type Paging } from '../../core/paging.ts';
import { createSizedCache } from '../../core/sized-cache.ts';
import { type Db, dialectOf } from '../../database/database.ts';
import type { RepositoryId } from '../../git/model.ts';
import {
  allOf,
  type Condition,
  filters,
  hasOtherOwner,
  hasOwner,
  isGiven,
  isOpen,
  isSeen,
  narrowings,
} from '../store/conditions.ts';
import { countOf, firstIds, idsBy, idsWithTrigrams, versionOf } from '../store/selections.ts';
import { trigramQuery } from '../store/trigrams.ts';
import { BY_NAME, type RepositoryOrder, type RepositorySelection } from './selection.ts';

const ID_BYTES = 8;

/**
 * What is looked for: rows that all `narrow` find, or all rows where there is no such condition, as far as they are
 * seen and pass.
 */
interface Asked {
  readonly narrow: readonly Condition[];
  readonly pass: readonly Condition[];
  readonly seen: Seen;
}

/** What was found among the open ones, at a version of all rows. */
interface Counted {
  readonly version: number;
  readonly total: number;
  /** where they are few, and were looked at one by one */
  readonly ids?: readonly RepositoryId[];
}

type Stretch = { readonly limit: number; readonly offset: number };

/**
 * Lists of repositories by any conditions and orders, each a page of ids and how many there are.
 *
 * How a page is found is decided here and nowhere else. Where an index finds few rows (of an owner, a team, stars, words
 * that are rare), these are sorted. Else matches are counted in the index that holds all that is asked of them; when
 * they are few, they are sorted; when they are many, the index of the order is walked until the page is full.
 */
export class Selections {
  readonly #sortedMax: number;
  /** By statement and parameters. */
  readonly #counted = createSizedCache<string, Counted>({
    sizeMax: LIMITS.searchCountsRememberedBytesMax,
    sizeOf: ({ ids }, key) => key.length + ID_BYTES * (ids?.length ?? 0),
  });

  /** @param options.sortedMax as many matches are sorted; more are walked through */
  constructor(options: { sortedMax: number } = { sortedMax: LIMITS.searchSortedMax }) {
    this.#sortedMax = options.sortedMax;
  }

  async list(
    db: Db,
    viewer: Viewer,
    selection: RepositorySelection,
    paging: Paging,
  ): Promise<Page<RepositoryId>> {
    const { order = BY_NAME, firstOwnerId, onlyOpenToAll = false } = selection;
    const seen = seenRepositories(viewer, { onlyOpenToAll });
    const narrow = narrowings(viewer, seen, selection);
    const pass = filters(dialectOf(db), selection);
    const asked = await this.#narrowedByWords(db, { narrow, pass, seen }, selection);
    const total = await this.#count(db, asked);
    const stretch = { limit: paging.limit, offset: offsetOf(paging) };
    const items =
      firstOwnerId === undefined
        ? await this.#idsOf(db, asked, { order, total, ...stretch })
        : await this.#withOwnerFirst(db, asked, { ownerId: firstOwnerId, order, total, ...stretch });
    return { items, total };
  }

  async #withOwnerFirst(
    db: Db,
    asked: Asked,
    page: Stretch & { ownerId: number; order: RepositoryOrder; total: number },
  ): Promise<readonly RepositoryId[]> {
    const { ownerId, order, total, limit, offset } = page;
    const first = { ...asked, narrow: [...asked.narrow, hasOwner(ownerId)] };
    const others = { ...asked, pass: [...asked.pass, hasOtherOwner(ownerId)] };
    const ahead = await this.#count(db, first);
    const ids = await this.#idsOf(db, first, { order, total: ahead, limit, offset });
    const rest = { limit: limit - ids.length, offset: Math.max(offset - ahead, 0) };
    return [...ids, ...(await this.#idsOf(db, others, { order, total: total - ahead, ...rest }))];
  }

  /** Where words are rare, what holds them is found first, and all else is asked of that alone. */
  async #narrowedByWords(db: Db, asked: Asked, { words = [] }: RepositorySelection): Promise<Asked> {
    if (dialectOf(db) !== 'sqlite' || words.length === 0 || asked.narrow.length > 0) return asked;
    const known = await this.#known(db, asked);
    if (known !== undefined && known.total > this.#sortedMax) return asked;
    const query = trigramQuery(words);
    const ids =
      query === undefined
        ? await this.#firstMatches(db, asked, known?.ids)
        : await idsWithTrigrams(db, query, this.#sortedMax + 1);
    if (ids.length > this.#sortedMax) return asked;
    const narrow = { sql: 'r.id in (select value from json_each(?))', parameters: [JSON.stringify(ids)] };
    return { ...asked, narrow: [narrow] };
  }

  /** Too short for the index of trigrams: the texts themselves are read, up to one more match than are sorted. */
  async #firstMatches(
    db: Db,
    asked: Asked,
    known: readonly RepositoryId[] | undefined,
  ): Promise<readonly RepositoryId[]> {
    const open = known ?? (await this.#firstOpen(db, asked));
    const given = isGiven(asked.seen);
    if (given === undefined || open.length > this.#sortedMax) return open;
    return [...open, ...(await firstIds(db, allOf([given, ...asked.pass]), this.#sortedMax + 1))];
  }

  async #firstOpen(db: Db, asked: Asked): Promise<readonly RepositoryId[]> {
    const open = openMatches(asked);
    const version = await versionOf(db);
    const ids = await firstIds(db, open, this.#sortedMax + 1);
    if (ids.length <= this.#sortedMax) this.#remember(open, { version, total: ids.length, ids });
    return ids;
  }

  async #count(db: Db, asked: Asked): Promise<number> {
    const given = isGiven(asked.seen);
    if (asked.narrow.length > 0) return countOf(db, narrowed(asked));
    const open = await this.#countOpen(db, asked);
    return given === undefined ? open : open + (await countOf(db, allOf([given, ...asked.pass])));
  }

  /** Counting many takes longest of all, and what everybody sees is the same for everybody. */
  async #countOpen(db: Db, asked: Asked): Promise<number> {
    if (asked.seen.openBelow === 0) return 0;
    const open = openMatches(asked);
    if (dialectOf(db) !== 'sqlite') return countOf(db, open);
    const known = await this.#known(db, asked);
    if (known !== undefined) return known.total;
    const version = await versionOf(db);
    const total = await countOf(db, open);
    this.#remember(open, { version, total });
    return total;
  }

  async #idsOf(
    db: Db,
    asked: Asked,
    page: Stretch & { order: RepositoryOrder; total: number },
  ): Promise<readonly RepositoryId[]> {
    const { order, total, offset } = page;
    const limit = Math.max(Math.min(page.limit, total - offset), 0);
    if (limit === 0) return [];
    // What is skipped is read, so a page of the second half is looked for from the other end.
    const isNearEnd = offset > total / 2;
    const skipped = isNearEnd ? total - offset - limit : offset;
    const way = isNearEnd === order.isDescending ? 'asc' : 'desc';
    const by = COLUMNS_OF_ORDER[order.by].map((column) => `r.${column} ${way}`).join(', ');
    const { sql, parameters } = this.#found(asked, total);
    const ids = await idsBy(
      db,
      `select r.id from repositories r where ${sql} order by ${by} limit ? offset ?`,
      [...parameters, limit, skipped],
    );
    return isNearEnd ? ids.toReversed() : ids;
  }

  /** Few matches are found and sorted; many are met soon enough on a walk along the order. */
  #found(asked: Asked, total: number): Condition {
    if (asked.narrow.length > 0) return narrowed(asked);
    if (total > this.#sortedMax) return allOf([isSeen(asked.seen), ...asked.pass]);
    const { sql, parameters } = matches(asked);
    return { sql: `r.id in (${sql})`, parameters };
  }

  #remember(open: Condition, counted: Counted): void {
    this.#counted.set(keyOf(open), counted);
  }

  /** What was counted before, unless something has changed. */
  async #known(db: Db, asked: Asked): Promise<Counted | undefined> {
    const counted = this.#counted.get(keyOf(openMatches(asked)));
    return counted !== undefined && counted.version === (await versionOf(db)) ? counted : undefined;
  }
}

function keyOf({ sql, parameters }: Condition): string {
  return JSON.stringify([sql, parameters]);
}

function openMatches({ seen, pass }: Asked): Condition {
  return allOf([isOpen(seen), ...pass]);
}

function narrowed({ narrow, seen, pass }: Asked): Condition {
  return allOf([...narrow, isSeen(seen), ...pass]);
}

/** Ids of all matches, each once, as a query. */
function matches(asked: Asked): Condition {
  const select = ({ sql, parameters }: Condition) => ({
    sql: `select r.id from repositories r where ${sql}`,
    parameters,
  });
  if (asked.narrow.length > 0) return select(narrowed(asked));
  const open = select(openMatches(asked));
  const given = isGiven(asked.seen);
  if (given === undefined) return open;
  const more = select(allOf([given, ...asked.pass]));
  return {
    sql: `${open.sql} union all ${more.sql}`,
    parameters: [...open.parameters, ...more.parameters],
  };
}

const COLUMNS_OF_ORDER = {
  name: ['lower_name', 'owner_lower_name'],
  creation: ['created_at', 'id'],
  change: ['updated_at', 'id'],
  size: ['size_bytes', 'id'],
  stars: ['stars_count', 'id'],
  forks: ['forks_count', 'id'],
  id: ['id'],
} as const satisfies Record<RepositoryOrder['by'], readonly string[]>;
