import { type Failure, ForgeError, invalid } from '../../base/core/failure.ts';
import type { FairSlots } from '../../base/core/fairness/fair-slots.ts';
import { CORE_LIMITS } from '../../base/core/limits.ts';
import type { Received } from '../../base/core/spool/received.ts';
import { Thread } from '../../base/core/threads/thread.ts';
import type { ObjectFormat } from '../format/model.ts';
import type { UnpackedLimits } from '../interface/writes.ts';
import { GIT_LIMITS } from '../limits.ts';
import { PackMeter } from './pack-meter.ts';

/** A piece of work for the thread that measures packs in files. It begins at the start with a pack that it does not know. */
export type MeterWork =
  | {
      readonly id: number;
      /** descriptor of a file of this process, which stays open until the answer */
      readonly file: number;
      readonly format: ObjectFormat;
      readonly limits: UnpackedLimits;
      /** bytes of the file that are written */
      readonly upTo: number;
      /** whether nothing will follow them */
      readonly isEnd: boolean;
    }
  | { readonly id: number; readonly isOver: true };

/** How far the thread has come, as positions in the file. */
export interface Measured {
  /** may be less than the thread was asked for */
  readonly readTo: number;
  /** the objects before this are measured; at most the end of the last object */
  readonly measuredTo: number;
}

/** How far the thread has come, or why the pack is rejected. */
export type MeterAnswer = Measured | { readonly failure: Failure };

/** Fewer new bytes wait for more. */
const STEP_BYTES = 512 * 1024;

/**
 * The thread that measures packs in files. There, inflating delays no request, and its buffers are not garbage on the
 * heap of the server: each 15 MB of them made V8 collect all of it.
 */
export class MeterThread {
  readonly #thread = new Thread<MeterWork, MeterAnswer>({
    what: 'pushes',
    module: new URL('./meter-worker.ts', import.meta.url),
    deadlineMs: GIT_LIMITS.packMeasuredStepMs,
    memoryMib: GIT_LIMITS.packMeterMemoryMib,
    idleMs: GIT_LIMITS.packMeterIdleMs,
    queue: {
      queueMax: CORE_LIMITS.gitQueueMax,
      queuePerCallerMax: CORE_LIMITS.gitQueuePerCallerMax,
      waitMs: CORE_LIMITS.gitQueueWaitMs,
    },
  });
  #lastId = 0;

  /** Begins with a pack. The thread remembers it until `end`. */
  begin(): { readonly id: number; readonly end: () => void } {
    this.#lastId += 1;
    const id = this.#lastId;
    const release = this.#thread.hold();
    const end = () => {
      this.#thread.tell({ id, isOver: true });
      release();
    };
    return { id, end };
  }

  /** @throws ForgeError as `PackMeter.add` */
  async measure(work: MeterWork): Promise<Measured> {
    const answer = await this.#thread.run(work);
    if (answer === undefined) throw invalid('the pack takes too long, or too much memory, to unpack');
    if ('failure' in answer) throw new ForgeError(answer.failure);
    return answer;
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }
}

/** Measures a received pack: in a file, in another thread while it arrives; in memory, in this thread at its end. */
export class ReceivedMeter implements AsyncDisposable {
  readonly #received: Received;
  readonly #options: { readonly format: ObjectFormat; readonly limits: UnpackedLimits };
  readonly #turns: FairSlots;
  readonly #thread: MeterThread;
  readonly #onMeasured: (bytes: number) => void;
  #inFile: ReturnType<MeterThread['begin']> | undefined;
  #readTo = 0;
  #steps: Promise<void> | undefined;
  #failure: unknown;

  /**
   * @param turns for large objects of a pack in memory
   * @param onMeasured receives the length of the part of the file whose objects are measured
   */
  constructor(
    received: Received,
    options: {
      format: ObjectFormat;
      limits: UnpackedLimits;
      turns: FairSlots;
      thread: MeterThread;
      onMeasured?: (bytes: number) => void;
    },
  ) {
    const { format, limits, turns, thread, onMeasured = () => {} } = options;
    this.#received = received;
    this.#options = { format, limits };
    this.#turns = turns;
    this.#thread = thread;
    this.#onMeasured = onMeasured;
  }

  /**
   * Measures what was received last. Waits only if much of the pack is not measured yet.
   *
   * @throws ForgeError `too_large`, `invalid`, `busy`
   */
  async follow(): Promise<void> {
    if (this.#hasStep()) this.#steps ??= this.#measureSteps();
    if (this.#unmeasuredBytes() > GIT_LIMITS.packUnmeasuredBytesMax) await this.#steps;
    this.#throwFailure();
  }

  /** Checks that the pack has all its objects. Throws the same errors as `follow`. */
  async finish(): Promise<void> {
    if (this.#received.file === undefined) return this.#measureMemory();
    await this.#steps;
    this.#throwFailure();
    do await this.#measureStep({ isEnd: true });
    while (this.#unmeasuredBytes() > 0);
  }

  /** Waits until nothing reads the file. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#steps;
    this.#inFile?.end();
  }

  async #measureMemory(): Promise<void> {
    const { format, limits } = this.#options;
    const meter = new PackMeter(format, limits, (work) => this.#turns.run(work));
    try {
      for await (const piece of this.#received.read()) await meter.add(piece);
      await meter.finish();
    } finally {
      meter.end();
    }
  }

  #hasStep(): boolean {
    return this.#unmeasuredBytes() >= STEP_BYTES && this.#failure === undefined;
  }

  #unmeasuredBytes(): number {
    return (this.#received.file?.size ?? 0) - this.#readTo;
  }

  async #measureSteps(): Promise<void> {
    try {
      while (this.#hasStep()) await this.#measureStep({ isEnd: false });
    } catch (error) {
      this.#failure = error;
    }
    this.#steps = undefined;
  }

  async #measureStep({ isEnd }: { isEnd: boolean }): Promise<void> {
    const { file } = this.#received;
    if (file === undefined) throw new Error('the pack is in no file');
    this.#inFile ??= this.#thread.begin();
    const { descriptor, size: upTo } = file;
    const work = { id: this.#inFile.id, file: descriptor, ...this.#options, upTo, isEnd };
    const { readTo, measuredTo } = await this.#thread.measure(work);
    this.#readTo = readTo;
    this.#onMeasured(measuredTo);
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}
