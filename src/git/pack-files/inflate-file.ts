import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createInflate } from 'node:zlib';

/**
 * Bytes that are read at once. With fewer, the ways between threads take longer than the work. More than a stream of zlib
 * takes without a pause, so that it is done with one piece before it gets the next.
 */
const PIECE_BYTES = 256 * 1024;
/** Bytes that are inflated at once. For 128 KiB or more, the C library maps new memory each time (`bin/quire.cjs`). */
const INFLATED_BYTES = 120 * 1024;

/**
 * Inflates what begins at a position of a file, in Node's threads, at the pace of the reader and with little memory. Other
 * bytes may follow it. The caller closes the file.
 *
 * @throws Error if the bytes are broken or do not match zlib's checksum, which is at their end
 */
export async function* inflateFile(file: FileHandle, position: number): AsyncGenerator<Buffer> {
  const inflate = createInflate({ chunkSize: INFLATED_BYTES });
  const hasEnded = (bytesGiven: number) => inflate.bytesWritten < bytesGiven;
  // An error of the file ends the stream with it.
  pipeline(piecesOf(file, position, hasEnded), inflate, () => {});
  yield* inflate as AsyncIterable<Buffer>;
}

/** Yields a file in pieces of the same memory. A shorter one is the last. */
async function* piecesOf(
  file: FileHandle,
  position: number,
  isEnough: (bytesGiven: number) => boolean,
): AsyncGenerator<Buffer> {
  const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  for (let bytesGiven = 0; ; ) {
    const length = await fill(piece, file, position + bytesGiven);
    bytesGiven += length;
    yield piece.subarray(0, length);
    if (length < PIECE_BYTES || isEnough(bytesGiven)) return;
  }
}

/** @returns how many bytes there were */
async function fill(piece: Buffer, file: FileHandle, position: number): Promise<number> {
  let length = 0;
  while (length < piece.length) {
    const { bytesRead } = await file.read(piece, length, piece.length - length, position + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length;
}
