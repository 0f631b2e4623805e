import type { TreeEntry } from '../../git/model.ts';

/** Returns the key of an entry: its name, or a slash and the hex digits of its bytes if they are not text. */
export function entryKey(entry: TreeEntry): string {
  return entry.bytes === undefined ? entry.name : `/${Buffer.from(entry.bytes).toString('hex')}`;
}

/** Returns the name of an entry from its key, as git stores it. */
export function storedName(key: string): Buffer {
  return key.startsWith('/') ? Buffer.from(key.slice(1), 'hex') : Buffer.from(key);
}
