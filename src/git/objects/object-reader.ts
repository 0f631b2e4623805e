import { Readable } from 'node:stream';
import { countCost } from '../../base/core/costs.ts';
import { ForgeError, notFound } from '../../base/core/failure.ts';
import { parseCommit } from '../format/commit-format.ts';
import { MalformedObjectError } from '../format/malformed-object.ts';
import type { Commit, GitObject, ObjectFormat, ObjectType, Oid, Tag, TreeEntry } from '../format/model.ts';
import { hexDigits, isOid } from '../format/object-format.ts';
import { StoredTree } from '../format/stored-tree.ts';
import { parseTag } from '../format/tag-format.ts';
import type { ObjectInfo, ObjectReader } from '../interface/snapshot.ts';
import { GIT_LIMITS } from '../limits.ts';
import { runGit } from '../processes/child.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';
import type { ObjectsLocation } from './cat-file.ts';
import type { CatFilePool } from './cat-file-pool.ts';
import type { LargeBlobs } from './large-blobs.ts';
import type { KnownObject, ObjectCache } from './object-cache.ts';

/** Where the objects of a repository or of a session are now. */
export interface Located {
  /** identifies the location in the pool */
  readonly key: string;
  readonly location: ObjectsLocation;
}

export interface ReadingSource {
  readonly pool: CatFilePool;
  readonly format: ObjectFormat;
  readonly cache: ObjectCache;
  readonly largeBlobs: LargeBlobs;
  /** Called before each read, because new objects may have to become files first. */
  locate(): Promise<Located>;
}

type Parsed = NonNullable<KnownObject['parsed']>;

/** Reads from the cache, then through the pool. Large blobs stream past both. */
export class CachedObjectReader implements ObjectReader {
  readonly #source: ReadingSource;

  constructor(source: ReadingSource) {
    this.#source = source;
  }

  async info(oid: Oid): Promise<ObjectInfo | undefined> {
    const { cache, format } = this.#source;
    const known = cache.get(oid);
    if (known !== undefined) return known.info;
    if (!isOid(format, oid)) return undefined;
    const store = cache.storing();
    const answer = await this.#ask(oid, false);
    if (answer === undefined) return undefined;
    const info = { type: answer.type, sizeBytes: answer.sizeBytes };
    store(oid, { info });
    return info;
  }

  readCommit(oid: Oid): Promise<Commit> {
    const { format } = this.#source;
    return this.#parsed(oid, 'commit', (content) => parseCommit(format, oid, content));
  }

  openTree(oid: Oid): Promise<StoredTree> {
    const { format } = this.#source;
    return this.#parsed(oid, 'tree', (content) => new StoredTree(format, content));
  }

  async readTree(oid: Oid): Promise<readonly TreeEntry[]> {
    return (await this.openTree(oid)).entries;
  }

  readTag(oid: Oid): Promise<Tag> {
    const { format } = this.#source;
    return this.#parsed(oid, 'tag', (content) => parseTag(format, oid, content));
  }

  async readBlob(oid: Oid, { blobBytesMax }: { blobBytesMax: number }): Promise<Uint8Array> {
    const { sizeBytes } = await this.#infoOf(oid, 'blob');
    if (sizeBytes > blobBytesMax) throw tooLarge('blob', blobBytesMax);
    if (sizeBytes <= GIT_LIMITS.objectInMemoryBytesMax)
      return this.#parsed(oid, 'blob', (content) => content);
    const { stream } = await this.streamBlob(oid);
    return Buffer.concat(await stream.toArray());
  }

  /** Returns an object as it is stored; undefined if it is absent or larger than `bytesMax`. */
  async readStored(
    oid: Oid,
    { bytesMax }: { bytesMax: number },
  ): Promise<Pick<GitObject, 'type' | 'content'> | undefined> {
    const info = await this.info(oid);
    if (info === undefined || info.sizeBytes > bytesMax) return undefined;
    const { type } = info;
    const known = this.#storedFormOf(oid);
    if (known !== undefined) return { type, content: known };
    const answer = await this.#ask(oid, true);
    return answer?.content == null ? undefined : { type, content: answer.content };
  }

