import type { PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { countStatement } from './counted-statements.ts';
import { DATABASE_LIMITS } from './limits.ts';

/** A statement is prepared when it has run this often. Until then, preparing it may cost more than it saves. */
const RUNS_UNPREPARED = 4;
/** Bounds the memory for texts that run rarely. */
const TEXTS_COUNTED_MAX = 2_000;
/** The best plan of a search depends on its words: one for all walks every text when few have them. */
const DEPENDS_ON_WORDS = '@@';
/** A table of a prepared statement has changed: "cached plan must not change result type". */
const FEATURE_NOT_SUPPORTED = '0A000';

/** Names of prepared statements by their texts. All connections use the same names. */
const names = new Map<string, string>();
const runsOf = new Map<string, number>();

const known = new WeakMap<pg.PoolClient, PostgresPoolClient>();

/**
 * Prepares the statements that run often, once on each connection. The server then parses them once, and plans them
 * once if one plan is as good for all values. Without this, it spends more than half of its time on both.
 *
 * @returns the same client for each use of a connection
 */
export function preparing(client: pg.PoolClient): PostgresPoolClient {
  const made = known.get(client) ?? wrap(client);
  known.set(client, made);
  return made;
}

function wrap(client: pg.PoolClient): PostgresPoolClient {
  let isStale = false;
  const run = async (text: string, parameters: readonly unknown[]) => {
    countStatement(text);
    const name = parameters.length === 0 ? undefined : nameOf(text);
    const values = [...parameters];
    try {
      return await (name === undefined ? client.query(text, values) : client.query({ name, text, values }));
    } catch (error) {
      // The next use of the connection would fail in the same way.
      if (name !== undefined && isStalePlan(error)) isStale = true;
      throw error;
    }
  };
  return {
    // Kysely passes a cursor instead of a text only to stream rows, which no store does.
    query: run as unknown as PostgresPoolClient['query'],
    release: () => client.release(isStale),
  };
}

function nameOf(text: string): string | undefined {
  const name = names.get(text);
  if (name !== undefined || names.size >= DATABASE_LIMITS.databaseStatementsPreparedMax) return name;
  if (text.includes(DEPENDS_ON_WORDS)) return undefined;
  const runs = (runsOf.get(text) ?? 0) + 1;
  if (runs <= RUNS_UNPREPARED) {
    if (runsOf.size >= TEXTS_COUNTED_MAX) runsOf.clear();
    runsOf.set(text, runs);
    return undefined;
  }
  runsOf.delete(text);
  const made = `quire_${names.size + 1}`;
  names.set(text, made);
  return made;
}

/** Whether a prepared statement fails because one of its tables has changed. The connection cannot run it any more. */
export function isStalePlan(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === FEATURE_NOT_SUPPORTED;
}
