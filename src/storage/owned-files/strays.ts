import type { Db } from '../../base/database/database.ts';
import { STORAGE_LIMITS } from '../limits.ts';
import type { ObjectStorage, StoredObject } from '../model.ts';
import type { FileRows, Sweep } from './model.ts';

const TURNS = 256;

/**
 * Deletes objects without a row. There are some only if a collection has overtaken an upload and its process then died.
 */
export async function removeStrays<Id>(
  { objects, db }: { objects: ObjectStorage; db: Db },
  { signal, now }: Sweep,
  { digits, strays }: { digits: string; strays: FileRows<never, Id>['strays'] },
): Promise<void> {
  const { prefixOf, idOf, listKnown } = strays;
  const check = async (found: readonly StoredObject[]): Promise<void> => {
    signal.throwIfAborted();
    if (found.length === 0) return;
    const ids = new Set(found.map(({ key }) => idOf(key)));
    const known = new Set((await listKnown(db, [...ids])).map(({ id }) => id));
    for (const { key } of found) if (!known.has(idOf(key))) await objects.delete(key);
  };
  let found: StoredObject[] = [];
  for await (const object of objects.list(prefixOf(digits))) {
    // No upload whose row is gone still ends well, so these bytes will not get one.
    if (now - object.modifiedAt > STORAGE_LIMITS.incomingObjectMs) found.push(object);
    if (found.length < STORAGE_LIMITS.storedObjectsComparedAtOnce) continue;
    await check(found);
    found = [];
  }
  await check(found);
}

/** Returns the two hex digits whose turn it is: an hourly sweep has had all of them in eleven days. */
export function digitsInTurn({ now }: Sweep): string {
  const turn = Math.floor(now / STORAGE_LIMITS.sweepEveryMs) % TURNS;
  return turn.toString(16).padStart(2, '0');
}
