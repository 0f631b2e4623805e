import { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { ForgeError, malformed } from '../../core/failure.ts';
import { LIMITS } from '../../core/limits.ts';
import type { App } from '../../http/app.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is a form with a file, and the handler reads it while it arrives. */
    takesForm?: true;
  }
}

const FORM = 'multipart/form-data';
/** The part of the form that has the file. */
const FIELD = 'file';
const MALFORMED = 'the form is not well-formed';

/** Lets routes on `app` take forms with files. Other routes do not take them. */
export function takeForms(app: App): void {
  app.addContentTypeParser(FORM, (request, payload, done) => {
    if (request.routeOptions.config.takesForm === true) done(null, payload);
    else done(new ForgeError({ kind: 'unsupported_media_type', what: 'send the parameters as JSON' }));
  });
}

/** Rejects any other body before it is read: only a form goes to a file while it arrives. */
export async function requireForm({ headers }: FastifyRequest): Promise<void> {
  const type = headers['content-type'] ?? '';
  if (!type.toLowerCase().startsWith(FORM)) throw malformed(`send the file as ${FORM}`);
}

/**
 * Reads the file of a form, piece by piece.
 *
 * @returns the name of the file on the client
 * @throws ForgeError `malformed` for a form without a file, `too_large`, `too_slow`; any error of `take`
 */
export async function readFormFile(
  request: FastifyRequest,
  take: (chunk: Buffer) => Promise<void>,
): Promise<string> {
  const { body } = request;
  const form = new FormReading(request, body instanceof Readable ? body : Readable.from([]));
  try {
    const { stream, name } = await form.file;
    for await (const chunk of form.chunks(stream)) await take(chunk);
    if (stream.truncated) throw tooLarge();
    await form.end;
    return name;
  } finally {
    form.leave();
  }
}

interface FormFile {
  readonly stream: BusboyFileStream;
  readonly name: string;
}

/** A form that arrives. After an error its connection stays open for the response. */
class FormReading {
  readonly #source: Readable;
  readonly #parser: BusboyInstance;
  readonly #file = Promise.withResolvers<FormFile>();
  readonly #end = Promise.withResolvers<void>();
  #stream: BusboyFileStream | undefined;
  #failure: Error | undefined;

  constructor(request: FastifyRequest, source: Readable) {
    this.#source = source;
    this.#parser = parserFor(request);
    for (const { promise } of [this.#file, this.#end]) promise.catch(() => {});
    this.#parser.on('file', (field, stream, name) => this.#take(field, stream, name));
    this.#parser.on('error', () => this.#fail(malformed(MALFORMED)));
    this.#parser.once('finish', () => {
      this.#file.reject(malformed(`the form has no file in its part "${FIELD}"`));
      this.#end.resolve();
    });
    source.once('error', (error) => this.#fail(error));
    source.pipe(this.#parser);
  }

  get file(): Promise<FormFile> {
    return this.#file.promise;
  }

  /** when the whole form has arrived */
  get end(): Promise<void> {
    return this.#end.promise;
  }

  /** Yields the bytes of the file. */
  async *chunks(stream: BusboyFileStream): AsyncGenerator<Buffer, void> {
    try {
      yield* stream;
    } catch (cause) {
      // The parser ends the file itself if the form ends within it.
      throw this.#failure ?? new ForgeError({ kind: 'malformed', what: MALFORMED }, { cause });
    }
  }

  leave(): void {
    this.#source.unpipe(this.#parser);
  }

  #take(field: string, stream: BusboyFileStream, name: string): void {
    stream.on('error', () => {});
    if (field !== FIELD || this.#stream !== undefined) {
      stream.resume();
      return;
    }
    this.#stream = stream;
    this.#file.resolve({ stream, name });
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
function parserFor({ headers }: FastifyRequest): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
      limits: {
        fileSize: LIMITS.attachmentBytesMax,
        fieldSize: LIMITS.attachmentFieldBytesMax,
        parts: LIMITS.attachmentFormPartsMax,
        headerPairs: LIMITS.attachmentFormPartsMax,
        headerSize: LIMITS.attachmentFieldBytesMax,
      },
    });
  } catch (cause) {
    throw new ForgeError({ kind: 'malformed', what: MALFORMED }, { cause });
  }
}

function tooLarge(): ForgeError {
  return new ForgeError({
    kind: 'too_large',
    what: `an attachment has at most ${LIMITS.attachmentBytesMax} bytes`,
  });
}
