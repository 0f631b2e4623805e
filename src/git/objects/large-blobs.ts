import { Readable } from 'node:stream';
import { callerThatStays, runFor } from '../../core/caller.ts';
import { ForgeError } from '../../core/failure.ts';
import { leaveAtEnd } from '../../core/leave-at-end.ts';
import { LIMITS } from '../../core/limits.ts';
import { Broadcast } from '../../core/spool/broadcast.ts';
import type { FileSpace } from '../../core/spool/nameless-file.ts';
import type { Oid } from '../model.ts';
import { type GitChild, startGit } from '../processes/child.ts';
import { GitFailedError } from '../processes/git-failed-error.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';
import { spoolOutput } from '../processes/spool-output.ts';
import type { TransferResources } from '../processes/transfer-resources.ts';
import type { ObjectsLocation } from './cat-file.ts';

/** git writes small pieces. Waking the readers for each of them would take longer than reading the blob. */
const NOTICE_BYTES = 64 * 1024;

interface LargeBlob {
  readonly location: ObjectsLocation;
  readonly oid: Oid;
  readonly sizeBytes: number;
}

interface Reading {
  readonly bytes: AsyncIterable<Buffer>;
  /** Ends the reading. Calling it again does nothing. */
  readonly leave: () => void;
}

/** Disk space for shared blobs, and for what other readers have not taken yet: slow ones of these do not end the sharing. */
type Spaces = Pick<TransferResources, 'spools' | 'sharedBlobs'>;

/**
 * Streams blobs that are too large for memory. The first reader of a blob has a git process of its own. Those that come
 * while it reads share another one, because a process for each of them would slow everything else down.
 */
export class LargeBlobs {
  readonly #spaces: Spaces;
  /** how many readers of each blob do not share it */
  readonly #alone = new Map<string, number>();
  readonly #shared = new Map<string, SharedBlob>();

  constructor(spaces: Spaces) {
    this.#spaces = spaces;
  }

  /** Opens a blob for a reader, which reads the stream to its end or destroys it. @throws ForgeError `busy` */
  async open(blob: LargeBlob): Promise<Readable> {
    const { location, oid, sizeBytes } = blob;
    const key = JSON.stringify([location.gitDir, location.objectsFolder, oid]);
    const { bytes, leave } = (await this.#openShared(key, blob)) ?? (await this.#openAlone(key, blob));
    return leaveAtEnd(Readable.from(wholeOrFailed(bytes, sizeBytes), { objectMode: false }), leave);
  }

  /** @returns undefined for the first reader, and if there is no room for all of the blob */
  async #openShared(key: string, blob: LargeBlob): Promise<Reading | undefined> {
    if (!this.#shared.has(key) && !this.#alone.has(key)) return undefined;
    if (blob.sizeBytes > LIMITS.sharedBlobBytesMax) return undefined;
    const shared = this.#shared.get(key) ?? this.#share(key, blob);
    const reading = shared.join();
    if (await shared.hasRoom) return reading;
    reading.leave();
    return undefined;
  }

  #share(key: string, blob: LargeBlob): SharedBlob {
    const shared = new SharedBlob(this.#spaces.sharedBlobs, blob, () => this.#shared.delete(key));
    this.#shared.set(key, shared);
    return shared;
  }

  async #openAlone(key: string, blob: LargeBlob): Promise<Reading> {
    this.#alone.set(key, (this.#alone.get(key) ?? 0) + 1);
    const leave = once(() => {
      const rest = (this.#alone.get(key) ?? 0) - 1;
      if (rest > 0) this.#alone.set(key, rest);
      else this.#alone.delete(key);
    });
    try {
      return await readAlone(this.#spaces.spools, blob, leave);
    } catch (error) {
      leave();
      throw error;
    }
  }
}

/** @throws ForgeError `busy` */
async function readAlone(space: FileSpace, blob: LargeBlob, onLeave: () => void): Promise<Reading> {
  const child = await startReading(blob);
  const output = spoolOutput(space, child);
  const leave = () => {
    onLeave();
    void output.destroy(new Error('the reader of a blob has left'));
    child.end();
  };
  return { bytes: output.read(), leave };
}

async function startReading({ location, oid }: LargeBlob, signal?: AbortSignal): Promise<GitChild> {
  const child = await startGit(
    { args: ['cat-file', 'blob', oid], ...location },
    { slots: PROCESS_SLOTS.stream, signal },
  );
  child.stdin.end();
  return child;
}

/** A blob that goes to a file, from which each reader reads at its own pace. So git is done soon, even if they are slow. */
class SharedBlob {
  /** false: the file would take more than the part of the disk that callers have */
  readonly hasRoom: Promise<boolean>;
  readonly #bytes: Broadcast;
  readonly #ending = new AbortController();
  readonly #onUnused: () => void;
  #readers = 0;

  /** @param onUnused called when the last reader has left */
  constructor(space: FileSpace, blob: LargeBlob, onUnused: () => void) {
    this.#bytes = new Broadcast(space, {
      memoryBytesMax: LIMITS.spoolMemoryBytesMax,
      noticeBytes: NOTICE_BYTES,
    });
    this.#onUnused = onUnused;
    // The disk space and the slot of git count for the first reader. It may leave before the others.
    this.hasRoom = runFor(callerThatStays(), () => this.#start(blob));
  }

  join(): Reading {
    this.#readers += 1;
    const leave = once(() => {
      this.#readers -= 1;
      if (this.#readers === 0) this.#end();
    });
    return { bytes: this.#bytes.read(), leave };
  }

  async #start(blob: LargeBlob): Promise<boolean> {
    try {
      await this.#bytes.reserve(blob.sizeBytes);
      void this.#fill(blob);
    } catch (error) {
      if (error instanceof ForgeError && error.failure.kind === 'busy') return false;
      this.#bytes.fail(error);
    }
    return true;
  }

  async #fill(blob: LargeBlob): Promise<void> {
    try {
      const child = await startReading(blob, this.#ending.signal);
      for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
        await this.#bytes.append(chunk);
        child.deadline.restart();
      }
      const exit = await child.done;
      if (exit.exitCode !== 0) throw new GitFailedError('cat-file', exit);
      this.#bytes.end();
    } catch (error) {
      this.#bytes.fail(error);
    }
  }

  #end(): void {
    this.#onUnused();
    this.#ending.abort(new Error('all readers of a blob have left'));
    this.#bytes.close().catch(() => {});
  }
}

/** Fails if there are fewer bytes, instead of ending silently. */
async function* wholeOrFailed(pieces: AsyncIterable<Buffer>, sizeBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    yield piece;
  }
  if (bytes !== sizeBytes) throw new Error(`a blob of ${sizeBytes} bytes ended after ${bytes}`);
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}
