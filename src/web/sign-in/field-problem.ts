import type { FastifyReply } from 'fastify';
import { problemOf } from './problems.ts';

/** The name of a field at the beginning of a failure, as clients of the API read it. */
const FIELD = /^\[(\w+)\]:\s*/;

/**
 * Returns why a form cannot be done, in words for people, and sets the status of the response; undefined for a fault, and
 * for what another page answers.
 */
export function fieldProblemOf(error: unknown, reply: FastifyReply): string | undefined {
  return problemOf(error, reply)?.replace(FIELD, (_, name: string) => `${inWords(name)}: `);
}

/** Returns `Clone addr` for `CloneAddr`. */
function inWords(name: string): string {
  return name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
