import { createSizedCache } from '../../../base/core/sized-cache.ts';
import type { Oid } from '../../../git/format/model.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import { NOTE_LIMITS } from '../limits.ts';
import { pathOf } from '../names.ts';
import type { VersionStep } from './model.ts';
import { type WalkStart, walkVersions } from './walk.ts';

/**
 * Size in memory of an unfinished walk without its versions, in units of a version. It retains the refs of its
 * repository.
 */
const WALK_SIZE = 100;

/** The history of a note, as far as it has been read. */
class KnownWalk {
  readonly #walk: AsyncIterator<VersionStep, void>;
  readonly #steps: VersionStep[] = [];
  #isDone = false;
  /** Only one caller at a time continues the walk. */
  #turn: Promise<void> = Promise.resolve();

  constructor(walk: AsyncIterator<VersionStep, void>) {
    this.#walk = walk;
  }

  get size(): number {
    return this.#steps.length + WALK_SIZE;
  }

  /** Returns the first steps, at least until `isEnough` returns true. */
  async until(isEnough: (steps: readonly VersionStep[]) => boolean): Promise<readonly VersionStep[]> {
    const before = this.#turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turn = promise;
    await before;
    try {
      while (!this.#isDone && !isEnough(this.#steps)) await this.#step();
      return this.#steps;
    } finally {
      resolve();
    }
  }

  async #step(): Promise<void> {
    const { value, done } = await this.#walk.next();
    if (value !== undefined) this.#steps.push(value);
    this.#isDone = done === true || this.#steps.length >= NOTE_LIMITS.noteHistoryVersionsMax;
  }
}

/** Caches the histories of notes. The history up to a commit never changes. */
export class HistoryWalks {
  readonly #git: Pick<GitStorage, 'history'>;
  readonly #known = createSizedCache<string, KnownWalk>({
    sizeMax: NOTE_LIMITS.noteHistoryRememberedMax,
    sizeOf: ({ size }) => size,
  });

  constructor({ git }: { git: Pick<GitStorage, 'history'> }) {
    this.#git = git;
  }

  /** Returns the newest commit that changed the note; undefined if none did. */
  async newest({ snapshot, commit, folder, path }: WalkStart): Promise<Oid | undefined> {
    const range = { head: { snapshot, oid: commit }, without: [], path: pathOf(folder, path) };
    return (await this.#git.history.listCommits(range, { limit: 1, offset: 0 }))[0];
  }

  /**
   * Returns the newest versions of a note, at least until `isEnough` returns true.
   *
   * @param newest newest commit of the note
   * @throws ForgeError `busy`, `not_found`
   */
  async versions(
    start: WalkStart,
    newest: Oid,
    isEnough: (steps: readonly VersionStep[]) => boolean,
  ): Promise<readonly VersionStep[]> {
    const { snapshot, folder, path } = start;
    const key = JSON.stringify([snapshot.id, newest, folder, path]);
    const walk = this.#known.get(key) ?? new KnownWalk(walkVersions(this.#git, { ...start, commit: newest }));
    try {
      const steps = await walk.until(isEnough);
      this.#known.set(key, walk);
      return steps;
    } catch (error) {
      // The walk has failed and cannot continue.
      this.#known.delete(key);
      throw error;
    }
  }
}
