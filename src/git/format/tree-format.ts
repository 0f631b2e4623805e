import { invalid } from '../../base/core/failure.ts';
import type { ObjectFormat, TreeEntry, TreeMode } from './model.ts';
import { bytesOfName } from './name-bytes.ts';
import { isOid } from './object-format.ts';

const SLASH = 0x2f;

/**
 * Encodes the content of a tree object, with entries in git's order: a folder sorts as if its name ended in a slash.
 *
 * @throws ForgeError `invalid` for duplicate or empty names, and names with NUL or a slash
 */
export function encodeTree(format: ObjectFormat, entries: readonly TreeEntry[]): Buffer {
  const rows = entries.map((entry) => {
    const name = bytesOfName(entry.name);
    return { name, key: sortKey(entry.mode, name), bytes: encodeEntry(format, entry) };
  });
  requireDistinct(rows.map(({ name }) => name));
  rows.sort((a, b) => Buffer.compare(a.key, b.key));
  return Buffer.concat(rows.map(({ bytes }) => bytes));
}

function sortKey(mode: TreeMode, name: Buffer): Buffer {
  return mode === '040000' ? Buffer.concat([name, Buffer.from('/')]) : name;
}

/**
 * Encodes one entry of a tree object.
 *
 * @throws ForgeError `invalid`
 */
export function encodeEntry(format: ObjectFormat, entry: TreeEntry): Buffer {
  const name = bytesOfName(entry.name);
  if (name.length === 0 || name.includes(0) || name.includes(SLASH))
    throw invalid(`invalid name in a tree: ${JSON.stringify(name.toString())}`);
  if (!isOid(format, entry.oid)) throw invalid(`not an object id: ${entry.oid}`);
  // Stored modes have no leading zero.
  const mode = Buffer.from(`${entry.mode.replace(/^0/, '')} `);
  return Buffer.concat([mode, name, Buffer.from([0]), Buffer.from(entry.oid, 'hex')]);
}

function requireDistinct(names: readonly Buffer[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    const key = name.toString('latin1');
    if (seen.has(key)) throw invalid(`duplicate name in a tree: ${name.toString()}`);
    seen.add(key);
  }
}
