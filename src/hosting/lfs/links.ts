import type { Viewer } from '../../api/access/viewer.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import type { Oid } from '../../git/format/model.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { WriteSession } from '../../git/interface/writes.ts';
import type { OwnedFiles } from '../../storage/owned-files/service.ts';
import type { CreatedRepository } from '../repositories/creation/model.ts';
import type { Repositories } from '../repositories/service.ts';
import { LFS } from './actions.ts';
import { findNamedObjects } from './find-pointers.ts';
import { LFS_LIMITS } from './limits.ts';
import type { LfsObject, NamedObject } from './model.ts';
import type { ObjectFile } from './store/object-rows.ts';
import {
  copyAllLinks,
  copyLinks,
  hasLinks,
  listLinked,
  listMissing,
  releaseLinks,
  sumLinkedBytes,
} from './store/objects.ts';

interface Dependencies {
  readonly database: Database;
  readonly objectFiles: OwnedFiles<ObjectFile>;
  readonly repositories: Repositories;
}

/**
 * Links objects to repositories. When a fork appears, or commits arrive from another repository, the objects that they
 * name belong to this repository, too.
 */
export class ObjectLinks {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** Links the objects of a parent to its fork. The parent is locked. */
  async afterCreation(tx: Tx, { repositoryId: to, parentId: from }: CreatedRepository): Promise<void> {
    if (from !== null) await copyAllLinks(tx, { from, to, at: currentTimeMs() });
  }

  /** Schedules a check of the objects of a repository that is about to be deleted. Its links are deleted with its row. */
  async release(tx: Tx, id: RepositoryId): Promise<void> {
    if (await releaseLinks(tx, id, currentTimeMs())) await this.#use.objectFiles.requestCollection(tx);
  }

  /** Sums the bytes of the objects that belong to a repository. Its forks count the same objects again. */
  bytesOf(repositoryId: RepositoryId): Promise<number> {
    return sumLinkedBytes(this.#use.database.reader, repositoryId);
  }

  /**
   * Returns the ids of the objects that new commits in a session name and that may come from another repository.
   *
   * @throws ForgeError as `findNamedObjects`
   */
  async namedIn(session: WriteSession, tips: readonly Oid[], from: RepositoryId): Promise<readonly string[]> {
    if (!(await hasLinks(this.#use.database.reader, from))) return [];
    return (await findNamedObjects(session, tips)).map(({ oid }) => oid);
  }

  /** Copies links. The viewer has been authorized for both repositories in the same transaction. */
  async copy(
    tx: Tx,
    { from, to, oids }: { from: RepositoryId; to: RepositoryId; oids: readonly string[] },
  ): Promise<void> {
    for (let at = 0; at < oids.length; at += LFS_LIMITS.lfsBatchObjectsMax) {
      const part = oids.slice(at, at + LFS_LIMITS.lfsBatchObjectsMax);
      await copyLinks(tx, { from, to, at: currentTimeMs(), oids: part });
    }
  }

  /** Whether any object belongs to a repository. */
  hasAny(id: RepositoryId): Promise<boolean> {
    return hasLinks(this.#use.database.reader, id);
  }

  /** Filters objects: returns those that belong to a repository. */
  async presentIn(id: RepositoryId, objects: readonly NamedObject[]): Promise<readonly LfsObject[]> {
    const present: LfsObject[] = [];
    for (let at = 0; at < objects.length; at += LFS_LIMITS.lfsBatchObjectsMax) {
      const oids = objects.slice(at, at + LFS_LIMITS.lfsBatchObjectsMax).map(({ oid }) => oid);
      present.push(...(await listLinked(this.#use.database.reader, id, oids)));
    }
    return present;
  }

  /** Filters objects: returns those that a repository lacks. */
  missingIn(id: RepositoryId, objects: readonly NamedObject[]): Promise<readonly NamedObject[]> {
    return listMissing(this.#use.database.reader, id, objects);
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
    await this.#use.database.transaction(async (tx) => {
      await this.#use.repositories.lock(tx, viewer, copied.from, LFS.download);
      await this.copy(tx, copied);
    });
  }
}
