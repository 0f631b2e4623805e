import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { failedWith } from '../folders/file-errors.ts';
import type { RepositoryFolder } from '../folders/repository-layout.ts';
import type { ObjectFormat, Oid } from '../model.ts';
import { loosePath } from './loose-objects.ts';
import { hexDigits } from './object-format.ts';

const MAGIC_AND_VERSION = Buffer.from('ff744f6300000002', 'hex');
const WORD_BYTES = 4;
const FANOUT_BYTES = 256 * WORD_BYTES;
const NAMES_AT = MAGIC_AND_VERSION.length + FANOUT_BYTES;

/**
 * Returns which of some objects may be in files of a repository, without a git process. A repack at the same moment can
 * hide one. It reads a few pages that are in memory on most machines, so waiting for a thread would take longer.
 */
export function findStored(
  folder: RepositoryFolder,
  format: ObjectFormat,
  oids: readonly Oid[],
): ReadonlySet<Oid> {
  const isLoose = (oid: Oid) =>
    statSync(join(folder.objects, loosePath(oid)), { throwIfNoEntry: false }) !== undefined;
  const found = new Set(oids.filter(isLoose));
  // An index that only git can read may have any of them.
  for (const path of indexesIn(folder.packs))
    for (const oid of findInIndex(path, format, oids) ?? oids) found.add(oid);
  return found;
}

/** Returns which of some objects are in the packs of a folder that nothing else changes. */
export function findPacked(packs: string, format: ObjectFormat, oids: readonly Oid[]): ReadonlySet<Oid> {
  return new Set(indexesIn(packs).flatMap((path) => findInIndex(path, format, oids) ?? []));
}

function indexesIn(packs: string): readonly string[] {
  const names = undefinedIfGone(() => readdirSync(packs)) ?? [];
  return names.filter((name) => name.endsWith('.idx')).map((name) => join(packs, name));
}

/**
 * @returns undefined for an index that only git can read
 * @see gitformat-pack(5), "Version 2 pack-*.idx files"
 */
function findInIndex(path: string, format: ObjectFormat, oids: readonly Oid[]): readonly Oid[] | undefined {
  const file = undefinedIfGone(() => openSync(path, 'r'));
  if (file === undefined) return [];
  try {
    const head = readAt(file, 0, NAMES_AT);
    const isKnown = head.subarray(0, MAGIC_AND_VERSION.length).equals(MAGIC_AND_VERSION);
    if (!isKnown || head.length < NAMES_AT) return undefined;
    return oids.filter((oid) => hasName(file, head, Buffer.from(oid, 'hex'), hexDigits(format) / 2));
  } finally {
    closeSync(file);
  }
}

/** Searches the sorted names that begin with the same byte. */
function hasName(file: number, head: Buffer, name: Buffer, nameBytes: number): boolean {
  const first = name[0] ?? 0;
  const upTo = (byte: number) =>
    byte < 0 ? 0 : head.readUInt32BE(MAGIC_AND_VERSION.length + byte * WORD_BYTES);
  let [from, to] = [upTo(first - 1), upTo(first)];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const order = name.compare(readAt(file, NAMES_AT + middle * nameBytes, nameBytes));
    if (order === 0) return true;
    if (order < 0) to = middle;
    else from = middle + 1;
  }
  return false;
}

function readAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, position));
}

/** The folder may not be there yet, and a repack may have deleted a file. */
function undefinedIfGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return undefined;
    throw error;
  }
}
