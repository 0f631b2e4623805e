import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { ForgeError, invalid } from '../../core/failure.ts';
import { LIMITS } from '../../core/limits.ts';
import type { ObjectFormat } from '../model.ts';
import { hexDigits } from '../objects/object-format.ts';
import { feed, type GitChild, type GitExit, startGit } from '../processes/child.ts';
import { GitFailedError } from '../processes/git-failed-error.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';
import { STRICT_OPTION } from './fsck-rules.ts';

const SETTINGS = [
  'core.fsync=all',
  'core.fsyncMethod=fsync',
  'pack.threads=2',
  'core.deltaBaseCacheLimit=32m',
  'index.threads=1',
];
/** Header of a pack. A pack without objects has only this and a checksum. */
const EMPTY_PACK_HEADER_BYTES = 12;

export interface PackTarget {
  readonly gitDir: string;
  readonly objectsFolder: string;
  readonly format: ObjectFormat;
  readonly shallowFile?: string;
}

/**
 * Lets git check a pack and store it in a quarantine. Reads the pack to its end even if it is rejected: when a connection
 * closes early, the client's git reports a broken pipe and does not read the response.
 *
 * @throws ForgeError `invalid`, `too_large`, `busy`
 */
export async function indexPack(
  target: PackTarget,
  pack: Readable,
  options: { bytesMax: number; onProgress?: ((text: Uint8Array) => void) | undefined },
): Promise<void> {
  const metered = meter(pack, options.bytesMax);
  try {
    const child = await startIndexing(target, options.onProgress);
    metered.onTooLarge(() => child.end());
    feed(child, metered.stream);
    const exit = await child.done;
    await metered.finished();
    if (metered.isTooLarge()) throw tooLarge(options.bytesMax);
    if (!metered.isWhole()) throw invalid('the pack ended early');
    if (exit.exitCode !== 0) throw rejection(exit, target);
  } catch (error) {
    metered.stream.resume();
    await metered.finished();
    throw error;
  }
  await dropEmptyPacks(target);
}

function startIndexing(target: PackTarget, onProgress?: (text: Uint8Array) => void): Promise<GitChild> {
  const { gitDir, objectsFolder, shallowFile } = target;
  return startGit(
    {
      args: ['index-pack', '--stdin', '--fix-thin', STRICT_OPTION, '--show-resolving-progress'],
      settings: SETTINGS,
      gitDir,
      objectsFolder,
      ...(shallowFile === undefined ? {} : { shallowFile }),
    },
    {
      slots: PROCESS_SLOTS.index,
      onStderr: (chunk) => {
        // Other lines may contain paths of this machine.
        if (/^(?:Receiving|Resolving|Indexing) /.test(chunk.toString('latin1'))) onProgress?.(chunk);
      },
    },
  );
}

interface Metered {
  readonly stream: Readable;
  isTooLarge(): boolean;
  /** whether the source ended normally instead of being cut off */
  isWhole(): boolean;
  onTooLarge(act: () => void): void;
  /** Resolves when the source has ended or reached the time or byte limit. */
  finished(): Promise<void>;
}

function meter(source: Readable, bytesMax: number): Metered {
  let bytes = 0;
  let act = () => {};
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const wasBelow = bytes <= bytesMax;
      bytes += chunk.length;
      if (wasBelow && bytes > bytesMax) act();
      if (bytes > bytesMax + LIMITS.rejectedPackBytesMax) giveUp();
      done(null, chunk);
    },
  });
  const { promise: ended, resolve: giveUp } = Promise.withResolvers<void>();
  const stop = () => {
    if (!source.readableEnded) stream.destroy();
    giveUp();
  };
  source.once('end', giveUp).once('close', stop).once('error', stop);
  source.pipe(stream);
  // The source may have closed while the repository's folder was created.
  if (source.destroyed) stop();
  return {
    stream,
    isTooLarge: () => bytes > bytesMax,
    isWhole: () => source.readableEnded,
    onTooLarge: (next) => {
      act = next;
      if (bytes > bytesMax) act();
    },
    finished: async () => {
      const timer = setTimeout(giveUp, LIMITS.rejectedPackMs);
      await ended;
      clearTimeout(timer);
      source.unpipe(stream);
    },
  };
}

function rejection(exit: GitExit, target: PackTarget): Error {
  const words = exit.stderr.split(/[\r\n]+/).filter((line) => /^(?:error|fatal): /.test(line));
  // Killed, out of memory or a full disk: not the sender's fault.
  if (
    exit.exitCode === null ||
    words.length === 0 ||
    /No space left|unable to|cannot open/.test(exit.stderr)
  ) {
    return new GitFailedError('index-pack', exit);
  }
  const text = words.map((line) => line.replace(/^\w+: /, '')).join('; ');
  return invalid(text.replaceAll(target.objectsFolder, '').replaceAll(target.gitDir, ''));
}

function tooLarge(bytesMax: number): ForgeError {
  return new ForgeError({ kind: 'too_large', what: `the pack is larger than ${bytesMax} bytes` });
}

/** Deletes packs without objects, which a push without new objects sends. */
async function dropEmptyPacks(target: PackTarget): Promise<void> {
  const emptyBytes = EMPTY_PACK_HEADER_BYTES + hexDigits(target.format) / 2;
  const folder = join(target.objectsFolder, 'pack');
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.pack') || (await stat(join(folder, name))).size > emptyBytes) continue;
    for (const extension of ['.idx', '.rev', '.pack']) {
      await rm(join(folder, name.replace(/\.pack$/, extension)), { force: true });
    }
  }
}
