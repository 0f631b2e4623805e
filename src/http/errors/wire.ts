import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Failure, ForgeError, MovedError } from '../../core/failure.ts';
import { LIMITS } from '../../core/limits.ts';

/** How one wire says what went wrong. Each wire maps every kind of failure once. */
export interface Wire {
  readonly name: 'gitea' | 'git' | 'notes' | 'ocs';
  statusOf(failure: Failure): number;
  /** Sends the answer; the status is set already. */
  send(reply: FastifyReply, failure: Failure): FastifyReply;
  /** A fault of the server: nothing of it is told. */
  sendFault(reply: FastifyReply): FastifyReply;
}

/** Answers an error on `wire`. Anything but a `ForgeError` is a fault: logged whole, told as nothing. */
export function answerError(
  wire: Wire,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (reply.raw.headersSent) {
    // Half an answer is out: the only honest end is to break the connection.
    request.log.error({ err: error }, 'failed in the middle of an answer');
    reply.raw.destroy();
    return reply;
  }
  const moved = error instanceof MovedError ? newPlace(request, error) : undefined;
  if (moved !== undefined) return sendOn(request, reply, moved);
  const failure = error instanceof ForgeError ? error.failure : frameworkFailure(error);
  if (failure === undefined) {
    request.log.error({ err: error }, 'request failed');
    return wire.sendFault(reply.code(500));
  }
  if ('retryAfterSeconds' in failure) reply.header('retry-after', failure.retryAfterSeconds);
  // What was not read of the body would be taken for the next request on this connection.
  if (!request.raw.complete) reply.header('connection', 'close');
  return wire.send(reply.code(wire.statusOf(failure)), failure);
}

/** Other methods than GET must be sent again as they were: 307. The old name may be somebody else's tomorrow. */
function sendOn(request: FastifyRequest, reply: FastifyReply, place: string): FastifyReply {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!request.raw.complete) reply.header('connection', 'close');
  reply.headers({ location: place, 'cache-control': 'no-cache' });
  return reply.code(isRead ? 301 : 307).send();
}

/**
 * The path of a request with the names that have moved replaced, and its query as it was; undefined where the path does
 * not hold those names. It is made from the route, so that no part of it but a name is taken for one.
 */
function newPlace(request: FastifyRequest, { names }: MovedError): string | undefined {
  const route = request.routeOptions.url;
  if (route === undefined) return undefined;
  const [path = '', ...query] = request.url.split('?');
  const parameters = route.split('/').map((part) => part.startsWith(':'));
  const sent = path.split('/');
  const at = parameters.findIndex((_, start) =>
    names.every(({ from }, index) => {
      const here = start + index;
      return parameters[here] === true && endingAfter(sent[here] ?? '', from) !== undefined;
    }),
  );
  if (at === -1) return undefined;
  names.forEach(({ from, to }, index) => {
    const ending = endingAfter(sent[at + index] ?? '', from) ?? '';
    sent[at + index] = `${encodeURIComponent(to)}${ending}`;
  });
  return [sent.join('/'), ...query].join('?');
}

/** What follows the name in a part of a path: git's own ending, or nothing. Undefined where it is not that name. */
function endingAfter(segment: string, name: string): string | undefined {
  const text = decoded(segment)?.toLowerCase();
  const lower = name.toLowerCase();
  if (text === lower) return '';
  return text === `${lower}.git` ? '.git' : undefined;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** What Fastify itself refuses, in our own terms; undefined for what is no refusal but a fault. */
function frameworkFailure(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return { kind: 'too_large', what: 'the request body is too large', bytesMax: LIMITS.jsonBodyBytesMax };
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return { kind: 'unsupported_media_type', what: 'send the body as application/json' };
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return { kind: 'not_found', what: 'path' };
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return { kind: 'bad_body', what: error.message };
    default:
  }
  if (typeof statusCode !== 'number' || statusCode < 400 || statusCode > 499) return undefined;
  return { kind: 'bad_request', what: error.message };
}
