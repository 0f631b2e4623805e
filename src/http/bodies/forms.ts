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
  /** a part with a text that the form may have in place of the file */
  readonly text?: string;
  /** The body may also be the file itself, with any other media type. Its route needs `acceptFiles`. */
  readonly acceptsFiles?: true;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is a form with a file, and the handler reads it while it arrives. */
    acceptsForm?: FileForm;
  }
}

export const FORM = 'multipart/form-data';
/** Media type of a body that is a file itself, in the description of the API. Any other one is taken, too. */
export const ANY_FILE = 'application/octet-stream';
const MALFORMED = 'the form is not well-formed';

/** Lets routes on `app` take forms with files. Other routes do not take them. */
export function acceptForms(app: App): void {
  // Several features have such routes on one wire.
  if (app.hasContentTypeParser(FORM)) return;
  app.addContentTypeParser(FORM, (request, payload, done) => {
    if (request.routeOptions.config.acceptsForm !== undefined) done(null, payload);
    else done(new ForgeError({ kind: 'unsupported_media_type', what: 'send the parameters as JSON' }));
  });
}

/** Gives all bodies to the routes on `app`, whatever their media type is, while they arrive. */
export function acceptFiles(app: App): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
}

export function isForm({ headers }: FastifyRequest): boolean {
  return (headers['content-type'] ?? '').toLowerCase().startsWith(FORM);
}

/** Rejects any other body before it is read: only a form goes to a file while it arrives. */
async function requireForm(request: FastifyRequest): Promise<void> {
  if (!isForm(request)) throw malformed(`send the file as ${FORM}`);
}

/** Options of a route that takes a form. Its configuration also has `acceptsForm` and `bodyBytesInMemory`. */
export function formOptions({ bytesMax, acceptsFiles }: FileForm) {
  const bodyLimit = bytesMax + HTTP_LIMITS.formFieldBytesMax;
  return acceptsFiles === true ? { bodyLimit } : { bodyLimit, onRequest: requireForm };
}

/** Returns how many bytes the file of a form has at least, by the length of the form. */
export function fileBytesMin({ headers }: FastifyRequest): number {
  return Math.max(1, Number(headers['content-length'] ?? 0) - HTTP_LIMITS.formFieldBytesMax);
}

/**
 * Returns a body that is a file itself, of a route with `acceptFiles`.
 *
 * @throws ForgeError `too_large`, from the iteration, after `bytesMax` bytes
 */
export async function* fileIn({ body }: FastifyRequest, form: FileForm): AsyncGenerator<Buffer, void> {
  if (!(body instanceof Readable)) return;
  let bytes = 0;
  // After an error the connection stays open for the response.
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > form.bytesMax) throw tooLarge(form);
    yield chunk;
  }
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
export function readFormFile<T>(
  request: FastifyRequest,
  form: FileForm,
  take: (file: FormFile) => Promise<T>,
): Promise<T> {
  return readForm(request, form, {
    file: take,
    text: async () => {
      throw withoutFile(form);
    },
  });
}

/**
 * As `readFormFile`, for a form that has a text in place of the file.
 *
 * @param take.text gets the text of a form without a file
 * @throws ForgeError as `readFormFile`, and `malformed` for a form with both
 */
export async function readForm<T>(
  request: FastifyRequest,
  form: FileForm,
  take: { readonly file: (file: FormFile) => Promise<T>; readonly text: (text: string) => Promise<T> },
): Promise<T> {
  const { body } = request;
  const reading = new FormReading(request, form, body instanceof Readable ? body : Readable.from([]));
  try {
    const file = await reading.file;
    return await (file === undefined ? take.text(reading.text ?? '') : take.file(file));
  } finally {
    reading.leave();
  }
}

function withoutFile({ field, text }: FileForm): ForgeError {
  const instead = text === undefined ? '' : `, and no text in its part "${text}"`;
  return malformed(`the form has no file in its part "${field}"${instead}`);
}

/** A form that arrives. After an error its connection stays open for the response. */
class FormReading {
  readonly #form: FileForm;
  readonly #source: Readable;
  readonly #parser: BusboyInstance;
  readonly #file = Promise.withResolvers<FormFile | undefined>();
  readonly #end = Promise.withResolvers<void>();
  #stream: BusboyFileStream | undefined;
  #failure: Error | undefined;
  /** the text of the part that the form may have in place of the file */
  text: string | undefined;

  constructor(request: FastifyRequest, form: FileForm, source: Readable) {
    this.#form = form;
    this.#source = source;
    this.#parser = parserFor(request, form);
    for (const { promise } of [this.#file, this.#end]) promise.catch(() => {});
    this.#parser.on('file', (field, stream, name) => this.#take(field, stream, name));
    this.#parser.on('field', (field, text) => this.#takeText(field, text));
    this.#parser.on('error', () => this.#fail(malformed(MALFORMED)));
    this.#parser.once('finish', () => {
      if (this.text === undefined) this.#file.reject(withoutFile(form));
      else this.#file.resolve(undefined);
      this.#end.resolve();
    });
    source.once('error', (error) => this.#fail(error));
    source.pipe(this.#parser);
  }

  /** undefined: the form has a text in place of the file */
  get file(): Promise<FormFile | undefined> {
    return this.#file.promise;
  }

  leave(): void {
    this.#source.unpipe(this.#parser);
  }

  #takeText(field: string, text: string): void {
    if (field !== this.#form.text || text === '') return;
    if (this.#stream === undefined) this.text = text;
    else this.#fail(hasBoth(this.#form));
  }

  #take(field: string, stream: BusboyFileStream, name: string | undefined): void {
    stream.on('error', () => {});
    if (field !== this.#form.field || this.#stream !== undefined) {
      stream.resume();
      return;
    }
    this.#stream = stream;
    if (this.text !== undefined) {
      this.#fail(hasBoth(this.#form));
      return;
    }
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

function hasBoth({ field, text }: FileForm): ForgeError {
  return malformed(`the form has both "${field}" and "${text}": send one of them`);
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
