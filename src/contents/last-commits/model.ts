import type { Oid, TreeEntry } from '../../git/model.ts';

export interface LastCommit {
  readonly oid: Oid;
  /** committer's date, seconds */
  readonly seconds: number;
}

/** What is known of one entry of a folder. */
export interface EntryHistory {
  readonly last: LastCommit;
  /** for a folder: the commit at which what is known of its own entries is kept */
  readonly insideAt: Oid | null;
}

export type FolderHistory = ReadonlyMap<string, EntryHistory>;

/** What an entry is known by: its name, or its bytes where they are no text. */
export function entryKey(entry: TreeEntry): string {
  return entry.bytes === undefined ? entry.name : `\u{fffd}${Buffer.from(entry.bytes).toString('hex')}`;
}

export function childFolder(folder: string, key: string): string {
  return folder === '' ? key : `${folder}/${key}`;
}

/** The same content under the same mode: nothing has happened to it between the two. */
export function isSameEntry(one: TreeEntry | undefined, other: TreeEntry | undefined): boolean {
  return one !== undefined && other !== undefined && one.oid === other.oid && one.mode === other.mode;
}
