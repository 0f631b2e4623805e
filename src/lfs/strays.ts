import { LIMITS } from '../core/limits.ts';
import type { Database, Db } from '../database/database.ts';
import type { ObjectStorage, StoredObject } from '../storage/model.ts';
import { listKnownObjects } from './store/objects.ts';
import { listKnownUploads } from './store/uploads.ts';

const PREFIXES = 256;

interface Sweep {
  readonly signal: AbortSignal;
  /** ms */
  readonly now: number;
}

/**
 * Deletes bytes without a row. Each row outlives its bytes, so only two faults together leave some: an upload that the
 * collection has overtaken, in a process that then ends.
 */
export class StrayBytes {
  readonly #database: Database;
  readonly #objects: ObjectStorage;

  constructor({ database, objects }: { database: Database; objects: ObjectStorage }) {
    this.#database = database;
    this.#objects = objects;
  }

  /** Looks at all parts of unfinished uploads, and at the objects whose turn it is: all of them in eleven days. */
  async remove(sweep: Sweep): Promise<void> {
    await this.#removeUnknown(sweep, { prefix: 'lfs-parts/', idOf: uploadOf, listKnown: listKnownUploads });
    const turn = Math.floor(sweep.now / LIMITS.sweepEveryMs) % PREFIXES;
    await this.removeObjects(sweep, turn.toString(16).padStart(2, '0'));
  }

  /** @param digits the first two of the ids of the objects to look at */
  removeObjects(sweep: Sweep, digits: string): Promise<void> {
    const prefix = `lfs/${digits}/`;
    return this.#removeUnknown(sweep, { prefix, idOf: objectOf, listKnown: listKnownObjects });
  }

  async #removeUnknown(
    { signal, now }: Sweep,
    from: {
      prefix: string;
      idOf: (key: string) => number;
      listKnown: (db: Db, ids: readonly number[]) => Promise<readonly number[]>;
    },
  ): Promise<void> {
    const check = async (found: readonly StoredObject[]): Promise<void> => {
      signal.throwIfAborted();
      const ids = [...new Set(found.map(({ key }) => from.idOf(key)))];
      const known = new Set(await from.listKnown(this.#database.reader, ids));
      for (const { key } of found) if (!known.has(from.idOf(key))) await this.#objects.delete(key);
    };
    let found: StoredObject[] = [];
    for await (const object of this.#objects.list(from.prefix)) {
      // No upload whose row is gone still ends well, so these bytes will not get one.
      if (now - object.modifiedAt > LIMITS.incomingObjectMs) found.push(object);
      if (found.length < LIMITS.lfsObjectsCollectedInOneGo) continue;
      await check(found);
      found = [];
    }
    await check(found);
  }
}

/** `lfs-parts/ID/OFFSET` */
function uploadOf(key: string): number {
  return Number(key.split('/')[1]);
}

/** `lfs/ab/cd/REST.ID` */
function objectOf(key: string): number {
  return Number(key.slice(key.lastIndexOf('.') + 1));
}
