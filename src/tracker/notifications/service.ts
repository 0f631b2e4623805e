import { overridesRights, type SignedIn, type Viewer } from '../../api/access/viewer.ts';
import { forbidden, notFound } from '../../base/core/failure.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import type { Database, Db } from '../../base/database/database.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import { NOTIFICATION } from './actions.ts';
import { NOTIFICATION_LIMITS } from './limits.ts';
import type { Thread, ThreadFilter, ThreadStatus } from './model.ts';
import {
  countThreads,
  findSubjects,
  findThread,
  findThreads,
  findThreadsOf,
  listThreads,
  setStatus,
  setStatuses,
  type ThreadRow,
  type ThreadSelection,
} from './store/threads.ts';

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
}

/**
 * Notifications of users, which `NotificationDelivery` writes. Those about repositories whose issues the viewer may no
 * longer read are in no list and no count. They come back with the access.
 */
export class Notifications {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  list(viewer: SignedIn, filter: ThreadFilter, paging: Paging): Promise<Page<Thread>> {
    return this.#list(viewer, { ...filter, accountId: viewer.accountId }, paging);
  }

  /** @throws ForgeError as `Repositories.get` */
  async listIn(
    viewer: SignedIn,
    path: RepositoryPath,
    filter: ThreadFilter,
    paging: Paging,
  ): Promise<Page<Thread>> {
    const { repository } = await this.#use.repositories.get(viewer, path, NOTIFICATION.readIn);
    const selection = { ...filter, accountId: viewer.accountId, repositoryId: repository.id };
    return this.#list(viewer, selection, paging);
  }

  async #list(viewer: Viewer, selection: ThreadSelection, paging: Paging): Promise<Page<Thread>> {
    const db = this.#use.database.reader;
    const { items, total } = await listThreads(db, viewer, selection, paging);
    return { items: await this.#complete(db, viewer, items), total };
  }

  /** Returns what the viewer's notifications about some issues are about, by the ids of the issues. */
  async ofIssues(
    viewer: SignedIn,
    issueIds: readonly number[],
  ): Promise<ReadonlyMap<number, Pick<Thread, 'subject' | 'repository'>>> {
    const db = this.#use.database.reader;
    const rows = await findThreadsOf(db, viewer, { accountId: viewer.accountId, issueIds });
    const issues = new Map(rows.map(({ id, issueId }) => [id, issueId]));
    const threads = await this.#complete(db, viewer, rows);
    return new Map(threads.map((thread) => [issues.get(thread.id) ?? 0, thread]));
  }

  countUnread(viewer: SignedIn): Promise<number> {
    const selection: ThreadSelection = { accountId: viewer.accountId, statuses: ['unread'] };
    return countThreads(this.#use.database.reader, viewer, selection);
  }

  /**
   * @throws ForgeError `not_found`; `forbidden` for the thread of another user, unless the viewer is an administrator
   */
  get(viewer: SignedIn, id: number): Promise<Thread> {
    return this.#get(this.#use.database.reader, viewer, id);
  }

  async #get(db: Db, viewer: SignedIn, id: number): Promise<Thread> {
    const row = await findThread(db, id);
    if (row === undefined) throw notFound('notification');
    if (row.accountId !== viewer.accountId && !overridesRights(viewer))
      throw forbidden('only the user who was notified, and administrators, can do this');
    const readable = await findThreads(db, viewer, row.accountId, [id]);
    const [thread] = await this.#complete(db, viewer, readable);
    if (thread === undefined) throw notFound('notification');
    return thread;
  }

  /**
   * Marks one notification.
   *
   * @param requireCurrent throws if the caller does not accept the thread as it is
   * @throws ForgeError as `get`
   */
  mark(
    viewer: SignedIn,
    id: number,
    status: ThreadStatus,
    requireCurrent: (current: Thread) => void = () => {},
  ): Promise<Thread> {
    return this.#use.database.transaction(async (tx) => {
      const thread = await this.#get(tx, viewer, id);
      requireCurrent(thread);
      await setStatus(tx, id, status);
      return { ...thread, status };
    });
  }

  /** Marks the viewer's new notification about an issue as read, if there is one, because the viewer has opened the issue. */
  async readIssue(viewer: SignedIn, issueId: number): Promise<void> {
    const { reader } = this.#use.database;
    const [thread] = await findThreadsOf(reader, viewer, {
      accountId: viewer.accountId,
      issueIds: [issueId],
    });
    if (thread?.status !== 'unread') return;
    await this.#use.database.transaction((tx) => setStatus(tx, thread.id, 'read'));
  }

  /** Marks notifications. @returns the latest of those that had another status */
  markAll(viewer: SignedIn, filter: ThreadFilter, status: ThreadStatus): Promise<readonly Thread[]> {
    return this.#markAll(viewer, { ...filter, accountId: viewer.accountId }, status);
  }

  /** @throws ForgeError as `Repositories.get` */
  async markAllIn(
    viewer: SignedIn,
    path: RepositoryPath,
    filter: ThreadFilter,
    status: ThreadStatus,
  ): Promise<readonly Thread[]> {
    const { repository } = await this.#use.repositories.get(viewer, path, NOTIFICATION.changeIn);
    const selection = { ...filter, accountId: viewer.accountId, repositoryId: repository.id };
    return this.#markAll(viewer, selection, status);
  }

  async #markAll(
    viewer: Viewer,
    selection: ThreadSelection,
    status: ThreadStatus,
  ): Promise<readonly Thread[]> {
    let latest: readonly number[] = [];
    for (;;) {
      const marked = await this.#use.database.transaction((tx) => setStatuses(tx, viewer, selection, status));
      latest = [...latest, ...marked].slice(0, NOTIFICATION_LIMITS.notificationsReturnedMax);
      if (marked.length < NOTIFICATION_LIMITS.notificationsMarkedAtOnceMax) break;
    }
    const db = this.#use.database.reader;
    return this.#complete(db, viewer, await findThreads(db, viewer, selection.accountId, latest));
  }

  /** Adds to threads what they are about, with one query for each table. */
  async #complete(db: Db, viewer: Viewer, rows: readonly ThreadRow[]): Promise<readonly Thread[]> {
    if (rows.length === 0) return [];
    const subjects = await findSubjects(
      db,
      rows.map(({ issueId }) => issueId),
    );
    const ids = new Set(rows.map(({ repositoryId }) => repositoryId));
    const found = await this.#use.repositories.lists.byIds(db, viewer, [...ids]);
    const repositories = new Map(found.map((permitted) => [permitted.repository.id, permitted]));
    return rows.flatMap(({ id, accountId, status, updatedAt, issueId, repositoryId }) => {
      const [subject, repository] = [subjects.get(issueId), repositories.get(repositoryId)];
      if (subject === undefined || repository === undefined) return [];
      return [{ id, accountId, status, updatedAt, subject, repository }];
    });
  }
}
