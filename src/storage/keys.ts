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

/** Returns the key of a file with a random id. Two levels of folders, so that no folder has too many entries. */
export function uuidKey(folder: string, { uuid }: { readonly uuid: string }): string {
  return `${folder}/${uuid.slice(0, 2)}/${uuid.slice(2, 4)}/${uuid}`;
}

/** Returns the beginning of the keys of `uuidKey` whose ids begin with two hex digits. */
export function uuidPrefix(folder: string, digits: string): string {
  return `${folder}/${digits}/`;
}

/** Returns the id in a key of `uuidKey`. */
export function uuidOfKey(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}
