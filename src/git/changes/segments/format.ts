import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { bytesOfPath } from '../../format/name-bytes.ts';

/**
 * The layout of a segment: header, changes of each folder, folders, commits, oids, chains, opaque commits, merges.
 * Numbers are little-endian, and every offset is a multiple of 4. docs/decisions/0016 explains the reasons.
 *
 * A folder has its changes, entry by entry, and then one row for each entry name. Folders and names are stored as
 * hashes, and sorted by these.
 */
export const MAGIC = 'QCHANGE2';
export const HEADER_BYTES = 48;
export const HASH_BYTES = 16;
/** local number of the commit; number of the commit at which the history of the entry continues */
export const CHANGE_BYTES = 8;
/** hash; position of the first change in the folder; count */
export const NAME_BYTES = HASH_BYTES + 8;
/** hash; offset (8 bytes); number of names; number of changes */
export const FOLDER_BYTES = HASH_BYTES + 16;
/** local number of the first commit; number of its first parent */
export const CHAIN_BYTES = 8;
export const OPAQUE_BYTES = 4;
/** local number of a commit; number of a parent after the first */
export const MERGE_BYTES = 8;
/** There is no such commit. */
export const NONE = 0xffff_ffff;

/** oid; committer's date, seconds */
export function commitBytes(oidBytes: number): number {
  return oidBytes + 8;
}

/** oid; local number */
export function lookupBytes(oidBytes: number): number {
  return oidBytes + 4;
}

/** Header of a segment. */
export interface SegmentSizes {
  readonly oidBytes: number;
  /** number of its first commit; the numbers of all segments are consecutive */
  readonly base: number;
  readonly commits: number;
  readonly chains: number;
  readonly opaque: number;
  /** parents after the first, of all commits */
  readonly merges: number;
  readonly folders: number;
  readonly changes: number;
  /** offset of the folders */
  readonly foldersAt: number;
}

/** @param path bytes of a folder path or name, as git stores them */
export function hashOfBytes(path: Buffer): Buffer {
  // No name contains a slash, so the key of a name that is not text differs from every name.
  return isUtf8(path) ? digest(path) : digest(Buffer.from(`/${path.toString('hex')}`));
}

/** @param path text of a folder path or name */
export function hashOfPath(path: string): Buffer {
  return hashOfBytes(bytesOfPath(path));
}

function digest(bytes: Buffer): Buffer {
  return hash('sha256', bytes, 'buffer').subarray(0, HASH_BYTES);
}

/** Thrown for a damaged segment. The index is then built again. */
export class DamagedIndexError extends Error {
  override readonly name = 'DamagedIndexError';
}
