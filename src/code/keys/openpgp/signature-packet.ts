import { ByteReader, MalformedKeyError } from '../byte-reader.ts';

/** What an OpenPGP signature says about itself. Nothing of it is verified. */
export interface SignatureFacts {
  /** 16 hex digits in upper case */
  readonly keyId: string;
  /** ms */
  readonly createdAt: number;
  /** ms; null: never */
  readonly expiresAt: number | null;
}

export const SIGNATURE_TAG = 2;
export const OF_BINARY = 0;
export const CREATED = 2;
const EXPIRES = 3;
export const ISSUER = 16;
export const ISSUER_FINGERPRINT = 33;
export const KEY_ID_BYTES = 8;

/** Reads packets, with their lengths. */
class PacketReader extends ByteReader {
  /** Reads a length of one, two or five bytes, as in packets and subpackets. */
  length(twoBytesMax: number): number {
    const first = this.number(1);
    if (first < 192) return first;
    if (first <= twoBytesMax) return (first - 192) * 256 + this.number(1) + 192;
    if (first === 255) return this.number(4);
    throw new MalformedKeyError('it has a partial length');
  }
}

/**
 * Reads a detached signature of bytes, which must be a single packet.
 *
 * @throws MalformedKeyError for anything else, and for a signature that does not name its key
 * @see RFC 9580, sections 4.2 and 5.2.3
 */
export function readSignatureFacts(bytes: Buffer): SignatureFacts {
  const outer = new PacketReader(bytes);
  const packet = new PacketReader(readPacket(outer));
  if (!outer.isAtEnd) throw new MalformedKeyError('it is more than one signature');
  const version = packet.number(1);
  if (version !== 4 && version !== 6) throw new MalformedKeyError('it has an unknown version');
  if (packet.number(1) !== OF_BINARY) throw new MalformedKeyError('it signs something else than bytes');
  packet.take(2);
  const countBytes = version === 6 ? 4 : 2;
  const hashed = subpacketsIn(packet.take(packet.number(countBytes)));
  const unhashed = subpacketsIn(packet.take(packet.number(countBytes)));
  const created = hashed.get(CREATED);
  if (created?.length !== 4) throw new MalformedKeyError('it has no time');
  const createdAt = created.readUInt32BE() * 1000;
  const expiry = hashed.get(EXPIRES);
  const lifeMs = expiry?.length === 4 ? expiry.readUInt32BE() * 1000 : 0;
  const keyId = keyIdIn(new Map([...unhashed, ...hashed]));
  return { keyId, createdAt, expiresAt: lifeMs === 0 ? null : createdAt + lifeMs };
}

function readPacket(reader: PacketReader): Buffer {
  const head = reader.number(1);
  if (head < 0x80) throw new MalformedKeyError('it begins with no packet');
  const isNewForm = (head & 0x40) !== 0;
  const tag = isNewForm ? head & 0x3f : (head >> 2) & 0x0f;
  if (tag !== SIGNATURE_TAG) throw new MalformedKeyError('it is not a signature');
  return reader.take(isNewForm ? reader.length(223) : oldLength(reader, head & 0x03));
}

function oldLength(reader: PacketReader, kind: number): number {
  if (kind === 0) return reader.number(1);
  if (kind === 1) return reader.number(2);
  if (kind === 2) return reader.number(4);
  throw new MalformedKeyError('it has no length');
}

/** Returns the first subpacket of each type. */
function subpacketsIn(bytes: Buffer): ReadonlyMap<number, Buffer> {
  const reader = new PacketReader(bytes);
  const found = new Map<number, Buffer>();
  while (!reader.isAtEnd) {
    const content = reader.take(reader.length(254));
    const type = (content[0] ?? 0) & 0x7f;
    if (!found.has(type)) found.set(type, content.subarray(1));
  }
  return found;
}

function keyIdIn(subpackets: ReadonlyMap<number, Buffer>): string {
  const issuer = subpackets.get(ISSUER);
  if (issuer?.length === KEY_ID_BYTES) return hex(issuer);
  const [version, ...fingerprint] = subpackets.get(ISSUER_FINGERPRINT) ?? [];
  if (version === 4 && fingerprint.length === 20) return hex(fingerprint.slice(-KEY_ID_BYTES));
  if (version === 6 && fingerprint.length === 32) return hex(fingerprint.slice(0, KEY_ID_BYTES));
  throw new MalformedKeyError('it does not name its key');
}

function hex(bytes: Uint8Array | readonly number[]): string {
  return Buffer.from(bytes).toString('hex').toUpperCase();
}
