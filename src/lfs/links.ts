import type { Viewer } from '../access/viewer.ts';
import { ForgeError } from '../core/failure.ts';
import { LIMITS } from '../core/limits.ts';
import type { Database, Tx } from '../database/database.ts';
import type { Oid, RepositoryId, WriteSession } from '../git/model.ts';
import type { Repositories } from '../repositories/service.ts';
import { LFS } from './actions.ts';
import { findPointers } from './find-pointers.ts';
import type { LfsObject, NamedObject } from './model.ts';
import { copyLinks, hasLinks, insertLink, listLinked, setStored, sumLinkedBytes } from './store/objects.ts';

/** Gives a repository the objects of another one that its new commits name, when commits come from there. */
export class ObjectLinks {
  readonly #database: Database;
  readonly #repositories: Repositories;

  constructor({ database, repositories }: { database: Database; repositories: Repositories }) {
    this.#database = database;
    this.#repositories = repositories;
  }

  /** Sums the bytes of the objects that belong to a repository. Those of its forks count there, too. */
  bytesOf(repositoryId: RepositoryId): Promise<number> {
    return sumLinkedBytes(this.#database.reader, repositoryId);
  }

  /**
   * Returns the ids of the objects that new commits in a session name and that may come from another repository.
   *
   * @throws ForgeError as `findPointers`
   */
  async namedIn(session: WriteSession, tips: readonly Oid[], from: RepositoryId): Promise<readonly string[]> {
    if (!(await hasLinks(this.#database.reader, from))) return [];
    return [...(await findPointers(session, tips))];
  }

  /** Copies links. The viewer has been authorized for both repositories in the same transaction. */
  async copy(
    tx: Tx,
    { from, to, oids }: { from: RepositoryId; to: RepositoryId; oids: readonly string[] },
  ): Promise<void> {
    for (let at = 0; at < oids.length; at += LIMITS.lfsBatchObjectsMax) {
      const part = oids.slice(at, at + LIMITS.lfsBatchObjectsMax);
      await copyLinks(tx, { from, to, at: Date.now(), oids: part });
    }
  }

  /** Returns those of some objects that a repository lacks. */
  async missingIn(id: RepositoryId, objects: readonly NamedObject[]): Promise<readonly NamedObject[]> {
    const missing: NamedObject[] = [];
    for (let at = 0; at < objects.length; at += LIMITS.lfsBatchObjectsMax) {
      const part = objects.slice(at, at + LIMITS.lfsBatchObjectsMax);
      const oids = part.map(({ oid }) => oid);
      const linked = new Set((await listLinked(this.#database.reader, id, oids)).map(({ oid }) => oid));
      missing.push(...part.filter(({ oid }) => !linked.has(oid)));
    }
    return missing;
  }

  /**
   * Makes objects belong to a repository that `ObjectIntake.stage` has stored for it.
   *
   * @throws ForgeError `busy` if one of them is gone, because it was stored too long ago
   */
  async adopt(tx: Tx, repositoryId: RepositoryId, objects: readonly LfsObject[]): Promise<void> {
    for (const { id: objectId, sizeBytes } of objects) {
      if ((await setStored(tx, objectId, sizeBytes)) !== 'kept')
        throw new ForgeError({
          kind: 'busy',
          what: 'the copy took too long: try again',
          retryAfterSeconds: 1,
        });
      await insertLink(tx, { repositoryId, objectId, at: Date.now() });
    }
  }

  /**
   * Copies links before a change is pushed, because a rule may require them.
   *
   * @throws ForgeError as `Repositories.get`, if the viewer may not read the source any more
   */
  async copyNow(
    viewer: Viewer,
    copied: { from: RepositoryId; to: RepositoryId; oids: readonly string[] },
  ): Promise<void> {
    if (copied.oids.length === 0) return;
    await this.#database.transaction(async (tx) => {
      await this.#repositories.lock(tx, viewer, copied.from, LFS.download);
      await this.copy(tx, copied);
    });
  }
}
