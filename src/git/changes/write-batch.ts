import { layOut } from './chains.ts';
import type { NewCommits } from './new-commits.ts';
import type { Scanned } from './scan.ts';
import type { Change } from './segments/folder-changes.ts';
import { commitBytes, hashOfBytes, NONE, type SegmentSizes } from './segments/format.ts';
import type { LaterParent } from './segments/segment-file.ts';
import { type SegmentCommits, SegmentWriter } from './segments/segment-writer.ts';

interface NamedChanges {
  readonly hash: Buffer;
  readonly changes: readonly Change[];
}

/** Writes a segment with the scanned commits, which are the first of the new ones, and with their changes. */
export function writeBatch(
  path: string,
  commits: NewCommits,
  scanned: Scanned,
  oidBytes: number,
): SegmentSizes {
  const { base } = commits;
  const firstParents = Uint32Array.from(
    { length: scanned.commits },
    (_, position) => commits.parents[position]?.[0]?.at ?? NONE,
  );
  const { numbers, chains } = layOut(base, firstParents);
  const numberOf = (at: number) => numberAt(base, numbers, at);
  const writer = new SegmentWriter(path, { base, oidBytes });
  try {
    for (const { hash, names } of sortedFolders(scanned, base, numberOf)) writer.folder(hash, names);
    const opaque = scanned.opaque.map((position) => numberOf(base + position)).toSorted((a, b) => a - b);
    const rows = reorder(commits.rows, numbers, { base, oidBytes });
    const merges = laterParentsOf(commits, scanned.commits, numberOf);
    const written: SegmentCommits = { count: scanned.commits, rows, chains, opaque, merges };
    return writer.finish(written);
  } finally {
    writer.close();
  }
}

function laterParentsOf(
  { base, parents }: NewCommits,
  count: number,
  numberOf: (at: number) => number,
): LaterParent[] {
  return parents
    .slice(0, count)
    .flatMap((each, position) => {
      const present = each.slice(1).filter(({ at }) => at !== NONE);
      return present.map(({ at }) => ({ number: numberOf(base + position), parent: numberOf(at) }));
    })
    .toSorted(byNumber);
}

export function byNumber(one: LaterParent, other: LaterParent): number {
  return one.number - other.number;
}

/**
 * Returns the number of a commit.
 *
 * @param at `base` + the position of a new commit; or a number, if the commit is in an earlier segment; or NONE
 */
export function numberAt(base: number, numbers: Uint32Array, at: number): number {
  return at === NONE || at < base ? at : (numbers[at - base] ?? NONE);
}

/** Sorts the rows of commits by the numbers of the commits. */
export function reorder(
  rows: Buffer,
  numbers: Uint32Array,
  { base, oidBytes }: { base: number; oidBytes: number },
): Buffer {
  const bytes = commitBytes(oidBytes);
  const sorted = Buffer.allocUnsafe(numbers.length * bytes);
  for (const [position, number] of numbers.entries()) {
    rows.copy(sorted, (number - base) * bytes, position * bytes, (position + 1) * bytes);
  }
  return sorted;
}

function sortedFolders(
  { paths }: Scanned,
  base: number,
  numberOf: (at: number) => number,
): readonly { hash: Buffer; names: readonly NamedChanges[] }[] {
  const folders = new Map<string, NamedChanges[]>();
  for (const [path, pairs] of paths) {
    const slash = path.lastIndexOf('/');
    const folder = slash === -1 ? '' : path.slice(0, slash);
    const hash = hashOfBytes(Buffer.from(path.slice(slash + 1), 'latin1'));
    const named = { hash, changes: changesOf(pairs, base, numberOf) };
    const known = folders.get(folder);
    if (known === undefined) folders.set(folder, [named]);
    else known.push(named);
  }
  return [...folders]
    .map(([folder, names]) => ({
      hash: hashOfBytes(Buffer.from(folder, 'latin1')),
      names: names.toSorted((a, b) => a.hash.compare(b.hash)),
    }))
    .toSorted((a, b) => a.hash.compare(b.hash));
}

function changesOf(pairs: readonly number[], base: number, numberOf: (at: number) => number): Change[] {
  const changes: Change[] = [];
  for (let index = 0; index < pairs.length; index += 2) {
    changes.push({ number: numberOf(base + (pairs[index] ?? 0)), next: numberOf(pairs[index + 1] ?? NONE) });
  }
  return changes.sort((a, b) => a.number - b.number);
}
