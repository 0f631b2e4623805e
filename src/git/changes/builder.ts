import { Worker } from 'node:worker_threads';
import { CORE_LIMITS } from '../../base/core/limits.ts';
import { GIT_LIMITS } from '../limits.ts';
import type { ObjectsLocation } from '../objects/cat-file.ts';
import { gitSearchPath } from '../processes/child.ts';
import { type BuildOutcome, type BuildStep, buildStep, type IndexedObjects, type StepSize } from './build.ts';

export type WorkerRequest =
  | { readonly id: number; readonly step: BuildStep; readonly location: ObjectsLocation }
  | { readonly id: number; readonly end: true };

export type WorkerAnswer =
  | { readonly id: number; readonly outcome: BuildOutcome }
  | { readonly id: number; readonly error: string };

interface Pending {
  resolve(outcome: BuildOutcome): void;
  reject(error: Error): void;
}

/** A step that is quick enough for the thread that answers requests, such as the commits of an ordinary push. */
const SMALL: StepSize = {
  commitsMax: 500,
  workMax: 4_000,
  commitWorkMax: 4_000,
  beyond: 'end',
  mergedMax: 10_000,
  plansAhead: false,
};

const LARGE: StepSize = {
  commitsMax: GIT_LIMITS.commitsIndexedInOneGo,
  workMax: GIT_LIMITS.changesIndexedInOneGo,
  commitWorkMax: GIT_LIMITS.changesPerCommitMax,
  beyond: 'opaque',
  mergedMax: Number.POSITIVE_INFINITY,
  plansAhead: true,
};

/** Runs small steps at once, and large steps in a worker thread, which ends when it is idle. */
export class IndexBuilder {
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;

  /** @throws the reason of the signal */
  async run(
    step: Omit<BuildStep, 'size'>,
    signal: AbortSignal,
    objects: IndexedObjects,
  ): Promise<BuildOutcome> {
    signal.throwIfAborted();
    const outcome = await buildStep({ ...step, size: SMALL }, signal, objects);
    signal.throwIfAborted();
    if (outcome !== 'more') return outcome;
    return this.#inWorker({ ...step, size: LARGE }, await objects.locate(), signal);
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    await this.#worker?.terminate();
  }

  async #inWorker(step: BuildStep, location: ObjectsLocation, signal: AbortSignal): Promise<BuildOutcome> {
    const worker = this.#start();
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<BuildOutcome>();
    this.#pending.set(id, { resolve, reject });
    const end = () => this.#send(worker, { id, end: true });
    signal.addEventListener('abort', end, { once: true });
    this.#send(worker, { id, step, location });
    try {
      return await promise;
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      signal.removeEventListener('abort', end);
      this.#pending.delete(id);
      if (this.#pending.size === 0) this.#endWhenIdle();
    }
  }

  #send(worker: Worker, request: WorkerRequest): void {
    worker.postMessage(request);
  }

  #start(): Worker {
    clearTimeout(this.#idle);
    this.#worker ??= this.#newWorker();
    return this.#worker;
  }

  #newWorker(): Worker {
    const worker = new Worker(new URL('./build-worker.ts', import.meta.url), {
      workerData: gitSearchPath(),
      // If an index needs more memory, only its job fails.
      resourceLimits: { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: CORE_LIMITS.threadYoungMib },
    });
    worker.on('message', (answer: WorkerAnswer) => this.#resolve(answer));
    worker.on('error', (error) =>
      this.#fail(worker, error instanceof Error ? error : new Error(String(error))),
    );
    worker.on('exit', () => this.#fail(worker, new Error('the thread that builds indexes ended')));
    worker.unref();
    return worker;
  }

  #resolve(answer: WorkerAnswer): void {
    const pending = this.#pending.get(answer.id);
    if ('outcome' in answer) pending?.resolve(answer.outcome);
    else pending?.reject(new Error(answer.error));
  }

  #fail(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const { reject } of this.#pending.values()) reject(error);
  }

  #endWhenIdle(): void {
    this.#idle = setTimeout(() => {
      const worker = this.#worker;
      this.#worker = undefined;
      void worker?.terminate();
    }, GIT_LIMITS.changesThreadIdleMs).unref();
  }
}
