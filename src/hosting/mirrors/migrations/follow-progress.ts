import { type Clock, SYSTEM_CLOCK } from '../../../base/core/time/clock.ts';
import { MIRROR_LIMITS } from '../limits.ts';
import { type Progress, progressText } from '../progress.ts';

/**
 * Writes the progress of a copy regularly while it changes.
 *
 * @param write may fail; it is repeated
 * @returns a function that ends this, and waits for a running write
 */
export function followProgress(
  progress: Progress,
  write: (text: string) => Promise<unknown>,
  clock: Clock = SYSTEM_CLOCK,
): () => Promise<void> {
  const ended = new AbortController();
  let written = progressText(progress);
  const writing = (async () => {
    while (!ended.signal.aborted) {
      await clock.wait(MIRROR_LIMITS.migrationProgressEveryMs, ended.signal);
      const text = progressText(progress);
      if (ended.signal.aborted || text === written) continue;
      const isWritten = await write(text).then(
        () => true,
        () => false,
      );
      if (isWritten) written = text;
    }
  })();
  return () => {
    ended.abort();
    return writing;
  };
}
