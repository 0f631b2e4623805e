import { STORAGE_LIMITS } from './limits.ts';
import type { ObjectStorage, StoredObject } from './model.ts';

const TURNS = 256;

export interface StraySweep {
  readonly signal: AbortSignal;
  /** ms */
  readonly now: number;
}

/** Objects of one kind, each of which has a row that outlives it. */
export interface OwnedObjects<Id> {
  /** of their keys */
  readonly prefix: string;
  /** Returns what names the row of an object. */
  idOf(key: string): Id;
  /** Lists those of the ids that have a row. */
  listKnown(ids: readonly Id[]): Promise<readonly Id[]>;
}

/**
 * Deletes objects without a row. There are some only if a collection has overtaken an upload and its process then died.
 */
export async function removeStrays<Id>(
  objects: ObjectStorage,
  { signal, now }: StraySweep,
  { prefix, idOf, listKnown }: OwnedObjects<Id>,
): Promise<void> {
  const check = async (found: readonly StoredObject[]): Promise<void> => {
    signal.throwIfAborted();
    const known = new Set(await listKnown([...new Set(found.map(({ key }) => idOf(key)))]));
    for (const { key } of found) if (!known.has(idOf(key))) await objects.delete(key);
  };
  let found: StoredObject[] = [];
  for await (const object of objects.list(prefix)) {
    // No upload whose row is gone still ends well, so these bytes will not get one.
    if (now - object.modifiedAt > STORAGE_LIMITS.incomingObjectMs) found.push(object);
    if (found.length < STORAGE_LIMITS.storedObjectsComparedAtOnce) continue;
    await check(found);
    found = [];
  }
  await check(found);
}

/** Returns the first two hex digits of the keys whose turn it is: an hourly sweep has had all of them in eleven days. */
export function digitsInTurn({ now }: StraySweep): string {
  const turn = Math.floor(now / STORAGE_LIMITS.sweepEveryMs) % TURNS;
  return turn.toString(16).padStart(2, '0');
}
