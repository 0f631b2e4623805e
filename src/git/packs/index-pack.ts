import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { invalid } from '../../base/core/failure.ts';
import { currentCaller } from '../../base/core/fairness/caller.ts';
import type { FairSlots } from '../../base/core/fairness/fair-slots.ts';
import type { Received } from '../../base/core/spool/received.ts';
import type { GitDir } from '../folders/repository-layout.ts';
import type { ObjectFormat } from '../format/model.ts';
import { hexDigits } from '../format/object-format.ts';
import { GIT_LIMITS } from '../limits.ts';
import { PACK_HEADER_BYTES, readPackHeader } from '../pack-files/pack-entries.ts';
import { feed, type GitChild, type GitExit, type GitRun, startGit } from '../processes/child.ts';
import { GitFailedError } from '../processes/git-failed-error.ts';
import { FSCK_REPORT, STRICT_OPTION } from './fsck-rules.ts';
import { countPackedObjects } from './quarantine.ts';

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
  readonly gitDir: GitDir;
  readonly objectsFolder: string;
  readonly format: ObjectFormat;
  readonly shallowFile?: string;
}

/** git stored the pack, but its objects name others. @see git-index-pack(1), --check-self-contained-and-connected */
const NOT_SELF_CONTAINED = 1;

export interface StoredPack {
  /** in all packs of the quarantine */
  readonly objects: number;
  /** whether it is the only pack of the quarantine, and its objects name only each other */
  readonly isWhole: boolean;
}

export interface IndexingOptions {
  /** receives progress lines for the pusher */
  readonly onProgress?: ((text: Uint8Array) => void) | undefined;
}

/**
 * Lets git check a received pack and store it in a quarantine. Only git holds a slot.
 *
 * @throws ForgeError `invalid`, `busy`; the reason of the signal when the caller leaves
 */
export async function storePack(
  slots: FairSlots,
  target: PackTarget,
  received: Received,
  options: IndexingOptions,
): Promise<StoredPack> {
  const inputFile = received.file?.descriptor;
  const child = await startIndexing(target, { ...options, slots, inputFile });
  const fed = inputFile === undefined ? feed(child, received.read()) : undefined;
  const [exit] = await Promise.all([child.done, fed]);
  return readStored(exit, target, received);
}

/** Returns what git has stored when it has read a whole pack. Throws the same errors as `storePack`. */
export async function readStored(exit: GitExit, target: PackTarget, received: Received): Promise<StoredPack> {
  currentCaller().left?.throwIfAborted();
  if (exit.exitCode !== 0 && exit.exitCode !== NOT_SELF_CONTAINED) throw rejection(exit, target);
  await dropEmptyPacks(target);
  const objects = await countPackedObjects(target.objectsFolder);
  // git does not follow what it adds to a thin pack, nor parents that a shallow file hides.
  const isAsSent = target.shallowFile === undefined && objects === (await countSentObjects(received));
  return { objects, isWhole: isAsSent && exit.exitCode === 0 };
}

/** Starts git on a pack. It reads its input, or a file. @throws ForgeError `busy` */
export async function startIndexing(
  target: PackTarget,
  options: IndexingOptions & Pick<GitRun, 'slots' | 'inputFile'>,
): Promise<GitChild> {
  const { onProgress, ...run } = options;
  const { gitDir, objectsFolder, shallowFile } = target;
  const child: GitChild = await startGit(
    {
      args: [
        'index-pack',
        '--stdin',
        '--fix-thin',
        '-v',
        STRICT_OPTION,
        '--check-self-contained-and-connected',
      ],
      settings: SETTINGS,
      gitDir,
      objectsFolder,
      ...(shallowFile === undefined ? {} : { shallowFile }),
    },
    {
      ...run,
      signal: currentCaller().left,
      deadlineMs: GIT_LIMITS.gitProgressMs,
      hasLowPriority: true,
      onStderr: (chunk) => {
        child.deadline.restart();
        // The client knows what it has sent, and other lines may contain paths of this machine.
        const lines = chunk.toString('latin1').split(/(?<=[\r\n])/);
        const shown = lines.filter((line) => line.startsWith('Resolving deltas: ')).join('');
        if (shown !== '') onProgress?.(Buffer.from(shown));
      },
    },
  );
  return child;
}

function rejection(exit: GitExit, target: PackTarget): Error {
  const words = exit.stderr.split(/[\r\n]+/).filter((line) => /^(?:error|fatal): /.test(line));
  // Killed, out of memory or a full disk: not the sender's fault.
  const isOurs = /No space left|quota exceeded|unable to|cannot open/.test(exit.stderr);
  if (exit.exitCode === null || words.length === 0 || (isOurs && !FSCK_REPORT.test(exit.stderr)))
    return new GitFailedError('index-pack', exit);
  const text = words.map((line) => line.replace(/^\w+: /, '')).join('; ');
  return invalid(text.replaceAll(target.objectsFolder, '').replaceAll(target.gitDir, ''));
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

/** Returns how many objects a received pack has according to its header. */
async function countSentObjects(received: Received): Promise<number> {
  const header: Buffer[] = [];
  for await (const piece of received.read(0, PACK_HEADER_BYTES)) header.push(piece);
  return readPackHeader(Buffer.concat(header));
}
