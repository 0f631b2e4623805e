import { isFailure } from '../../base/core/failure.ts';
import { usedTimeOfThreads } from '../../base/core/fairness/used-time.ts';
import { createSizedCache } from '../../base/core/sized-cache.ts';
import { asWritten, type Html } from '../../base/core/text/html.ts';
import { Thread } from '../../base/core/threads/thread.ts';
import type { Oid } from '../../git/format/model.ts';
import { WEB_LIMITS } from '../limits.ts';
import type { HighlightAnswer, HighlightWork } from './model.ts';

/** What even a short text may become. */
const MARGIN_CHARS = 64 * 1024;

/** The lines of a file, and whether they have colors. */
export interface HighlightedText {
  readonly lines: readonly Html[];
  /** why a text of a known language has no colors; undefined if it has them, or its language has no rules */
  readonly problem?: 'too long' | 'busy';
}

/**
 * Colors code in a thread, because hostile texts take long. The content of an id never changes, so colored files are kept by their ids, within
 * a limit.
 */
export class Highlighter {
  readonly #thread = new Thread<HighlightWork, HighlightAnswer>({
    what: 'files that are colored',
    module: new URL('./worker.ts', import.meta.url),
    deadlineMs: WEB_LIMITS.highlightMs,
    memoryMib: WEB_LIMITS.highlightMemoryMib,
    idleMs: WEB_LIMITS.highlightIdleMs,
    queue: {
      queueMax: WEB_LIMITS.highlightQueueMax,
      queuePerCallerMax: WEB_LIMITS.highlightQueuePerCallerMax,
      waitMs: WEB_LIMITS.highlightWaitMs,
      usedTime: usedTimeOfThreads(),
    },
  });
  readonly #known = createSizedCache<string, { readonly lines: readonly Html[]; readonly chars: number }>({
    sizeMax: WEB_LIMITS.highlightedCharsCachedMax,
    sizeOf: ({ chars }) => chars,
  });

  /** @param file the id and the name of a file with this text */
  async color(
    text: string,
    { oid, name }: { readonly oid: Oid; readonly name: string },
  ): Promise<HighlightedText> {
    if (text.length > WEB_LIMITS.highlightedCharsMax) return { lines: plainLines(text), problem: 'too long' };
    // The name decides the language.
    const key = `${oid} ${name.slice(name.lastIndexOf('.') + 1)}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    try {
      const answer = await this.#thread.run(
        { text, name, charsMax: WEB_LIMITS.highlightedGrowthMax * text.length + MARGIN_CHARS },
        { expectedMs: text.length / WEB_LIMITS.highlightCharsPerMs },
      );
      if (answer === undefined) return { lines: plainLines(text), problem: 'too long' };
      const lines = answer === null ? plainLines(text) : answer.map((html) => ({ html }));
      this.#known.set(key, { lines, chars: lines.reduce((sum, { html }) => sum + html.length, 1) });
      return { lines };
    } catch (error) {
      if (!isFailure(error, 'busy')) throw error;
      return { lines: plainLines(text), problem: 'busy' };
    }
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }
}

function plainLines(text: string): readonly Html[] {
  return text.split('\n').map(asWritten);
}
