import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

/** Types of entries. @see gitformat-pack(5) */
export const ENTRY = { commit: 1, tree: 2, blob: 3, tag: 4, offsetDelta: 6, referenceDelta: 7 } as const;

export interface HandmadeEntry {
  readonly type: number;
  /** bytes between the head and the content: the name or offset of a base */
  readonly base?: Uint8Array;
  /** length that the entry claims */
  readonly size?: number;
  readonly content: Uint8Array;
  /** how hard zlib tries; 0 for random bytes, which take long to compress and do not become smaller */
  readonly level?: number;
}

/** Encodes a number of 7 bits a byte; the first byte has the type, if there is one. */
export function numberOf(value: number, type?: number): Buffer {
  const bytes: number[] = [];
  const bits = type === undefined ? 7 : 4;
  let rest = Math.floor(value / 2 ** bits);
  bytes.push((value % 2 ** bits) | ((type ?? 0) << 4) | (rest > 0 ? 0x80 : 0));
  while (rest > 0) {
    const byte = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(byte | (rest > 0 ? 0x80 : 0));
  }
  return Buffer.from(bytes);
}

/** Builds a pack with the right checksum. */
export function handmadePack(entries: readonly HandmadeEntry[], count = entries.length): Buffer {
  const header = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  header.writeUInt32BE(count, 8);
  const parts = entries.flatMap(({ type, base, size, content, level = -1 }) => [
    numberOf(size ?? content.length, type),
    base ?? Buffer.alloc(0),
    deflateSync(content, { level }),
  ]);
  return withChecksum(Buffer.concat([header, ...parts]));
}

export function withChecksum(body: Uint8Array): Buffer {
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

/** Builds a delta from its two sizes and its instructions. */
export function delta(baseBytes: number, resultBytes: number, instructions: readonly number[]): Buffer {
  return Buffer.concat([numberOf(baseBytes), numberOf(resultBytes), Buffer.from(instructions)]);
}

export function blobOid(content: string | Uint8Array): string {
  const bytes = Buffer.from(content);
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
