import { Readable } from 'node:stream';

interface Watch {
  /** bytes that the body must have */
  readonly sizeBytes: number;
  /** how long the store may send nothing while the reader waits */
  readonly silenceMs: number;
  /** makes the error of a body that ends too early or falls silent */
  readonly failure: (why: Error) => Error;
}

/**
 * The body of a download from the store. It fails unless it is complete. Destroying it closes the connection. Time in
 * which the reader wants nothing does not count, because clients may be slow.
 */
export class WatchedBody extends Readable {
  readonly #source: Readable;
  readonly #watch: Watch;
  #leftBytes: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(source: Readable, watch: Watch) {
    super();
    this.#source = source;
    this.#watch = watch;
    this.#leftBytes = watch.sizeBytes;
    source.on('data', (chunk: Buffer) => this.#take(chunk));
    source.once('end', () => this.#end());
    source.once('error', (error) => this.#fail(error));
    source.once('close', () => this.#end());
    source.pause();
  }

  override _read(): void {
    this.#timer ??= setTimeout(() => {
      this.#fail(new Error(`no byte arrived in ${this.#watch.silenceMs} ms`));
    }, this.#watch.silenceMs).unref();
    this.#source.resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#stopWaiting();
    this.#source.destroy();
    done(error);
  }

  #take(chunk: Buffer): void {
    this.#stopWaiting();
    this.#leftBytes -= chunk.length;
    if (this.#leftBytes < 0) this.#fail(new Error('the body is longer than it should be'));
    else if (!this.push(chunk)) this.#source.pause();
  }

  #end(): void {
    this.#stopWaiting();
    if (this.readableEnded || this.destroyed) return;
    if (this.#leftBytes === 0) this.push(null);
    else this.#fail(new Error(`the body ends ${this.#leftBytes} bytes too early`));
  }

  #fail(why: Error): void {
    if (!this.destroyed) this.destroy(this.#watch.failure(why));
  }

  #stopWaiting(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
