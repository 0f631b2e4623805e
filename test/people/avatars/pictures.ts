import { crc32, deflateSync } from 'node:zlib';
import type { Pixels } from '../../../src/people/avatars/images/model.ts';
import { decodePng } from '../../../src/people/avatars/images/png.ts';

// Pictures of 16 × 16 pixels: the left half is red, the right half blue.

export const JPEG =
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMUFRUVDA8XGBYUGBIUFRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBT/wAARCAAQABADAREAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAECAxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq8vP09fb3+Pn6/9oADAMBAAIRAxEAPwD5/r8kP9Czxyv9Zj/Mk9jr/Jk/02PHK/1mP8yT/9k=';
/** The same picture, to be turned by 90 degrees to the right, and with the description "secret place". */
export const TURNED_JPEG =
  '/9j/4AAQSkZJRgABAQAAAQABAAD/4QA8RXhpZgAATU0AKgAAAAgAAgEOAAIAAAANAAAAJgESAAMAAAABAAYAAAAAAABzZWNyZXQgcGxhY2UAAP/bAEMAAwICAwICAwMDAwQDAwQFCAUFBAQFCgcHBggMCgwMCwoLCw0OEhANDhEOCwsQFhARExQVFRUMDxcYFhQYEhQVFP/bAEMBAwQEBQQFCQUFCRQNCw0UFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFP/AABEIABAAEAMBEQACEQEDEQH/xAAfAAABBQEBAQEBAQAAAAAAAAAAAQIDBAUGBwgJCgv/xAC1EAACAQMDAgQDBQUEBAAAAX0BAgMABBEFEiExQQYTUWEHInEUMoGRoQgjQrHBFVLR8CQzYnKCCQoWFxgZGiUmJygpKjQ1Njc4OTpDREVGR0hJSlNUVVZXWFlaY2RlZmdoaWpzdHV2d3h5eoOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4eLj5OXm5+jp6vHy8/T19vf4+fr/xAAfAQADAQEBAQEBAQEBAAAAAAAAAQIDBAUGBwgJCgv/xAC1EQACAQIEBAMEBwUEBAABAncAAQIDEQQFITEGEkFRB2FxEyIygQgUQpGhscEJIzNS8BVictEKFiQ04SXxFxgZGiYnKCkqNTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqCg4SFhoeIiYqSk5SVlpeYmZqio6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV1tfY2dri4+Tl5ufo6ery8/T19vf4+fr/2gAMAwEAAhEDEQA/APn+vyQ/0LPHK/1mP8yT2Ov8mT/TY8cr/WY/zJP/2Q==';
export const PROGRESSIVE_JPEG =
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMUFRUVDA8XGBYUGBIUFRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBT/wgARCAAQABADASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAABgf/xAAUAQEAAAAAAAAAAAAAAAAAAAAG/9oADAMBAAIQAxAAAAGfjWQ1Y4//xAAUEAEAAAAAAAAAAAAAAAAAAAAg/9oACAEBAAEFAh//xAAYEQACAwAAAAAAAAAAAAAAAAAABkSCwv/aAAgBAwEBPwF0j2yf/8QAGBEAAgMAAAAAAAAAAAAAAAAAAAZEgsL/2gAIAQIBAT8BQ5NNH//EABQQAQAAAAAAAAAAAAAAAAAAACD/2gAIAQEABj8CH//EABQQAQAAAAAAAAAAAAAAAAAAACD/2gAIAQEAAT8hH//aAAwDAQACAAMAAAAQU//EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQMBAT8QV//EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQIBAT8Qb//EABQQAQAAAAAAAAAAAAAAAAAAACD/2gAIAQEAAT8QH//Z';
/** In four inks, as programs for print store them: with a marker of Adobe, and inverted. */
export const CMYK_JPEG =
  '/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwAICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI/8AAFAgAEAAQBAERAAIRAAMRAAQRAP/EABwAAAAACQAAAAAAAAAAAAAAAAABAgMEBQYHCP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAOBAEAAgADAAQAAD8Ae4cmcmf+g3AjIAjIAg3Ag3AjIA//2Q==';
/** The same, as luminance, two colors and black. */
export const YCCK_JPEG =
  '/9j/7gAOQWRvYmUAZAAAAAAC/9sAQwAICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI/8AAFAgAEAAQBAERAAIRAAMRAAQRAP/EABwAAAAACQAAAAAAAAAAAAAAAAABAgMEBQYHCP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAOBAEAAgADAAQAAD8Aa80RzZ/5pUPJ+gDNIhjiwGlQ8n6Af//Z';
/** In four inks without the marker, and not inverted. */
export const PLAIN_CMYK_JPEG =
  '/9j/2wBDAAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAj/wAAUCAAQABAEAREAAhEAAxEABBEA/8QAHAAAAAAJAAAAAAAAAAAAAAAAAAECAwQFBgcI/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAA4EAQACAAMABAAAPwB0R9Z9aH9GQBBuBBuBGQBGQBBuB//Z';
export const GIF =
  'R0lGODdhEAAQAIEAANwUFBQU3AAAAAAAACwAAAAAEAAQAEAINgABCBwoMIDBgwYJEkSIUOFAhgcdFoQYQCIAihUlYrS4USNFjh89QgQ5UiRDkidNNlQZkaXBgAA7';
