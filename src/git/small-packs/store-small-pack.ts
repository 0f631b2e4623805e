import { buffer } from 'node:stream/consumers';
import { ForgeError } from '../../base/core/failure.ts';
import type { Received } from '../../base/core/spool/received.ts';
import type { Engine } from '../engine.ts';
import { MalformedObjectError } from '../format/malformed-object.ts';
import type { GitObject, Oid } from '../format/model.ts';
import { listFresh } from '../fresh/store.ts';
import { LatestCommits } from '../history/latest-commits.ts';
import type { Snapshot } from '../interface/snapshot.ts';
import { GIT_LIMITS } from '../limits.ts';
import type { CachedObjectReader } from '../objects/object-reader.ts';
import { findStored } from '../objects/stored-objects.ts';
import { type CheckedObject, checkObject } from './check-object.ts';
import { type KnownHistory, type NewObjects, nameOnlyKnown } from './known-links.ts';
import { type ReadBase, readSmallPack } from './small-pack.ts';
import { WholeObjects } from './whole-objects.ts';

type Needs = Pick<Engine, 'database' | 'fresh' | 'placedFolder' | 'versions'>;

/** A write session without objects. */
interface Session {
  readonly base: Snapshot;
  readonly objects: CachedObjectReader;
}

interface StoredSmallPack {
  readonly objects: readonly GitObject[];
  readonly whole: WholeObjects;
  /** how many objects came as differences to others */
  readonly deltas: number;
}

/**
 * Reads and checks a small pack as git does, without a git process.
 *
 * @param onto targets of refs near which the new commits begin
 * @returns undefined if git has to decide about the pack
 */
export async function storeSmallPack(
  engine: Needs,
  { base: { id, objectFormat: format }, objects: reader }: Session,
  received: Received,
  onto: readonly Oid[],
): Promise<StoredSmallPack | undefined> {
  if (received.size > GIT_LIMITS.freshObjectsBytesMax || !engine.fresh.hasRoom) return undefined;
  const { refs, head, pruneGen } = await engine.versions.current(id);
  const main = refs.get(head)?.oid;
  const near = [...onto, ...(main === undefined ? [] : [main])].filter((oid) => refs.hasTarget(oid));
  const history = { format, objects: reader, refs, latest: new LatestCommits(reader, near) };
  const readStored: ReadBase = (oid) => reader.readStored(oid, { bytesMax: GIT_LIMITS.freshObjectsBytesMax });
  try {
    const pack = await readSmallPack(format, await buffer(received.read()), readStored);
    if (pack === undefined) return undefined;
    const objects = checkAll(history, pack.objects);
    if (objects === undefined || !(await nameOnlyKnown(history, objects))) return undefined;
    const present = await findPresent(engine, { id, format }, [...objects.keys()]);
    // The walks of git find out which commits are new.
    if (present.some((oid) => objects.get(oid)?.type === 'commit')) return undefined;
    if (!(await areSame(objects, present, readStored))) return undefined;
    const whole = new WholeObjects(objects, history, pruneGen);
    return { objects: [...objects.values()], whole, deltas: pack.deltas };
  } catch (error) {
    // git reports what is wrong, or finds nothing.
    if (error instanceof ForgeError || error instanceof MalformedObjectError) return undefined;
    throw error;
  }
}

function checkAll({ format }: KnownHistory, objects: ReadonlyMap<Oid, GitObject>): NewObjects | undefined {
  const all = new Map<Oid, GitObject & CheckedObject>();
  for (const [oid, object] of objects) {
    const checked = checkObject(format, object);
    if (checked === undefined) return undefined;
    all.set(oid, { ...object, ...checked });
  }
  return all;
}

/** Returns which of some objects the repository may have. */
async function findPresent(
  engine: Needs,
  { id, format }: { id: number; format: KnownHistory['format'] },
  oids: readonly Oid[],
): Promise<readonly Oid[]> {
  const rows = await listFresh(engine.database.reader, id, oids);
  return [...rows, ...findStored(await engine.placedFolder(id), format, oids)];
}

/** Whether the repository has the same objects with these ids. */
async function areSame(objects: NewObjects, present: readonly Oid[], read: ReadBase): Promise<boolean> {
  for (const oid of present) {
    const [ours, theirs] = [objects.get(oid), await read(oid)];
    if (ours === undefined || theirs?.type !== ours.type) return false;
    if (Buffer.compare(ours.content, theirs.content) !== 0) return false;
  }
  return true;
}
