import { setImmediate } from 'node:timers/promises';
import { GIT_LIMITS } from '../limits.ts';
import { NONE } from './segments/format.ts';
import type { Chain, SegmentFile } from './segments/segment-file.ts';

/**
 * The index cannot answer, because a part of this history is not indexed or there is too much to read. The caller asks
 * git instead.
 */
export class NotIndexedError extends Error {
  override readonly name = 'NotIndexedError';
}

/** The commits of an index and their parents, by number. */
export class History {
  readonly #files: readonly SegmentFile[];
  readonly #signal: AbortSignal | undefined;
  #steps = 0;

  constructor(files: readonly SegmentFile[], signal: AbortSignal | undefined) {
    this.#files = files;
    this.#signal = signal;
  }

  /** Call this before each step. @throws NotIndexedError for too many steps; the reason of the signal */
  async step(): Promise<void> {
    this.#steps += 1;
    if (this.#steps > GIT_LIMITS.historyStepsMax) throw new NotIndexedError();
    // Reads from memory never wait, so this yields to other requests.
    if (this.#steps % GIT_LIMITS.changeLookupStepsInOneGo === 0) {
      await setImmediate();
      this.#signal?.throwIfAborted();
    }
  }

  segmentOf(number: number): SegmentFile {
    const segment = this.#files.find((file) => file.has(number));
    if (segment === undefined) throw new Error(`the change index has no commit ${number}`);
    return segment;
  }

  chainOf(number: number): Chain {
    return this.segmentOf(number).chainOf(number);
  }

  secondsOf(number: number): number {
    return this.segmentOf(number).secondsOf(number);
  }

  parentsOf(number: number): readonly number[] {
    const segment = this.segmentOf(number);
    const { start, attach } = segment.chainOf(number);
    const first = number > start ? number - 1 : attach;
    const later = [...segment.laterParents(number, number)].map(({ parent }) => parent);
    return first === NONE ? later : [first, ...later];
  }
}
