import { type Db, dialectOf } from '../../../base/database/database.ts';
import type { Fragment } from '../../../base/database/fragment.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import type { RepositorySelection, SearchWords } from '../selection.ts';
import { allOf, type Conditions, givenMatches, openMatches } from '../store/conditions.ts';
import { firstIds, firstMatches, idsWithTrigrams, isOneOf, type Match } from '../store/selections.ts';
import { rareTrigramQuery, trigramQuery } from '../store/trigrams.ts';
import { Remembered } from './remembered.ts';

/** The matches that a viewer sees. */
export interface FoundMatches {
  readonly ids: readonly RepositoryId[];
  /** false: in no particular order */
  readonly isByName: boolean;
}

/** All matches, in the order of names. */
interface Few {
  readonly matches: readonly Match[];
  readonly ids: readonly RepositoryId[];
  /** the highest facets of all; -1 for no match */
  readonly facetsMax: number;
}

/** `many`: more than are sorted. */
type Found = Few | 'many';

const BYTES_OF_MATCH = 32;
const NO_MATCH: Few = { matches: [], ids: [], facetsMax: -1 };
const NONE: ReadonlySet<RepositoryId> = new Set();

/**
 * Finds the matches of a search if they are few, and remembers them.
 *
 * These are the matches for every viewer: which of them one sees is looked up each time.
 */
export class FewMatches {
  readonly #max: number;
  readonly #remembered = new Remembered<Found>((found) =>
    found === 'many' ? 0 : found.ids.length * BYTES_OF_MATCH,
  );

  /** @param options.sortedMax more matches than this are many */
  constructor({ sortedMax }: { sortedMax: number }) {
    this.#max = sortedMax;
  }

  /** @returns undefined if there may be many */
  async find(
    db: Db,
    asked: Conditions,
    { words = [] }: RepositorySelection,
    version: string,
  ): Promise<FoundMatches | undefined> {
    const trigrams = words.length === 0 ? undefined : trigramQuery(words);
    return trigrams === undefined
      ? this.#amongOpen(db, asked, version)
      : this.#amongAll(db, asked, { words, trigrams }, version);
  }

  /** An index of words finds all matches, whether the viewer sees them or not. */
  async #amongAll(
    db: Db,
    { pass, openBelow, givenBelow, given }: Conditions,
    wanted: { words: readonly SearchWords[]; trigrams: string },
    version: string,
  ): Promise<FoundMatches | undefined> {
    const condition = allOf(pass);
    const few = await this.#remembered.get(condition, version, async () => {
      const candidates = await this.#candidates(db, wanted);
      return candidates === 'many' ? candidates : this.#matches(db, allOf([...candidates, condition]));
    });
    if (few === 'many') return undefined;
    if (few.facetsMax < openBelow) return { ids: few.ids, isByName: true };
    const isHidden = ({ facets }: Match) => facets >= openBelow && facets < givenBelow;
    const hidden = few.matches.filter(isHidden).map(({ id }) => id);
    const isGiven =
      given === undefined || hidden.length === 0
        ? NONE
        : new Set(await firstIds(db, allOf([given, isOneOf(db, hidden)]), hidden.length));
    const seen = few.matches.filter(({ id, facets }) => facets < openBelow || isGiven.has(id));
    return { ids: seen.map(({ id }) => id), isByName: true };
  }

  /** Without an index of words, only what the viewer may see is compared. */
  async #amongOpen(db: Db, asked: Conditions, version: string): Promise<FoundMatches | undefined> {
    const open = openMatches(asked);
    const few =
      open === undefined
        ? NO_MATCH
        : await this.#remembered.get(open, version, () => this.#matches(db, open));
    if (few === 'many') return undefined;
    const also = givenMatches(asked);
    const given = also === undefined ? [] : await firstIds(db, also, this.#max + 1);
    if (given.length === 0) return { ids: few.ids, isByName: true };
    const isFew = few.ids.length + given.length <= this.#max;
    return isFew ? { ids: [...few.ids, ...given], isByName: false } : undefined;
  }

  async #matches(db: Db, condition: Fragment): Promise<Found> {
    const matches = await firstMatches(db, condition, this.#max + 1);
    if (matches.length > this.#max) return 'many';
    const facetsMax = matches.reduce((highest, { facets }) => Math.max(highest, facets), NO_MATCH.facetsMax);
    return { matches, ids: matches.map(({ id }) => id), facetsMax };
  }

  /**
   * Finds what may match, on SQLite: with the rarest trigrams, and with all of them if that is too much to sort.
   *
   * @returns conditions; none on PostgreSQL, whose planner chooses an index
   */
  async #candidates(
    db: Db,
    { words, trigrams }: { words: readonly SearchWords[]; trigrams: string },
  ): Promise<readonly Fragment[] | 'many'> {
    if (dialectOf(db) !== 'sqlite') return [];
    const enough = this.#max + 1;
    const rare = await rareTrigramQuery(db, words);
    const found = rare === undefined ? undefined : await idsWithTrigrams(db, rare, enough);
    const isEnough = found !== undefined && found.length <= this.#max;
    const ids = isEnough ? found : await idsWithTrigrams(db, trigrams, enough);
    return ids.length > this.#max ? 'many' : [isOneOf(db, ids)];
  }
}
