import { hash } from 'node:crypto';
import { currentCaller } from '../../../base/core/fairness/caller.ts';
import { FairSlots } from '../../../base/core/fairness/fair-slots.ts';
import { SharedWork } from '../../../base/core/fairness/shared-work.ts';
import { CORE_LIMITS } from '../../../base/core/limits.ts';
import { createSizedCache } from '../../../base/core/sized-cache.ts';
import type { Oid } from '../../../git/format/model.ts';
import { BRANCHES } from '../../../git/format/ref-names.ts';
import type { LastCommit } from '../../../git/interface/history.ts';
import type { ObjectSource, RepositoryId } from '../../../git/interface/snapshot.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import { GIT_LIMITS } from '../../../git/limits.ts';
import { findEntry } from '../../../git/trees/find-entry.ts';
import { CONTENTS_LIMITS } from '../limits.ts';
import { HistoryWalk, WalkTooLongError } from './walk.ts';

type LastCommitsByName = ReadonlyMap<string, LastCommit>;

/** Entries of one folder at one commit. */
interface Wanted {
  readonly commit: Oid;
  readonly folder: string;
  readonly names: readonly string[];
}

interface Dependencies {
  readonly git: Pick<GitStorage, 'refs' | 'history' | 'upkeep'>;
  readonly requestIndex: (id: RepositoryId) => Promise<void>;
}

/**
 * Finds the commit that last changed each entry of a folder.
 *
 * The rule: take the first parent that has the same entry at that path. The last commit of the entry is that parent's,
 * or the commit itself if there is no such parent. (This agrees with `git log -1 -- path`.)
 *
 * The change index finds it for every indexed commit. From others, a bounded walk goes down to the next indexed ones. If
 * they are far, callers wait for the index.
 */
export class LastCommits {
  readonly #use: Dependencies;
  readonly #walks = new SharedWork<LastCommitsByName>();
  readonly #indexing = new SharedWork<void>();
  readonly #slots = new FairSlots({
    what: 'walks through histories',
    unitsMax: GIT_LIMITS.lastCommitWalksAtOnceMax,
    unitsPerCallerMax: Math.ceil(GIT_LIMITS.lastCommitWalksAtOnceMax / 2),
    unitsForSignedIn: Math.floor(GIT_LIMITS.lastCommitWalksAtOnceMax / 4),
    queueMax: CORE_LIMITS.gitQueueMax,
    queuePerCallerMax: CORE_LIMITS.gitQueuePerCallerMax,
    waitMs: CORE_LIMITS.gitQueueWaitMs,
  });
  /** results of walks by `walkKey`, and those for whole folders by `folderKey`; neither ever changes */
  readonly #found = createSizedCache<string, LastCommitsByName>({
    sizeMax: CONTENTS_LIMITS.lastCommitEntriesCachedMax,
    sizeOf: (found) => found.size + 1,
  });

  /** @param dependencies.requestIndex requests the job that indexes a repository */
  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** number of running walks */
  get walksRunning(): number {
    return this.#walks.size;
  }

  /**
   * @param folder path of the folder, '' for the root
   * @param names of the requested entries; the result leaves out entries that the folder lacks, and may
   *   have others of the folder
   * @throws ForgeError `busy` if too much of the history is not indexed yet
   */
  async find(
    source: ObjectSource,
    commit: Oid,
    folder: string,
    names: readonly string[],
  ): Promise<LastCommitsByName> {
    const key = folderKey(source, commit, folder);
    const known = this.#found.get(key);
    if (known !== undefined && names.every((name) => known.has(name))) return known;
    const present = await presentNames(source, { commit, folder, names });
    if (present.length === 0) return new Map();
    const wanted = { commit, folder, names: present };
    const indexed = await this.#use.git.history.findLastCommits(source, wanted, currentCaller().left);
    const found = indexed?.goesOn.size === 0 ? indexed.found : await this.#findUnindexed(source, wanted);
    // A single entry is found as fast in the index, and would take the place of a folder.
    if (names.length > 1) this.#found.set(key, found);
    return found;
  }

  /** Walks over a few commits. With more, waits for the index of the repository, and walks over what it lacks. */
  async #findUnindexed(source: ObjectSource, wanted: Wanted): Promise<LastCommitsByName> {
    try {
      return await this.#walk(source, wanted, CONTENTS_LIMITS.lastCommitStepsUnindexed);
    } catch (error) {
      if (!(error instanceof WalkTooLongError)) throw error;
    }
    await this.#indexNow(source.id);
    try {
      return await this.#walk(source, wanted, CONTENTS_LIMITS.lastCommitStepsMax);
    } catch (error) {
      if (error instanceof WalkTooLongError) await this.#use.requestIndex(source.id);
      throw error;
    }
  }

  /** Indexes a repository for callers that wait for it, beside its job. Ends when the last of them leaves. */
  async #indexNow(id: RepositoryId): Promise<void> {
    try {
      await this.#indexing.run(`${id}`, async (signal) => {
        const untilLate = AbortSignal.any([signal, AbortSignal.timeout(CONTENTS_LIMITS.indexAwaitedMs)]);
        while (await this.index(id, untilLate));
      });
    } catch {
      currentCaller().left?.throwIfAborted();
      // The job reports what is wrong.
    }
  }

  /** Callers that want the same share one walk. It ends when the last of them leaves. */
  async #walk(source: ObjectSource, wanted: Wanted, stepsMax: number): Promise<LastCommitsByName> {
    const key = walkKey(source, wanted);
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    return this.#slots.run(() =>
      this.#walks.run(`${key} ${stepsMax}`, async (signal) => {
        const walked = await this.#walkOnce(source, wanted, { stepsMax, signal });
        this.#found.set(key, walked);
        return walked;
      }),
    );
  }

  #walkOnce(
    source: ObjectSource,
    wanted: Wanted,
    bounds: { stepsMax: number; signal: AbortSignal },
  ): Promise<LastCommitsByName> {
    const { commit, folder, names } = wanted;
    const known = (at: Oid, some: readonly string[]) =>
      this.#use.git.history.findLastCommits(source, { commit: at, folder, names: some }, bounds.signal);
    return new HistoryWalk({ objects: source.objects, folder, known, ...bounds }).run(commit, names);
  }

  /**
   * Indexes the next part of a repository.
   *
   * @returns whether there is more to index
   * @throws ForgeError `not_found`, `busy`; the reason of the signal
   */
  async index(id: RepositoryId, signal: AbortSignal): Promise<boolean> {
    const snapshot = await this.#use.git.refs.open(id);
    const tips = new Set<Oid>();
    for (const prefix of [BRANCHES, 'refs/tags/']) for (const [, oid] of snapshot.refs(prefix)) tips.add(oid);
    return (await this.#use.git.upkeep.indexChanges(snapshot, [...tips], signal)) === 'more';
  }
}

function walkKey(source: ObjectSource, wanted: Wanted): string {
  return hash('sha256', JSON.stringify([source.id, wanted]));
}

/** No hash looks like this. */
function folderKey({ id }: ObjectSource, commit: Oid, folder: string): string {
  return `${id} ${commit} ${folder}`;
}

async function presentNames(
  source: ObjectSource,
  { commit, folder, names }: Wanted,
): Promise<readonly string[]> {
  const { objects } = source;
  const { tree } = await objects.readCommit(commit);
  const entry = folder === '' ? { mode: '040000', oid: tree } : await findEntry(objects, tree, folder);
  if (entry?.mode !== '040000') return [];
  const stored = await objects.openTree(entry.oid);
  return names.filter((name) => stored.find(name) !== undefined);
}
