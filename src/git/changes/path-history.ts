import { type History, NotIndexedError } from './history.ts';
import type { Change, EntryChanges, FolderChanges } from './segments/folder-changes.ts';
import { hashOfPath, NONE } from './segments/format.ts';
import type { SegmentFile } from './segments/segment-file.ts';
import { Spans } from './segments/spans.ts';

interface Indexed {
  readonly folder: FolderChanges;
  readonly entry: EntryChanges;
}

/**
 * Finds the commits that changed one entry. At a merge, the history continues at the first parent that has the same
 * entry, or else at all parents, as in git-log(1), HISTORY SIMPLIFICATION.
 */
export class PathHistory {
  readonly #history: History;
  readonly #folder: Buffer;
  readonly #name: Buffer;
  readonly #indexed = new Map<SegmentFile, Indexed | null>();
  /** numbers of changes that were found or followed */
  readonly #passed = new Set<number>();
  /** start of a chain → parts of the chain whose changes are counted */
  readonly #counted = new Map<number, Spans>();

  constructor(history: History, path: string) {
    const slash = path.lastIndexOf('/');
    this.#history = history;
    this.#folder = hashOfPath(path.slice(0, Math.max(slash, 0)));
    this.#name = hashOfPath(path.slice(slash + 1));
  }

  /**
   * Finds the last commit up to `from` that changed the entry.
   *
   * @returns undefined if there is no such commit, or if this change was found before
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

  /**
   * Counts the commits that changed the entry. Between two merges that changed it, the positions of changes in the
   * index give their number.
   *
   * @throws as `changeFrom`
   */
  async count(from: number): Promise<number> {
    let count = 0;
    const waiting = [from];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      const change = await this.changeFrom(at);
      if (change !== undefined) count += await this.#countChain(change, waiting);
    }
    return count;
  }

  /** Counts the changes by these commits of one chain, both inclusive. @throws NotIndexedError */
  countOnChain(from: number, to: number): number {
    const segment = this.#history.segmentOf(to);
    requireNoOpaque(segment, from, to);
    const known = this.#in(segment);
    return known === null ? 0 : known.folder.countBetween(from, to, known.entry);
  }

  /**
   * Counts the changes on a chain from `top` down, and adds the commits at which the history continues to `waiting`.
   */
  async #countChain(top: number, waiting: number[]): Promise<number> {
    const segment = this.#history.segmentOf(top);
    const { start, attach } = segment.chainOf(top);
    const known = this.#in(segment);
    const spans = this.#counted.get(start) ?? new Spans();
    this.#counted.set(start, spans);
    if (known === null || spans.has(top)) return 0;
    const below = spans.below(top) ?? start - 1;
    requireNoOpaque(segment, below + 1, top);
    let first = below + 1;
    let isLeft = false;
    for await (const { number, next } of this.#changedMerges(segment, known, first, top)) {
      isLeft = next !== number;
      if (isLeft) {
        waiting.push(next);
        first = number + 1;
        break;
      }
      for (const { parent } of segment.laterParents(number, number)) waiting.push(parent);
    }
    if (!isLeft && below < start && attach !== NONE) waiting.push(attach);
    spans.add({ first, last: top });
    return known.folder.countBetween(first, top, known.entry);
  }

  /** Yields the changes by merges, the newest first. Reads all changes or all merges, whichever are fewer. */
  async *#changedMerges(
    segment: SegmentFile,
    { folder, entry }: Indexed,
    from: number,
    to: number,
  ): AsyncGenerator<Change> {
    const merges = segment.mergesBetween(from, to);
    if (folder.countBetween(from, to, entry) > merges.length) {
      for (const number of merges.numbers()) {
        await this.#history.step();
        const change = folder.lastUpTo(number, entry);
        if (change?.number === number) yield change;
      }
      return;
    }
    let change = folder.lastUpTo(to, entry);
    while (change !== undefined && change.number >= from) {
      await this.#history.step();
      if (segment.mergesBetween(change.number, change.number).length > 0) yield change;
      change = folder.lastUpTo(change.number - 1, entry);
    }
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

/** Throws if there is an opaque commit, because its changes are unknown. */
function requireNoOpaque(segment: SegmentFile, from: number, to: number): void {
  if ((segment.opaqueUpTo(to) ?? -1) >= from) throw new NotIndexedError();
}
