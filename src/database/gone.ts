import { notFound } from '../core/failure.ts';
import { isForeignKeyViolation } from './database.ts';

/**
 * For a transaction that adds a row to others which were looked up before it: one of them may be gone by then.
 *
 * @returns what turns that into `not_found`, and throws anything else as it is
 */
export function rethrowGone(what: string): (error: unknown) => never {
  return (error) => {
    throw isForeignKeyViolation(error) ? notFound(what) : error;
  };
}
