import { LIMITS } from '../core/limits.ts';

// Small letters alone: some file systems do not tell them from capitals. No dot first: such names are the storage's own.
const KEY = /^[a-z0-9][a-z0-9._-]*(?:\/[a-z0-9][a-z0-9._-]*)*$/;

/** Keys are made by the program, so a bad one is a fault of it. */
export function requireKey(key: string): void {
  const isShort = key.length <= LIMITS.objectKeyCharsMax;
  const hasShortParts = key.split('/').every((part) => part.length <= LIMITS.objectKeyPartCharsMax);
  if (!isShort || !hasShortParts || !KEY.test(key))
    throw new Error(`not a key of an object: ${JSON.stringify(key)}`);
}
