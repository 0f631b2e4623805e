import { invalid } from '../../base/core/failure.ts';
import { unlessAborted } from '../../base/core/fairness/unless-aborted.ts';

/**
 * Cuts a body into parts while it arrives. If the body breaks off, the current part ends there, so that the bytes that
 * have arrived can be stored. `failure` then has the reason.
 */
export class BodyParts {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #bytesMax: number;
  readonly #stopped: AbortSignal;
  /** bytes that have arrived, and belong to no part yet */
  #chunk: Uint8Array | undefined;
  #bytes = 0;
  #failure: unknown;

  /**
   * @param options.bytesMax a longer body is cut after this many bytes, and counts as a failure
   * @param options.stopped breaks the body off, even while nothing arrives
   */
  constructor(body: AsyncIterable<Uint8Array>, options: { bytesMax: number; stopped: AbortSignal }) {
    this.#source = body[Symbol.asyncIterator]();
    this.#bytesMax = options.bytesMax;
    this.#stopped = options.stopped;
  }

  /** bytes of all parts so far */
  get bytes(): number {
    return this.#bytes;
  }

  /** Why the body ended early; undefined if it was complete. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Waits for further bytes. @returns false at the end */
  async hasMore(): Promise<boolean> {
    while (this.#chunk === undefined || this.#chunk.length === 0) {
      if (this.#failure !== undefined) return false;
      try {
        const { value, done } = await unlessAborted(this.#source.next(), this.#stopped);
        if (done === true) return false;
        this.#chunk = value;
      } catch (error) {
        this.#failure = error;
        return false;
      }
    }
    if (this.#bytes < this.#bytesMax) return true;
    this.#failure = invalid('the body is longer than the rest of the object');
    return false;
  }

  /** Yields the next part. */
  async *next(partBytes: number): AsyncGenerator<Uint8Array, void> {
    const end = Math.min(this.#bytes + partBytes, this.#bytesMax);
    while (this.#bytes < end && (await this.hasMore())) {
      const chunk = this.#chunk ?? new Uint8Array();
      const taken = chunk.subarray(0, end - this.#bytes);
      this.#chunk = chunk.subarray(taken.length);
      this.#bytes += taken.length;
      yield taken;
    }
  }
}
