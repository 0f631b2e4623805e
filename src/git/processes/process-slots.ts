import { ForgeError } from '../../core/failure.ts';
import { LIMITS } from '../../core/limits.ts';
import { Semaphore } from '../../core/semaphore.ts';

/** Slots for git processes of one kind, with a bounded queue and a bounded waiting time. */
export class ProcessSlots {
  readonly #semaphore: Semaphore;
  readonly #what: string;

  constructor(what: string, atOnceMax: number) {
    this.#what = what;
    this.#semaphore = new Semaphore({ what, atOnceMax, queueMax: LIMITS.gitQueueMax });
  }

  /** @throws ForgeError `busy`; the reason of `signal` */
  async enter(signal?: AbortSignal): Promise<() => void> {
    const waited = new AbortController();
    const abort = () => waited.abort(signal?.reason);
    signal?.throwIfAborted();
    signal?.addEventListener('abort', abort, { once: true });
    const timer = setTimeout(() => waited.abort(this.#tooLong()), LIMITS.gitQueueWaitMs);
    try {
      return await this.#semaphore.enter(waited.signal);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  #tooLong(): ForgeError {
    return new ForgeError({ kind: 'busy', what: `too many ${this.#what} at once`, retryAfterSeconds: 10 });
  }
}

/** Slots for each kind of work, so that slow fetches do not block a push or a maintenance job. */
export const PROCESS_SLOTS = {
  short: new ProcessSlots('git processes', LIMITS.gitChildrenMax),
  fetch: new ProcessSlots('fetches', LIMITS.fetchesAtOnceMax),
  index: new ProcessSlots('pushes', LIMITS.packsIndexedAtOnceMax),
  stream: new ProcessSlots('large files', LIMITS.blobStreamsAtOnceMax),
  maintenance: new ProcessSlots('maintenance jobs', 1),
} as const;
