import { NOTE_LIMITS } from '../limits.ts';
import { NotTakenError, type SourceFile } from './model.ts';

/** @throws NotTakenError, also for a file that is too large */
export async function readWhole({ sizeBytes, pieces }: SourceFile): Promise<Buffer> {
  requireSmall(sizeBytes);
  const read: Buffer[] = [];
  for await (const piece of pieces()) read.push(piece);
  return Buffer.concat(read);
}

/** @throws NotTakenError */
export function requireSmall(sizeBytes: number): void {
  if (sizeBytes > NOTE_LIMITS.importFileBytesMax)
    throw new NotTakenError(`it has more than ${NOTE_LIMITS.importFileBytesMax} bytes`);
}

/** Reads the first bytes of a file; returns no bytes if it cannot be read. */
export async function readStart({ pieces }: SourceFile, bytesMax: number): Promise<Buffer> {
  const read: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of pieces()) {
      read.push(piece);
      bytes += piece.length;
      if (bytes >= bytesMax) break;
    }
  } catch (error) {
    // Reading the whole file reports the reason.
    if (!(error instanceof NotTakenError)) throw error;
  }
  return Buffer.concat(read).subarray(0, bytesMax);
}
