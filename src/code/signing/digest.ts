import { createHash } from 'node:crypto';
import type { CommitSignature } from '../../git/format/model.ts';

/** Returns a digest of a signature and what it signs, by which caches refer to both. */
export function signatureDigest({ text, payload }: CommitSignature): string {
  return createHash('sha256').update(text).update('\0').update(payload).digest('base64');
}
