import { type ColumnDefinitionBuilder, type RawBuilder, sql } from 'kysely';
import type { Dialect } from '../database.ts';

type Build = (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;

/** A row id that the database gives and never gives again. */
export function idColumn(dialect: Dialect): ['integer' | 'bigint', Build] {
  if (dialect === 'sqlite') return ['integer', (column) => column.primaryKey().autoIncrement()];
  return ['bigint', (column) => column.primaryKey().generatedByDefaultAsIdentity()];
}

/** Ids, times, counts and flags: 64 bits on both. */
export function wholeNumber(dialect: Dialect): 'integer' | 'bigint' {
  return dialect === 'sqlite' ? 'integer' : 'bigint';
}

/**
 * Text sorts and compares by its bytes on both, whatever language the database was created for: git orders refs so, and
 * a range such as all names under `refs/heads/` is one only in that order.
 */
export function bytewiseText(dialect: Dialect): 'text' | RawBuilder<unknown> {
  return dialect === 'sqlite' ? 'text' : sql`text collate "C"`;
}
