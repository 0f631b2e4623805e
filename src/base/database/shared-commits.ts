import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import { realTimeMs } from '../core/time/clock.ts';
import { countStatement } from './counted-statements.ts';

const BUSY_GIVE_UP_MS = 30_000;
/** Limits how long the first transaction of a group waits for the commit. */
const TRANSACTIONS_TOGETHER_MAX = 64;

/** The one connection that writes. */
export interface WriteConnection extends DatabaseConnection {
  readonly handle: DatabaseSync;
  /** Runs a statement that begins or ends a transaction or a savepoint, synchronously. */
  control(sql: string): void;
}

/** Transactions that become durable together. */
interface Group {
  readonly committed: PromiseWithResolvers<void>;
  /** transactions that have succeeded so far, and wait for the commit */
  count: number;
  /** Whether the group is committed as soon as its running transaction ends. */
  isDue: boolean;
}

/** The write connection as one transaction uses it, until the transaction ends. */
class Turn implements DatabaseConnection {
  readonly #connection: WriteConnection;
  readonly release: () => void;
  isOpen = false;
  hasSavepoint = false;
  lastError: unknown;

  constructor(connection: WriteConnection, release: () => void) {
    this.#connection = connection;
    this.release = release;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    // A statement that was not awaited must not become a part of another transaction.
    if (!this.isOpen) throw new Error('this transaction has ended');
    try {
      return await this.#connection.executeQuery<Row>(query);
    } catch (error) {
      this.lastError = error;
      throw error;
    }
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
    return this.#connection.streamQuery<Row>(query, chunkSize);
  }
}

/**
 * Runs transactions one after the other on one connection. The transactions of one turn of the event loop form a group,
 * which is one transaction of SQLite, so they share one commit and one sync. Every member after the first is a
 * savepoint. A member that fails undoes only its own changes. Each member returns after the commit.
 */
export class SharedCommits implements Driver {
  readonly #connection: WriteConnection;
  #free: Promise<void> = Promise.resolve();
  #group: Group | null = null;
  /** the transaction that is running */
  #open: Turn | null = null;

  constructor(connection: WriteConnection) {
    this.#connection = connection;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<Turn> {
    const before = this.#free;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#free = promise;
    await before;
    return new Turn(this.#connection, resolve);
  }

  async releaseConnection(turn: DatabaseConnection): Promise<void> {
    asTurn(turn).release();
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    const turn = asTurn(connection);
    countStatement('begin');
    if (this.#group === null) {
      await this.#begin();
      this.#group = newGroup();
    } else {
      this.#connection.control('savepoint member');
      turn.hasSavepoint = true;
    }
    turn.isOpen = true;
    this.#open = turn;
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const turn = asTurn(connection);
    const group = this.#group;
    // After some errors, such as a full disk, SQLite has rolled back everything.
    if (group === null || !this.#connection.handle.isTransaction)
      throw new Error('SQLite has rolled back this transaction');
    if (turn.hasSavepoint) this.#connection.control('release member');
    this.#end(turn);
    group.count += 1;
    if (group.isDue || group.count >= TRANSACTIONS_TOGETHER_MAX) this.#commit(group);
    else if (group.count === 1) setImmediate(() => this.#commitWhenDone(group));
    // The next transaction begins before this one is durable.
    turn.release();
    await group.committed.promise;
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    const turn = asTurn(connection);
    const group = this.#group;
    // The commit has failed, and has rolled back everything.
    if (!turn.isOpen || group === null) return;
    this.#end(turn);
    const { handle } = this.#connection;
    if (!handle.isOpen || !handle.isTransaction) {
      this.#group = null;
      group.committed.reject(turn.lastError ?? new Error('the transaction was rolled back'));
    } else if (turn.hasSavepoint) {
      this.#connection.control('rollback to member');
      this.#connection.control('release member');
      if (group.isDue) this.#commit(group);
    } else {
      this.#group = null;
      this.#connection.control('rollback');
    }
  }

  async destroy(): Promise<void> {
    const group = this.#group;
    if (group !== null) this.#commitWhenDone(group);
    const { handle } = this.#connection;
    if (handle.isOpen) handle.close();
    // A group with a running transaction cannot be committed, so all its members are lost.
    group?.committed.reject(new Error('the database is closed'));
  }

  async #begin(): Promise<void> {
    const giveUpAt = realTimeMs() + BUSY_GIVE_UP_MS;
    for (;;) {
      try {
        // IMMEDIATE takes the write lock now, so nothing that the transaction reads is stale when it writes.
        this.#connection.control('begin immediate');
        return;
      } catch (error) {
        if (!isBusy(error) || realTimeMs() > giveUpAt) throw error;
        await sleep(5 + Math.random() * 20);
      }
    }
  }

  #end(turn: Turn): void {
    turn.isOpen = false;
    this.#open = null;
  }

  #commitWhenDone(group: Group): void {
    if (group !== this.#group) return;
    if (this.#open === null) this.#commit(group);
    else group.isDue = true;
  }

  #commit(group: Group): void {
    this.#group = null;
    try {
      this.#connection.control('commit');
      group.committed.resolve();
    } catch (error) {
      if (this.#connection.handle.isTransaction) this.#connection.control('rollback');
      group.committed.reject(error);
    }
  }
}

function newGroup(): Group {
  const committed = Promise.withResolvers<void>();
  // If all members of the group fail before the commit, no other code handles its rejection.
  committed.promise.catch(() => {});
  return { committed, count: 0, isDue: false };
}

/** Narrows the type: Kysely passes only connections that `acquireConnection` has returned. */
function asTurn(connection: DatabaseConnection): Turn {
  if (connection instanceof Turn) return connection;
  throw new Error('not a connection of this driver');
}

function isBusy(error: unknown): boolean {
  // SQLITE_BUSY and its extended codes share the low byte 5.
  return error instanceof Error && ((error as { errcode?: number }).errcode ?? 0) % 256 === 5;
}
