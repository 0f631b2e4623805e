import { MIRROR_LIMITS } from './limits.ts';

/**
 * What a migration is doing: reading refs, reading issues and pull requests, receiving git objects, receiving large
 * files, or publishing.
 */
type MigrationPhase = 'refs' | 'issues' | 'git' | 'lfs' | 'publishing';

/** The progress of a copy. It is counted while the copy runs, and written regularly. */
export interface Progress {
  /** null: nothing has begun */
  phase: MigrationPhase | null;
  /** refs that the source lists */
  refs: number;
  /** git objects that the source sends */
  objects: number;
  /** of git objects and of large files */
  bytesReceived: number;
  largeFiles: number;
  largeFilesTotal: number;
  issues: number;
  /** as the source reports it; 0 if it does not */
  issuesTotal: number;
  comments: number;
  commentsTotal: number;
  pulls: number;
  /** as the source reports it; 0 if it does not */
  pullsTotal: number;
  reviews: number;
  /** what the copy leaves out, as text */
  readonly leftOut: string[];
}

export function newProgress(): Progress {
  return {
    phase: null,
    refs: 0,
    objects: 0,
    bytesReceived: 0,
    largeFiles: 0,
    largeFilesTotal: 0,
    issues: 0,
    issuesTotal: 0,
    comments: 0,
    commentsTotal: 0,
    pulls: 0,
    pullsTotal: 0,
    reviews: 0,
    leftOut: [],
  };
}

/** Passes on chunks and counts their bytes. */
export async function* countedBytes<Chunk extends Uint8Array>(
  chunks: AsyncIterable<Chunk>,
  progress: Progress,
): AsyncGenerator<Chunk> {
  for await (const chunk of chunks) {
    progress.bytesReceived += chunk.length;
    yield chunk;
  }
}

/** Where the header of a pack has the number of its objects: gitformat-pack(5). */
const COUNT_AT = 8;
const HEADER_BYTES = 12;

/** Passes on a pack, and counts its bytes and objects. */
export async function* countedPack(pack: AsyncIterable<Buffer>, progress: Progress): AsyncGenerator<Buffer> {
  let header = Buffer.alloc(0);
  for await (const chunk of countedBytes(pack, progress)) {
    if (header.length < HEADER_BYTES) {
      header = Buffer.concat([header, chunk.subarray(0, HEADER_BYTES - header.length)]);
      if (header.length === HEADER_BYTES) progress.objects = header.readUInt32BE(COUNT_AT);
    }
    yield chunk;
  }
}

/** Formats progress for its row. */
export function progressText(progress: Progress): string {
  const leftOut = progress.leftOut.slice(0, MIRROR_LIMITS.migrationLeftOutMax);
  return JSON.stringify({ ...progress, leftOut });
}

export function progressOf(text: string): Progress {
  return { ...newProgress(), ...JSON.parse(text) };
}
