import { invalid } from '../../base/core/failure.ts';
import type { ObjectFormat, ObjectType, Oid } from '../format/model.ts';
import { hexDigits } from '../format/object-format.ts';

/** Length of a pack's header: `PACK`, the version and the number of objects. */
export const PACK_HEADER_BYTES = 12;
/** Types of objects that a pack has as differences to another object. */
const OFFSET_DELTA = 6;
const REFERENCE_DELTA = 7;
const TYPES: readonly (ObjectType | undefined)[] = [undefined, 'commit', 'tree', 'blob', 'tag'];
/** Longer numbers exceed every object. */
const NUMBER_BYTES_MAX = 7;

/** What precedes the compressed bytes of an object in a pack. */
export interface PackEntry {
  /** a whole object, or the differences to another one: how many bytes before this one that begins, or its id */
  readonly content: ObjectType | { readonly bytesBefore: number } | { readonly base: Oid };
  /** length of the inflated bytes, as the sender claims */
  readonly size: number;
  readonly headerBytes: number;
}

/**
 * @returns the number of objects
 * @throws ForgeError `invalid`
 * @see gitformat-pack(5)
 */
export function readPackHeader(bytes: Buffer): number {
  const version = bytes.readUInt32BE(4);
  if (bytes.toString('latin1', 0, 4) !== 'PACK' || (version !== 2 && version !== 3))
    throw invalid('the pack has no valid header');
  return bytes.readUInt32BE(8);
}

/**
 * Reads the head of an object at the start of `bytes`.
 *
 * @returns undefined if `bytes` are too few
 * @throws ForgeError `invalid`
 */
export function readPackEntry(bytes: Buffer, format: ObjectFormat): PackEntry | undefined {
  const head = readNumber(bytes, { at: 0, bitsOfFirst: 4 });
  if (head === undefined) return undefined;
  const content = readContent(bytes, head.end, format);
  if (content === undefined || content.end > bytes.length) return undefined;
  return { content: content.value, size: head.value, headerBytes: content.end };
}

function readContent(
  bytes: Buffer,
  at: number,
  format: ObjectFormat,
): { value: PackEntry['content']; end: number } | undefined {
  const type = ((bytes[0] ?? 0) >> 4) & 7;
  if (type === REFERENCE_DELTA) {
    const end = at + hexDigits(format) / 2;
    return { value: { base: bytes.toString('hex', at, end) }, end };
  }
  if (type === OFFSET_DELTA) {
    const offset = readOffset(bytes, at);
    return offset && { value: { bytesBefore: offset.value }, end: offset.end };
  }
  const value = TYPES[type];
  if (value === undefined) throw invalid('the pack has an object of an unknown type');
  return { value, end: at };
}

/** The sizes of the object that a delta changes and of the one that it produces, and where its instructions begin. */
interface DeltaHead {
  readonly baseBytes: number;
  readonly resultBytes: number;
  readonly end: number;
}

/** Reads the start of a delta. */
export function readDeltaHead(bytes: Buffer): DeltaHead {
  const base = readNumber(bytes, { at: 0, bitsOfFirst: 7 });
  const result = base && readNumber(bytes, { at: base.end, bitsOfFirst: 7 });
  if (base === undefined || result === undefined) throw invalid('the pack has an incomplete delta');
  return { baseBytes: base.value, resultBytes: result.value, end: result.end };
}

/** Enough bytes for the two sizes at the start of a delta. */
export const DELTA_HEAD_BYTES = 2 * NUMBER_BYTES_MAX;

/** Reads a number of 7 bits a byte, lowest first, whose last byte has the highest bit clear. */
function readNumber(
  bytes: Buffer,
  { at, bitsOfFirst }: { at: number; bitsOfFirst: number },
): { value: number; end: number } | undefined {
  let value = 0;
  let weight = 1;
  for (let index = at; index < bytes.length; index += 1) {
    if (index - at >= NUMBER_BYTES_MAX) throw invalid('the pack has a number that is too large');
    const byte = bytes[index] ?? 0;
    const bits = index === at ? bitsOfFirst : 7;
    value += (byte & (2 ** bits - 1)) * weight;
    weight *= 2 ** bits;
    if (byte < 0x80) return { value, end: index + 1 };
  }
  return undefined;
}

/** Reads a number of 7 bits a byte, highest first, where each further byte adds one to what precedes it. */
function readOffset(bytes: Buffer, at: number): { value: number; end: number } | undefined {
  let value = -1;
  for (let index = at; index < bytes.length; index += 1) {
    if (index - at >= NUMBER_BYTES_MAX) throw invalid('the pack has a number that is too large');
    const byte = bytes[index] ?? 0;
    value = (value + 1) * 128 + (byte & 0x7f);
    if (byte < 0x80) return { value, end: index + 1 };
  }
  return undefined;
}
