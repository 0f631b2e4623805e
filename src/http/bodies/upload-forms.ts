import { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { ForgeError, malformed } from '../../base/core/failure.ts';
import { HTTP_LIMITS } from '../limits.ts';

/** A file of a form that arrives. */
interface ArrivingFile {
  /** on the client */
  readonly name: string;
  readonly bytes: AsyncIterable<Buffer>;
}

const MALFORMED = 'the form is not well-formed';

/**
 * Reads a form with several files and fields while it arrives.
 *
 * @param form.fields gets the fields, also those before an error
 * @param take reads all bytes of a file; called for one file after the other
 * @throws ForgeError `malformed`, `too_large`, `too_slow`; any error of `take`
 */
export async function readUploadForm(
  request: FastifyRequest,
  form: { readonly fileBytesMax: number; readonly filesMax: number; readonly fields: URLSearchParams },
  take: (file: ArrivingFile) => Promise<void>,
): Promise<void> {
  const { fileBytesMax, filesMax, fields } = form;
  const { headers, body } = request;
  const source = body instanceof Readable ? body : Readable.from([]);
  const parser = parserFor(headers, fileBytesMax, filesMax);
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  let taken: Promise<void> = Promise.resolve();
  parser.on('field', (name, value) => fields.append(name, value));
  parser.on('file', (_field, stream, name) => {
    stream.on('error', () => {});
    if (name === undefined || name === '') {
      stream.resume();
      return;
    }
    taken = taken.then(() => take({ name, bytes: bytesOf(stream, fileBytesMax) }));
    taken.catch((error) => {
      failed.reject(error);
      stream.resume();
    });
  });
  parser.on('filesLimit', () => failed.reject(malformed(`a form has at most ${filesMax} files`)));
  parser.on('error', () => failed.reject(malformed(MALFORMED)));
  source.once('error', (error) => failed.reject(error));
  const finished = new Promise<void>((resolve) => parser.once('finish', resolve));
  source.pipe(parser);
  try {
    await Promise.race([finished, failed.promise]);
    await Promise.race([taken, failed.promise]);
  } finally {
    source.unpipe(parser);
  }
}

async function* bytesOf(stream: BusboyFileStream, bytesMax: number): AsyncGenerator<Buffer, void> {
  yield* stream;
  if (stream.truncated)
    throw new ForgeError({ kind: 'too_large', what: `a file has at most ${bytesMax} bytes` });
}

/** @throws ForgeError `malformed` for a form without a boundary */
function parserFor(headers: FastifyRequest['headers'], fileSize: number, files: number) {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
      limits: {
        fileSize,
        files,
        fieldSize: HTTP_LIMITS.formFieldBytesMax,
        fields: HTTP_LIMITS.formPartsMax,
        headerPairs: HTTP_LIMITS.formPartsMax,
        headerSize: HTTP_LIMITS.formFieldBytesMax,
      },
    });
  } catch (cause) {
    throw new ForgeError({ kind: 'malformed', what: MALFORMED }, { cause });
  }
}
