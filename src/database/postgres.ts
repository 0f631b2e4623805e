import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import type { Database, Tx } from './database.ts';
import { withHints } from './hints-after-commit.ts';
import { PostgresHints } from './postgres-hints.ts';
import type { Tables } from './schema/index.ts';

const CONNECTIONS_MAX = 10;
const CONNECT_TIMEOUT_MS = 10_000;
const ATTEMPTS_MAX = 5;

const require = createRequire(import.meta.url);

/** Reads int8 ids, counts and times as plain numbers: none of them exceeds 2^53. */
function numbersFromInt8({ builtins, getTypeParser }: typeof pg.types): pg.CustomTypesConfig {
  return {
    getTypeParser(oid, format) {
      if (oid === builtins.INT8 || oid === builtins.NUMERIC) return Number;
      return getTypeParser(oid, format as 'text');
    },
  } as pg.CustomTypesConfig;
}

/** Connects to PostgreSQL. Loads the driver, which a server with an embedded database does without. */
export function openPostgres(url: string): Database {
  const { Client, Pool, types }: typeof pg = require('pg');
  const pool = new Pool({
    connectionString: url,
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types: numbersFromInt8(types),
  });
  // The pool replaces a broken idle connection. Without a listener its error would end the process.
  pool.on('error', () => {});
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const hints = new PostgresHints({ newClient: () => new Client({ connectionString: url }), pool });
  return {
    dialect: 'postgres',
    reader: kysely,
    transaction: <T>(work: (tx: Tx) => Promise<T>) =>
      withHints(
        (tracked) => transactionWithRetries(kysely, tracked),
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

async function transactionWithRetries<T>(kysely: Kysely<Tables>, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await kysely.transaction().execute(work);
    } catch (error) {
      if (!isRetryable(error) || attempt >= ATTEMPTS_MAX) throw error;
      await sleep(attempt * 10 * (1 + Math.random()));
    }
  }
}

function isRetryable(error: unknown): boolean {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  // serialization_failure, deadlock_detected
  return code === '40001' || code === '40P01';
}