  /** Returns the stored form of a cached object; undefined if the cache does not have it. */
  #storedFormOf(oid: Oid): Uint8Array | undefined {
    const parsed = this.#source.cache.get(oid)?.parsed;
    if (parsed instanceof StoredTree) return parsed.content;
    return parsed instanceof Uint8Array ? parsed : undefined;
  }

  async streamBlob(oid: Oid): Promise<{ sizeBytes: number; stream: Readable }> {
    const { sizeBytes } = await this.#infoOf(oid, 'blob');
    if (sizeBytes <= GIT_LIMITS.objectInMemoryBytesMax) {
      const content = await this.#parsed(oid, 'blob', (bytes) => bytes);
      return {
        sizeBytes,
        stream: Readable.from(content.length === 0 ? [] : [content], { objectMode: false }),
      };
    }
    const { largeBlobs, locate, format } = this.#source;
    const { location } = await locate();
    countCost('object bytes', sizeBytes);
    return { sizeBytes, stream: await largeBlobs.open({ location, format, oid, sizeBytes }) };
  }

  async peelToCommit(oid: Oid): Promise<Oid | undefined> {
    let at = oid;
    for (let steps = 0; steps < GIT_LIMITS.tagChainMax; steps += 1) {
      const info = await this.info(at);
      if (info?.type === 'commit') return at;
      if (info?.type !== 'tag') return undefined;
      at = (await this.readTag(at)).object;
    }
    return undefined;
  }

  async resolvePrefix(hex: string): Promise<Oid | undefined> {
    return (await this.resolvePrefixes([hex])).get(hex);
  }

  async resolvePrefixes(hexes: readonly string[]): Promise<ReadonlyMap<string, Oid>> {
    const { format } = this.#source;
    const possible = hexes.filter((hex) => /^[0-9a-f]{4,64}$/i.test(hex) && hex.length <= hexDigits(format));
    const ids = possible.filter((hex) => isOid(format, hex.toLowerCase()));
    const known = await Promise.all(ids.map((hex) => this.info(hex.toLowerCase())));
    const whole = ids.filter((_, index) => known[index] !== undefined);
    const shortened = possible.filter((hex) => !ids.includes(hex));
    const found = shortened.length === 0 ? [] : await this.#beginningWith(shortened);
    const resolved = new Map<string, Oid>(whole.map((hex) => [hex, hex.toLowerCase()]));
    for (const hex of shortened) {
      const [oid, ...others] = found.filter((one) => one.startsWith(hex.toLowerCase()));
      if (oid !== undefined && others.length === 0) resolved.set(hex, oid);
    }
    return resolved;
  }

  /** Returns the ids of all objects that begin with one of these texts, each once. */
  async #beginningWith(hexes: readonly string[]): Promise<readonly Oid[]> {
    const { location } = await this.#source.locate();
    const args = ['rev-parse', ...hexes.map((hex) => `--disambiguate=${hex.toLowerCase()}`)];
    const { stdout } = await runGit({ args, ...location }, { slots: PROCESS_SLOTS.short });
    const lines = stdout.toString('latin1').split('\n');
    return [...new Set(lines.filter((line) => line !== ''))];
  }

  async #ask(oid: Oid, withContent: boolean) {
    const { key, location } = await this.#source.locate();
    const answer = await this.#source.pool.ask(key, location, oid, withContent);
    countCost('objects asked for');
    countCost('object bytes', answer?.content?.length ?? 0);
    return answer;
  }

  async #infoOf(oid: Oid, type: ObjectType): Promise<ObjectInfo> {
    const info = await this.info(oid);
    if (info?.type !== type) throw notFound(`${type} ${oid}`);
    return info;
  }

  async #parsed<Value extends Parsed>(
    oid: Oid,
    type: ObjectType,
    parse: (content: Buffer) => Value,
  ): Promise<Value> {
    const { cache } = this.#source;
    const known = cache.get(oid);
    // The same parser made every cached value of this type.
    if (known?.info.type === type && known.parsed !== undefined) return known.parsed as Value;
    const info = known?.info ?? (await this.#infoOf(oid, type));
    if (info.type !== type) throw notFound(`${type} ${oid}`);
    if (info.sizeBytes > GIT_LIMITS.structuredObjectBytesMax)
      throw tooLarge(type, GIT_LIMITS.structuredObjectBytesMax);
    const store = cache.storing();
    const answer = await this.#ask(oid, true);
    if (answer?.content == null) throw notFound(`${type} ${oid}`);
    countCost('objects decoded');
    const value = readable(type, oid, () => parse(answer.content ?? Buffer.alloc(0)));
    store(oid, { info, parsed: value });
    return value;
  }
}

function readable<Value>(type: ObjectType, oid: Oid, parse: () => Value): Value {
  try {
    return parse();
  } catch (cause) {
    if (!(cause instanceof MalformedObjectError)) throw cause;
    throw new ForgeError({ kind: 'not_found', what: `${type} ${oid} is malformed` }, { cause });
  }
}

function tooLarge(type: ObjectType, bytesMax: number): ForgeError {
  return new ForgeError({ kind: 'too_large', what: `a ${type} of more than ${bytesMax} bytes` });
}
