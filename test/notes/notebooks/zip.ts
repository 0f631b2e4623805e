import { crc32, deflateRawSync } from 'node:zlib';

/** An entry of an archive. Everything besides the first two may lie. */
export interface ZipEntry {
  readonly name: string | Buffer;
  readonly content: string | Buffer;
  /** seconds, as Unix programs store it */
  readonly time?: number;
  /** type and permissions, as Unix programs store them */
  readonly mode?: number;
  readonly flags?: number;
  readonly sizeBytes?: number;
  readonly crc?: number;
  /** index of the entry whose bytes it shares */
  readonly sharedWith?: number;
}

const UNIX = 3 << 8;
const DEFLATED = 8;

/**
 * Builds a zip archive.
 *
 * @see https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  const offsets: number[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const content = Buffer.from(entry.content);
    const packed = deflateRawSync(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(entry.flags ?? 0, 2);
    common.writeUInt16LE(DEFLATED, 4);
    common.writeUInt16LE(0x5821, 8);
    common.writeUInt32LE(entry.crc ?? crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(entry.sizeBytes ?? content.length, 18);
    common.writeUInt16LE(name.length, 22);
    const extra = extraOf(entry.time);
    const at = offsets[entry.sharedWith ?? -1] ?? offset;
    offsets.push(at);
    if (entry.sharedWith === undefined) {
      const local = Buffer.concat([signature(0x04034b50), common, name, packed]);
      locals.push(local);
      offset += local.length;
    }
    common.writeUInt16LE(extra.length, 24);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 6);
    rest.writeUInt32LE(at, 10);
    const made = Buffer.alloc(2);
    made.writeUInt16LE(UNIX | 20, 0);
    central.push(Buffer.concat([signature(0x02014b50), made, common, rest, name, extra]));
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, directory, signature(0x06054b50), end]);
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** The field with the time in seconds. */
function extraOf(time: number | undefined): Buffer {
  if (time === undefined) return Buffer.alloc(0);
  const extra = Buffer.alloc(9);
  extra.writeUInt16LE(0x5455, 0);
  extra.writeUInt16LE(5, 2);
  extra.writeUInt8(1, 4);
  extra.writeInt32LE(time, 5);
  return extra;
}
