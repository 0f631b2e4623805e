import type { GitDir } from '../folders/repository-layout.ts';
import type { ObjectRange, PackOptions } from '../interface/transfers.ts';
import { GIT_LIMITS } from '../limits.ts';
import { startGit } from '../processes/child.ts';
import { GitFailedError } from '../processes/git-failed-error.ts';
import { spoolOutput } from '../processes/spool-output.ts';
import type { TransferResources } from '../processes/transfer-resources.ts';

/**
 * Yields a pack of the objects of a range. The slot is free when git has written the pack, even if it is not taken yet.
 * Ending the generator ends git.
 *
 * @throws ForgeError `busy`; the reason of the signal
 * @see git-pack-objects(1)
 */
export async function* packObjects(
  resources: Pick<TransferResources, 'fetch' | 'spools'>,
  gitDir: GitDir,
  { tips, without }: ObjectRange,
  { isThin, hasOffsets, signal }: PackOptions,
): AsyncGenerator<Buffer> {
  const forms = [...(isThin ? ['--thin'] : []), ...(hasOffsets ? ['--delta-base-offset'] : [])];
  const child = await startGit(
    {
      args: ['pack-objects', '-q', '--revs', '--stdout', ...forms],
      gitDir,
      settings: ['pack.threads=2', 'pack.windowMemory=64m', 'pack.deltaCacheSize=64m'],
    },
    { slots: resources.fetch, signal, deadlineMs: GIT_LIMITS.gitProgressMs, hasLowPriority: true },
  );
  const output = spoolOutput(resources.spools, child);
  try {
    child.stdin.end([...tips, ...without.map((oid) => `^${oid}`), ''].join('\n'));
    yield* output.read();
    const exit = await child.done;
    signal.throwIfAborted();
    if (exit.exitCode !== 0) throw new GitFailedError('pack-objects', exit);
  } finally {
    child.end();
    await output.destroy(new Error('the pack is not wanted any more'));
  }
}
