import type { ColumnDefinitionBuilder } from 'kysely';
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
