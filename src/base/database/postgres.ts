import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { ForgeError } from '../core/failure.ts';
import { currentCaller, runFor } from '../core/fairness/caller.ts';
import { FairSlots } from '../core/fairness/fair-slots.ts';
import { loadPackage } from '../core/native/packages.ts';
import type { Database, Tx } from './database.ts';
import { withHints } from './hints-after-commit.ts';
import { DATABASE_LIMITS } from './limits.ts';
import { type ConnectionPool, newConnections } from './postgres-connections.ts';
import { PostgresHints } from './postgres-hints.ts';
import { isStalePlan, preparing } from './postgres-statements.ts';
import type { Tables } from './schema/index.ts';

const ATTEMPTS_MAX = 5;
const LOCK_NOT_AVAILABLE = '55P03';

/** Reads int8 ids, counts and times as plain numbers: none of them exceeds 2^53. */
function numbersFromInt8({ builtins, getTypeParser }: typeof pg.types): pg.CustomTypesConfig {
  return {
    getTypeParser(oid, format) {
      if (oid === builtins.INT8 || oid === builtins.NUMERIC) return Number;
      return getTypeParser(oid, format as 'text');
    },
  } as pg.CustomTypesConfig;
}

/** Connects to PostgreSQL. */
export function openPostgres(url: string, connections = newConnections()): Database {
  const { types } = loadPackage('pg');
  const pool = connections.pool({
    connectionString: url,
    max: DATABASE_LIMITS.databaseConnectionsMax,
    connectionTimeoutMillis: DATABASE_LIMITS.databaseConnectMs,
    types: numbersFromInt8(types),
    // A setting instead of an option of the connection, because poolers in between may not pass options on. The pool lends
    // the connection after it.
    onConnect: (client) => client.query(`set lock_timeout = ${DATABASE_LIMITS.databaseLockMs}`),
  });
  const bounded = { options: pool.options, connect: () => connect(pool), end: () => pool.end() };
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: bounded }) });
  const transactions = new FairSlots({
    what: 'changes',
    unitsMax: DATABASE_LIMITS.databaseTransactionsAtOnceMax,
    unitsPerCallerMax: DATABASE_LIMITS.databaseTransactionsPerCallerMax,
    unitsForSignedIn: 1,
    queueMax: DATABASE_LIMITS.databaseQueueMax,
    queuePerCallerMax: DATABASE_LIMITS.databaseQueuePerCallerMax,
    waitMs: DATABASE_LIMITS.databaseQueueWaitMs,
  });
  const hints = new PostgresHints({
    newClient: () => connections.single({ connectionString: url }),
    pool,
  });
  return {
    dialect: 'postgres',
    reader: kysely,
    transaction: <T>(work: (tx: Tx) => Promise<T>) =>
      withHints(
        (tracked) => inSlot(transactions, () => transactionWithRetries(kysely, tracked)),
        work,
        (hint) => hints.notify(hint),
      ),
    onHint: (hint, listener) => hints.on(hint, listener),
    async close() {
      await hints.close();
      await kysely.destroy();
    },
  };
}

/** @throws ForgeError `busy` if no connection becomes free in time */
async function connect(pool: ConnectionPool): Promise<PostgresPoolClient> {
  try {
    return preparing(await pool.connect());
  } catch (cause) {
    // The error has no code.
    const isTimeout =
      cause instanceof Error && cause.message.startsWith('timeout exceeded when trying to connect');
    throw isTimeout ? busy('too many database queries at once: try again in a few seconds', cause) : cause;
  }
}

/** Waits for a slot even if the client has left, because what it began must be completed or undone. */
async function inSlot<T>(slots: FairSlots, work: () => Promise<T>): Promise<T> {
  const { share, isAnonymous, isServer } = currentCaller();
  const leave = await runFor({ share, isAnonymous, isServer }, () => slots.enter());
  try {
    return await work();
  } finally {
    leave();
  }
}

/** @throws ForgeError `busy` after waiting too long for a lock; any error of `work` */
async function transactionWithRetries<T>(kysely: Kysely<Tables>, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await kysely.transaction().execute(work);
    } catch (error) {
      if (codeOf(error) === LOCK_NOT_AVAILABLE)
        throw busy('another change takes too long: try again in a few seconds', error);
      if (!isRetryable(error) || attempt >= ATTEMPTS_MAX) throw error;
      await sleep(attempt * 10 * (1 + Math.random()));
    }
  }
}

function isRetryable(error: unknown): boolean {
  const code = codeOf(error);
  // serialization_failure, deadlock_detected
  return code === '40001' || code === '40P01' || isStalePlan(error);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error ? (error as { code?: unknown }).code : undefined;
}

function busy(what: string, cause: unknown): ForgeError {
  return new ForgeError({ kind: 'busy', what, retryAfterSeconds: 5 }, { cause });
}
