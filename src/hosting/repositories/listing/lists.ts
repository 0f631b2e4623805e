import type { Viewer } from '../../../api/access/viewer.ts';
import type { Page, Paging } from '../../../base/core/paging.ts';
import type { Database, Db } from '../../../base/database/database.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import type { PermittedRepository } from '../model.ts';
import type { RepositorySelection } from '../selection.ts';
import { listStarredBy, listWatchedBy } from '../store/lists.ts';
import { listRepositoriesById } from '../store/records.ts';
import { isWithoutTrigrams } from '../store/trigrams.ts';
import { ListPlanner } from './plan.ts';

/** Lists repositories: every list has only those that the viewer may see. */
export class RepositoryLists {
  readonly #database: Database;
  readonly #planner = new ListPlanner();

  constructor({ database }: { database: Database }) {
    this.#database = database;
  }

  async select(
    viewer: Viewer,
    selection: RepositorySelection,
    paging: Paging,
  ): Promise<Page<PermittedRepository>> {
    const db = this.#database.reader;
    const { items, total } = await this.#planner.list(db, viewer, selection, paging);
    return { items: await listRepositoriesById(db, viewer, items), total };
  }

  /** Lists the ids of the first repositories of a selection. */
  firstIds(
    viewer: Viewer,
    selection: RepositorySelection,
    countMax: number,
  ): Promise<readonly RepositoryId[]> {
    return this.#planner.listFirst(this.#database.reader, viewer, selection, countMax);
  }

  /** Lists those of some repositories that the viewer may see, in the order of `ids`. */
  byIds(db: Db, viewer: Viewer, ids: readonly RepositoryId[]): Promise<readonly PermittedRepository[]> {
    return listRepositoriesById(db, viewer, ids);
  }

  /** Lists the repositories of an owner that was looked up for the viewer. */
  ofOwner(viewer: Viewer, ownerId: number, paging: Paging): Promise<Page<PermittedRepository>> {
    return this.select(viewer, { of: { accountId: ownerId, part: 'owned' } }, paging);
  }

  /** Lists the repositories that an account has starred. */
  starredBy(viewer: Viewer, accountId: number, paging: Paging): Promise<Page<PermittedRepository>> {
    return listStarredBy(this.#database.reader, viewer, accountId, paging);
  }

  /** Lists the repositories that an account watches. */
  watchedBy(viewer: Viewer, accountId: number, paging: Paging): Promise<Page<PermittedRepository>> {
    return listWatchedBy(this.#database.reader, viewer, accountId, paging);
  }

  /** Whether searches read all texts, because the database lacks a text index. */
  isWithoutTextIndex(): Promise<boolean> {
    return isWithoutTrigrams(this.#database.reader);
  }
}
