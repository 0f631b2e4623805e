import { createHash, type Hash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { FileSpace } from '../../base/core/spool/nameless-file.ts';
import { Received } from '../../base/core/spool/received.ts';
import { inBatches } from '../folders/in-batches.ts';
import { type RepositoryFolder, randomName } from '../folders/repository-layout.ts';
import type { ObjectFormat, Oid } from '../format/model.ts';
import { objectHeader } from '../format/object-format.ts';
import type { BlobDrafts, DraftContent, NewBlob, StoredBlob } from '../interface/writes.ts';
import { GIT_LIMITS } from '../limits.ts';
import { writeStreamedObject } from './loose-objects.ts';

interface Options {
  readonly format: ObjectFormat;
  /** for the contents until they are complete */
  readonly space: FileSpace;
  /** creates the repository's folder first */
  folder(): Promise<RepositoryFolder>;
  /** paths that a sweep leaves alone */
  readonly live: Set<string>;
}

/** A blob in a file, as git stores it. Its drafts delete the file. */
export class DraftedBlob implements StoredBlob {
  readonly isStored = true;
  readonly oid: Oid;
  readonly file: string;

  constructor(oid: Oid, file: string) {
    this.oid = oid;
    this.file = file;
  }
}

/** Where a blob is in the received bytes. */
interface Extent {
  readonly start: number;
  end: number;
}

/**
 * Receives whole contents before it writes objects: git's header of an object states the size, which is known only at the
 * end. All contents of one request share a temporary file. Small blobs stay in memory while all of them are few bytes.
 */
export class LocalBlobDrafts implements BlobDrafts {
  readonly #options: Options;
  readonly #received: Received;
  readonly #extents: Extent[] = [];
  /** the stored objects */
  readonly #files: string[] = [];
  #turn: Promise<unknown> = Promise.resolve();
  #isDiscarded = false;

  constructor(options: Options) {
    this.#options = options;
    this.#received = new Received(options.space, { memoryBytesMax: GIT_LIMITS.blobDraftInMemoryBytesMax });
  }

  begin(): Promise<void> {
    return this.#inTurn(async () => {
      this.#extents.push({ start: this.#received.size, end: this.#received.size });
    });
  }

  write(bytes: Buffer): Promise<void> {
    return this.#inTurn(async () => {
      await this.#received.append(bytes);
      const last = this.#extents.at(-1);
      if (last === undefined) throw new Error('no blob was begun');
      last.end = this.#received.size;
    });
  }

  content(number: number): Promise<DraftContent> {
    return this.#inTurn(async () => {
      const { start, end } = this.#extent(number);
      return { sizeBytes: end - start, read: () => this.#received.read(start, end) };
    });
  }

  use<T>(numbers: readonly number[], work: (blobs: readonly NewBlob[]) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => work(await this.#blobs(numbers)));
  }

  discard(): Promise<void> {
    return this.#inTurn(async () => {
      this.#isDiscarded = true;
      await this.#received[Symbol.asyncDispose]();
      await inBatches(this.#files, (file) => rm(file, { force: true }));
      for (const file of this.#files) this.#options.live.delete(file);
    });
  }

  /** Runs one call after the other, so that files are deleted after their last use. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(() => {
      if (this.#isDiscarded) throw new Error('these drafts were discarded');
      return work();
    });
    this.#turn = result.catch(() => {});
    return result;
  }

  async #blobs(numbers: readonly number[]): Promise<readonly NewBlob[]> {
    const blobs = new Map<number, NewBlob>();
    const large: number[] = [];
    let bytesInMemory = 0;
    for (const number of new Set(numbers)) {
      const { start, end } = this.#extent(number);
      const isSmall = end - start <= GIT_LIMITS.blobDraftInMemoryBytesMax;
      if (isSmall && bytesInMemory + end - start <= GIT_LIMITS.blobDraftsInMemoryBytesMax) {
        bytesInMemory += end - start;
        blobs.set(number, await buffer(this.#received.read(start, end)));
      } else large.push(number);
    }
    await inBatches(large, async (number) => blobs.set(number, await this.#store(this.#extent(number))));
    return numbers.map((number) => blobs.get(number) ?? Buffer.alloc(0));
  }

  #extent(number: number): Extent {
    const extent = this.#extents[number];
    if (extent === undefined) throw new Error(`no blob has the number ${number}`);
    return extent;
  }

  async #store({ start, end }: Extent): Promise<DraftedBlob> {
    const { format, folder, live } = this.#options;
    const file = join((await folder()).quarantines, `blob-${randomName()}`);
    live.add(file);
    this.#files.push(file);
    const hash = createHash(format);
    const content = this.#received.read(start, end);
    await writeStreamedObject(file, hashed(hash, objectHeader('blob', end - start), content));
    return new DraftedBlob(hash.digest('hex'), file);
  }
}

async function* hashed(hash: Hash, header: string, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const first = Buffer.from(header, 'latin1');
  hash.update(first);
  yield first;
  for await (const piece of content) {
    hash.update(piece);
    yield piece;
  }
}
