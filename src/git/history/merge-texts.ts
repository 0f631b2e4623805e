import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FILE_MODE } from '../../base/core/files/durable-files.ts';
import { type GitDir, randomName } from '../folders/repository-layout.ts';
import type { TextMerge } from '../interface/writes.ts';
import { GIT_LIMITS } from '../limits.ts';
import { runGit } from '../processes/child.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';

/**
 * Merges two changes of a text by lines. Where both changed the same lines, the result has the lines of both.
 *
 * @param place.folder for temporary files
 * @throws ForgeError `busy`
 * @see git-merge-file(1), --union
 */
export async function mergeTexts(
  place: { readonly gitDir: GitDir; readonly folder: string },
  { base, current, other }: TextMerge,
): Promise<Buffer> {
  const names = [current, base, other].map(() => join(place.folder, `text-${randomName()}`));
  try {
    for (const [index, text] of [current, base, other].entries())
      await writeFile(names[index] ?? '', text, { mode: FILE_MODE, flag: 'wx' });
    const { stdout } = await runGit(
      { args: ['merge-file', '--stdout', '--quiet', '--union', ...names], gitDir: place.gitDir },
      {
        slots: PROCESS_SLOTS.short,
        deadlineMs: GIT_LIMITS.textMergeMs,
        stdoutBytesMax: GIT_LIMITS.mergedTextBytesMax,
      },
    );
    return stdout;
  } finally {
    await Promise.all(names.map((name) => rm(name, { force: true })));
  }
}
