import { crc32, deflateSync, inflateSync } from 'node:zlib';
import type { Pixels } from './model.ts';
import { UnusableImageError } from './unusable-image.ts';

// PNG files: https://www.w3.org/TR/png-3/

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const COLOR = { gray: 0, rgb: 2, palette: 3, grayAlpha: 4, rgba: 6 } as const;
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const DEPTHS: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

/** The passes of an interlaced picture: where each begins, and its steps. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;
const WHOLE = [[0, 0, 1, 1]] as const;

interface Header {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly color: number;
  readonly isInterlaced: boolean;
}

interface Parts {
  readonly header: Header;
  readonly palette: Buffer;
  /** values of the chunk tRNS */
  readonly transparency: Buffer;
  readonly data: Buffer;
}

function damaged(): UnusableImageError {
  return new UnusableImageError('the PNG is damaged');
}

/**
 * Decodes a PNG whose size was checked.
 *
 * @throws UnusableImageError
 */
export function decodePng(bytes: Buffer): Pixels {
  const { header, palette, transparency, data } = partsOf(bytes);
  const passes = passesOf(header);
  const bytesOf = passes.reduce((sum, { rows, rowBytes }) => sum + rows * (rowBytes + 1), 0);
  let lines: Buffer;
  try {
    // A compressed part that expands to more than the header allows is an error, however small it is.
    lines = inflateSync(data, { maxOutputLength: bytesOf });
  } catch {
    throw damaged();
  }
  if (lines.length !== bytesOf) throw damaged();
  const { width, height } = header;
  const rgba = new Uint8Array(width * height * 4);
  const read = readerOf(header, palette, transparency);
  let at = 0;
  for (const { x, y, stepX, stepY, columns, rows, rowBytes } of passes) {
    let above: Uint8Array = new Uint8Array(rowBytes);
    for (let row = 0; row < rows; row += 1) {
      const line = lines.subarray(at + 1, at + 1 + rowBytes);
      unfilter(line, above, lines[at] ?? 0, bytesPerPixel(header));
      const start = (y + row * stepY) * width + x;
      for (let column = 0; column < columns; column += 1)
        read(line, column, rgba, (start + column * stepX) * 4);
      above = line;
      at += rowBytes + 1;
    }
  }
  return { width, height, rgba };
}

/** Reads the chunks, and verifies their checksums. */
function partsOf(bytes: Buffer): Parts {
  let header: Header | undefined;
  let palette = Buffer.alloc(0);
  let transparency = Buffer.alloc(0);
  const data: Buffer[] = [];
  let at = SIGNATURE.length;
  for (;;) {
    if (at + 12 > bytes.length) throw damaged();
    const end = at + 8 + bytes.readUInt32BE(at);
    if (end + 4 > bytes.length) throw damaged();
    const kind = bytes.toString('latin1', at + 4, at + 8);
    const chunk = bytes.subarray(at + 8, end);
    if (bytes.readUInt32BE(end) !== crc32(bytes.subarray(at + 4, end))) throw damaged();
    // The size was checked in the first chunk, so no other chunk may give another one.
    if ((kind === 'IHDR') !== (header === undefined)) throw damaged();
    if (kind === 'IHDR') header = headerOf(chunk);
    else if (kind === 'PLTE') palette = Buffer.from(chunk);
    else if (kind === 'tRNS') transparency = Buffer.from(chunk);
    else if (kind === 'IDAT') data.push(chunk);
    else if (kind === 'IEND') break;
    at = end + 4;
  }
  if (header === undefined || data.length === 0) throw damaged();
  return { header, palette, transparency, data: Buffer.concat(data) };
}

function headerOf(chunk: Buffer): Header {
  if (chunk.length !== 13) throw damaged();
  const [depth = 0, color = 0, compression, filter, interlace = 0] = chunk.subarray(8);
  const isKnown = DEPTHS[color]?.includes(depth) && compression === 0 && filter === 0 && interlace <= 1;
  if (!isKnown) throw damaged();
  return {
    width: chunk.readUInt32BE(0),
    height: chunk.readUInt32BE(4),
    depth,
    color,
    isInterlaced: interlace === 1,
  };
}

function bitsPerPixel({ depth, color }: Header): number {
  return depth * (CHANNELS[color] ?? 1);
}

/** For filters: at least one. */
function bytesPerPixel(header: Header): number {
  return Math.ceil(bitsPerPixel(header) / 8);
}

function passesOf(header: Header) {
  return (header.isInterlaced ? PASSES : WHOLE).flatMap(([x, y, stepX, stepY]) => {
    const columns = Math.ceil((header.width - x) / stepX);
    const rows = Math.ceil((header.height - y) / stepY);
    const rowBytes = Math.ceil((columns * bitsPerPixel(header)) / 8);
    return columns > 0 && rows > 0 ? [{ x, y, stepX, stepY, columns, rows, rowBytes }] : [];
  });
}

