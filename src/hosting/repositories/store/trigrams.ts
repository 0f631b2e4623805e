import { type Db, dialectOf } from '../../../base/database/database.ts';
import { fragment } from '../../../base/database/fragment.ts';
import { query, queryFirst } from '../../../base/database/query.ts';
import { REPOSITORY_LIMITS } from '../limits.ts';
import type { SearchWords } from '../selection.ts';

/**
 * Builds the query for SQLite's trigram index. It finds every repository with one of the words, and perhaps others: the
 * index does not store positions.
 *
 * @returns undefined if a word is too short for the index
 *
 * @see https://www.sqlite.org/fts5.html, The Trigram Tokenizer
 */
export function trigramQuery(words: readonly SearchWords[]): string | undefined {
  const parts = words.map(partsOf);
  return parts.every(({ trigrams }) => trigrams.length > 0) ? queryFor(parts) : undefined;
}

/**
 * Builds a query that finds the same and perhaps more, with only the rarest trigrams of each word.
 *
 * @returns undefined if that would be all of them
 */
export async function rareTrigramQuery(db: Db, words: readonly SearchWords[]): Promise<string | undefined> {
  const parts = words.map(partsOf);
  if (parts.every(({ trigrams }) => trigrams.length <= REPOSITORY_LIMITS.searchTrigramsRare))
    return undefined;
  const ends = await sampleEnds(db, [...new Set(parts.flatMap(({ trigrams }) => trigrams))]);
  const endOf = (trigram: string) => ends.get(trigram) ?? Number.POSITIVE_INFINITY;
  const rarest = parts.map(({ columns, trigrams }) => {
    const sorted = trigrams.toSorted((a, b) => (endOf(a) < endOf(b) ? 1 : endOf(a) > endOf(b) ? -1 : 0));
    return { columns, trigrams: sorted.slice(0, REPOSITORY_LIMITS.searchTrigramsRare) };
  });
  return queryFor(rarest);
}

/** Returns the last of a few first rows with each trigram; those that fewer rows have are left out. */
async function sampleEnds(db: Db, trigrams: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await query<{ position: number; last: number | null }>(
    db,
    fragment`select t.key as position, (
      select f.rowid from repository_trigrams f where repository_trigrams match t.value
      limit 1 offset ${REPOSITORY_LIMITS.searchTrigramRowsSampled}
    ) as last from json_each(${JSON.stringify(trigrams.map(quoted))}) t`,
  );
  return new Map(
    rows.flatMap(({ position, last }) => {
      const trigram = trigrams[position];
      return trigram === undefined || last === null ? [] : [[trigram, last] as const];
    }),
  );
}

/** Trigrams of a word, all of which one of the columns must have. */
interface Part {
  readonly columns: readonly string[];
  readonly trigrams: readonly string[];
}

function partsOf(words: SearchWords): Part {
  switch (words.kind) {
    case 'topic':
      return { columns: ['text'], trigrams: trigramsOf(` ${words.topic} `) };
    case 'path':
      return { columns: ['text'], trigrams: trigramsOf(words.name) };
    case 'text':
      return {
        columns: words.inDescription ? ['text', 'description'] : ['text'],
        trigrams: trigramsOf(words.text),
      };
  }
}

function queryFor(parts: readonly Part[]): string {
  const found = parts.map(({ columns, trigrams }) => {
    const all = trigrams.map(quoted).join(' AND ');
    return `(${columns.map((column) => `({${column}} : (${all}))`).join(' OR ')})`;
  });
  return found.join(' OR ');
}

function quoted(trigram: string): string {
  return `"${trigram.replaceAll('"', '""')}"`;
}

function trigramsOf(text: string): readonly string[] {
  const characters = [...text];
  const count = Math.min(characters.length - 2, REPOSITORY_LIMITS.searchTrigramsMax);
  const found = Array.from({ length: Math.max(count, 0) }, (_, at) => characters.slice(at, at + 3).join(''));
  return [...new Set(found)];
}

/** Whether searches must read the texts themselves, because a PostgreSQL database has no trigram index. */
export async function isWithoutTrigrams(db: Db): Promise<boolean> {
  if (dialectOf(db) !== 'postgres') return false;
  const found = await queryFirst<{ index: string | null }>(
    db,
    fragment`select to_regclass(quote_ident(current_schema()) || '.repositories_text_trigrams') as index`,
  );
  return found?.index == null;
}
