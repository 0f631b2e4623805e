import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isNotModified, readRange } from '../../http/conditional.ts';
import { headerTime } from '../../http/time.ts';
import type { ObjectRange, StoredObject } from '../../storage/model.ts';

interface ObjectToSend {
  readonly stored: StoredObject;
  /** strong entity tag of its content, without quotes */
  readonly tag: string;
  /** of the response, without those that this function sets */
  readonly headers: Readonly<Record<string, string>>;
  /** undefined if the object is gone */
  readonly open: (range: ObjectRange | undefined) => Promise<Readable | undefined>;
}

/**
 * Sends a stored object, or the range that the request asks for.
 *
 * @returns false if the object is gone; nothing has been sent then. Not the reply: awaiting one waits for its end and gives
 *   undefined
 */
export async function sendObject(
  request: FastifyRequest,
  reply: FastifyReply,
  { stored, tag, headers, open }: ObjectToSend,
): Promise<boolean> {
  const { sizeBytes, modifiedAt } = stored;
  const described = {
    etag: `"${tag}"`,
    'last-modified': headerTime(modifiedAt),
    ...headers,
    'accept-ranges': 'bytes',
  };
  reply.headers({ etag: described.etag, 'last-modified': described['last-modified'] });
  if (isNotModified(request, reply)) {
    reply.code(304).headers(described).send();
    return true;
  }
  // Ranges are only for GET: RFC 9110, section 14.2.
  const range = request.method === 'HEAD' ? 'whole' : readRange(request, sizeBytes, tag);
  if (range === 'unsatisfiable') {
    reply.code(416).header('content-range', `bytes */${sizeBytes}`).send();
    return true;
  }
  if (request.method === 'HEAD') {
    reply.headers({ ...described, 'content-length': sizeBytes }).send();
    return true;
  }
  const part = range === 'whole' ? undefined : range;
  const body = await open(part);
  if (body === undefined) return false;
  const { start, end } = part ?? { start: 0, end: sizeBytes - 1 };
  if (part !== undefined) reply.code(206).header('content-range', `bytes ${start}-${end}/${sizeBytes}`);
  reply.headers({ ...described, 'content-length': end - start + 1 }).send(body);
  return true;
}
