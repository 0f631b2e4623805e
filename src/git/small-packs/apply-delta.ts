import { readDeltaHead } from '../pack-files/pack-entries.ts';

/** Fields of a copy: one byte each, lowest first. A bit of the instruction says whether it is there. */
const OFFSET_BITS = [0x01, 0x02, 0x04, 0x08];
const SIZE_BITS = [0x10, 0x20, 0x40];
/** What a size of 0 stands for. */
const SIZE_OF_ZERO = 0x10000;
const IS_COPY = 0x80;

/**
 * Applies a delta to its base.
 *
 * @returns undefined if the delta does not fit the base, or is malformed
 * @throws ForgeError `invalid`
 * @see gitformat-pack(5), "Deltified representation"
 */
export function applyDelta(base: Uint8Array, delta: Buffer): Buffer | undefined {
  const { baseBytes, resultBytes, end } = readDeltaHead(delta);
  if (baseBytes !== base.length) return undefined;
  const result = Buffer.allocUnsafeSlow(resultBytes);
  let filled = 0;
  for (let at = end; at < delta.length; ) {
    const instruction = readInstruction(delta, at);
    if (instruction === undefined) return undefined;
    const { from, offset, size } = instruction;
    const source = from === 'base' ? base : delta;
    if (offset + size > source.length || filled + size > resultBytes) return undefined;
    result.set(source.subarray(offset, offset + size), filled);
    filled += size;
    at = instruction.end;
  }
  return filled === resultBytes ? result : undefined;
}

interface Instruction {
  readonly from: 'base' | 'delta';
  readonly offset: number;
  readonly size: number;
  /** where the next instruction begins */
  readonly end: number;
}

function readInstruction(delta: Buffer, at: number): Instruction | undefined {
  const first = delta[at] ?? 0;
  // Reserved.
  if (first === 0) return undefined;
  if (first < IS_COPY) return { from: 'delta', offset: at + 1, size: first, end: at + 1 + first };
  let end = at + 1;
  const readField = (bits: readonly number[]) =>
    bits.reduce((value, bit, index) => {
      if ((first & bit) === 0) return value;
      end += 1;
      return value + (delta[end - 1] ?? 0) * 256 ** index;
    }, 0);
  const offset = readField(OFFSET_BITS);
  const size = readField(SIZE_BITS) || SIZE_OF_ZERO;
  return end > delta.length ? undefined : { from: 'base', offset, size, end };
}
