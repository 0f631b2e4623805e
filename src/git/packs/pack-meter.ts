import { setImmediate as nextTurn } from 'node:timers/promises';
import { ForgeError, invalid } from '../../base/core/failure.ts';
import { freeBuffer } from '../../base/core/native/free-buffer.ts';
import { compressedBytesMax } from '../format/compress.ts';
import type { ObjectFormat } from '../format/model.ts';
import type { UnpackedLimits } from '../interface/writes.ts';
import { GIT_LIMITS } from '../limits.ts';
import {
  DELTA_HEAD_BYTES,
  PACK_HEADER_BYTES,
  type PackEntry,
  readDeltaHead,
  readPackEntry,
  readPackHeader,
} from '../pack-files/pack-entries.ts';
import { ByteWindow } from './byte-window.ts';
import { inflateSmall } from './inflate-small.ts';
import { LargeEntry } from './large-entry.ts';

/** Objects up to this size are inflated at once, which is faster than as a stream. */
const SMALL_BYTES_MAX = 256 * 1024;
/** Fewer bytes of a large object wait for more, because each piece costs time. */
const LARGE_PIECE_BYTES_MIN = 16 * 1024;
/** Inflated bytes after which other work gets a turn. */
const BYTES_IN_ONE_GO = 512 * 1024;
/** Starting to inflate an object takes as long as inflating this many bytes. */
const BYTES_PER_OBJECT = 4 * 1024;

type RunInTurn = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Measures what a pack unpacks to, while it arrives. It inflates every object, because only that shows where the next one
 * begins and whether an object is as long as its size says. Nothing of the objects is kept.
 *
 * @see gitformat-pack(5)
 */
export class PackMeter {
  readonly #format: ObjectFormat;
  readonly #limits: UnpackedLimits;
  readonly #inTurn: RunInTurn;
  readonly #rest = new ByteWindow();
  /** with fewer bytes, nothing can be read */
  #wantedBytes = PACK_HEADER_BYTES;
  #objectsLeft: number | undefined;
  #large: { readonly entry: PackEntry; readonly inflating: LargeEntry } | undefined;
  #packedBytes = 0;
  /** after the last object */
  #trailingBytes = 0;
  #inflatedBytes = 0;
  /** of objects that are differences to others */
  #resultBytes = 0;
  #bytesSinceTurn = 0;

  /** @param inTurn runs the work of the threads that inflate large objects */
  constructor(format: ObjectFormat, limits: UnpackedLimits, inTurn: RunInTurn) {
    this.#format = format;
    this.#limits = limits;
    this.#inTurn = inTurn;
  }

  /** Length of the part of the pack whose objects are measured, at most up to the end of the last object. */
  get measuredBytes(): number {
    return this.#packedBytes - this.#rest.length - this.#trailingBytes;
  }

