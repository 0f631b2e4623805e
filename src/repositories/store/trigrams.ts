import { LIMITS } from '../../core/limits.ts';
import { type Db, dialectOf } from '../../database/database.ts';
import { fragment } from '../../database/fragment.ts';
import { queryFirst } from '../../database/query.ts';
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
  const queries = words.map(queryOf);
  return queries.every((query) => query !== undefined) ? queries.join(' OR ') : undefined;
}

function queryOf(words: SearchWords): string | undefined {
  switch (words.kind) {
    case 'topic':
      return withAll('text', ` ${words.topic} `);
    case 'path':
      return withAll('text', words.name);
    case 'text':
      return withAll(words.inDescription ? 'text description' : 'text', words.text);
  }
}

function withAll(columns: string, text: string): string | undefined {
  const found = trigramsOf(text);
  if (found.length === 0) return undefined;
  const quoted = found.map((trigram) => `"${trigram.replaceAll('"', '""')}"`);
  // One column must have all trigrams of a match.
  const within = columns.split(' ').map((column) => `({${column}} : (${quoted.join(' AND ')}))`);
  return `(${within.join(' OR ')})`;
}

function trigramsOf(text: string): readonly string[] {
  const characters = [...text];
  const count = Math.min(characters.length - 2, LIMITS.searchTrigramsMax);
  const found = Array.from({ length: Math.max(count, 0) }, (_, at) => characters.slice(at, at + 3).join(''));
  return [...new Set(found)];
}

/** Whether searches must read the texts themselves, because a PostgreSQL database has no trigram index. */
export async function isWithoutTrigrams(db: Db): Promise<boolean> {
  if (dialectOf(db) !== 'postgres') return false;
  const index = await queryFirst(
    db,
    fragment`select indexname from pg_indexes
      where indexname = 'repositories_text_trigrams' and schemaname = current_schema()`,
  );
  return index === undefined;
}
