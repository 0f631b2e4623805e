import { answerInThread } from '../../base/core/threads/in-thread.ts';
import { decodeGif } from './images/gif.ts';
import { readHeader } from './images/header.ts';
import type { ImageAnswer, ImageHeader, ImageWork, Pixels } from './images/model.ts';
import { decodePng, encodePng } from './images/png.ts';
import { squareOf, turned } from './images/square.ts';
import { UnusableImageError } from './images/unusable-image.ts';
import { decodeJpeg, decodeWebp } from './images/web-assembly.ts';
import { AVATAR_LIMITS } from './limits.ts';

// Makes small squares of pictures, in a thread of its own: hostile files can take long.

answerInThread(answerOf);

function answerOf({ bytes }: ImageWork): ImageAnswer {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const header = readHeader(file);
    const square = squareOf(decoded(file, header), AVATAR_LIMITS.storedAvatarSideMax);
    return { png: new Uint8Array(encodePng(turned(square, header.orientation))) };
  } catch (error) {
    if (error instanceof UnusableImageError) return { why: error.message };
    // WebAssembly stops at what a damaged file makes of a decoder.
    return { why: 'the picture is damaged' };
  }
}

function decoded(file: Buffer, header: ImageHeader): Pixels {
  switch (header.format) {
    case 'PNG':
      return decodePng(file);
    case 'JPEG':
      return decodeJpeg(file, header);
    case 'GIF':
      return decodeGif(file, header);
    case 'WebP':
      return decodeWebp(file, header);
  }
}