  /**
   * Adds the next bytes of the pack.
   *
   * @throws ForgeError `too_large`, `invalid`, `busy`
   */
  async add(chunk: Buffer): Promise<void> {
    this.#packedBytes += chunk.length;
    this.#rest.append(chunk);
    if (this.#rest.length >= this.#wantedBytes) await this.#readObjects({ isEnd: false });
  }

  /** Checks that the pack has all its objects. Throws the same errors as `add`. */
  async finish(): Promise<void> {
    await this.#readObjects({ isEnd: true });
    if (this.#objectsLeft !== 0) throw invalid('the pack ended early');
  }

  /** Frees memory early, if the pack is rejected. */
  end(): void {
    this.#large?.inflating.end();
    this.#rest.clear();
  }

  async #readObjects({ isEnd }: { isEnd: boolean }): Promise<void> {
    if (!this.#readHeader()) return;
    while (this.#objectsLeft !== 0 && this.#rest.length > 0) {
      const isRead = this.#large === undefined ? this.#readObject(isEnd) : await this.#readLarge(isEnd);
      if (!isRead) return;
      if (this.#bytesSinceTurn < BYTES_IN_ONE_GO) continue;
      this.#bytesSinceTurn = 0;
      await nextTurn();
    }
    if (this.#objectsLeft !== 0) return;
    // What remains is the checksum, which git checks.
    this.#trailingBytes += this.#rest.length;
    this.#rest.clear();
  }

  #readHeader(): boolean {
    if (this.#objectsLeft !== undefined) return true;
    if (this.#rest.length < PACK_HEADER_BYTES) return false;
    this.#objectsLeft = readPackHeader(this.#rest.bytes);
    this.#rest.drop(PACK_HEADER_BYTES);
    return true;
  }

  /** Returns false if more bytes are needed. */
  #readObject(isEnd: boolean): boolean {
    const { bytes } = this.#rest;
    const entry = readPackEntry(bytes, this.#format);
    if (entry === undefined) return this.#want(bytes.length + 1);
    this.#requireSize(kindOf(entry), entry.size);
    const body = bytes.subarray(entry.headerBytes);
    if (entry.size > SMALL_BYTES_MAX) return this.#beginLarge(entry);
    const bodyBytesMax = compressedBytesMax(entry.size);
    if (body.length < bodyBytesMax && !isEnd) return this.#want(entry.headerBytes + bodyBytesMax);
    const small = inflateSmall(body.subarray(0, bodyBytesMax), entry.size);
    if (small === undefined) return this.#beginLarge(entry);
    this.#rest.drop(entry.headerBytes + small.used);
    this.#addObject(entry, small.content);
    freeBuffer(small.content);
    return true;
  }

  #beginLarge(entry: PackEntry): true {
    this.#large = { entry, inflating: new LargeEntry(entry.size, DELTA_HEAD_BYTES) };
    this.#rest.drop(entry.headerBytes);
    return true;
  }

  /** Notes how many bytes the next step needs, counted from the start of `#rest`. */
  #want(bytes: number): false {
    this.#wantedBytes = bytes;
    return false;
  }

  async #readLarge(isEnd: boolean): Promise<boolean> {
    if (this.#large === undefined) return true;
    if (this.#rest.length < LARGE_PIECE_BYTES_MIN && !isEnd) return this.#want(LARGE_PIECE_BYTES_MIN);
    const { entry, inflating } = this.#large;
    const { bytes } = this.#rest;
    const used = await this.#inTurn(() => inflating.add(bytes));
    this.#rest.drop(used);
    if (used === bytes.length) return this.#want(LARGE_PIECE_BYTES_MIN);
    inflating.end();
    this.#large = undefined;
    this.#addObject(entry, inflating.head);
    return true;
  }

  #addObject(entry: PackEntry, head: Buffer): void {
    this.#objectsLeft = (this.#objectsLeft ?? 0) - 1;
    this.#inflatedBytes += entry.size;
    this.#bytesSinceTurn += entry.size + BYTES_PER_OBJECT;
    if (kindOf(entry) === 'delta') {
      const { resultBytes } = readDeltaHead(head);
      this.#requireSize('delta', resultBytes);
      this.#resultBytes += resultBytes;
    }
    this.#requireTotal();
  }

  #requireSize(kind: Kind, size: number): void {
    const { objectBytesMax } = this.#limits;
    const kindBytesMax = { blob: objectBytesMax, ...KIND_BYTES_MAX }[kind];
    const bytesMax = Math.min(objectBytesMax, kindBytesMax);
    if (size > bytesMax) throw tooLarge('an object in the pack', bytesMax);
  }

  #requireTotal(): void {
    const { objectBytesMax, pushBytesMax } = this.#limits;
    if (this.#inflatedBytes + this.#resultBytes > pushBytesMax) throw tooLarge('the pack', pushBytesMax);
    // One object may have any content, such as zeros. Honest packs as a whole are not as compressible.
    const bytesMax = objectBytesMax + this.#packedBytes * GIT_LIMITS.pushExpansionMax;
    if (this.#inflatedBytes > bytesMax) throw tooLarge('the pack', bytesMax);
  }
}

/** git keeps all but blobs whole in memory. */
const KIND_BYTES_MAX = {
  structured: GIT_LIMITS.structuredObjectBytesMax,
  delta: GIT_LIMITS.deltaResultBytesMax,
} as const;

type Kind = 'blob' | keyof typeof KIND_BYTES_MAX;

function kindOf({ content }: PackEntry): Kind {
  if (content === 'blob') return 'blob';
  return typeof content === 'string' ? 'structured' : 'delta';
}

function tooLarge(what: string, bytesMax: number): ForgeError {
  const mib = Math.floor(bytesMax / 2 ** 20).toLocaleString('en-US');
  return new ForgeError({ kind: 'too_large', what: `${what} unpacks to more than ${mib} MiB` });
}
