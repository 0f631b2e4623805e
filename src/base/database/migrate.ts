import { type Kysely, sql } from 'kysely';
import { currentTimeMs } from '../core/time/clock.ts';
import { type Database, type Db, dialectOf, isUnknownTable, type Tx } from './database.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { DatabaseTooNewError } from './too-new.ts';

/** An arbitrary number that is the same in every process. */
const LOCK_KEY = 7_119_213;

/**
 * Brings the schema up to date with all missing migrations in one transaction. Other processes wait for it. If none is
 * missing, it only reads.
 *
 * @returns the names of the migrations that ran
 * @throws DatabaseTooNewError
 */
export async function migrate(database: Database): Promise<readonly string[]> {
  if (await isCurrent(database.reader)) return [];
  return database.transaction(async (tx) => {
    await lock(tx);
    const applied = await appliedCount(tx);
    if (applied > MIGRATIONS.length) throw new DatabaseTooNewError(applied, MIGRATIONS.length);
    const missing = MIGRATIONS.slice(applied);
    for (const [index, migration] of missing.entries()) {
      await migration.up(tx, database.dialect);
      await versionsOf(tx)
        .insertInto('schema_versions')
        .values({ number: applied + index + 1, name: migration.name, applied_at: currentTimeMs() })
        .execute();
    }
    return missing.map((migration) => migration.name);
  });
}

async function isCurrent(db: Db): Promise<boolean> {
  try {
    return (await findNewest(db)) === MIGRATIONS.length;
  } catch (error) {
    if (isUnknownTable(error)) return false;
    throw error;
  }
}

async function lock(tx: Tx): Promise<void> {
  // On the embedded database the transaction itself is the lock, because it begins IMMEDIATE.
  if (dialectOf(tx) !== 'postgres') return;
  // Another process may take long to migrate.
  await sql`set local lock_timeout = 0`.execute(tx);
  await sql`select pg_advisory_xact_lock(${LOCK_KEY})`.execute(tx);
}

async function appliedCount(tx: Tx): Promise<number> {
  await tx.schema
    .createTable('schema_versions')
    .ifNotExists()
    .addColumn('number', 'integer', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('applied_at', dialectOf(tx) === 'sqlite' ? 'integer' : 'bigint', (c) => c.notNull())
    .execute();
  return (await findNewest(tx)) ?? 0;
}

async function findNewest(db: Db): Promise<number | null> {
  const { newest } = await versionsOf(db)
    .selectFrom('schema_versions')
    .select((select) => select.fn.max('number').as('newest'))
    .executeTakeFirstOrThrow();
  return newest;
}

/** The table of applied migrations, which is not part of the application's schema. */
function versionsOf(db: Db) {
  return db as unknown as Kysely<{ schema_versions: { number: number; name: string; applied_at: number } }>;
}
