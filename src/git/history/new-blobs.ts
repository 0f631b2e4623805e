import { currentCaller } from '../../base/core/fairness/caller.ts';
import type { Oid } from '../format/model.ts';
import { GIT_LIMITS } from '../limits.ts';
import type { ObjectsLocation } from '../objects/cat-file.ts';
import { type GitChild, startGit } from '../processes/child.ts';
import { GitFailedError } from '../processes/git-failed-error.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';

export interface NewBlobs {
  readonly tips: readonly Oid[];
  /** commits whose objects are not new */
  readonly known: readonly Oid[];
  /** larger blobs are left out */
  readonly bytesMax: number;
}

/**
 * Yields the contents of the small blobs that `tips` reach and `known` do not, each once.
 *
 * @throws ForgeError `busy`
 * @see git-rev-list(1), --filter; git-cat-file(1), BATCH OUTPUT
 */
export async function* readNewBlobs(
  location: ObjectsLocation,
  { tips, known, bytesMax }: NewBlobs,
): AsyncGenerator<Buffer, void> {
  const { left: signal } = currentCaller();
  const filter = `--filter=combine:object:type=blob+blob:limit=${bytesMax + 1}`;
  const options = ['--objects', '--no-object-names', '--ignore-missing', filter, '--filter-provided-objects'];
  const run = { signal, deadlineMs: GIT_LIMITS.gitProgressMs, hasLowPriority: true };
  const list = await startGit(
    { args: ['rev-list', ...options, '--stdin'], ...location },
    { ...run, slots: PROCESS_SLOTS.pointers },
  );
  let read: GitChild | undefined;
  try {
    read = await startGit(
      { args: ['cat-file', '--batch', '--buffer'], ...location },
      { ...run, slots: null },
    );
    list.stdin.end([...tips, ...known.map((oid) => `^${oid}`), ''].join('\n'));
    list.stdout.pipe(read.stdin);
    yield* contentsIn(read.stdout as AsyncIterable<Buffer>);
    for (const [name, child] of [['rev-list', list] as const, ['cat-file', read] as const]) {
      const exit = await child.done;
      signal?.throwIfAborted();
      if (exit.exitCode !== 0) throw new GitFailedError(name, exit);
    }
  } finally {
    list.end();
    read?.end();
  }
}

const LF = 0x0a;

/** Cuts `<oid> <type> <size>`, a line feed, the content and a line feed. */
async function* contentsIn(output: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of output) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(LF); end !== -1; end = rest.indexOf(LF)) {
      const [, type, size] = rest.toString('latin1', 0, end).split(' ');
      const sizeBytes = Number(size);
      if (type !== 'blob' || !Number.isSafeInteger(sizeBytes)) {
        // The object is missing.
        rest = rest.subarray(end + 1);
        continue;
      }
      if (rest.length < end + 1 + sizeBytes + 1) break;
      yield rest.subarray(end + 1, end + 1 + sizeBytes);
      rest = rest.subarray(end + 1 + sizeBytes + 1);
    }
  }
}
