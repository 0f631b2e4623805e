import type { FastifyReply } from 'fastify';
import { ForgeError } from '../../base/core/failure.ts';
import { sentence } from '../forms/form-parts.ts';
import { problemOf } from '../forms/problems.ts';

const STATUSES = {
  archived: 423,
  malformed: 422,
  precondition_failed: 412,
  too_large: 413,
  insufficient_storage: 507,
} as const;

/**
 * Returns why a change of code cannot be done, as a sentence, and sets the status of the response; undefined for a fault,
 * and for what another page answers.
 *
 * @param missing what to say if something is gone that the form was about
 */
export function codeProblemOf(
  error: unknown,
  reply: FastifyReply,
  missing?: ((what: string) => string) | undefined,
): string | undefined {
  if (!(error instanceof ForgeError)) return undefined;
  const { failure } = error;
  if (failure.kind === 'not_found') {
    if (missing === undefined) return undefined;
    reply.code(409);
    return missing(failure.what);
  }
  if (failure.kind in STATUSES) {
    reply.code(STATUSES[failure.kind as keyof typeof STATUSES]);
    return sentence(failure.what);
  }
  return failure.kind === 'unauthenticated' ? undefined : problemOf(error, reply);
}
