import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Failure, type FailureKind, ForgeError, MovedError } from '../../base/core/failure.ts';
import { diskFull, isDiskFull } from '../../base/core/files/disk-full.ts';
import { isOutOfFiles, tooManyFiles } from '../../base/core/files/out-of-files.ts';
import { basePathOf } from '../app.ts';
import { closeIfUnread } from '../unread-bodies.ts';
import { FAILURE_STATUS } from './status.ts';

/** The HTTP status of a failure, or undefined for the usual one. */
export type StatusOf = (failure: Failure) => number | undefined;

/** The form that errors have on one wire. */
export interface Wire {
  readonly name: 'gitea' | 'git' | 'lfs' | 'notes' | 'oauth' | 'ocs' | 'web';
  /** the statuses that differ from `FAILURE_STATUS` */
  readonly statusOf?: StatusOf;
  /** Sends the response. Its status is already set. */
  send(reply: FastifyReply, failure: Failure): FastifyReply;
  /** Sends the response to a fault of the server, without any detail of it. */
  sendFault(reply: FastifyReply): FastifyReply;
}

/** Reasons for which users must do something themselves. */
const FOR_USER: ReadonlySet<string | undefined> = new Set(['password', 'second-factor']);

/** Whether users can act on the words of a failure, so that wires have them that name other failures only by their kind. */
export function isForUser(failure: Failure): boolean {
  const { kind } = failure;
  if (kind === 'unauthenticated') return failure.reason === 'second-factor';
  return kind === 'misdirected' || (kind === 'forbidden' && FOR_USER.has(failure.reason));
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** the statuses in which a route differs from its wire */
    statusOf?: StatusOf;
    /** kinds of failure that only the API document shows */
    failures?: readonly FailureKind[];
    /** media type of the stream that a success may be, which only the API document shows */
    streams?: string;
  }
}

/** Answers an error on `wire`. An error that is not a `ForgeError` is a fault: all of it goes to the log. */
export function answerError(
  wire: Wire,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (reply.raw.headersSent) {
    // A part of the response is out. Only a broken connection says that the rest is missing.
    request.log.error({ err: error }, 'failed in the middle of a response');
    reply.raw.destroy();
    return reply;
  }
  forgetVersion(reply);
  const moved = error instanceof MovedError ? newLocation(request, error) : undefined;
  if (moved !== undefined) return redirect(request, reply, moved);
  const failure = error instanceof ForgeError ? error.failure : failureOf(error, request);
  if (failure === undefined) {
    request.log.error({ err: error }, 'request failed');
    return wire.sendFault(reply.code(500));
  }
  if (failure.kind === 'insufficient_storage') request.log.error({ err: error }, 'the disk is full');
  if (failure.kind === 'busy') logCause(request, error);
  if ('retryAfterSeconds' in failure) reply.header('retry-after', failure.retryAfterSeconds);
  closeIfUnread(request, reply);
  return wire.send(reply.code(statusOn(wire, request, failure)), failure);
}

/** A server at its limit needs no words, but a part of it that does not respond does. */
function logCause(request: FastifyRequest, error: unknown): void {
  const cause = error instanceof ForgeError ? error.cause : error;
  if (cause !== undefined) request.log.warn({ err: cause }, 'a part of the server does not respond');
}

/** Removes what a route has said about the version that it failed to send. A client would keep the error as that version. */
function forgetVersion(reply: FastifyReply): void {
  if (!reply.hasHeader('etag')) return;
  for (const name of ['etag', 'last-modified', 'cache-control', 'content-disposition'])
    reply.removeHeader(name);
}

function statusOn(wire: Wire, request: FastifyRequest, failure: Failure): number {
  const { statusOf } = request.routeOptions.config;
  return statusOf?.(failure) ?? wire.statusOf?.(failure) ?? FAILURE_STATUS[failure.kind];
}

/** Redirects. Methods other than GET must be repeated as they are: 307. The old name may soon have another owner. */
function redirect(request: FastifyRequest, reply: FastifyReply, location: string): FastifyReply {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  closeIfUnread(request, reply);
  const whole = basePathOf(new URL(request.server.ownAddresses.baseUrl)) + location;
  reply.headers({ location: whole, 'cache-control': 'no-cache' });
  return reply.code(isRead ? 301 : 307).send();
}

/**
 * Replaces the names that have changed in the path of a request, and keeps its query. Compares only the parts of the
 * path that are parameters of the route.
 *
 * @returns undefined if the path does not contain those names
 */
function newLocation(request: FastifyRequest, { names }: MovedError): string | undefined {
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

/** What follows the name in a part of a path: `.git` or nothing. Undefined if the part is another name. */
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

/**
 * Translates the errors of Fastify itself, a lack of space or files, and the end of work whose client is gone; undefined
 * for a fault.
 */
function failureOf(error: unknown, request: FastifyRequest): Failure | undefined {
  const { caller, raw } = request;
  // A path that cannot be decoded fails before its request has a caller.
  const left = caller?.left;
  const hasLeft = left?.aborted === true || (raw.destroyed && !raw.complete);
  if (hasLeft && (error === left?.reason || isEndOfStream(error))) {
    return { kind: 'bad_request', what: 'the client is gone' };
  }
  return knownFailure(error) ?? frameworkFailure(error, bodyTypeOf(request));
}

/** Returns the failure of a service, or a lack of space or files; undefined for any other error. */
export function knownFailure(error: unknown): Failure | undefined {
  if (error instanceof ForgeError) return error.failure;
  if (isDiskFull(error)) return diskFull(error).failure;
  return isOutOfFiles(error) ? tooManyFiles(error).failure : undefined;
}

function isEndOfStream(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET';
}

/** Returns the type that a body needs at this address. */
function bodyTypeOf({ routeOptions }: FastifyRequest): string {
  const service = /\/(git-(?:upload|receive)-pack)$/.exec(routeOptions.url ?? '')?.[1];
  return service === undefined ? 'application/json' : `application/x-${service}-request`;
}

function frameworkFailure(error: unknown, bodyType: string): Failure | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return { kind: 'too_large', what: 'the request body is too large' };
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return { kind: 'unsupported_media_type', what: `send the body as ${bodyType}` };
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return { kind: 'not_found', what: 'path' };
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return { kind: 'malformed', what: '[]: the body is not valid JSON' };
    default:
  }
  if (typeof statusCode !== 'number' || statusCode < 400 || statusCode > 499) return undefined;
  return { kind: 'bad_request', what: error.message };
}
