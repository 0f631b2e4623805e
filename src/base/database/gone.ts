import { notFound } from '../core/failure.ts';
import { isForeignKeyViolation } from './database.ts';

/**
 * Handles the failure of a transaction that references rows which were read before it and may be deleted by now.
 *
 * @returns a function that throws `not_found` for a missing row, and any other error unchanged
 */
export function rethrowGone(what: string): (error: unknown) => never {
  return (error) => {
    throw isForeignKeyViolation(error) ? notFound(what) : error;
  };
}
