import { Reaches } from './reaches.ts';

/**
 * The variable that names the server to a test on PostgreSQL. Only files that read it can see the database of a pass: the
 * product gets its database from a test.
 */
const SERVER = new Reaches('QUIRE_TEST_DATABASE_URL');

/** Whether the outcome of a test file can depend on the database. */
export function usesDatabase(file: string): boolean {
  return SERVER.from(file);
}
