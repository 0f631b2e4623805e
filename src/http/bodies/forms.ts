import { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { ForgeError, malformed } from '../../base/core/failure.ts';
import type { App } from '../app.ts';
import { HTTP_LIMITS } from '../limits.ts';

/** A form with a file. */
export interface FileForm {
  /** the part that has the file */
  readonly field: string;
  /** of the file */
  readonly bytesMax: number;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is a form with a file, and the handler reads it while it arrives. */
    acceptsForm?: FileForm;
  }
}

export const FORM = 'multipart/form-data';
const MALFORMED = 'the form is not well-formed';

/** Lets routes on `app` take forms with files. Other routes do not take them. */
export function acceptForms(app: App): void {
  app.addContentTypeParser(FORM, (request, payload, done) => {
    if (request.routeOptions.config.acceptsForm !== undefined) done(null, payload);
    else done(new ForgeError({ kind: 'unsupported_media_type', what: 'send the parameters as JSON' }));
  });
}

/** Rejects any other body before it is read: only a form goes to a file while it arrives. */
async function requireForm({ headers }: FastifyRequest): Promise<void> {
  const type = headers['content-type'] ?? '';
  if (!type.toLowerCase().startsWith(FORM)) throw malformed(`send the file as ${FORM}`);
}

/** Options of a route that takes a form. Its configuration also has `acceptsForm` and `bodyBytesInMemory`. */
export function formOptions({ bytesMax }: FileForm) {
  return { bodyLimit: bytesMax + HTTP_LIMITS.formFieldBytesMax, onRequest: requireForm };
}

/** Returns how many bytes the file of a form has at least, by the length of the form. */
export function fileBytesMin({ headers }: FastifyRequest): number {
  return Math.max(1, Number(headers['content-length'] ?? 0) - HTTP_LIMITS.formFieldBytesMax);
}

/** The file of a form that arrives. */
interface FormFile {
  /** on the client; '' for none */
  readonly name: string;
  /** ends when the whole form has arrived; fails with `malformed`, `too_large` or `too_slow` */
  readonly bytes: AsyncIterable<Buffer>;
}

/**
 * Reads the file of a form, piece by piece.
 *
 * @param take reads all bytes of the file
 * @throws ForgeError `malformed` for a form without a file, `too_large`, `too_slow`; any error of `take`
 */
export async function readFormFile<T>(
  request: FastifyRequest,
  form: FileForm,
  take: (file: FormFile) => Promise<T>,
): Promise<T> {
  const { body } = request;
  const reading = new FormReading(request, form, body instanceof Readable ? body : Readable.from([]));
  try {
    return await take(await reading.file);
  } finally {
    reading.leave();
  }
}

/** A form that arrives. After an error its connection stays open for the response. */
class FormReading {
  readonly #form: FileForm;
  readonly #source: Readable;
  readonly #parser: BusboyInstance;
  readonly #file = Promise.withResolvers<FormFile>();
  readonly #end = Promise.withResolvers<void>();
  #stream: BusboyFileStream | undefined;
  #failure: Error | undefined;

  constructor(request: FastifyRequest, form: FileForm, source: Readable) {
    this.#form = form;
    this.#source = source;
    this.#parser = parserFor(request, form);
    for (const { promise } of [this.#file, this.#end]) promise.catch(() => {});
    this.#parser.on('file', (field, stream, name) => this.#take(field, stream, name));
    this.#parser.on('error', () => this.#fail(malformed(MALFORMED)));
    this.#parser.once('finish', () => {
      this.#file.reject(malformed(`the form has no file in its part "${form.field}"`));
      this.#end.resolve();
    });
    source.once('error', (error) => this.#fail(error));
    source.pipe(this.#parser);
  }

  get file(): Promise<FormFile> {
    return this.#file.promise;
  }

  leave(): void {
    this.#source.unpipe(this.#parser);
  }

  #take(field: string, stream: BusboyFileStream, name: string | undefined): void {
    stream.on('error', () => {});
    if (field !== this.#form.field || this.#stream !== undefined) {
      stream.resume();
      return;
    }
    this.#stream = stream;
    this.#file.resolve({ name: name ?? '', bytes: this.#bytes(stream) });
  }

  async *#bytes(stream: BusboyFileStream): AsyncGenerator<Buffer, void> {
    try {
      yield* stream;
    } catch (cause) {
      // The parser ends the file itself if the form ends within it.
      throw this.#failure ?? new ForgeError({ kind: 'malformed', what: MALFORMED }, { cause });
    }
    if (stream.truncated) throw tooLarge(this.#form);
    await this.#end.promise;
  }

  #fail(error: Error): void {
    this.leave();
    this.#failure ??= error;
    this.#file.reject(error);
    this.#end.reject(error);
    this.#stream?.destroy(error);
  }
}

/** @throws ForgeError `malformed` for a form without a boundary */
function parserFor({ headers }: FastifyRequest, { bytesMax }: FileForm): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
      limits: {
        fileSize: bytesMax,
        fieldSize: HTTP_LIMITS.formFieldBytesMax,
        parts: HTTP_LIMITS.formPartsMax,
        headerPairs: HTTP_LIMITS.formPartsMax,
        headerSize: HTTP_LIMITS.formFieldBytesMax,
      },
    });
  } catch (cause) {
    throw new ForgeError({ kind: 'malformed', what: MALFORMED }, { cause });
  }
}

function tooLarge({ bytesMax }: FileForm): ForgeError {
  return new ForgeError({ kind: 'too_large', what: `the file has at most ${bytesMax} bytes` });
}
