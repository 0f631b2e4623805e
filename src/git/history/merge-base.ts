import { createCountedCache } from '../../base/core/sized-cache.ts';
import type { Engine } from '../engine.ts';
import type { Oid } from '../format/model.ts';
import type { CommitOf } from '../interface/snapshot.ts';
import { GIT_LIMITS } from '../limits.ts';
import { GitFailedError } from '../processes/git-failed-error.ts';
import { sharedObjects } from './shared-objects.ts';
import { requireCommit, walk } from './walk.ts';

type Needs = Pick<Engine, 'completeFolder'>;

/** Finds what two commits have in common. The result follows from their ids, so the last ones are cached. */
export class MergeBases {
  readonly #engine: Needs;
  readonly #known = createCountedCache<string, { readonly oid: Oid | undefined }>({
    entriesMax: GIT_LIMITS.mergeBasesCachedMax,
  });

  constructor(engine: Needs) {
    this.#engine = engine;
  }

  /** @see git-merge-base(1) */
  async find(one: CommitOf, other: CommitOf): Promise<Oid | undefined> {
    await Promise.all([one, other].map(requireCommit));
    const key = `${one.oid} ${other.oid}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known.oid;
    const oid = await this.#ask(one, other);
    this.#known.set(key, { oid });
    return oid;
  }

  async #ask(one: CommitOf, other: CommitOf): Promise<Oid | undefined> {
    const location = await sharedObjects(this.#engine, other.snapshot, one.snapshot);
    try {
      const bases = await walk({ args: ['merge-base', one.oid, other.oid], ...location }, '');
      return bases.trim();
    } catch (error) {
      if (error instanceof GitFailedError && error.exitCode === 1) return undefined;
      throw error;
    }
  }
}
