import type { Pixels } from './model.ts';

/** A pixel of the result covers a part of the picture: its pixels from `first` on, with these weights. */
interface Coverage {
  readonly first: number;
  readonly weights: readonly number[];
}

/**
 * Cuts the largest square out of the middle of a picture, and makes it smaller if its side is longer than `sideMax`. Each
 * pixel of the result is the average of what it covers.
 */
export function squareOf(pixels: Pixels, sideMax: number): Pixels {
  const { width, height, rgba } = pixels;
  const side = Math.min(width, height);
  const out = Math.min(side, sideMax);
  const coverages = coveragesOf(side, out);
  const left = (width - side) >> 1;
  const top = (height - side) >> 1;
  const result = new Uint8Array(out * out * 4);
  const sums = new Float64Array(out * 4);
  for (const [row, { first, weights }] of coverages.entries()) {
    sums.fill(0);
    for (const [index, weight] of weights.entries())
      addRow(sums, rgba, { start: (top + first + index) * width + left, coverages, weight });
    writeRow(sums, result, row * out * 4);
  }
  return { width: out, height: out, rgba: result };
}

function coveragesOf(side: number, out: number): readonly Coverage[] {
  const scale = side / out;
  return Array.from({ length: out }, (_, index) => {
    const [start, end] = [index * scale, Math.min((index + 1) * scale, side)];
    const first = Math.min(Math.floor(start), side - 1);
    const weights: number[] = [];
    for (let at = first; at < end; at += 1)
      weights.push((Math.min(at + 1, end) - Math.max(at, start)) / scale);
    return { first, weights };
  });
}

/** Adds a row of the picture, with colors by their alpha, so that transparent pixels have no color. */
function addRow(
  sums: Float64Array,
  rgba: Uint8Array,
  row: { readonly start: number; readonly coverages: readonly Coverage[]; readonly weight: number },
): void {
  const { start, coverages, weight } = row;
  for (let column = 0; column < coverages.length; column += 1) {
    const { first, weights } = coverages[column] as Coverage;
    let red = 0;
    let green = 0;
    let blue = 0;
    let alpha = 0;
    for (let index = 0; index < weights.length; index += 1) {
      const at = (start + first + index) * 4;
      const opacity = (weights[index] ?? 0) * (rgba[at + 3] ?? 0);
      red += opacity * (rgba[at] ?? 0);
      green += opacity * (rgba[at + 1] ?? 0);
      blue += opacity * (rgba[at + 2] ?? 0);
      alpha += opacity;
    }
    const to = column * 4;
    sums[to] = (sums[to] ?? 0) + weight * red;
    sums[to + 1] = (sums[to + 1] ?? 0) + weight * green;
    sums[to + 2] = (sums[to + 2] ?? 0) + weight * blue;
    sums[to + 3] = (sums[to + 3] ?? 0) + weight * alpha;
  }
}

function writeRow(sums: Float64Array, result: Uint8Array, at: number): void {
  for (let index = 0; index < sums.length; index += 4) {
    const alpha = sums[index + 3] ?? 0;
    for (let channel = 0; channel < 3; channel += 1)
      result[at + index + channel] = alpha === 0 ? 0 : Math.round((sums[index + channel] ?? 0) / alpha);
    result[at + index + 3] = Math.round(alpha);
  }
}

/** Turns a square as the orientation of EXIF says, 1 to 8. */
export function turned({ width: side, rgba }: Pixels, orientation: number): Pixels {
  const result = new Uint8Array(rgba.length);
  const last = side - 1;
  for (let y = 0; y < side; y += 1) {
    for (let x = 0; x < side; x += 1) {
      const [fromX, fromY] = sourceOf(orientation, { x, y, last });
      const from = (fromY * side + fromX) * 4;
      result.set(rgba.subarray(from, from + 4), (y * side + x) * 4);
    }
  }
  return { width: side, height: side, rgba: result };
}

/** Returns where the pixel of a turned square comes from. */
function sourceOf(
  orientation: number,
  { x, y, last }: { readonly x: number; readonly y: number; readonly last: number },
): readonly [x: number, y: number] {
  switch (orientation) {
    case 2:
      return [last - x, y];
    case 3:
      return [last - x, last - y];
    case 4:
      return [x, last - y];
    case 5:
      return [y, x];
    case 6:
      return [y, last - x];
    case 7:
      return [last - y, last - x];
    case 8:
      return [last - y, x];
    default:
      return [x, y];
  }
}
