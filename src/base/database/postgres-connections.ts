import type pg from 'pg';
import { loadPackage } from '../core/native/packages.ts';

/** Connections on which statements take turns. */
export interface ConnectionPool {
  readonly options: object;
  connect(): Promise<pg.PoolClient>;
  query(text: string, values: unknown[]): Promise<unknown>;
  end(): Promise<void>;
}

/** A connection that is not open yet. */
export interface Connection {
  connect(): Promise<unknown>;
  query(text: string): Promise<unknown>;
  on(event: 'error' | 'end', listener: () => void): unknown;
  on(event: 'notification', listener: (message: pg.Notification) => void): unknown;
  end(): Promise<void>;
}

/** Makes the connections of a server. The tests make others, which do not keep their process alive. */
export interface PostgresConnections {
  pool(options: pg.PoolConfig): ConnectionPool;
  single(options: pg.ClientConfig): Connection;
}

/** Loads the driver, which a server with an embedded database does without. */
export function newConnections(): PostgresConnections {
  const { Client, Pool } = loadPackage('pg');
  return {
    // The pool replaces a broken idle connection. Without a listener its error would end the process.
    pool: (options) => new Pool(options).on('error', () => {}),
    single: (options) => new Client(options),
  };
}