/** Its second picture is green. */
export const ANIMATED_GIF =
  'R0lGODlhEAAQAIEAANwUFBQU3AAAAAAAACH/C05FVFNDQVBFMi4wAwEAAAAsAAAAABAAEAAACDYAAQgcKDCAwYMGCRJEiFDhQIYHHRaEGEAiAIoVJWK0uFEjRY4fPUIEOVIkQ5InTTZUGZGlwYAAIfkEAQAAAQAsAAAAABAAEACBFMgUAAAAAAAAAAAACB0AAQgcSLCgwYMIEypcyLChw4cQI0qcSLGixYEBAQA7';
export const WEBP =
  'UklGRkQAAABXRUJQVlA4IDgAAAAwAgCdASoQABAAAIAIJaACdLoB+AH6gARoAAD+/nUP//Si5f/I4zuBNT/+Vu//8rcZJtEr3JAAAA==';
export const LOSSLESS_WEBP = 'UklGRigAAABXRUJQVlA4TBwAAAAvD8ADAA8wFKdAPg73/EcLxILJ/KW7M4jof+QC';
export const ANIMATED_WEBP =
  'UklGRpIAAABXRUJQVlA4WAoAAAACAAAADwAADwAAQU5JTQYAAAAAAAAAAABBTk1GNAAAAAAAAAAAAA8AAA8AAAAAAAJWUDhMHAAAAC8PwAMADzAUp0A+Dvf8RwvEgsn8pbsziOh/ZAJBTk1GKgAAAAAAAAAAAA8AAA8AAAAAAABWUDhMEQAAAC8PwAMAB1DkUpSi/4GI6H8AAA==';

type Color = readonly [red: number, green: number, blue: number];
export const RED: Color = [220, 20, 20];
export const BLUE: Color = [20, 20, 220];

/** How a PNG stores its pixels. */
export interface PngForm {
  readonly width?: number;
  readonly height?: number;
  readonly depth?: number;
  readonly color?: number;
  readonly isInterlaced?: boolean;
  readonly filter?: number;
  readonly palette?: readonly Color[];
  readonly transparency?: Buffer;
  /** values of the channels of a pixel, or the index of its color */
  readonly pixel?: (x: number, y: number) => readonly number[];
}

const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** Encodes a PNG in the form that a test asks for, by default the red and blue one. */
export function pngOf(form: PngForm = {}): Buffer {
  const { width = 16, height = 16, depth = 8, color = 2, isInterlaced = false, palette } = form;
  const { pixel = (x) => [...(x < width / 2 ? RED : BLUE)] } = form;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, color, 0, 0, isInterlaced ? 1 : 0], 8);
  const bits = depth * (CHANNELS[color] ?? 1);
  const lines: Buffer[] = [];
  for (const [x, y, stepX, stepY] of isInterlaced ? PASSES : [[0, 0, 1, 1] as const]) {
    const columns = Math.ceil((width - x) / stepX);
    let above: Buffer = Buffer.alloc(Math.ceil((columns * bits) / 8));
    for (let row = y; row < height && columns > 0; row += stepY) {
      const values = Array.from({ length: columns }, (_, column) => pixel(x + column * stepX, row)).flat();
      const line = packed(values, depth);
      lines.push(filtered(line, above, form.filter ?? 0, Math.ceil(bits / 8)));
      above = line;
    }
  }
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunkOf('IHDR', header),
    ...(palette === undefined ? [] : [chunkOf('PLTE', Buffer.from(palette.flatMap((each) => [...each])))]),
    ...(form.transparency === undefined ? [] : [chunkOf('tRNS', form.transparency)]),
    chunkOf('tEXt', Buffer.from('Comment\0secret place', 'latin1')),
    chunkOf('IDAT', deflateSync(Buffer.concat(lines))),
    chunkOf('IEND', Buffer.alloc(0)),
  ]);
}

function packed(values: readonly number[], depth: number): Buffer {
  if (depth === 16) return Buffer.from(values.flatMap((value) => [value, value]));
  const line = Buffer.alloc(Math.ceil((values.length * depth) / 8));
  for (const [index, value] of values.entries()) {
    const bit = index * depth;
    line[bit >> 3] = (line[bit >> 3] ?? 0) | (value << (8 - depth - (bit & 7)));
  }
  return line;
}

function filtered(line: Buffer, above: Buffer, filter: number, distance: number): Buffer {
  const at = (bytes: Buffer, index: number) => bytes[index] ?? 0;
  const bytes = [...line].map((value, index) => {
    const [left, up, corner] = [at(line, index - distance), at(above, index), at(above, index - distance)];
    const nearest = [left, up, corner].toSorted(
      (one, other) => Math.abs(left + up - corner - one) - Math.abs(left + up - corner - other),
    )[0];
    return (value - ([0, left, up, (left + up) >> 1, nearest][filter] ?? 0)) & 0xff;
  });
  return Buffer.from([filter, ...bytes]);
}

export function chunkOf(kind: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Reads a stored picture. */
export function readPicture(bytes: Buffer): Pixels & { at(x: number, y: number): readonly number[] } {
  const pixels = decodePng(bytes);
  return {
    ...pixels,
    at: (x, y) => [...pixels.rgba.subarray((y * pixels.width + x) * 4, (y * pixels.width + x + 1) * 4)],
  };
}

/** Whether a pixel has nearly this color. Lossy formats change it a little. */
export function isNear(pixel: readonly number[], color: Color): boolean {
  return [...color, 255].slice(0, 4).every((value, index) => Math.abs(value - (pixel[index] ?? -1)) < 40);
}
