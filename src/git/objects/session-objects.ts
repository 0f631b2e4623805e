import { parseCommit } from '../format/commit-format.ts';
import type { GitObject, ObjectFormat, Oid } from '../format/model.ts';
import { StoredTree } from '../format/stored-tree.ts';
import { parseTag } from '../format/tag-format.ts';
import { GIT_LIMITS } from '../limits.ts';
import { type KnownObject, newSessionCache, type ObjectCache, type StoreObject } from './object-cache.ts';

/**
 * The object cache of a write session. It adds the session's own objects, which are invisible to others, to the
 * repository's cache, and changes the latter only after the commit.
 */
export class SessionObjects implements ObjectCache {
  readonly #format: ObjectFormat;
  readonly #repository: ObjectCache;
  readonly #read = newSessionCache(GIT_LIMITS.sessionCacheBytesMax);
  readonly #written = new Map<Oid, KnownObject>();
  #writtenBytes = 0;

  constructor(format: ObjectFormat, repository: ObjectCache) {
    this.#format = format;
    this.#repository = repository;
  }

  get(oid: Oid): KnownObject | undefined {
    return this.#written.get(oid) ?? this.#read.get(oid) ?? this.#repository.get(oid);
  }

  storing(): StoreObject {
    return this.#read.storing();
  }

  /** @returns false if the object is too large to keep in memory, or there are too many */
  rememberWritten(object: GitObject): boolean {
    const sizeBytes = object.content.length;
    if (sizeBytes > GIT_LIMITS.objectInMemoryBytesMax) return false;
    if (this.#writtenBytes + sizeBytes > GIT_LIMITS.sessionCacheBytesMax) return false;
    this.#writtenBytes += sizeBytes;
    this.#written.set(object.oid, {
      info: { type: object.type, sizeBytes },
      parsed: parse(this.#format, object),
    });
    return true;
  }

  /**
   * Returns a function that copies the objects to the repository's cache once they are committed, because its readers
   * request them first. Call it before the commit, so that the copies do not outlive a prune right after it.
   */
  publishing(): () => void {
    const store = this.#repository.storing();
    return () => {
      for (const [oid, object] of this.#written) store(oid, object);
    };
  }
}

function parse(format: ObjectFormat, { oid, type, content }: GitObject): NonNullable<KnownObject['parsed']> {
  if (type === 'commit') return parseCommit(format, oid, content);
  if (type === 'tag') return parseTag(format, oid, content);
  // A small part of a shared buffer would keep all of it in memory.
  const own = content.length === content.buffer.byteLength ? content : Uint8Array.from(content);
  return type === 'tree' ? new StoredTree(format, own) : own;
}
