import type { Kysely } from 'kysely';
import type { Dialect } from '../database.ts';

/** One change of the schema. Never edit a released migration; correct it with another one. */
export interface Migration {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: a migration runs on the schema of its time, which the app's types do not describe
  up(db: Kysely<any>, dialect: Dialect): Promise<void>;
}
