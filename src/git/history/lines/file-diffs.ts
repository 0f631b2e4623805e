import { notFound } from '../../../base/core/failure.ts';
import type { Engine } from '../../engine.ts';
import { isBinaryContent, SNIFFED_BYTES } from '../../format/diffs/binary-content.ts';
import { countLines, printWholeChange } from '../../format/diffs/whole-change.ts';
import type { FileState } from '../../format/model.ts';
import type { DiffOptions, DiffSources, FileDiff, FileDifference } from '../../interface/file-diffs.ts';
import type { ObjectSource } from '../../interface/snapshot.ts';
import { GIT_LIMITS } from '../../limits.ts';
import { failedByLimit } from '../../processes/git-failed-error.ts';
import { BINARY_LINE, type BlobPair, printHunks } from '../compare-blobs.ts';
import { WHITESPACE } from '../diff-flags.ts';
import { KnownComparisons } from '../known-comparisons.ts';
import { sharedObjects } from '../shared-objects.ts';

type Needs = Pick<Engine, 'completeFolder'>;
type States = Pick<FileDifference, 'before' | 'after'>;

const BINARY: FileDiff = { kind: 'binary' };
const TOO_LARGE: FileDiff = { kind: 'too_large' };
/** What a result takes in the cache besides its text. */
const CACHED_CHARS_MIN = 64;

/** Compares single files of two commits. Only what git compares is cached. */
export class FileDiffs {
  readonly #engine: Needs;
  readonly #known = new KnownComparisons<FileDiff>({
    sizeMax: GIT_LIMITS.fileDiffsCachedCharsMax,
    sizeOf: (diff) => (diff.kind === 'text' ? diff.hunks.length : 0) + CACHED_CHARS_MIN,
  });

  constructor(engine: Needs) {
    this.#engine = engine;
  }

  async find(sources: DiffSources, { before, after }: States, options: DiffOptions): Promise<FileDiff> {
    await Promise.all([requireBlob(sources.from, before), requireBlob(sources.to, after)]);
    if (before?.oid === after?.oid) return { kind: 'text', hunks: '' };
    const areBlobs = isBlob(before) && isBlob(after);
    return areBlobs
      ? this.#compare(sources, { from: before.oid, to: after.oid }, options)
      : wholeChange(sources, { before, after });
  }

  async #compare({ from, to }: DiffSources, blobs: BlobPair, options: DiffOptions): Promise<FileDiff> {
    const contextLines = Math.min(options.contextLines, GIT_LIMITS.diffContextLinesMax);
    const flags = [`--unified=${contextLines}`, ...WHITESPACE[options.whitespace]];
    try {
      return await this.#known.find(`${blobs.from} ${blobs.to} ${flags}`, async (signal) => {
        const location = await sharedObjects(this.#engine, to, from);
        const run = { slots: null, signal, stdoutBytesMax: GIT_LIMITS.fileDiffBytesMax };
        const hunks = await printHunks(location, blobs, { flags, ...run });
        return hunks.startsWith(BINARY_LINE) ? BINARY : asDiff(hunks);
      });
    } catch (error) {
      if (!failedByLimit(error)) throw error;
      return TOO_LARGE;
    }
  }
}

function isBlob(state: FileState | null): state is FileState {
  return state !== null && state.mode !== '160000';
}

/** Ensures that git gets only the id of an existing blob. @throws ForgeError `not_found` */
async function requireBlob({ objects }: ObjectSource, state: FileState | null): Promise<void> {
  if (isBlob(state) && (await objects.info(state.oid))?.type !== 'blob') throw notFound(`blob ${state.oid}`);
}

/** Compares a file that is new or gone, or a submodule, of which no repository has a blob. */
async function wholeChange({ from, to }: DiffSources, { before, after }: States): Promise<FileDiff> {
  const [old, current] = await Promise.all([textOf(from, before), textOf(to, after)]);
  if (typeof old !== 'string') return old;
  if (typeof current !== 'string') return current;
  return asDiff(printWholeChange(old, current));
}

function asDiff(hunks: string): FileDiff {
  return hasTooManyLines(hunks) ? TOO_LARGE : { kind: 'text', hunks };
}

function hasTooManyLines(text: string): boolean {
  return countLines(text, GIT_LIMITS.fileDiffLinesMax) > GIT_LIMITS.fileDiffLinesMax;
}

async function textOf({ objects }: ObjectSource, state: FileState | null): Promise<string | FileDiff> {
  if (state === null) return '';
  if (state.mode === '160000') return `Subproject commit ${state.oid}\n`;
  const { sizeBytes, stream } = await objects.streamBlob(state.oid);
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    pieces.push(piece);
    bytes += piece.length;
    if (sizeBytes > GIT_LIMITS.fileDiffBytesMax && bytes >= SNIFFED_BYTES) break;
  }
  const content = Buffer.concat(pieces);
  if (isBinaryContent(content)) return BINARY;
  const text = content.toString();
  return sizeBytes > GIT_LIMITS.fileDiffBytesMax || hasTooManyLines(text) ? TOO_LARGE : text;
}
