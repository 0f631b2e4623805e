import type { EntryChanges, FolderChanges } from './folder-changes.ts';
import { hashOfKey, NONE } from './format.ts';
import { type History, NotIndexedError } from './history.ts';
import type { SegmentFile } from './segment-file.ts';

interface Indexed {
  readonly folder: FolderChanges;
  readonly entry: EntryChanges;
}

/**
 * Finds the commits that changed one entry. At a merge, the history goes on at the first parent that has the same entry,
 * or else at all parents, as in git-log(1), HISTORY SIMPLIFICATION.
 */
export class PathHistory {
  readonly #history: History;
  readonly #folder: Buffer;
  readonly #name: Buffer;
  readonly #indexed = new Map<SegmentFile, Indexed | null>();
  /** changes that were found or followed */
  readonly #passed = new Set<number>();

  constructor(history: History, path: string) {
    const slash = path.lastIndexOf('/');
    this.#history = history;
    this.#folder = hashOfKey(path.slice(0, Math.max(slash, 0)));
    this.#name = hashOfKey(path.slice(slash + 1));
  }

  /**
   * Goes from a commit back to the last one that changed the entry.
   *
   * @returns undefined if there is none, or if this change was found before
   * @throws NotIndexedError
   */
  async changeFrom(from: number): Promise<number | undefined> {
    for (let at = from; at !== NONE; ) {
      await this.#history.step();
      const segment = this.#history.segmentOf(at);
      const { start, attach } = segment.chainOf(at);
      const known = this.#in(segment);
      const change = known?.folder.lastUpTo(at, known.entry);
      const isOnChain = change !== undefined && change.number >= start;
      requireNoOpaque(segment, isOnChain ? change.number : start, at);
      if (!isOnChain) at = attach;
      else if (this.#passed.has(change.number)) return undefined;
      else {
        this.#passed.add(change.number);
        if (change.next === change.number) return change.number;
        at = change.next;
      }
    }
    return undefined;
  }

  /** Counts the commits that changed the entry. @throws as `changeFrom` */
  async count(from: number): Promise<number> {
    let count = 0;
    /** start of a chain without merges → its last change that was counted */
    const counted = new Map<number, number>();
    const waiting = [from];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      const change = await this.changeFrom(at);
      if (change === undefined) continue;
      const segment = this.#history.segmentOf(change);
      const { start, attach } = segment.chainOf(change);
      if (segment.hasMerge(start, change)) {
        count += 1;
        waiting.push(...this.#history.parentsOf(change));
        continue;
      }
      const known = this.#in(segment);
      const last = counted.get(start) ?? start - 1;
      if (known === null || last >= change) continue;
      requireNoOpaque(segment, last + 1, change);
      counted.set(start, change);
      count += known.folder.countBetween(last + 1, change, known.entry);
      if (last < start && attach !== NONE) waiting.push(attach);
    }
    return count;
  }

  #in(segment: SegmentFile): Indexed | null {
    const known = this.#indexed.get(segment);
    if (known !== undefined) return known;
    const folder = segment.folder(this.#folder);
    const entry = folder?.entry(this.#name);
    const found = folder === undefined || entry === undefined ? null : { folder, entry };
    this.#indexed.set(segment, found);
    return found;
  }
}

/** The changes of an opaque commit are unknown. */
function requireNoOpaque(segment: SegmentFile, from: number, to: number): void {
  if ((segment.opaqueUpTo(to) ?? -1) >= from) throw new NotIndexedError();
}
