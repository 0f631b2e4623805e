import type { LRUCache } from 'lru-cache';
import { createSizedCache } from '../../base/core/sized-cache.ts';
import type { Commit, Oid, Tag } from '../format/model.ts';
import { StoredTree } from '../format/stored-tree.ts';
import type { ObjectInfo, RepositoryId } from '../interface/snapshot.ts';

/** A cached object: at least its type and size, and its parsed content once requested. */
export interface KnownObject {
  readonly info: ObjectInfo;
  readonly parsed?: Uint8Array | Commit | Tag | StoredTree;
}

export type StoreObject = (oid: Oid, object: KnownObject) => void;

export interface ObjectCache {
  get(oid: Oid): KnownObject | undefined;
  /**
   * Returns a function that stores objects that are read from now on. It stores nothing once the repository is dropped:
   * an object that was read before a prune may be gone after it.
   */
  storing(): StoreObject;
}

const ENTRY_BYTES = 200;
/** Memory of a tree entry with its strings, which it has once they are asked for. */
const TREE_ENTRY_BYTES = 200;

function bytesOf({ info, parsed }: KnownObject): number {
  if (parsed === undefined) return ENTRY_BYTES;
  if (parsed instanceof StoredTree)
    return ENTRY_BYTES + parsed.content.length + parsed.size * TREE_ENTRY_BYTES;
  // Text takes up to two bytes per character, and a signed commit also keeps the bytes that its signature signs.
  return ENTRY_BYTES + (parsed instanceof Uint8Array ? parsed.length : 600 + info.sizeBytes * 3);
}

export function newSessionCache(bytesMax: number): ObjectCache {
  const cache = createSizedCache<Oid, KnownObject>({ sizeMax: bytesMax, sizeOf: bytesOf });
  return { get: (oid) => cache.get(oid), storing: () => (oid, object) => cache.set(oid, object) };
}

/**
 * Caches objects of all repositories. The key always includes the repository: with the object id alone, a reader of one
 * repository could get an object that was read from another one.
 */
export class RepositoryObjectCache {
  readonly #cache: LRUCache<string, KnownObject>;
  /** Part of the key. Dropping a repository raises its number, so its old entries are never found again and age out. */
  readonly #dropped = new Map<RepositoryId, number>();

  constructor(options: { bytesMax: number }) {
    this.#cache = createSizedCache({ sizeMax: options.bytesMax, sizeOf: bytesOf });
  }

  of(id: RepositoryId): ObjectCache {
    const prefix = () => `${id}.${this.#dropped.get(id) ?? 0}:`;
    return {
      get: (oid) => this.#cache.get(prefix() + oid),
      storing: () => {
        const now = prefix();
        return (oid, object) => {
          if (now === prefix()) this.#cache.set(now + oid, object);
        };
      },
    };
  }

  drop(id: RepositoryId): void {
    this.#dropped.set(id, (this.#dropped.get(id) ?? 0) + 1);
  }
}
