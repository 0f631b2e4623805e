import type { Pixels } from './model.ts';
import { UnusableImageError } from './unusable-image.ts';

// GIF files: https://www.w3.org/Graphics/GIF/spec-gif89a.txt

const EXTENSION = 0x21;
const IMAGE = 0x2c;
const GRAPHIC_CONTROL = 0xf9;
const CODES_MAX = 4096;

function damaged(): UnusableImageError {
  return new UnusableImageError('the GIF is damaged');
}

/** Reads the bytes of a file one after another. */
class Bytes {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  byte(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) throw damaged();
    this.#at += 1;
    return value;
  }

  short(): number {
    return this.byte() + this.byte() * 256;
  }

  take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw damaged();
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  /** Reads blocks up to the empty one. */
  blocks(): Buffer {
    const blocks: Buffer[] = [];
    for (let length = this.byte(); length > 0; length = this.byte()) blocks.push(this.take(length));
    return Buffer.concat(blocks);
  }
}

interface Frame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly isInterlaced: boolean;
  readonly palette: Buffer;
  /** index of the transparent color; -1 for none */
  readonly transparent: number;
}

/**
 * Decodes the first picture of a GIF whose size was checked.
 *
 * @throws UnusableImageError
 */
export function decodeGif(bytes: Buffer, { width, height }: Pick<Pixels, 'width' | 'height'>): Pixels {
  const reading = new Bytes(bytes, 10);
  const flags = reading.byte();
  reading.take(2);
  const common = paletteOf(reading, flags);
  let transparent = -1;
  for (;;) {
    const kind = reading.byte();
    if (kind === EXTENSION) {
      const isControl = reading.byte() === GRAPHIC_CONTROL;
      const content = reading.blocks();
      if (isControl) transparent = ((content[0] ?? 0) & 1) === 1 ? (content[3] ?? -1) : -1;
      continue;
    }
    // 0x3b ends a file, which then has no picture.
    if (kind !== IMAGE) throw damaged();
    const frame = frameOf(reading, common, transparent);
    // A part outside of the screen is not shown, and may be larger than every limit.
    if (frame.left + frame.width > width || frame.top + frame.height > height) throw damaged();
    const rgba = new Uint8Array(width * height * 4);
    const sizeBits = reading.byte();
    draw(frame, unpack(reading.blocks(), sizeBits, frame.width * frame.height), { width, rgba });
    return { width, height, rgba };
  }
}

function paletteOf(reading: Bytes, flags: number): Buffer {
  return (flags & 0x80) === 0 ? Buffer.alloc(0) : reading.take(3 * 2 ** ((flags & 7) + 1));
}

function frameOf(reading: Bytes, common: Buffer, transparent: number): Frame {
  const [left, top, width, height] = [reading.short(), reading.short(), reading.short(), reading.short()];
  const flags = reading.byte();
  const own = paletteOf(reading, flags);
  const palette = own.length > 0 ? own : common;
  if (palette.length === 0 || width === 0 || height === 0) throw damaged();
  return { left, top, width, height, isInterlaced: (flags & 0x40) !== 0, palette, transparent };
}

/**
 * Unpacks the variant of LZW of this format.
 *
 * @param sizeBits of the values
 * @param count of the values; there must be as many
 */
function unpack(packed: Buffer, sizeBits: number, count: number): Uint8Array {
  if (sizeBits < 1 || sizeBits > 11) throw damaged();
  const clear = 1 << sizeBits;
  const end = clear + 1;
  const values = new Uint8Array(count);
  // Each code stands for the values of another one, its prefix, and one more value.
  const prefixes = new Uint16Array(CODES_MAX);
  const suffixes = new Uint8Array(CODES_MAX);
  const stack = new Uint8Array(CODES_MAX + 1);
  for (let code = 0; code < clear; code += 1) suffixes[code] = code;
  let codeBits = sizeBits + 1;
  let next = end + 1;
  let previous = -1;
  let first = 0;
  let filled = 0;
  let buffer = 0;
  let bits = 0;
  for (const byte of packed) {
    buffer |= byte << bits;
    bits += 8;
    while (bits >= codeBits) {
      let code = buffer & ((1 << codeBits) - 1);
      buffer >>>= codeBits;
      bits -= codeBits;
      if (code === clear) {
        codeBits = sizeBits + 1;
        next = end + 1;
        previous = -1;
        continue;
      }
      if (code === end) return complete(values, filled);
      if (code > next || (code === next && previous < 0) || (previous < 0 && code > end)) throw damaged();
      const given = code;
      let depth = 0;
      if (code === next) {
        stack[depth] = first;
        depth += 1;
        code = previous;
      }
      while (code > end) {
        stack[depth] = suffixes[code] ?? 0;
        depth += 1;
        code = prefixes[code] ?? 0;
      }
      first = suffixes[code] ?? 0;
      stack[depth] = first;
      for (; depth >= 0 && filled < count; depth -= 1) {
        values[filled] = stack[depth] ?? 0;
        filled += 1;
      }
      if (filled === count) return values;
      if (previous >= 0 && next < CODES_MAX) {
        prefixes[next] = previous;
        suffixes[next] = first;
        next += 1;
        if (next === 1 << codeBits && codeBits < 12) codeBits += 1;
      }
      previous = given;
    }
  }
  return complete(values, filled);
}

function complete(values: Uint8Array, filled: number): Uint8Array {
  if (filled < values.length) throw damaged();
  return values;
}

/** Where the rows of the four passes of an interlaced picture begin, and their steps. */
const PASSES = [
  [0, 8],
  [4, 8],
  [2, 4],
  [1, 2],
] as const;

function rowsOf({ height, isInterlaced }: Frame): readonly number[] {
  const passes = isInterlaced ? PASSES : ([[0, 1]] as const);
  return passes.flatMap(([start, step]) =>
    Array.from({ length: Math.max(Math.ceil((height - start) / step), 0) }, (_, row) => start + row * step),
  );
}

function draw(
  frame: Frame,
  values: Uint8Array,
  { width, rgba }: { readonly width: number; readonly rgba: Uint8Array },
): void {
  const { palette, transparent } = frame;
  let from = 0;
  for (const row of rowsOf(frame)) {
    let at = ((frame.top + row) * width + frame.left) * 4;
    for (let column = 0; column < frame.width; column += 1, at += 4, from += 1) {
      const value = values[from] ?? 0;
      if (value === transparent) continue;
      if (value * 3 >= palette.length) throw damaged();
      rgba[at] = palette[value * 3] ?? 0;
      rgba[at + 1] = palette[value * 3 + 1] ?? 0;
      rgba[at + 2] = palette[value * 3 + 2] ?? 0;
      rgba[at + 3] = 255;
    }
  }
}
