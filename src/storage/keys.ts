import { STORAGE_LIMITS } from './limits.ts';

// Lower case only, because some file systems ignore case. No leading dot, because such names are reserved.
const KEY = /^[a-z0-9][a-z0-9._-]*(?:\/[a-z0-9][a-z0-9._-]*)*$/;

/** Checks a key. The program makes all keys, so an invalid one is a bug and throws a plain Error. */
export function requireKey(key: string): void {
  if (!isKey(key)) throw new Error(`invalid object key: ${JSON.stringify(key)}`);
}

export function isKey(key: string): boolean {
  const isShort = key.length <= STORAGE_LIMITS.objectKeyCharsMax;
  const hasShortParts = key.split('/').every((part) => part.length <= STORAGE_LIMITS.objectKeyPartCharsMax);
  return isShort && hasShortParts && KEY.test(key);
}
