import { AVATAR_LIMITS } from '../limits.ts';
import type { ImageFormat, ImageHeader } from './model.ts';
import { UnusableImageError } from './unusable-image.ts';

type Size = Pick<ImageHeader, 'width' | 'height'> & Partial<Pick<ImageHeader, 'orientation' | 'isOfAdobe'>>;

/**
 * Reads the format and the size of a picture from its first bytes, and decodes nothing.
 *
 * @throws UnusableImageError for another format, a damaged header, and a picture that is too large
 */
export function readHeader(bytes: Buffer): ImageHeader {
  const format = formatOf(bytes);
  if (format === undefined) throw new UnusableImageError('the picture is not a PNG, JPEG, GIF or WebP');
  const size = SIZES[format](bytes);
  if (size === undefined || size.width < 1 || size.height < 1)
    throw new UnusableImageError(`the ${format} is damaged: it has no size`);
  const { width, height, orientation = 1, isOfAdobe = false } = size;
  requirePossible(width, height);
  return { format, width, height, orientation, isOfAdobe };
}

/** @throws UnusableImageError */
function requirePossible(width: number, height: number): void {
  const { avatarSideMax, avatarPixelsMax } = AVATAR_LIMITS;
  if (width <= avatarSideMax && height <= avatarSideMax && width * height <= avatarPixelsMax) return;
  throw new UnusableImageError(
    `the picture has ${width} × ${height} pixels: send one with at most ${avatarSideMax} on a side and ${avatarPixelsMax} in all`,
  );
}

function formatOf(bytes: Buffer): ImageFormat | undefined {
  const start = bytes.toString('latin1', 0, 12);
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'PNG';
  if (start.startsWith('\xff\xd8\xff')) return 'JPEG';
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return 'GIF';
  return start.startsWith('RIFF') && start.endsWith('WEBP') ? 'WebP' : undefined;
}

const SIZES: Readonly<Record<ImageFormat, (bytes: Buffer) => Size | undefined>> = {
  PNG: sizeOfPng,
  JPEG: sizeOfJpeg,
  GIF: sizeOfGif,
  WebP: sizeOfWebp,
};

function sizeOfPng(bytes: Buffer): Size | undefined {
  if (bytes.length < 33 || bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function sizeOfGif(bytes: Buffer): Size | undefined {
  return bytes.length < 13 ? undefined : { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

/** @see RFC 9649 */
function sizeOfWebp(bytes: Buffer): Size | undefined {
  if (bytes.length < 30) return undefined;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const packed = bytes.readUInt32LE(21);
      return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      if ((bytes.readUInt8(20) & 0x02) !== 0)
        throw new UnusableImageError('the WebP is animated: send a picture that is not');
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

/** Markers that have no length: TEM and the restart markers. */
const ALONE: ReadonlySet<number> = new Set([0x01, 0xd0, 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7]);
/** Markers between SOF0 and SOF15 that begin no frame: DHT, JPG and DAC. */
const NO_FRAME: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc]);
const APP1 = 0xe1;
const APP14 = 0xee;
const SOS = 0xda;

/** @see ITU-T T.81, annex B */
function sizeOfJpeg(bytes: Buffer): Size | undefined {
  let orientation = 1;
  let isOfAdobe = false;
  let at = 2;
  while (at + 4 <= bytes.length) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff || ALONE.has(marker)) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (marker === SOS || end > bytes.length) return undefined;
    if (marker === APP1) orientation = orientationOf(bytes.subarray(at + 4, end)) ?? orientation;
    if (marker === APP14 && bytes.toString('latin1', at + 4, at + 9) === 'Adobe') isOfAdobe = true;
    if (marker >= 0xc0 && marker <= 0xcf && !NO_FRAME.has(marker)) {
      if (end < at + 9) return undefined;
      return {
        width: bytes.readUInt16BE(at + 7),
        height: bytes.readUInt16BE(at + 5),
        orientation,
        isOfAdobe,
      };
    }
    at = end;
  }
  return undefined;
}

const ORIENTATION_TAG = 0x0112;
const ENTRY_BYTES = 12;

/** Reads the orientation from a segment with EXIF data. @see CIPA DC-008 */
function orientationOf(segment: Buffer): number | undefined {
  if (segment.toString('latin1', 0, 6) !== 'Exif\0\0') return undefined;
  const tiff = segment.subarray(6);
  const order = tiff.toString('latin1', 0, 2);
  if (tiff.length < 8 || (order !== 'II' && order !== 'MM')) return undefined;
  const short = (at: number) => {
    if (at + 2 > tiff.length) return 0;
    return order === 'II' ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at);
  };
  const start = order === 'II' ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  const entries = short(start);
  for (let entry = 0; entry < entries; entry += 1) {
    const at = start + 2 + entry * ENTRY_BYTES;
    if (at + ENTRY_BYTES > tiff.length) return undefined;
    if (short(at) !== ORIENTATION_TAG) continue;
    const value = short(at + 8);
    return value >= 1 && value <= 8 ? value : undefined;
  }
  return undefined;
}
