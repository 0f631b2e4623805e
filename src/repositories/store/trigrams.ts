import { LIMITS } from '../../core/limits.ts';
import { type Db, dialectOf, hotQuery } from '../../database/database.ts';
import type { SearchWords } from '../listing/selection.ts';

/**
 * What the embedded database's index of trigrams is asked for: everything that may hold one of the words, and perhaps
 * more, for it knows no places. undefined where a word is too short for it.
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
  // In one column or the other, so the trigrams of a match are in the same one.
  const within = columns.split(' ').map((column) => `({${column}} : (${quoted.join(' AND ')}))`);
  return `(${within.join(' OR ')})`;
}

function trigramsOf(text: string): readonly string[] {
  const characters = [...text];
  const count = Math.min(characters.length - 2, LIMITS.searchTrigramsMax);
  const found = Array.from({ length: Math.max(count, 0) }, (_, at) => characters.slice(at, at + 3).join(''));
  return [...new Set(found)];
}

const trigramIndexes = hotQuery<{ name: string }>(
  "select indexname as name from pg_indexes where indexname = 'repositories_text_trigrams' and schemaname = current_schema()",
);

/** Whether words are looked for in the texts themselves, since the database may not have an index of trigrams. */
export async function isWithoutTrigrams(db: Db): Promise<boolean> {
  return dialectOf(db) === 'postgres' && (await trigramIndexes(db, [])).length === 0;
}