/** Replaces the filtered bytes of a line by the bytes themselves. The bytes before a line are zeros. */
function unfilter(line: Uint8Array, above: Uint8Array, filter: number, distance: number): void {
  if (filter > 4) throw damaged();
  const { length } = line;
  const left = (index: number) => (index < distance ? 0 : (line[index - distance] ?? 0));
  const corner = (index: number) => (index < distance ? 0 : (above[index - distance] ?? 0));
  // A loop for each filter, because most of the time of a large picture is spent here.
  if (filter === 1)
    for (let index = distance; index < length; index += 1)
      line[index] = (line[index] ?? 0) + (line[index - distance] ?? 0);
  else if (filter === 2)
    for (let index = 0; index < length; index += 1) line[index] = (line[index] ?? 0) + (above[index] ?? 0);
  else if (filter === 3)
    for (let index = 0; index < length; index += 1)
      line[index] = (line[index] ?? 0) + ((left(index) + (above[index] ?? 0)) >> 1);
  else if (filter === 4)
    for (let index = 0; index < length; index += 1)
      line[index] = (line[index] ?? 0) + paeth(left(index), above[index] ?? 0, corner(index));
}

/** Returns the one of three neighbors that is nearest to their estimate. */
function paeth(left: number, up: number, corner: number): number {
  const toLeft = Math.abs(up - corner);
  const toUp = Math.abs(left - corner);
  const toCorner = Math.abs(left + up - 2 * corner);
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

/** Reads a pixel of a line. */
type ReadPixel = (line: Uint8Array, column: number, rgba: Uint8Array, at: number) => void;

function readerOf({ depth, color }: Header, palette: Buffer, transparency: Buffer): ReadPixel {
  if (color === COLOR.palette) return ofPalette(depth, palette, transparency);
  if (depth < 8) return ofGrayBits(depth, transparency);
  const size = depth / 8;
  const channels = CHANNELS[color] ?? 1;
  const hasAlpha = color === COLOR.grayAlpha || color === COLOR.rgba;
  const colors = color === COLOR.rgb || color === COLOR.rgba ? 3 : 1;
  const isTransparent = hasAlpha ? () => false : transparentColor(transparency, { colors, size });
  return (line, column, rgba, at) => {
    const from = column * channels * size;
    for (let channel = 0; channel < 3; channel += 1)
      // Of 16 bits, the upper 8 are enough.
      rgba[at + channel] = line[from + (colors === 3 ? channel : 0) * size] ?? 0;
    if (hasAlpha) rgba[at + 3] = line[from + colors * size] ?? 0;
    else rgba[at + 3] = isTransparent(line, from) ? 0 : 255;
  };
}

/** Compares a pixel with the color that the chunk tRNS makes transparent, which has 16 bits for each channel. */
function transparentColor(
  transparency: Buffer,
  { colors, size }: { readonly colors: number; readonly size: number },
): (line: Uint8Array, from: number) => boolean {
  if (transparency.length < colors * 2) return () => false;
  const wanted: number[] = [];
  for (let channel = 0; channel < colors; channel += 1) {
    if (size === 2) wanted.push(transparency[channel * 2] ?? 0);
    wanted.push(transparency[channel * 2 + 1] ?? 0);
  }
  return (line, from) => wanted.every((value, index) => line[from + index] === value);
}

/** Returns the value of a pixel of less than 8 bits. The leftmost pixel of a byte is in its highest bits. */
function bitsAt(line: Uint8Array, column: number, depth: number): number {
  const bit = column * depth;
  return ((line[bit >> 3] ?? 0) >> (8 - depth - (bit & 7))) & ((1 << depth) - 1);
}

function ofGrayBits(depth: number, transparency: Buffer): ReadPixel {
  const transparent = transparency.length < 2 ? -1 : transparency.readUInt16BE(0);
  const scale = 255 / ((1 << depth) - 1);
  return (line, column, rgba, at) => {
    const value = bitsAt(line, column, depth);
    rgba.fill(value * scale, at, at + 3);
    rgba[at + 3] = value === transparent ? 0 : 255;
  };
}

function ofPalette(depth: number, palette: Buffer, transparency: Buffer): ReadPixel {
  if (palette.length === 0 || palette.length % 3 !== 0 || palette.length > 768) throw damaged();
  return (line, column, rgba, at) => {
    const entry = depth === 8 ? (line[column] ?? 0) : bitsAt(line, column, depth);
    const from = entry * 3;
    if (from >= palette.length) throw damaged();
    rgba[at] = palette[from] ?? 0;
    rgba[at + 1] = palette[from + 1] ?? 0;
    rgba[at + 2] = palette[from + 2] ?? 0;
    rgba[at + 3] = transparency[entry] ?? 255;
  };
}

/** Encodes a small picture, without anything but its pixels. */
export function encodePng({ width, height, rgba }: Pixels): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, COLOR.rgba, 0, 0, 0], 8);
  const lineBytes = width * 4;
  const lines = Buffer.alloc((lineBytes + 1) * height);
  for (let row = 0; row < height; row += 1) {
    const at = row * (lineBytes + 1);
    // Differences to the left neighbor compress better than the bytes.
    lines[at] = 1;
    for (let index = 0; index < lineBytes; index += 1) {
      const from = row * lineBytes + index;
      const left = index < 4 ? 0 : (rgba[from - 4] ?? 0);
      lines[at + 1 + index] = (rgba[from] ?? 0) - left;
    }
  }
  return Buffer.concat([
    SIGNATURE,
    chunkOf('IHDR', header),
    chunkOf('IDAT', deflateSync(lines, { level: 9 })),
    chunkOf('IEND', Buffer.alloc(0)),
  ]);
}

function chunkOf(kind: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), content]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(content.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
