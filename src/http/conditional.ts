import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import { ForgeError } from '../base/core/failure.ts';

/**
 * Whether the caller already has the version that `reply` describes, so that the response is 304. Compares the `ETag`
 * and `Last-Modified` of the reply.
 *
 * @see RFC 9110, section 13
 */
export function isNotModified(request: FastifyRequest, reply: FastifyReply): boolean {
  const { 'if-none-match': tags, 'if-modified-since': since } = request.headers;
  const { etag, 'last-modified': lastModified } = reply.getHeaders();
  // Only these: `Cache-Control: no-cache` in a request is for caches on the way, not for the server.
  return fresh(
    { 'if-none-match': tags, 'if-modified-since': since },
    { etag: etag?.toString(), 'last-modified': lastModified?.toString() },
  );
}

/**
 * Sends 304 if the client has the version `etag`. Otherwise returns the answer, which is made only then.
 *
 * @param etag with its quotes
 */
export async function unlessKnown<T>(
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  etag: string,
  answer: () => T | Promise<T>,
): Promise<T | FastifyReply> {
  reply.header('etag', etag);
  if (!isNotModified(request, reply)) return answer();
  // `*` names any version, so there must be one.
  if (request.headers['if-none-match']?.trim() === '*') await answer();
  return reply.code(304).send();
}

/** Whether a change depends on the current version: its `If-Match` names versions. `*` names any. */
export function namesVersion({ headers }: FastifyRequest): boolean {
  return (headers['if-match'] ?? '*').trim() !== '*';
}

/**
 * Whether a header `If-Match` names one of the tags of the current version. `*` names any version.
 *
 * @param tags opaque tags without their quotes, none if there is no current version
 * @see RFC 9110, section 13.1.1
 */
export function isMatch(header: string, tags: ReadonlySet<string>): boolean {
  if (header.trim() === '*') return tags.size > 0;
  for (const [, weak, tag = ''] of header.matchAll(/(W\/)?"([^"]*)"/g)) {
    // Weak tags never match here.
    if (weak === undefined && tags.has(tag)) return true;
  }
  return false;
}

/**
 * Rejects a request whose `If-Match` does not name the current version.
 *
 * @param etag as the header has it
 * @throws ForgeError `precondition_failed`
 */
export function requireMatch(request: FastifyRequest, etag: string): void {
  const header = request.headers['if-match'];
  if (header === undefined || isMatch(header, new Set([etag.slice(1, -1)]))) return;
  throw changedSince('this');
}

/** @param what the resource that is no longer the version that the caller has seen */
export function changedSince(what: string): ForgeError {
  return new ForgeError({ kind: 'precondition_failed', what: `${what} has changed: read it again` });
}

interface ByteRange {
  readonly start: number;
  /** last byte, inclusive */
  readonly end: number;
}

/**
 * Reads which range of `sizeBytes` bytes a request asks for: RFC 9110, section 14. Our own code, because range-parser
 * misreads some: see docs/decisions/0011-our-own-ranges.md.
 *
 * @returns `whole` if the request has no range, several ranges or an invalid one; `unsatisfiable` if the range starts
 *   after the end
 */
export function readRange(
  request: FastifyRequest,
  sizeBytes: number,
  etag: string,
): ByteRange | 'whole' | 'unsatisfiable' {
  const header = request.headers.range;
  if (header === undefined) return 'whole';
  const ifRange = request.headers['if-range'];
  if (ifRange !== undefined && ifRange !== `"${etag}"`) return 'whole';
  const match = /^bytes=(\d{0,30})-(\d{0,30})$/.exec(header.trim());
  const [, from = '', to = ''] = match ?? [];
  if (match === null || (from === '' && to === '')) return 'whole';
  const start = from === '' ? Math.max(0, sizeBytes - Number(to)) : Number(from);
  const end = from === '' || to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1);
  if (from !== '' && to !== '' && Number(to) < Number(from)) return 'whole';
  return start >= sizeBytes || start > end ? 'unsatisfiable' : { start, end };
}

/** Returns a strong ETag for a response: a hash of everything that the response shows. */
export function strongTag(shown: unknown): string {
  return `"${versionOf(shown)}"`;
}

/**
 * Returns the ETag of a response that shows only a record.
 *
 * @param total of a list: the number of items on all pages
 */
export function recordTag(record: unknown, total?: number): string {
  return strongTag(total === undefined ? [record] : [record, total]);
}

/** Returns a strong ETag without its quotes. */
export function versionOf(shown: unknown): string {
  return createHash('sha256').update(JSON.stringify(shown)).digest('hex').slice(0, 40);
}
