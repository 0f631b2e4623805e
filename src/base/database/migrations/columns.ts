import { type ColumnDefinitionBuilder, type RawBuilder, sql } from 'kysely';
import type { Dialect } from '../database.ts';

type Build = (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;

/** A row id that the database assigns and never reuses. */
export function idColumn(dialect: Dialect): ['integer' | 'bigint', Build] {
  if (dialect === 'sqlite') return ['integer', (column) => column.primaryKey().autoIncrement()];
  return ['bigint', (column) => column.primaryKey().generatedByDefaultAsIdentity()];
}

/** Type of ids, times, counts and flags: 64 bits on both databases. */
export function wholeNumber(dialect: Dialect): 'integer' | 'bigint' {
  return dialect === 'sqlite' ? 'integer' : 'bigint';
}

/**
 * Type of text that sorts and compares by its bytes on both databases, independent of the database's locale. git sorts
 * refs this way, and only in this order are the names under `refs/heads/` one range.
 */
export function bytewiseText(dialect: Dialect): 'text' | RawBuilder<unknown> {
  return dialect === 'sqlite' ? 'text' : sql`text collate "C"`;
}
