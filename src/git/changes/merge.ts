import { layOut } from './chains.ts';
import type { Change, EntryChanges, FolderChanges } from './segments/folder-changes.ts';
import { commitBytes, type SegmentSizes } from './segments/format.ts';
import type { LaterParent, SegmentFile } from './segments/segment-file.ts';
import { SegmentWriter } from './segments/segment-writer.ts';
import { byNumber, numberAt, reorder } from './write-batch.ts';

/** Merges the last segments of an index into one, with new numbers and longer chains. Reads them as streams. */
export function mergeSegments(path: string, segments: readonly SegmentFile[]): SegmentSizes {
  const base = segments[0]?.sizes.base ?? 0;
  const oidBytes = segments[0]?.sizes.oidBytes ?? 0;
  const { numbers, chains } = layOut(base, firstParentsOf(segments));
  const numberOf = (at: number) => numberAt(base, numbers, at);
  const writer = new SegmentWriter(path, { base, oidBytes });
  try {
    for (const folders of inGroups(segments.map((segment) => segment.folders()))) {
      const [first] = folders;
      if (first !== undefined)
        writer.folder(
          first.hash,
          mergedNames(
            folders.map(({ changes }) => changes),
            numberOf,
          ),
        );
    }
    const rows = reorder(Buffer.concat(segments.map(rowsOf)), numbers, { base, oidBytes });
    const opaque = segments
      .flatMap((segment) => [...segment.opaque()].map(numberOf))
      .toSorted((a, b) => a - b);
    const merges = segments.flatMap((segment) => laterParentsOf(segment, numberOf)).toSorted(byNumber);
    return writer.finish({ count: numbers.length, rows, chains, opaque, merges });
  } finally {
    writer.close();
  }
}

function laterParentsOf(segment: SegmentFile, numberOf: (at: number) => number): LaterParent[] {
  const { base, commits } = segment.sizes;
  return [...segment.laterParents(base, base + commits - 1)].map(({ number, parent }) => ({
    number: numberOf(number),
    parent: numberOf(parent),
  }));
}

function* mergedNames(folders: readonly FolderChanges[], numberOf: (at: number) => number) {
  for (const group of inGroups(folders.map(namesOf))) {
    const [first] = group;
    if (first === undefined) continue;
    const changes: Change[] = [];
    for (const { folder, entry } of group) {
      for (const { number, next } of folder.changesOf(entry)) {
        changes.push({ number: numberOf(number), next: numberOf(next) });
      }
    }
    yield { hash: first.hash, changes: changes.sort((a, b) => a.number - b.number) };
  }
}

function* namesOf(
  folder: FolderChanges,
): Generator<{ hash: Buffer; folder: FolderChanges; entry: EntryChanges }> {
  for (const { hash, entry } of folder.entries()) yield { hash, folder, entry };
}

function firstParentsOf(segments: readonly SegmentFile[]): Uint32Array {
  const base = segments[0]?.sizes.base ?? 0;
  const count = segments.reduce((sum, { sizes }) => sum + sizes.commits, 0);
  const parents = Uint32Array.from({ length: count }, (_, position) => base + position - 1);
  for (const segment of segments) {
    for (let index = 0; index < segment.sizes.chains; index += 1) {
      const { start, attach } = segment.chain(index);
      parents[start - base] = attach;
    }
  }
  return parents;
}

function rowsOf(segment: SegmentFile): Buffer {
  const { base, commits, oidBytes } = segment.sizes;
  const rows = Buffer.allocUnsafe(commits * commitBytes(oidBytes));
  for (let index = 0; index < commits; index += 1) {
    segment.commitRow(base + index).copy(rows, index * commitBytes(oidBytes));
  }
  return rows;
}

/** Merges sorted sources: yields groups of items with equal hashes, in the order of the hashes. */
function* inGroups<T extends { readonly hash: Buffer }>(
  sources: readonly Generator<T>[],
): Generator<readonly T[]> {
  const heads = sources.map((source) => ({ source, item: source.next().value as T | undefined }));
  for (;;) {
    let least: Buffer | undefined;
    for (const { item } of heads) {
      if (item !== undefined && (least === undefined || item.hash.compare(least) < 0)) least = item.hash;
    }
    if (least === undefined) return;
    const group: T[] = [];
    for (const head of heads) {
      if (head.item === undefined || !head.item.hash.equals(least)) continue;
      group.push(head.item);
      head.item = head.source.next().value as T | undefined;
    }
    yield group;
  }
}
