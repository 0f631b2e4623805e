import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { compressedBytesMax } from '../format/compress.ts';
import type { GitObject, ObjectFormat, Oid } from '../format/model.ts';
import { newObject } from '../format/new-object.ts';
import { hexDigits, objectHeader } from '../format/object-format.ts';
import { GIT_LIMITS } from '../limits.ts';
import { isMadeToCollide } from '../objects/sha1-attacks.ts';
import {
  PACK_HEADER_BYTES,
  type PackEntry,
  readDeltaHead,
  readPackEntry,
  readPackHeader,
} from '../pack-files/pack-entries.ts';
import { inflateSmall } from '../packs/inflate-small.ts';
import { applyDelta } from './apply-delta.ts';

/** Bytes of objects after which other work gets a turn. */
const BYTES_IN_ONE_GO = 16 * 1024;

/** The objects of a pack. */
interface SmallPack {
  readonly objects: ReadonlyMap<Oid, GitObject>;
  /** how many of them came as differences to others */
  readonly deltas: number;
}

/** Reads the base of a delta from the repository; undefined if it is absent or too large. */
export type ReadBase = (oid: Oid) => Promise<Pick<GitObject, 'type' | 'content'> | undefined>;

/**
 * Reads a small pack in this process: starting git takes longer than all of this.
 *
 * @returns undefined for a pack that is not small, or not just as git writes it: git then decides about it
 * @throws ForgeError `invalid`
 * @see gitformat-pack(5)
 */
export async function readSmallPack(
  format: ObjectFormat,
  pack: Buffer,
  readBase: ReadBase,
): Promise<SmallPack | undefined> {
  const entries = readEntries(format, pack);
  if (entries === undefined) return undefined;
  const objects = await new Resolving(format, entries, readBase).run();
  if (objects === undefined || (await hasOneMadeToCollide(format, objects.values()))) return undefined;
  return { objects, deltas: entries.deltas.length };
}

interface Delta {
  readonly base: PackEntry['content'] & object;
  readonly bytes: Buffer;
  /** its position in the pack */
  readonly at: number;
}

interface Entries {
  /** objects by their positions in the pack */
  readonly whole: ReadonlyMap<number, GitObject>;
  readonly deltas: readonly Delta[];
  /** of all inflated entries */
  readonly bytes: number;
}

/** Reads a pack that has exactly its objects and the right checksum. */
function readEntries(format: ObjectFormat, pack: Buffer): Entries | undefined {
  const end = pack.length - hexDigits(format) / 2;
  if (end < PACK_HEADER_BYTES) return undefined;
  const body = pack.subarray(0, end);
  const count = readPackHeader(body);
  if (count > GIT_LIMITS.freshObjectsMax) return undefined;
  if (!createHash(format).update(body).digest().equals(pack.subarray(end))) return undefined;
  const whole = new Map<number, GitObject>();
  const deltas: Delta[] = [];
  let bytes = 0;
  let at = PACK_HEADER_BYTES;
  for (let read = 0; read < count; read += 1) {
    const rest = body.subarray(at);
    const entry = readPackEntry(rest, format);
    if (entry === undefined) return undefined;
    bytes += entry.size;
    if (bytes > GIT_LIMITS.freshObjectsBytesMax) return undefined;
    const { content: type, size, headerBytes } = entry;
    const inflated = inflateSmall(rest.subarray(headerBytes, headerBytes + compressedBytesMax(size)), size);
    if (inflated === undefined) return undefined;
    if (typeof type === 'string') whole.set(at, newObject(format, type, inflated.content));
    else deltas.push({ base: type, bytes: inflated.content, at });
    at += headerBytes + inflated.used;
  }
  return at === end ? { whole, deltas, bytes } : undefined;
}

/** Turns the entries of a pack into its objects. */
class Resolving {
  readonly #format: ObjectFormat;
  readonly #entries: Entries;
  readonly #readBase: ReadBase;
  readonly #byPosition: Map<number, GitObject>;
  readonly #byOid: Map<Oid, GitObject>;
  #bytes: number;

  constructor(format: ObjectFormat, entries: Entries, readBase: ReadBase) {
    this.#format = format;
    this.#entries = entries;
    this.#readBase = readBase;
    this.#byPosition = new Map(entries.whole);
    this.#byOid = new Map(Array.from(entries.whole.values(), (object) => [object.oid, object]));
    this.#bytes = entries.bytes;
  }

  /** Returns undefined if a delta has no base or does not fit it, if objects are too large, or one comes twice. */
  async run(): Promise<ReadonlyMap<Oid, GitObject> | undefined> {
    for (let pending = this.#entries.deltas; pending.length > 0; ) {
      const isDone = pending.map((delta) => this.#resolve(delta, this.#baseInPack(delta)));
      let waiting = pending.filter((_, index) => !isDone[index]);
      // What has no base in the pack by now has it in the repository.
      if (waiting.length === pending.length) waiting = await this.#resolveOutside(waiting);
      if (waiting.length === pending.length) return undefined;
      pending = waiting;
    }
    return this.#byOid.size === this.#byPosition.size ? this.#byOid : undefined;
  }

  #baseInPack({ base, at }: Delta): GitObject | undefined {
    if ('base' in base) return this.#byOid.get(base.base);
    return this.#byPosition.get(at - base.bytesBefore);
  }

  /** Returns the deltas that it cannot resolve. */
  async #resolveOutside(deltas: readonly Delta[]): Promise<Delta[]> {
    const waiting: Delta[] = [];
    for (const delta of deltas) {
      const base = 'base' in delta.base ? await this.#readBase(delta.base.base) : undefined;
      if (!this.#resolve(delta, base)) waiting.push(delta);
    }
    return waiting;
  }

  /** @returns whether there is a result */
  #resolve({ at, bytes }: Delta, base: Pick<GitObject, 'type' | 'content'> | undefined): boolean {
    if (base === undefined) return false;
    this.#bytes += readDeltaHead(bytes).resultBytes;
    if (this.#bytes > GIT_LIMITS.freshObjectsBytesMax) return false;
    const content = applyDelta(base.content, bytes);
    if (content === undefined) return false;
    const object = newObject(this.#format, base.type, content);
    this.#byPosition.set(at, object);
    this.#byOid.set(object.oid, object);
    return true;
  }
}

/** git's own SHA-1 rejects such objects, and that of this process does not. */
async function hasOneMadeToCollide(format: ObjectFormat, objects: Iterable<GitObject>): Promise<boolean> {
  if (format !== 'sha1') return false;
  let bytesSinceTurn = 0;
  for (const { type, content } of objects) {
    if (isMadeToCollide([Buffer.from(objectHeader(type, content.length)), content])) return true;
    bytesSinceTurn += content.length;
    if (bytesSinceTurn < BYTES_IN_ONE_GO) continue;
    bytesSinceTurn = 0;
    await setImmediate();
  }
  return false;
}
