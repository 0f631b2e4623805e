import { invalid } from '../../base/core/failure.ts';
import { Allowance } from '../../base/core/fairness/allowance.ts';
import { type UsedTime, usedTimeOfThreads } from '../../base/core/fairness/used-time.ts';
import { CORE_LIMITS } from '../../base/core/limits.ts';
import { Thread } from '../../base/core/threads/thread.ts';
import type { Clock } from '../../base/core/time/clock.ts';
import { MARKDOWN_LIMITS } from './limits.ts';
import type { RenderAnswer, RenderedPart, RenderWork } from './model.ts';

type RenderThread = Thread<RenderWork, RenderAnswer>;

/**
 * Renders Markdown in threads, because hostile texts take long. Small texts have a thread of their own, so that none waits
 * for a large one. Of the texts that wait for a thread, the next one is that of the caller whose used time and text are
 * shortest. Each caller has an allowance of time.
 */
export class MarkdownEngine {
  readonly #small: RenderThread;
  readonly #large: RenderThread;
  readonly #timeMs: Allowance;

  constructor(options: { deadlineMs?: number; msPerPeriodMax?: number; clock?: Clock } = {}) {
    const deadlineMs = options.deadlineMs ?? MARKDOWN_LIMITS.markdownMs;
    const usedTime = usedTimeOfThreads(options.clock);
    this.#small = newThread(deadlineMs, usedTime);
    this.#large = newThread(deadlineMs, usedTime);
    const allowance = {
      what: 'long texts that are rendered',
      unitsMax: options.msPerPeriodMax ?? MARKDOWN_LIMITS.markdownMsPerPeriodMax,
      periodMs: MARKDOWN_LIMITS.markdownPeriodMs,
      callersRememberedMax: CORE_LIMITS.threadCallersRememberedMax,
    };
    this.#timeMs = new Allowance(allowance, options.clock);
  }

  /**
   * @throws ForgeError `invalid` for a text that takes too long or becomes too large; `busy`, also for a caller who has
   *   used the allowance of time
   */
  async render(work: RenderWork): Promise<readonly RenderedPart[]> {
    this.#timeMs.requireSome();
    const { length } = work.text;
    const thread = length <= MARKDOWN_LIMITS.markdownSmallChars ? this.#small : this.#large;
    const answer = await thread.run(work, {
      expectedMs: length / MARKDOWN_LIMITS.markdownCharsPerMs,
      onUsed: (usedMs) => this.#timeMs.charge(usedMs),
    });
    if (answer === undefined) throw invalid('the text takes too long to render: make it shorter or simpler');
    if ('why' in answer) throw invalid(answer.why);
    return answer.parts;
  }

  async close(): Promise<void> {
    await Promise.all([this.#small.close(), this.#large.close()]);
  }
}

function newThread(deadlineMs: number, usedTime: UsedTime): RenderThread {
  return new Thread({
    what: 'texts that are rendered',
    module: new URL('./worker.ts', import.meta.url),
    deadlineMs,
    memoryMib: MARKDOWN_LIMITS.markdownMemoryMib,
    idleMs: MARKDOWN_LIMITS.markdownIdleMs,
    queue: {
      queueMax: MARKDOWN_LIMITS.markdownQueueMax,
      queuePerCallerMax: MARKDOWN_LIMITS.markdownQueuePerCallerMax,
      waitMs: MARKDOWN_LIMITS.markdownWaitMs,
      usedTime,
    },
  });
}
