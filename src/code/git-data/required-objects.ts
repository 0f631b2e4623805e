import { type ForgeError, invalid } from '../../base/core/failure.ts';
import type { ObjectType, Oid } from '../../git/format/model.ts';
import { newObject } from '../../git/format/new-object.ts';
import { emptyTreeOid, isOid } from '../../git/format/object-format.ts';
import type { ObjectReader } from '../../git/interface/snapshot.ts';
import type { WriteSession } from '../../git/interface/writes.ts';

const READ_AT_ONCE = 500;

/** An object that a new one names. */
export interface NamedObject {
  readonly oid: Oid;
  readonly type: ObjectType;
  /** field of the request, for errors */
  readonly field: string;
}

/**
 * Rejects ids that name no object of the right type in the repository. The answer is the same for an object that is
 * missing and for one of another type.
 *
 * @throws ForgeError `invalid`
 */
export async function requireObjects(session: WriteSession, named: readonly NamedObject[]): Promise<void> {
  const format = session.base.objectFormat;
  const malformed = named.find(({ oid }) => !isOid(format, oid));
  if (malformed !== undefined) throw noSuch(malformed);
  const types = await typesOf(session.objects, [...new Set(named.map(({ oid }) => oid))]);
  const empty = emptyTreeOid(format);
  for (const each of named) {
    if (types.get(each.oid) === each.type) continue;
    if (each.oid !== empty || each.type !== 'tree') throw noSuch(each);
    // git knows the empty tree without storing it, but other readers need it.
    await session.writeObjects([newObject(format, 'tree', new Uint8Array())]);
  }
}

async function typesOf(
  objects: ObjectReader,
  oids: readonly Oid[],
): Promise<ReadonlyMap<Oid, ObjectType | undefined>> {
  const types = new Map<Oid, ObjectType | undefined>();
  for (let at = 0; at < oids.length; at += READ_AT_ONCE) {
    const some = oids.slice(at, at + READ_AT_ONCE);
    const infos = await Promise.all(some.map((oid) => objects.info(oid)));
    for (const [index, oid] of some.entries()) types.set(oid, infos[index]?.type);
  }
  return types;
}

function noSuch({ field, type, oid }: NamedObject): ForgeError {
  return invalid(`${field} is not the id of a ${type} in this repository: ${oid.slice(0, 64)}`);
}
