import { createHash } from 'node:crypto';
import { compress } from '../format/compress.ts';
import type { GitObject, ObjectFormat, ObjectType } from '../format/model.ts';

const TYPE = { commit: 1, tree: 2, blob: 3, tag: 4 } as const satisfies Record<ObjectType, number>;
const VERSION = 2;

/**
 * Yields a pack of these objects, without deltas.
 *
 * @see gitformat-pack(5)
 */
export async function* encodePack(
  format: ObjectFormat,
  objects: readonly GitObject[],
): AsyncGenerator<Buffer> {
  const hash = createHash(format);
  const hashed = (bytes: Buffer) => {
    hash.update(bytes);
    return bytes;
  };
  yield hashed(packHeader(objects.length));
  for (const object of objects) yield hashed(await encodeEntry(object));
  yield hash.digest();
}

/** Returns one object as it stands in a pack. */
export async function encodeEntry({ type, content }: Omit<GitObject, 'oid'>): Promise<Buffer> {
  return Buffer.concat([entryHeader(type, content.length), await compress(content, 'packed')]);
}

export function packHeader(count: number): Buffer {
  const header = Buffer.alloc(12);
  header.write('PACK');
  header.writeUInt32BE(VERSION, 4);
  header.writeUInt32BE(count, 8);
  return header;
}

/** Returns the type and the size of an object: four bits of the size in the first byte, seven in each further one. */
function entryHeader(type: ObjectType, sizeBytes: number): Buffer {
  const bytes = [(TYPE[type] << 4) | (sizeBytes & 0x0f)];
  for (let rest = Math.floor(sizeBytes / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(rest & 0x7f);
  }
  return Buffer.from(bytes.map((byte, index) => (index < bytes.length - 1 ? byte | 0x80 : byte)));
}
