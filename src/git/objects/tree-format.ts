import { invalid } from '../../core/failure.ts';
import type { ObjectFormat, TreeEntry, TreeMode } from '../model.ts';
import { MalformedObjectError } from './malformed-object.ts';
import { hexDigits, isOid } from './object-format.ts';

const SLASH = 0x2f;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the name of an entry as git stores it. */
export function entryNameBytes(entry: Pick<TreeEntry, 'name' | 'bytes'>): Buffer {
  return Buffer.from(entry.bytes ?? entry.name);
}

/**
 * Encodes the content of a tree object, with entries in git's order: a folder sorts as if its name ended in a slash.
 *
 * @throws ForgeError `invalid` for duplicate or empty names, and names with NUL or a slash
 */
export function encodeTree(format: ObjectFormat, entries: readonly TreeEntry[]): Buffer {
  const rows = entries.map((entry) => ({ entry, bytes: entryNameBytes(entry) }));
  requireValidNames(rows.map((row) => row.bytes));
  const keyed = rows.map((row) => ({ ...row, key: sortKey(row.entry.mode, row.bytes) }));
  keyed.sort((a, b) => Buffer.compare(a.key, b.key));
  return Buffer.concat(keyed.flatMap(({ entry, bytes }) => encodeEntry(format, entry, bytes)));
}

function sortKey(mode: TreeMode, name: Buffer): Buffer {
  return mode === '040000' ? Buffer.concat([name, Buffer.from('/')]) : name;
}

function encodeEntry(format: ObjectFormat, entry: TreeEntry, name: Buffer): Buffer[] {
  if (!isOid(format, entry.oid)) throw invalid(`not an object id: ${entry.oid}`);
  // Stored modes have no leading zero.
  const mode = Buffer.from(`${entry.mode.replace(/^0/, '')} `);
  return [mode, name, Buffer.from([0]), Buffer.from(entry.oid, 'hex')];
}

function requireValidNames(names: readonly Buffer[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    const key = name.toString('latin1');
    if (name.length === 0 || name.includes(0) || name.includes(SLASH)) {
      throw invalid(`invalid name in a tree: ${JSON.stringify(name.toString())}`);
    }
    if (seen.has(key)) throw invalid(`duplicate name in a tree: ${name.toString()}`);
    seen.add(key);
  }
}

/**
 * Parses a tree of real history. Modes with leading zeros or group bits become the equivalent standard modes.
 *
 * @throws MalformedObjectError
 */
export function parseTree(format: ObjectFormat, content: Uint8Array): readonly TreeEntry[] {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const oidBytes = hexDigits(format) / 2;
  const entries: TreeEntry[] = [];
  let position = 0;
  while (position < bytes.length) {
    const space = bytes.indexOf(0x20, position);
    const nul = bytes.indexOf(0, space + 1);
    if (space === -1 || nul === -1 || nul + 1 + oidBytes > bytes.length) {
      throw new MalformedObjectError('tree', 'it ends in the middle of an entry');
    }
    const end = nul + 1 + oidBytes;
    entries.push({
      mode: readMode(bytes.toString('latin1', position, space)),
      ...readName(bytes.subarray(space + 1, nul)),
      oid: bytes.toString('hex', nul + 1, end),
    });
    position = end;
  }
  return entries;
}

function readMode(text: string): TreeMode {
  if (!/^[0-7]{1,7}$/.test(text))
    throw new MalformedObjectError('tree', 'it has a mode that is not a number');
  const mode = Number.parseInt(text, 8);
  // Like canon_mode in git's cache.h: only the kind of file and the owner's execute bit matter.
  const kind = mode & 0o170000;
  if (kind === 0o040000) return '040000';
  if (kind === 0o120000) return '120000';
  if (kind === 0o100000) return (mode & 0o100) === 0 ? '100644' : '100755';
  return '160000';
}

function readName(bytes: Buffer): { name: string; bytes?: Uint8Array } {
  try {
    return { name: utf8.decode(bytes) };
  } catch {
    return { name: bytes.toString(), bytes: Uint8Array.from(bytes) };
  }
}
