const CELLS = 5;
const CELL_PIXELS = 20;

/**
 * Draws a picture from a hash: a grid that is the same on both sides, in one color. Equal hashes give equal pictures.
 *
 * @param hash 32 hex digits
 * @returns an SVG document
 */
export function drawAvatar(hash: string): string {
  const digits = [...hash].map((digit) => Number.parseInt(digit, 16));
  const hue = Math.round((Number.parseInt(hash.slice(0, 4), 16) / 0xffff) * 360);
  const squares: string[] = [];
  for (let column = 0; column < Math.ceil(CELLS / 2); column += 1) {
    for (let row = 0; row < CELLS; row += 1) {
      if (((digits[4 + column * CELLS + row] ?? 0) & 1) === 0) continue;
      for (const x of new Set([column, CELLS - 1 - column])) squares.push(square(x, row));
    }
  }
  const size = (CELLS + 1) * CELL_PIXELS;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" width="${size}" height="${size}"><rect width="${size}" height="${size}" fill="#f0f0f0"/><path fill="hsl(${hue},50%,45%)" d="${squares.join('')}"/></svg>\n`;
}

function square(column: number, row: number): string {
  const at = (index: number) => index * CELL_PIXELS + CELL_PIXELS / 2;
  return `M${at(column)} ${at(row)}h${CELL_PIXELS}v${CELL_PIXELS}h-${CELL_PIXELS}z`;
}
