import { invalid } from '../../core/failure.ts';
import type { ObjectFormat } from '../model.ts';
import { hexDigits } from '../objects/object-format.ts';

/** Length of a pack's header: `PACK`, the version and the number of objects. */
export const PACK_HEADER_BYTES = 12;
/** Types of objects that a pack has as differences to another object. */
const OFFSET_DELTA = 6;
const REFERENCE_DELTA = 7;
const BLOB = 3;
/** Longer numbers exceed every object. */
const NUMBER_BYTES_MAX = 7;

/** What precedes the compressed bytes of an object in a pack. */
export interface PackEntry {
  readonly kind: 'blob' | 'delta' | 'structured';
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
  const type = ((bytes[0] ?? 0) >> 4) & 7;
  if (head === undefined) return undefined;
  if (type === 0 || type === 5) throw invalid('the pack has an object of an unknown type');
  const end = baseEnd(bytes, head.end, type, format);
  if (end === undefined || end > bytes.length) return undefined;
  const isDelta = type === OFFSET_DELTA || type === REFERENCE_DELTA;
  const kind = isDelta ? 'delta' : type === BLOB ? 'blob' : 'structured';
  return { kind, size: head.value, headerBytes: end };
}

/** Position after the name or offset of a delta's base. */
function baseEnd(bytes: Buffer, at: number, type: number, format: ObjectFormat): number | undefined {
  if (type === REFERENCE_DELTA) return at + hexDigits(format) / 2;
  return type === OFFSET_DELTA ? readNumber(bytes, { at, bitsOfFirst: 7 })?.end : at;
}

/** Reads the size of the object that a delta produces. `bytes` begin with the delta's instructions. */
export function readDeltaResult(bytes: Buffer): number {
  const base = readNumber(bytes, { at: 0, bitsOfFirst: 7 });
  const result = base && readNumber(bytes, { at: base.end, bitsOfFirst: 7 });
  if (result === undefined) throw invalid('the pack has an incomplete delta');
  return result.value;
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
