import type { FastifyReply, FastifyRequest } from 'fastify';
import { isSignedIn, type SignedIn } from '../../api/access/viewer.ts';
import { ForgeError, notFound } from '../../base/core/failure.ts';
import { parseId } from '../../base/core/text/ids.ts';

export function signedIn(request: FastifyRequest): SignedIn {
  const { viewer } = request;
  if (isSignedIn(viewer)) return viewer;
  throw new ForgeError({ kind: 'unauthenticated', what: 'sign in to see notes' });
}

/** @throws ForgeError `not_found` for a number that no note can have */
export function noteIdOf(request: FastifyRequest): number {
  const id = parseId((request.params as { id: string }).id);
  if (id === undefined) throw notFound('note');
  return id;
}

/** HTTP requires quotes around a version, but some clients omit them. */
export function holdsVersion(request: FastifyRequest, version: string): boolean {
  const sent = request.headers['if-none-match'] ?? '';
  return sent.split(',').some((tag) => tag.trim().replace(/^W\//, '').replaceAll('"', '') === version);
}

export function notModified(reply: FastifyReply, version: string): FastifyReply {
  return reply.code(304).header('etag', `"${version}"`).send();
}

/** Returns undefined if there is no `If-Match`. Only strong tags match. */
export function expectationOf(request: FastifyRequest): ((version: string) => boolean) | undefined {
  const header = request.headers['if-match'];
  if (header === undefined) return undefined;
  const tags = header.split(',').map((tag) => tag.trim());
  return (version) => tags.includes(`"${version}"`);
}
