import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Database, Tx } from './database.ts';
import { withHints } from './hints-after-commit.ts';
import { PostgresHints } from './postgres-hints.ts';
import type { Tables } from './schema/index.ts';

const CONNECTIONS_MAX = 10;
const CONNECT_TIMEOUT_MS = 10_000;
const ATTEMPTS_MAX = 5;

/** Ids, counts and times are int8 there and plain numbers here: none of them goes beyond 2^53. */
function numbersFromInt8(): pg.CustomTypesConfig {
  return {
    getTypeParser(oid, format) {
      if (oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC) return Number;
      return pg.types.getTypeParser(oid, format as 'text');
    },
  } as pg.CustomTypesConfig;
}

export function openPostgres(url: string): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types: numbersFromInt8(),
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => {});
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const hints = new PostgresHints({ url, pool });
  return {
    dialect: 'postgres',
    reader: kysely,
    transaction: <T>(work: (tx: Tx) => Promise<T>) =>
      withHints(
        (tracked) => transactionWithRetries(kysely, tracked),
        work,
        (hint) => hints.tell(hint),
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
      if (!wantsRetry(error) || attempt >= ATTEMPTS_MAX) throw error;
      await sleep(attempt * 10 * (1 + Math.random()));
    }
  }
}

function wantsRetry(error: unknown): boolean {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  // serialization_failure, deadlock_detected
  return code === '40001' || code === '40P01';
}
