import type { FastifyRequest } from 'fastify';

/** What a conditional request is compared with: RFC 9110, section 13. */
export interface Validators {
  /** strong, without quotes */
  readonly etag: string;
  /** whole seconds count */
  readonly lastModifiedMs?: number;
}

/** Whether the caller holds this version already, so that 304 is the answer. Weak tags match, too. */
export function isNotModified(request: FastifyRequest, validators: Validators): boolean {
  const ifNoneMatch = request.headers['if-none-match'];
  // Where both are sent, only the tag counts.
  if (ifNoneMatch !== undefined) return matchesAnyTag(ifNoneMatch, validators.etag);
  const since = Date.parse(request.headers['if-modified-since'] ?? '');
  if (Number.isNaN(since) || validators.lastModifiedMs === undefined) return false;
  return Math.floor(validators.lastModifiedMs / 1000) * 1000 <= since;
}

function matchesAnyTag(header: string, etag: string): boolean {
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === `"${etag}"`);
}

export interface ByteRange {
  readonly start: number;
  /** the last byte, included */
  readonly end: number;
}

/**
 * The single range that a request asks of `sizeBytes` bytes: RFC 9110, section 14.
 *
 * @returns `whole` where none is asked, several are, or the words are not understood (all of which mean the whole),
 *   `unsatisfiable` where the range begins behind the end
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
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header.trim());
  const [, from = '', to = ''] = match ?? [];
  if (match === null || (from === '' && to === '')) return 'whole';
  const start = from === '' ? Math.max(0, sizeBytes - Number(to)) : Number(from);
  const end = from === '' || to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1);
  if (from !== '' && to !== '' && Number(to) < Number(from)) return 'whole';
  return start >= sizeBytes || start > end ? 'unsatisfiable' : { start, end };
}
