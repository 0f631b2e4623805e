import { createHash, type Hash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { LIMITS } from '../../core/limits.ts';
import type { FileSpace } from '../../core/spool/nameless-file.ts';
import { Received } from '../../core/spool/received.ts';
import { type RepositoryFolder, randomName } from '../folders/repository-layout.ts';
import type { BlobDraft, NewBlob, ObjectFormat } from '../model.ts';
import { writeStreamedObject } from './loose-objects.ts';
import { objectHeader } from './object-format.ts';

interface Place {
  readonly format: ObjectFormat;
  /** for the content until it is complete */
  readonly space: FileSpace;
  /** creates the repository's folder first */
  folder(): Promise<RepositoryFolder>;
  /** paths that a sweep leaves alone */
  readonly live: Set<string>;
}

/**
 * Receives the content before it writes the object: git's header of an object states the size, which is known only at the
 * end. A small blob stays in memory.
 */
export class LocalBlobDraft implements BlobDraft {
  readonly #place: Place;
  #received: Received;
  /** the stored object of a large blob */
  #file: string | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #isDiscarded = false;

  constructor(place: Place) {
    this.#place = place;
    this.#received = receivedIn(place.space);
  }

  write(bytes: Buffer): Promise<void> {
    return this.#inTurn(() => this.#received.append(bytes));
  }

  restart(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#received[Symbol.asyncDispose]();
      this.#received = receivedIn(this.#place.space);
    });
  }

  use<T>(work: (blob: NewBlob) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => work(await this.#blob()));
  }

  discard(): Promise<void> {
    return this.#inTurn(async () => {
      this.#isDiscarded = true;
      await this.#received[Symbol.asyncDispose]();
      if (this.#file === undefined) return;
      await rm(this.#file, { force: true });
      this.#place.live.delete(this.#file);
    });
  }

  /** Runs one call after the other, so that files are deleted after their last use. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(() => {
      if (this.#isDiscarded) throw new Error('this draft was discarded');
      return work();
    });
    this.#turn = result.catch(() => {});
    return result;
  }

  async #blob(): Promise<NewBlob> {
    const received = this.#received;
    if (received.size <= LIMITS.blobDraftInMemoryBytesMax) return buffer(received.read());
    const { format, folder, live } = this.#place;
    const file = join((await folder()).quarantines, `blob-${randomName()}`);
    live.add(file);
    this.#file = file;
    const hash = createHash(format);
    await writeStreamedObject(file, hashed(hash, objectHeader('blob', received.size), received.read()));
    return { oid: hash.digest('hex'), file };
  }
}

function receivedIn(space: FileSpace): Received {
  return new Received(space, { memoryBytesMax: LIMITS.blobDraftInMemoryBytesMax });
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
