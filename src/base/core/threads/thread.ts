import { Worker } from 'node:worker_threads';
import { FairSlots, type FairSlotsOptions } from '../fairness/fair-slots.ts';
import { CORE_LIMITS } from '../limits.ts';

interface ThreadOptions {
  /** names the work in errors, such as `signatures` */
  readonly what: string;
  /** module that calls `answerInThread` */
  readonly module: URL;
  /** time for one piece of work */
  readonly deadlineMs: number;
  readonly memoryMib: number;
  readonly idleMs: number;
  /** limits of the waiting work */
  readonly queue: Pick<FairSlotsOptions, 'queueMax' | 'queuePerCallerMax' | 'waitMs' | 'usedTime'>;
}

interface Numbered<Answer> {
  readonly id: number;
  readonly answer: Answer;
}

/**
 * Runs hostile work in a thread, one piece at a time, so that it never delays the event loop and a deadline can end it.
 * Callers take turns, or the caller that has used least time is first. The thread starts with the first work, and ends
 * when it is idle and after work that exceeds its time or memory.
 */
export class Thread<Work extends object, Answer> {
  readonly #options: ThreadOptions;
  readonly #slots: FairSlots;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  /** holds that keep an idle thread alive */
  #holders = 0;
  #lastId = 0;

  constructor(options: ThreadOptions) {
    this.#options = options;
    // The thread does one piece of work at a time, so that a deadline ends only its own work.
    const one = { unitsMax: 1, unitsPerCallerMax: 1, unitsForSignedIn: 0 };
    this.#slots = new FairSlots({ what: options.what, ...one, ...options.queue });
  }

  /**
   * @param options.expectedMs the longest time that the work takes, if its size determines it
   * @param options.onUsed called with the time in ms for which the work used the thread
   * @returns undefined if the work exceeds its time or memory
   * @throws ForgeError `busy`
   */
  run(
    work: Work,
    options: { readonly expectedMs?: number; readonly onUsed?: (usedMs: number) => void } = {},
  ): Promise<Answer | undefined> {
    const { expectedMs = 0, onUsed = () => {} } = options;
    const send = async () => {
      const startedAt = performance.now();
      const answer = await this.#send(work);
      onUsed(performance.now() - startedAt);
      return answer;
    };
    return this.#slots.run(send, { expectedMs });
  }

  /** Sends work that takes no time and needs no answer. Does nothing if the thread is not running. */
  tell(work: Work): void {
    this.#worker?.postMessage({ id: 0, work });
  }

  /**
   * Keeps the thread, and with it everything that it remembers, alive while it is idle. Returns a function that ends
   * the hold.
   */
  hold(): () => void {
    this.#holders += 1;
    clearTimeout(this.#idle);
    return () => {
      this.#holders -= 1;
      this.#endWhenIdle();
    };
  }

  async close(): Promise<void> {
    await this.#end();
  }

  async #send(work: Work): Promise<Answer | undefined> {
    clearTimeout(this.#idle);
    const worker = this.#start();
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve } = Promise.withResolvers<{ answer: Answer } | undefined>();
    const onAnswer = (given: Numbered<Answer>) => (given.id === id ? resolve(given) : undefined);
    const end = () => resolve(undefined);
    const deadline = setTimeout(end, this.#options.deadlineMs).unref();
    worker.on('message', onAnswer);
    worker.once('exit', end);
    worker.postMessage({ id, work });
    const given = await promise;
    clearTimeout(deadline);
    worker.off('message', onAnswer);
    worker.off('exit', end);
    if (given === undefined) await this.#end();
    else this.#endWhenIdle();
    return given?.answer;
  }

  #endWhenIdle(): void {
    clearTimeout(this.#idle);
    if (this.#holders > 0) return;
    this.#idle = setTimeout(() => void this.#end(), this.#options.idleMs).unref();
  }

  #start(): Worker {
    this.#worker ??= this.#newWorker();
    return this.#worker;
  }

  #newWorker(): Worker {
    const worker = new Worker(this.#options.module, {
      // If one piece of work needs more memory, only its request fails.
      resourceLimits: {
        maxOldGenerationSizeMb: this.#options.memoryMib,
        maxYoungGenerationSizeMb: CORE_LIMITS.threadYoungMib,
      },
    });
    // The exit follows an error, and ends the work.
    worker.on('error', () => {});
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    worker.unref();
    return worker;
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}
