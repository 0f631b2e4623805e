import { Worker } from 'node:worker_threads';
import { type ForgeError, invalid } from '../../core/failure.ts';
import { FairSlots } from '../../core/fair-slots.ts';
import { LIMITS } from '../../core/limits.ts';
import type { OpenPgpAnswer, OpenPgpWork, ReadOpenPgpKey, SignatureClaim } from './model.ts';

/** Runs the OpenPGP library in a thread that ends when it is idle, and after work that takes too long. */
export class OpenPgpEngine {
  readonly #slots = new FairSlots({
    what: 'OpenPGP signatures and keys',
    // The thread does one piece of work at a time, so that its deadline ends no other one.
    unitsMax: 1,
    unitsPerCallerMax: 1,
    unitsForSignedIn: 0,
    queueMax: LIMITS.openPgpQueueMax,
    queuePerCallerMax: LIMITS.openPgpQueuePerCallerMax,
    waitMs: LIMITS.openPgpWaitMs,
  });
  readonly #deadlineMs: number;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;

  constructor(options: { deadlineMs?: number } = {}) {
    this.#deadlineMs = options.deadlineMs ?? LIMITS.openPgpMs;
  }

  /**
   * Reads a public key.
   *
   * @throws ForgeError `invalid`, which repeats no part of the text; `busy`
   */
  async readKey(armored: string): Promise<ReadOpenPgpKey> {
    const answer = await this.#run({ kind: 'read-key', armored });
    if (answer === undefined) throw unusableKey('reading it takes too long');
    if ('key' in answer) return answer.key;
    throw unusableKey('why' in answer ? answer.why : 'it is no key');
  }

  /**
   * Whether the key made the signature over exactly these bytes, and was neither revoked nor expired then.
   *
   * @returns undefined if verifying it takes too long
   * @throws ForgeError `busy`
   */
  async isValid(claim: SignatureClaim): Promise<boolean | undefined> {
    // A view of a larger buffer would take all of it to the thread.
    const { key, signature, payload } = claim;
    const copies = { key: copyOf(key), signature: copyOf(signature), payload: copyOf(payload) };
    const answer = await this.#run({ kind: 'verify', claim: copies });
    if (answer === undefined) return undefined;
    return 'isValid' in answer && answer.isValid;
  }

  async close(): Promise<void> {
    await this.#end();
  }

  /** @returns undefined if the work takes too long */
  #run(work: OpenPgpWork): Promise<OpenPgpAnswer | undefined> {
    return this.#slots.run(() => this.#send(work));
  }

  async #send(work: OpenPgpWork): Promise<OpenPgpAnswer | undefined> {
    clearTimeout(this.#idle);
    const worker = this.#start();
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve } = Promise.withResolvers<OpenPgpAnswer | undefined>();
    const give = (answer: OpenPgpAnswer) => (answer.id === id ? resolve(answer) : undefined);
    const end = () => resolve(undefined);
    const deadline = setTimeout(end, this.#deadlineMs).unref();
    worker.on('message', give);
    worker.once('exit', end);
    worker.postMessage({ ...work, id });
    const answer = await promise;
    clearTimeout(deadline);
    worker.off('message', give);
    worker.off('exit', end);
    if (answer === undefined) await this.#end();
    else this.#idle = setTimeout(() => void this.#end(), LIMITS.openPgpIdleMs).unref();
    return answer;
  }

  #start(): Worker {
    this.#worker ??= this.#newWorker();
    return this.#worker;
  }

  #newWorker(): Worker {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      // If one key needs more, only its request fails.
      resourceLimits: { maxOldGenerationSizeMb: LIMITS.openPgpMemoryMib, maxYoungGenerationSizeMb: 8 },
    });
    // An error is followed by the exit, which ends the work.
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

function unusableKey(why: string): ForgeError {
  return invalid(`Invalid key content: ${why}`);
}

function copyOf(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}
