import type { Oid } from '../format/model.ts';
import type { ObjectReader } from '../interface/snapshot.ts';
import { GIT_LIMITS } from '../limits.ts';

/** The latest commits that some refs reach. */
export class LatestCommits {
  readonly #objects: ObjectReader;
  readonly #waiting: Oid[];
  readonly #seen = new Set<Oid>();
  readonly #commits = new Set<Oid>();

  /** @param tips targets of refs */
  constructor(objects: ObjectReader, tips: readonly Oid[]) {
    this.#objects = objects;
    this.#waiting = [...tips];
  }

  /** Whether a commit is one of them. All questions together read a bounded number of commits. */
  async has(wanted: Oid): Promise<boolean> {
    while (!this.#commits.has(wanted) && this.#seen.size < GIT_LIMITS.smallPackCommitsReadMax) {
      const oid = this.#waiting.shift();
      if (oid === undefined) break;
      if (this.#seen.has(oid)) continue;
      this.#seen.add(oid);
      if ((await this.#objects.info(oid))?.type !== 'commit') continue;
      this.#commits.add(oid);
      this.#waiting.push(...(await this.#objects.readCommit(oid)).parents);
    }
    return this.#commits.has(wanted);
  }
}
