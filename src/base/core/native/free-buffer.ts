/** Smaller buffers may be parts of larger ones. */
const ALONE_BYTES_MIN = 16 * 1024;

/**
 * Frees the memory of a buffer that is not used any more. Otherwise V8 collects its whole heap for each 12 to 15 MB of
 * such memory outside of the heap. Does nothing if the buffer is a part of a larger one.
 */
export function freeBuffer({ buffer, length }: Buffer): void {
  if (length < ALONE_BYTES_MIN || length !== buffer.byteLength) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer?.(0);
}
