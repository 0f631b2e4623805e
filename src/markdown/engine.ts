import { invalid } from '../core/failure.ts';
import { LIMITS } from '../core/limits.ts';
import { Thread } from '../core/thread.ts';
import type { RenderAnswer, RenderedPart, RenderWork } from './model.ts';

/** Renders Markdown in a thread, because hostile texts take long. */
export class MarkdownEngine {
  readonly #thread: Thread<RenderWork, RenderAnswer>;

  constructor(options: { deadlineMs?: number } = {}) {
    this.#thread = new Thread({
      what: 'texts that are rendered',
      module: new URL('./worker.ts', import.meta.url),
      deadlineMs: options.deadlineMs ?? LIMITS.markdownMs,
      memoryMib: LIMITS.markdownMemoryMib,
      idleMs: LIMITS.markdownIdleMs,
      queue: {
        queueMax: LIMITS.markdownQueueMax,
        queuePerCallerMax: LIMITS.markdownQueuePerCallerMax,
        waitMs: LIMITS.markdownWaitMs,
      },
    });
  }

  /** @throws ForgeError `invalid` for a text that takes too long or becomes too large; `busy` */
  async render(work: RenderWork): Promise<readonly RenderedPart[]> {
    const answer = await this.#thread.run(work);
    if (answer === undefined) throw invalid('the text takes too long to render: make it shorter or simpler');
    if ('why' in answer) throw invalid(answer.why);
    return answer.parts;
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }
}
