import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { contentDisposition } from '../../../base/core/text/content-disposition.ts';
import { isNotModified, readRange } from '../../../http/conditional.ts';
import { headerTime } from '../../../http/time.ts';
import type { ContentsLocation } from '../model.ts';
import type { ContentsReader, RawFile } from '../read.ts';
import { sniffType } from '../sniff.ts';

/** Sends the file at a path. @throws ForgeError `not_found` */
export async function sendRaw(
  request: FastifyRequest,
  reply: FastifyReply,
  { reading, location }: { reading: ContentsReader; location: ContentsLocation },
): Promise<FastifyReply> {
  return sendFile(request, reply, await reading.openRaw(location));
}

/** Sends one file. A user wrote its bytes, so headers forbid a browser to run them. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: RawFile,
): Promise<FastifyReply> {
  describeFile(reply, file);
  // A tag decides alone, without the last commit, which takes longer to find.
  const hasTag = request.headers['if-none-match'] !== undefined;
  if (hasTag && isNotModified(request, reply)) return reply.code(304).send();
  reply.header('last-modified', headerTime(await file.lastCommitAt()));
  if (isNotModified(request, reply)) return reply.code(304).send();
  return sendBytes(request, reply, file);
}

/**
 * Sends a file or a range of it. The caller has set the headers that describe it otherwise.
 *
 * @param shownAs the type to send for one that was found
 */
export async function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  file: Pick<RawFile, 'oid' | 'sizeBytes' | 'open'>,
  shownAs: (type: string) => string = (type) => type,
): Promise<FastifyReply> {
  // Ranges are only for GET: RFC 9110, section 14.2.
  const range = request.method === 'HEAD' ? 'whole' : readRange(request, file.sizeBytes, file.oid);
  if (range === 'unsatisfiable') {
    return reply.code(416).header('content-range', `bytes */${file.sizeBytes}`).send();
  }
  const { start, end } = range === 'whole' ? { start: 0, end: file.sizeBytes - 1 } : range;
  if (range !== 'whole') reply.code(206).header('content-range', `bytes ${start}-${end}/${file.sizeBytes}`);
  reply.header('content-length', end - start + 1);
  const content = await file.open();
  if (content instanceof Uint8Array) {
    reply.header('content-type', shownAs(await sniffType(content, file.sizeBytes)));
    const { buffer, byteOffset } = content.subarray(start, end + 1);
    return request.method === 'HEAD'
      ? reply.send()
      : reply.send(Buffer.from(buffer, byteOffset, end + 1 - start));
  }
  const sniffed = await sniff(content, file.sizeBytes);
  reply.header('content-type', shownAs(sniffed.type));
  if (request.method === 'HEAD') {
    content.destroy();
    return reply.send();
  }
  return reply.send(Readable.from(cut(sniffed, { start, end }), { objectMode: false }));
}

/** Sets the headers of a file that a user wrote, except for its type. */
export function describeFile(reply: FastifyReply, file: Pick<RawFile, 'oid' | 'name' | 'type'>): void {
  reply.headers({
    etag: `"${file.oid}"`,
    'accept-ranges': 'bytes',
    ...headersOfFile(file),
    'x-gitea-object-type': file.type,
    'x-forgejo-object-type': file.type,
  });
}

/** Headers of a file that a user wrote: a browser may show it, and runs nothing of it. */
export function headersOfFile({ name }: { readonly name: string }) {
  return {
    'cache-control': 'private, max-age=300',
    'content-disposition': contentDisposition('inline', name),
    'access-control-expose-headers': 'Content-Disposition',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  };
}

interface SniffedContent {
  readonly type: string;
  readonly first: Uint8Array;
  readonly rest: AsyncIterator<Uint8Array>;
  readonly stream: Readable;
}

/** Reads the first chunk of a file, which determines the type. */
async function sniff(stream: Readable, sizeBytes: number): Promise<SniffedContent> {
  const rest: AsyncIterator<Uint8Array> = stream[Symbol.asyncIterator]();
  const { value, done } = await rest.next();
  const first: Uint8Array = done === true ? new Uint8Array() : value;
  return { type: await sniffType(first, sizeBytes), first, rest, stream };
}

/** Yields the bytes from `start` to `end`, inclusive, and reads no further. */
async function* cut(
  content: SniffedContent,
  range: { start: number; end: number },
): AsyncGenerator<Uint8Array> {
  try {
    let chunk = content.first;
    for (let at = 0; at <= range.end; ) {
      const from = Math.max(0, range.start - at);
      if (from < chunk.length) yield chunk.subarray(from, range.end + 1 - at);
      at += chunk.length;
      const { value, done } = await content.rest.next();
      if (done === true) return;
      chunk = value;
    }
  } finally {
    content.stream.destroy();
  }
}
