import type { Kysely } from 'kysely';
import type { Dialect } from '../database.ts';

/** One step of the schema. Never edited once it has been released: a further step mends it. */
export interface Migration {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: a migration knows the schema of its own day, not the app's types
  up(db: Kysely<any>, dialect: Dialect): Promise<void>;
}
