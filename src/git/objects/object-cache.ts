import type { LRUCache } from 'lru-cache';
import { createSizedCache } from '../../core/sized-cache.ts';
import type { Commit, ObjectInfo, Oid, RepositoryId, Tag, TreeEntry } from '../model.ts';

/** What is remembered of an object: at least its type and size, and its content in the form it was asked for. */
export interface KnownObject {
  readonly info: ObjectInfo;
  readonly parsed?: Uint8Array | Commit | Tag | readonly TreeEntry[];
}

export interface ObjectCache {
  get(oid: Oid): KnownObject | undefined;
  set(oid: Oid, object: KnownObject): unknown;
}

const ENTRY_BYTES = 200;
/** An entry of a tree with its strings. */
const TREE_ENTRY_BYTES = 200;

function bytesOf({ info, parsed }: KnownObject): number {
  if (parsed === undefined) return ENTRY_BYTES;
  if (Array.isArray(parsed)) return ENTRY_BYTES + parsed.length * TREE_ENTRY_BYTES;
  // Text takes up to two bytes a character.
  return ENTRY_BYTES + (parsed instanceof Uint8Array ? parsed.length : 600 + info.sizeBytes * 2);
}

export function newSessionCache(bytesMax: number): ObjectCache {
  return createSizedCache<Oid, KnownObject>({ sizeMax: bytesMax, sizeOf: bytesOf });
}

/**
 * Objects of all repositories. The key holds the repository, never the object's id alone: an object that is in two
 * repositories must not be shown to the readers of both because one of them was read.
 */
export class RepositoryObjectCache {
  readonly #cache: LRUCache<string, KnownObject>;
  /** Raised when a repository is dropped: what it had is not found any more, and ages out. */
  readonly #dropped = new Map<RepositoryId, number>();

  constructor(options: { bytesMax: number }) {
    this.#cache = createSizedCache({ sizeMax: options.bytesMax, sizeOf: bytesOf });
  }

  of(id: RepositoryId): ObjectCache {
    const key = (oid: Oid) => `${id}.${this.#dropped.get(id) ?? 0}:${oid}`;
    return {
      get: (oid) => this.#cache.get(key(oid)),
      set: (oid, object) => this.#cache.set(key(oid), object),
    };
  }

  drop(id: RepositoryId): void {
    this.#dropped.set(id, (this.#dropped.get(id) ?? 0) + 1);
  }
}
