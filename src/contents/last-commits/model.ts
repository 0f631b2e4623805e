import type { Oid, TreeEntry } from '../../git/model.ts';

export interface LastCommit {
  readonly oid: Oid;
  /** committer's date, seconds */
  readonly seconds: number;
}

/** The history of one entry of a folder. */
export interface EntryHistory {
  readonly last: LastCommit;
  /** for a folder: the commit whose row has the history of the folder's own entries */
  readonly insideAt: Oid | null;
}

export type FolderHistory = ReadonlyMap<string, EntryHistory>;

/** Returns the key of an entry: its name, or its bytes if they are not text. */
export function entryKey(entry: TreeEntry): string {
  return entry.bytes === undefined ? entry.name : `\u{fffd}${Buffer.from(entry.bytes).toString('hex')}`;
}

export function childFolder(folder: string, key: string): string {
  return folder === '' ? key : `${folder}/${key}`;
}

/** Whether two entries have the same content and mode. */
export function isSameEntry(one: TreeEntry | undefined, other: TreeEntry | undefined): boolean {
  return one !== undefined && other !== undefined && one.oid === other.oid && one.mode === other.mode;
}
