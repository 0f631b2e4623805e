import { createHash, type Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FILE_MODE } from '../../core/durable-files.ts';
import { LIMITS } from '../../core/limits.ts';
import { type RepositoryFolder, randomName } from '../folders/repository-layout.ts';
import type { BlobDraft, NewBlob, ObjectFormat } from '../model.ts';
import { writeStreamedObject } from './loose-objects.ts';
import { objectHeader } from './object-format.ts';

const SPOOL_FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND;
const PIECE_BYTES = 256 * 1024;

interface Place {
  readonly format: ObjectFormat;
  /** creates the repository's folder first */
  folder(): Promise<RepositoryFolder>;
  /** paths that a sweep leaves alone */
  readonly live: Set<string>;
}

/**
 * Keeps a small blob in memory and a larger one in a file. git's header of an object states the size, which is known
 * only at the end, so the object is written from that file.
 */
export class LocalBlobDraft implements BlobDraft {
  readonly #place: Place;
  readonly #files: string[] = [];
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #spool: FileHandle | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #isDiscarded = false;

  constructor(place: Place) {
    this.#place = place;
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#inTurn(async () => {
      this.#bytes += bytes.length;
      this.#pieces.push(bytes);
      if (this.#spool === undefined) {
        if (this.#bytes <= LIMITS.blobDraftInMemoryBytesMax) return;
        this.#spool = await open(await this.#newFile(), SPOOL_FLAGS, FILE_MODE);
      }
      for (const piece of this.#pieces.splice(0)) await this.#spool.appendFile(piece);
    });
  }

  restart(): Promise<void> {
    return this.#inTurn(async () => {
      this.#bytes = 0;
      this.#pieces = [];
      await this.#spool?.truncate(0);
    });
  }

  use<T>(work: (blob: NewBlob) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => work(await this.#blob()));
  }

  discard(): Promise<void> {
    return this.#inTurn(async () => {
      this.#isDiscarded = true;
      await this.#spool?.close();
      for (const file of this.#files) {
        await rm(file, { force: true });
        this.#place.live.delete(file);
      }
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
    if (this.#spool === undefined) return Buffer.concat(this.#pieces);
    const file = await this.#newFile();
    const hash = createHash(this.#place.format);
    const header = objectHeader('blob', this.#bytes);
    await writeStreamedObject(file, hashed(hash, header, this.#spool));
    return { oid: hash.digest('hex'), file };
  }

  async #newFile(): Promise<string> {
    const { quarantines } = await this.#place.folder();
    const file = join(quarantines, `blob-${randomName()}`);
    this.#place.live.add(file);
    this.#files.push(file);
    return file;
  }
}

/** Yields git's header and then the content of a file, each piece in the same memory, and hashes them. */
async function* hashed(hash: Hash, header: string, content: FileHandle): AsyncGenerator<Uint8Array> {
  const first = Buffer.from(header, 'latin1');
  hash.update(first);
  yield first;
  const memory = Buffer.allocUnsafe(PIECE_BYTES);
  for (let at = 0; ; ) {
    const { bytesRead } = await content.read(memory, 0, PIECE_BYTES, at);
    if (bytesRead === 0) return;
    const piece = memory.subarray(0, bytesRead);
    hash.update(piece);
    yield piece;
    at += bytesRead;
  }
}
