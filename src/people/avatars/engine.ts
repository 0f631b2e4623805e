import { invalid } from '../../base/core/failure.ts';
import { Allowance } from '../../base/core/fairness/allowance.ts';
import { usedTimeOfThreads } from '../../base/core/fairness/used-time.ts';
import { CORE_LIMITS } from '../../base/core/limits.ts';
import { Thread } from '../../base/core/threads/thread.ts';
import type { ImageAnswer, ImageWork } from './images/model.ts';
import { AVATAR_LIMITS } from './limits.ts';

/** Makes small squares of pictures in a thread, one at a time. Each caller has an allowance of time. */
export class ImageEngine {
  readonly #thread: Thread<ImageWork, ImageAnswer>;
  readonly #timeMs: Allowance;

  constructor(options: { deadlineMs?: number; msPerPeriodMax?: number } = {}) {
    this.#thread = new Thread({
      what: 'pictures',
      module: new URL('./worker.ts', import.meta.url),
      deadlineMs: options.deadlineMs ?? AVATAR_LIMITS.avatarMs,
      memoryMib: AVATAR_LIMITS.avatarMemoryMib,
      idleMs: AVATAR_LIMITS.avatarIdleMs,
      queue: {
        queueMax: AVATAR_LIMITS.avatarQueueMax,
        queuePerCallerMax: AVATAR_LIMITS.avatarQueuePerCallerMax,
        waitMs: AVATAR_LIMITS.avatarWaitMs,
        usedTime: usedTimeOfThreads(),
      },
    });
    this.#timeMs = new Allowance({
      what: 'pictures',
      unitsMax: options.msPerPeriodMax ?? AVATAR_LIMITS.avatarMsPerPeriodMax,
      periodMs: AVATAR_LIMITS.avatarPeriodMs,
      callersRememberedMax: CORE_LIMITS.threadCallersRememberedMax,
    });
  }

  /**
   * Makes a PNG of the middle of a picture, without anything but its pixels.
   *
   * @param bytes of a PNG, a JPEG, a GIF (its first picture) or a WebP
   * @throws ForgeError `invalid` for anything else, and for a picture that is damaged, too large, or takes too long;
   *   `busy`, also for a caller who has used the allowance of time
   */
  async square(bytes: Uint8Array): Promise<Uint8Array> {
    this.#timeMs.requireSome();
    const answer = await this.#thread.run(
      { bytes: new Uint8Array(bytes) },
      {
        expectedMs: bytes.length / AVATAR_LIMITS.avatarBytesPerMs,
        onUsed: (usedMs) => this.#timeMs.charge(usedMs),
      },
    );
    if (answer === undefined) throw invalid('the picture takes too long to read: send a simpler one');
    if ('why' in answer) throw invalid(answer.why);
    return answer.png;
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }
}
