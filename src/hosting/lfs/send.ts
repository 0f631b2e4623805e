import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isNotModified, readRange } from '../../http/conditional.ts';
import type { LfsObject } from './model.ts';
import type { LargeFiles } from './service.ts';

/**
 * Sends an object or a range of it. The caller has set all headers that do not depend on the range.
 *
 * @throws ForgeError `not_found` if its bytes are missing; `busy`
 */
export async function sendObject(
  request: FastifyRequest,
  reply: FastifyReply,
  { files, object }: { files: LargeFiles; object: LfsObject },
): Promise<FastifyReply> {
  const { oid, sizeBytes } = object;
  reply.headers({ etag: `"${oid}"`, 'accept-ranges': 'bytes', 'cache-control': 'private, max-age=300' });
  if (isNotModified(request, reply)) return reply.code(304).send();
  // Ranges are only for GET: RFC 9110, section 14.2.
  const range = request.method === 'HEAD' ? 'whole' : readRange(request, sizeBytes, oid);
  if (range === 'unsatisfiable')
    return reply.code(416).header('content-range', `bytes */${sizeBytes}`).send();
  const part = range === 'whole' ? undefined : range;
  const body = request.method === 'HEAD' ? undefined : await openBody(reply, { files, object, part });
  const { start, end } = part ?? { start: 0, end: sizeBytes - 1 };
  if (part !== undefined) reply.code(206).header('content-range', `bytes ${start}-${end}/${sizeBytes}`);
  reply.header('content-length', end - start + 1);
  return reply.send(body);
}

async function openBody(
  reply: FastifyReply,
  {
    files,
    object,
    part,
  }: { files: LargeFiles; object: LfsObject; part: { start: number; end: number } | undefined },
): Promise<Readable> {
  const leave = await files.downloads.enter();
  if (reply.raw.closed) leave();
  else reply.raw.once('close', leave);
  const { body } = await files.open(object, part);
  return body;
}
