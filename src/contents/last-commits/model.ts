import type { TreeEntry } from '../../git/model.ts';

/** Returns the key of an entry: its name, or a slash and the hex digits of its bytes if they are not text. */
export function entryKey(entry: TreeEntry): string {
  return entry.bytes === undefined ? entry.name : `/${Buffer.from(entry.bytes).toString('hex')}`;
}

/** Whether two entries have the same content and mode. */
export function isSameEntry(one: TreeEntry | undefined, other: TreeEntry | undefined): boolean {
  return one !== undefined && other !== undefined && one.oid === other.oid && one.mode === other.mode;
}
