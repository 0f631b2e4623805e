import { LRUCache } from 'lru-cache';
import { KeyedLock } from '../../base/core/fairness/keyed-lock.ts';
import type { Slice } from '../../base/core/paging.ts';
import { createSizedCache } from '../../base/core/sized-cache.ts';
import type { RepositoryFolder } from '../folders/repository-layout.ts';
import type { CommitTimes } from '../format/commit-times.ts';
import type { ObjectFormat, Oid } from '../format/model.ts';
import { hexDigits } from '../format/object-format.ts';
import type { IndexedLastCommits } from '../interface/history.ts';
import type { RepositoryId } from '../interface/snapshot.ts';
import { GIT_LIMITS } from '../limits.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';
import type { BuildOutcome, IndexedObjects } from './build.ts';
import { IndexBuilder } from './builder.ts';
import { NotIndexedError } from './history.ts';
import { countHistory, type IndexedRange, listHistory } from './list-history.ts';
import { Lookup } from './lookup.ts';
import { type CountedTip, RememberedCount } from './remembered-count.ts';
import { readManifest } from './segments/manifest.ts';
import type { SegmentFile } from './segments/segment-file.ts';
import { closeAll, numberIn, openSegments } from './segments/segments.ts';

/** The repository whose index is used, with its folder and format. */
export interface IndexedRepository {
  readonly id: RepositoryId;
  readonly folder: RepositoryFolder;
  readonly format: ObjectFormat;
}

/** The commits that `head` reaches and `without` do not. With a path: only the commits that changed it. */
export interface RangeOfOids {
  readonly head: Oid;
  readonly without: readonly Oid[];
  readonly path: string | null;
  readonly times?: CommitTimes | undefined;
}

/** Open segments. They are closed once they are dropped and no lookup reads them. */
interface OpenIndex {
  readonly files: readonly SegmentFile[];
  lookups: number;
  isDropped: boolean;
}

/**
 * Finds out which commits changed which paths. The index is a set of files in the bare repository. Like git's
 * commit-graph, it is derived from the commits, so it may lag behind and may be deleted.
 */
export class ChangeIndex {
  readonly #open = new LRUCache<RepositoryId, OpenIndex>({
    max: GIT_LIMITS.changeIndexesOpenMax,
    dispose: (index) => {
      index.isDropped = true;
      closeIfUnused(index);
    },
  });
  readonly #counts = createSizedCache<string, CountedTip>({
    sizeMax: GIT_LIMITS.commitCountsCachedMax,
    sizeOf: () => 1,
  });
  readonly #builder = new IndexBuilder();
  readonly #building = new KeyedLock();

  /** Returns undefined if the commit is not indexed. @throws ForgeError `busy`; the reason of the signal */
  async find(
    repository: IndexedRepository,
    wanted: { commit: Oid; folder: string; names: readonly string[] },
    signal?: AbortSignal,
  ): Promise<IndexedLastCommits | undefined> {
    return this.#read(repository, async (files) => {
      const number = numberIn(files, Buffer.from(wanted.commit, 'hex'));
      if (number === undefined) return undefined;
      return new Lookup(files, wanted.folder, signal).run(number, wanted.names);
    });
  }

  /** Whether a commit is indexed. All commits that it reaches then are indexed, too. */
  has(repository: IndexedRepository, oid: Oid): boolean {
    return numberIn(this.#opened(repository).files, Buffer.from(oid, 'hex')) !== undefined;
  }

  /** Lists a slice of a range, newest first. Returns undefined if the index lacks a part of it. */
  list(
    repository: IndexedRepository,
    range: RangeOfOids,
    slice: Slice,
    signal?: AbortSignal,
  ): Promise<readonly Oid[] | undefined> {
    return this.#ifIndexed(repository, range, (files, numbers) => listHistory(files, numbers, slice, signal));
  }

  /** Counts the commits of a range. Returns undefined if the index lacks a part of it. */
  count(
    repository: IndexedRepository,
    range: RangeOfOids,
    signal?: AbortSignal,
  ): Promise<number | undefined> {
    return this.#ifIndexed(repository, range, async (files, numbers) => {
      const remembered = new RememberedCount(this.#counts, repository, range);
      const total = remembered.moveTo(files, numbers) ?? (await countHistory(files, numbers, signal));
      remembered.set(total);
      return total;
    });
  }

  #ifIndexed<T>(
    repository: IndexedRepository,
    range: RangeOfOids,
    read: (files: readonly SegmentFile[], numbers: IndexedRange) => Promise<T>,
  ): Promise<T | undefined> {
    return this.#read(repository, async (files) => {
      const numberOf = (oid: Oid) => numberIn(files, Buffer.from(oid, 'hex'));
      const head = numberOf(range.head);
      const without = range.without.map(numberOf).filter((number) => number !== undefined);
      if (head === undefined || without.length < range.without.length) return undefined;
      try {
        return await read(files, { ...range, head, without });
      } catch (error) {
        if (error instanceof NotIndexedError) return undefined;
        throw error;
      }
    });
  }

  async #read<T>(
    repository: IndexedRepository,
    read: (files: readonly SegmentFile[]) => Promise<T>,
  ): Promise<T> {
    const index = this.#opened(repository);
    index.lookups += 1;
    try {
      return await read(index.files);
    } finally {
      index.lookups -= 1;
      closeIfUnused(index);
    }
  }

  /**
   * Indexes the next part of the commits that `tips` reach, the oldest commits first. Repositories take turns after
   * each part.
   *
   * @throws ForgeError `busy`; the reason of the signal
   */
  build(
    repository: IndexedRepository,
    objects: IndexedObjects,
    tips: readonly Oid[],
    signal: AbortSignal,
  ): Promise<BuildOutcome> {
    const step = {
      folder: repository.folder.changes,
      oidBytes: hexDigits(repository.format) / 2,
      tips,
    };
    return PROCESS_SLOTS.indexing.run(
      () =>
        this.#building.run(`${repository.id}`, async () => {
          try {
            return await this.#builder.run(step, signal, objects);
          } finally {
            this.drop(repository.id);
          }
        }),
      { signal },
    );
  }

  /** Closes the files of a repository. */
  drop(id: RepositoryId): void {
    this.#open.delete(id);
  }

  async close(): Promise<void> {
    this.#open.clear();
    await this.#builder.close();
  }

  #opened({ id, folder, format }: IndexedRepository): OpenIndex {
    const known = this.#open.get(id);
    if (known !== undefined) return known;
    const { files } = openSegments(folder.changes, readManifest(folder.changes), hexDigits(format) / 2);
    const index = { files, lookups: 0, isDropped: false };
    this.#open.set(id, index);
    return index;
  }
}

function closeIfUnused(index: OpenIndex): void {
  if (index.isDropped && index.lookups === 0) closeAll(index.files);
}
