import type { FastifyReply } from 'fastify';
import { ForgeError } from '../../base/core/failure.ts';
import { sentence } from '../forms/form-parts.ts';
import { problemOf } from '../forms/problems.ts';

/** The name of a field at the beginning of a failure, as clients of the API read it. */
const FIELD = /^\[(\w+)\]:\s*/;

/**
 * Returns why a form cannot be done, in words for people, and sets the status of the response; undefined for a fault, and
 * for what another page answers.
 */
export function fieldProblemOf(error: unknown, reply: FastifyReply): string | undefined {
  const problem = problemOfFile(error, reply) ?? problemOf(error, reply);
  return problem?.replace(FIELD, (_, name: string) => `${inWords(name)}: `);
}

/** Returns why a file or a field cannot be used. */
function problemOfFile(error: unknown, reply: FastifyReply): string | undefined {
  if (!(error instanceof ForgeError)) return undefined;
  const { kind, what } = error.failure;
  if (kind !== 'malformed' && kind !== 'too_large') return undefined;
  reply.code(kind === 'malformed' ? 422 : 413);
  return sentence(what);
}

/** Returns `Clone addr` for `CloneAddr`. */
function inWords(name: string): string {
  return name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
