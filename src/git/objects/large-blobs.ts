import { Readable } from 'node:stream';
import { isFailure } from '../../base/core/failure.ts';
import { callerThatStays, runFor } from '../../base/core/fairness/caller.ts';
import { leaveAtEnd } from '../../base/core/fairness/leave-at-end.ts';
import { Broadcast } from '../../base/core/spool/broadcast.ts';
import type { FileSpace } from '../../base/core/spool/nameless-file.ts';
import type { Spool } from '../../base/core/spool/spool.ts';
import { GIT_LIMITS } from '../limits.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';
import { newSpool } from '../processes/spool-output.ts';
import type { TransferResources } from '../processes/transfer-resources.ts';
import { BlobCopier, keyOf } from './copy-blob.ts';
import type { LargeBlob } from './stored-blob.ts';

/** git writes small pieces. Waking the readers for each of them would take longer than reading the blob. */
const NOTICE_BYTES = 64 * 1024;

/** Writes a certain blob piece by piece. Throws as `BlobCopier.copy`. */
type Copy = (write: (piece: Buffer) => Promise<void>, signal: AbortSignal) => Promise<void>;

interface Reading {
  readonly bytes: AsyncIterable<Buffer>;
  /** Ends the reading. Calling it again does nothing. */
  readonly leave: () => void;
}

/** Disk space for shared blobs, and for what other readers have not taken yet: slow ones of these do not end the sharing. */
type Spaces = Pick<TransferResources, 'spools' | 'sharedBlobs'>;

/**
 * Streams blobs that are too large for memory. The first reader of a blob reads it alone. Those that come while it reads
 * share another reading, because inflating it for each of them, or a git process, would slow everything else down.
 */
export class LargeBlobs {
  readonly #spaces: Spaces;
  /** how many readers of each blob do not share it */
  readonly #alone = new Map<string, number>();
  readonly #shared = new Map<string, SharedBlob>();
  readonly #copier = new BlobCopier();

  constructor(spaces: Spaces) {
    this.#spaces = spaces;
  }

  /** Opens a blob for a reader, which reads the stream to its end or destroys it. @throws ForgeError `busy` */
  async open(blob: LargeBlob): Promise<Readable> {
    const key = keyOf(blob);
    const { bytes, leave } = (await this.#openShared(key, blob)) ?? (await this.#openAlone(key, blob));
    return leaveAtEnd(Readable.from(wholeOrFailed(bytes, blob.sizeBytes), { objectMode: false }), leave);
  }

  /** @returns undefined for the first reader, and if there is no room for all of the blob */
  async #openShared(key: string, blob: LargeBlob): Promise<Reading | undefined> {
    if (!this.#shared.has(key) && !this.#alone.has(key)) return undefined;
    if (blob.sizeBytes > GIT_LIMITS.sharedBlobBytesMax) return undefined;
    const shared = this.#shared.get(key) ?? this.#share(key, blob);
    const reading = shared.join();
    if (await shared.hasRoom) return reading;
    reading.leave();
    return undefined;
  }

  #share(key: string, blob: LargeBlob): SharedBlob {
    const onUnused = () => this.#shared.delete(key);
    const shared = new SharedBlob(this.#spaces.sharedBlobs, blob.sizeBytes, {
      copy: this.#copyOf(blob),
      onUnused,
    });
    this.#shared.set(key, shared);
    return shared;
  }

  #copyOf(blob: LargeBlob): Copy {
    return (write, signal) => this.#copier.copy(blob, write, signal);
  }

  async #openAlone(key: string, blob: LargeBlob): Promise<Reading> {
    this.#alone.set(key, (this.#alone.get(key) ?? 0) + 1);
    const leave = once(() => {
      const rest = (this.#alone.get(key) ?? 0) - 1;
      if (rest > 0) this.#alone.set(key, rest);
      else this.#alone.delete(key);
    });
    try {
      return await readAlone(this.#spaces.spools, this.#copyOf(blob), leave);
    } catch (error) {
      leave();
      throw error;
    }
  }
}

/** Frees the slot when all is read, even if the reader is slow. @throws ForgeError `busy` */
async function readAlone(space: FileSpace, copy: Copy, onLeave: () => void): Promise<Reading> {
  const freeSlot = await PROCESS_SLOTS.stream.enter();
  const ending = new AbortController();
  const output = newSpool(space);
  void fill(output, copy, ending.signal).finally(freeSlot);
  const leave = () => {
    onLeave();
    const reason = new Error('the reader of a blob has left');
    ending.abort(reason);
    void output.destroy(reason);
  };
  return { bytes: output.read(), leave };
}

async function fill(output: Spool, copy: Copy, signal: AbortSignal): Promise<void> {
  try {
    await copy((piece) => output.write(piece), signal);
    output.end();
  } catch (error) {
    await output.destroy(error as Error).catch(() => {});
  }
}

/** A blob that goes to a file, from which each reader reads at its own pace. So its slot is free soon, even if they are slow. */
class SharedBlob {
  /** false: the file would take more than the part of the disk that callers have */
  readonly hasRoom: Promise<boolean>;
  readonly #bytes: Broadcast;
  readonly #copy: Copy;
  readonly #ending = new AbortController();
  readonly #onUnused: () => void;
  #readers = 0;

  /** @param options.onUnused called when the last reader has left */
  constructor(space: FileSpace, sizeBytes: number, options: { copy: Copy; onUnused: () => void }) {
    this.#bytes = new Broadcast(space, {
      memoryBytesMax: GIT_LIMITS.spoolMemoryBytesMax,
      noticeBytes: NOTICE_BYTES,
    });
    this.#copy = options.copy;
    this.#onUnused = options.onUnused;
    // The disk space and the slot count for the first reader. It may leave before the others.
    this.hasRoom = runFor(callerThatStays(), () => this.#start(sizeBytes));
  }

  join(): Reading {
    this.#readers += 1;
    const leave = once(() => {
      this.#readers -= 1;
      if (this.#readers === 0) this.#end();
    });
    return { bytes: this.#bytes.read(), leave };
  }

  async #start(sizeBytes: number): Promise<boolean> {
    try {
      await this.#bytes.reserve(sizeBytes);
      void this.#fill();
    } catch (error) {
      if (isFailure(error, 'busy')) return false;
      this.#bytes.fail(error);
    }
    return true;
  }

  async #fill(): Promise<void> {
    const { signal } = this.#ending;
    try {
      const copy = () => this.#copy((piece) => this.#bytes.append(piece), signal);
      await PROCESS_SLOTS.stream.run(copy, { signal });
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
