import type { FastifyReply } from 'fastify';
import { ForgeError } from '../../../base/core/failure.ts';
import { sentence } from '../../forms/form-parts.ts';

/**
 * Returns why a form cannot be done, as a sentence, and sets the status of the response; undefined for a fault, for what is
 * hidden, and for what another page answers.
 */
export function problemOfChange(error: unknown, reply: FastifyReply): string | undefined {
  if (!(error instanceof ForgeError)) return undefined;
  const { failure } = error;
  switch (failure.kind) {
    case 'forbidden':
      if (failure.reason !== undefined && failure.reason !== 'protected' && failure.reason !== 'code')
        return undefined;
      reply.code(403);
      return sentence(wordsOf(failure.what));
    case 'archived':
      reply.code(403);
      return 'The repository is archived: it takes no changes.';
    case 'not_found':
      if (failure.say === undefined && failure.what !== 'branch') return undefined;
      reply.code(422);
      return sentence(failure.say ?? 'the branch does not exist');
    case 'busy':
      reply.code(503).header('retry-after', failure.retryAfterSeconds);
      return 'The server does this for too many people at the moment. Try again in some seconds.';
    case 'too_large':
      reply.code(413);
      return sentence(wordsOf(failure.what));
    case 'bad_request':
    case 'malformed':
    case 'invalid':
    case 'already_exists':
    case 'conflict':
    case 'method_not_allowed':
    case 'precondition_failed':
      reply.code(422);
      return sentence(wordsOf(failure.what));
    default:
      return undefined;
  }
}

/** Leaves out what only programs need: names of fields of the API, and ids. */
function wordsOf(what: string): string {
  return what.replace(/^\[\w+\]: (?:Required: )?/, '').replace(/ \[[^\]]*\]$/, '');
}
