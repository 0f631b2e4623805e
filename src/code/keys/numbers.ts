// Positive numbers as bytes, the most significant one first.

/** Formats leave out zero bytes at the front of a number, but cryptography needs all bytes. */
export function padded(number: Uint8Array, length: number): Buffer {
  return Buffer.concat([Buffer.alloc(Math.max(length - number.length, 0)), number]);
}

/** Returns a number without zero bytes at its front. */
export function significantBytes(number: Uint8Array): Uint8Array {
  const first = number.findIndex((byte) => byte !== 0);
  return first === -1 ? new Uint8Array() : number.subarray(first);
}

/** @param number without zero bytes at its front */
export function bitLength(number: Uint8Array): number {
  return number.length * 8 + 24 - Math.clz32(number[0] ?? 0);
}
