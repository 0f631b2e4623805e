import { reaches } from '../../../../api/access/levels.ts';
import type { SignedIn, Viewer } from '../../../../api/access/viewer.ts';
import { ForgeError, forbidden, MovedError, notFound } from '../../../../base/core/failure.ts';
import { type Page, type Paging, pagingOf } from '../../../../base/core/paging.ts';
import { currentTimeMs } from '../../../../base/core/time/clock.ts';
import type { Database, Db, Tx } from '../../../../base/database/database.ts';
import type {
  PermittedRepository,
  Repository,
  RepositoryPath,
} from '../../../../hosting/repositories/model.ts';
import type { Repositories } from '../../../../hosting/repositories/service.ts';
import { readableKinds, unitsOf } from '../../../../hosting/repositories/tracker.ts';
import { lockUser } from '../../../../people/accounts/locks.ts';
import type { Accounts } from '../../../../people/accounts/service.ts';
import { type IssueAccess, type IssuePath, mayManage, type PermittedIssue } from '../../access.ts';
import type { NewTime, TimeFilter, TimeRow, TrackedTime } from '../../models/times.ts';
import { completeIssues } from '../../read.ts';
import { findIssuesByIds } from '../../store/issues.ts';
import { TIME } from './actions.ts';
import { addTime, announceTime, recordDeletion } from './record.ts';
import { requireMayTrack, requireRoomForTime, tracksTime, validSeconds } from './rules.ts';
import {
  type DeletedTime,
  deleteTime,
  deleteTimesOf,
  findTime,
  listTimes,
  type TimeSelection,
  type TimesOf,
} from './store.ts';

type RequireCurrent = ((firstPage: Page<TrackedTime>) => void) | undefined;

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
  readonly accounts: Accounts;
  readonly access: IssueAccess;
}

/** Time that users worked on issues. */
export class Times {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Lists the times of an issue. A viewer who may not write issues sees only the viewer's own times.
   *
   * @throws ForgeError as `IssueAccess.get`; `not_found` without time tracking, and for an unknown user; `forbidden`
   */
  async list(
    viewer: SignedIn,
    path: IssuePath,
    filter: TimeFilter,
    paging: Paging,
  ): Promise<Page<TrackedTime>> {
    const { permitted, state } = await this.#use.access.get(viewer, path, TIME.read);
    if (!tracksTime(permitted.repository)) throw notFound('time tracking');
    const { user, ...range } = filter;
    const accountId = await this.#idOf(viewer, user);
    const { accountId: only } = ownUnlessManager(viewer, { permitted, state });
    if (accountId !== undefined && accountId !== viewer.accountId && only !== undefined) throw onlyOwn();
    const selection = { ...range, of: { issueId: state.id }, accountId: accountId ?? only };
    return this.#page(this.#use.database.reader, viewer, selection, paging);
  }

  /** @throws ForgeError as `list`, but `bad_request` without time tracking */
  async listOfRepository(
    viewer: SignedIn,
    path: RepositoryPath,
    filter: TimeFilter,
    paging: Paging,
  ): Promise<Page<TrackedTime>> {
    const permitted = await this.#use.access.repository(viewer, path, TIME.read);
    requireTracking(permitted.repository);
    const { user, ...range } = filter;
    const accountId = await this.#idOf(viewer, user);
    const selection = { ...range, of: timesIn(viewer, permitted, accountId), accountId };
    return this.#page(this.#use.database.reader, viewer, selection, paging);
  }

  /** @throws ForgeError as `listOfRepository`; `forbidden` for another user, except for administrators */
  async listOfUser(
    viewer: SignedIn,
    path: RepositoryPath,
    name: string,
    paging: Paging,
  ): Promise<Page<TrackedTime>> {
    const permitted = await this.#use.access.repository(viewer, path, TIME.read);
    requireTracking(permitted.repository);
    const { id: accountId } = await this.#use.accounts.getByName(viewer, name);
    if (accountId !== viewer.accountId && !reaches(permitted.level, 'admin'))
      throw forbidden('only administrators of the repository can list the times of others');
    const kinds = unitsOf(readableKinds(permitted, TIME.read));
    const selection = { of: { repositoryId: permitted.repository.id, kinds }, accountId };
    return this.#page(this.#use.database.reader, viewer, selection, paging);
  }

  /** Lists the times of the viewer on all issues that the viewer still may read. */
  listOwn(
    viewer: SignedIn,
    range: Pick<TimeFilter, 'since' | 'before'>,
    paging: Paging,
  ): Promise<Page<TrackedTime>> {
    const selection = { of: { visibleTo: viewer }, accountId: viewer.accountId, ...range };
    return this.#page(this.#use.database.reader, viewer, selection, paging);
  }

  /**
   * @param requireCurrent throws if the caller does not accept the list as it is
   * @throws ForgeError as `IssueAccess.change`; `bad_request` without time tracking; `forbidden`; `invalid`;
   *   `not_found`
   */
  async add(
    viewer: SignedIn,
    path: IssuePath,
    wanted: NewTime,
    requireCurrent: RequireCurrent,
  ): Promise<TrackedTime> {
    const worker = await this.#findWorker(viewer, wanted.user);
    return this.#change(viewer, path, requireCurrent, async (tx, issue) => {
      const accountId = worker ?? viewer.accountId;
      if (worker !== undefined) await requireWorker(tx, viewer, issue.permitted, worker);
      const seconds = validSeconds(wanted.seconds);
      await requireRoomForTime(tx, issue.state.id);
      const recording = { tx, viewer, at: currentTimeMs() };
      const createdAt = wanted.at ?? recording.at;
      const added = { kind: 'add_time_manual', accountId, seconds, createdAt } as const;
      const timeId = await addTime(recording, issue.state, added);
      await announceTime(recording, issue.state, { timeId, userId: accountId, seconds });
      const row = await requireTime(tx, viewer, { id: timeId, issueId: issue.state.id });
      const [time] = await this.#complete(tx, viewer, [row]);
      if (time === undefined) throw new Error('a time was lost');
      return time;
    });
  }

  /** Deletes the times of the viewer. @throws ForgeError as `add`; `not_found` if there are none */
  async reset(viewer: SignedIn, path: IssuePath, requireCurrent: RequireCurrent): Promise<void> {
    await this.#change(viewer, path, requireCurrent, async (tx, { state }) => {
      const deleted = await deleteTimesOf(tx, { issueId: state.id, accountId: viewer.accountId });
      await record(tx, viewer, state, deleted);
    });
  }

  /** @throws ForgeError as `add`; `not_found`; `forbidden` for the time of another user, except for administrators */
  async delete(viewer: SignedIn, path: IssuePath, id: number, requireCurrent: RequireCurrent): Promise<void> {
    await this.#change(viewer, path, requireCurrent, async (tx, { permitted, state }) => {
      const { accountId } = await requireTime(tx, viewer, { id, issueId: state.id });
      if (accountId !== viewer.accountId && !reaches(permitted.level, 'admin'))
        throw forbidden('only administrators of the repository can delete the times of others');
      await record(tx, viewer, state, await deleteTime(tx, id));
    });
  }

  #change<T>(
    viewer: SignedIn,
    path: IssuePath,
    requireCurrent: RequireCurrent,
    change: (tx: Tx, issue: PermittedIssue) => Promise<T>,
  ): Promise<T> {
    return this.#use.access.change(viewer, path, TIME.change, async (tx, issue) => {
      requireTracking(issue.permitted.repository);
      await requireMayTrack(tx, viewer, issue);
      const { accountId } = ownUnlessManager(viewer, issue);
      const selection = { of: { issueId: issue.state.id }, accountId };
      requireCurrent?.(await this.#page(tx, viewer, selection, pagingOf({})));
      return change(tx, issue);
    });
  }

  /** Returns the id of the user whom a new time names; undefined for the viewer. @throws ForgeError `not_found` */
  async #findWorker(viewer: SignedIn, name: string | undefined): Promise<number | undefined> {
    const isViewer = name === '' || name?.toLowerCase() === viewer.name.toLowerCase();
    return isViewer ? undefined : this.#idOf(viewer, name);
  }

  /** Returns the id of the user whom a request names; undefined for none. @throws ForgeError `not_found` */
  async #idOf(viewer: SignedIn, user: string | undefined): Promise<number | undefined> {
    if (user === undefined) return undefined;
    return (await this.#use.accounts.getByName(viewer, user).catch(withoutRedirect)).id;
  }

  async #page(db: Db, viewer: Viewer, selection: TimeSelection, paging: Paging): Promise<Page<TrackedTime>> {
    const { items, total } = await listTimes(db, viewer, selection, paging);
    return { items: await this.#complete(db, viewer, items), total };
  }

  async #complete(db: Db, viewer: Viewer, rows: readonly TimeRow[]): Promise<readonly TrackedTime[]> {
    const found = await findIssuesByIds(db, viewer, [...new Set(rows.map(({ issueId }) => issueId))]);
    const permitted = await this.#use.repositories.lists.byIds(db, viewer, [
      ...new Set(rows.map(({ repositoryId }) => repositoryId)),
    ]);
    const places = new Map(permitted.map(({ repository }) => [repository.id, repository]));
    const placed = found.flatMap((issue) => {
      const repository = places.get(issue.state.repositoryId);
      return repository === undefined ? [] : [{ ...issue, repository }];
    });
    const complete = await completeIssues(db, viewer, placed);
    const issues = new Map(complete.map((issue) => [issue.id, issue]));
    return rows.flatMap((row) => {
      const issue = issues.get(row.issueId);
      return issue === undefined ? [] : [{ ...row, issue }];
    });
  }
}

/** @throws ForgeError `forbidden`, except for administrators; `not_found`; `invalid` for an organization */
async function requireWorker(
  tx: Tx,
  viewer: SignedIn,
  permitted: PermittedRepository,
  id: number,
): Promise<void> {
  if (id !== viewer.accountId && !reaches(permitted.level, 'admin'))
    throw forbidden('only administrators of the repository can add times of others');
  await lockUser(tx, id);
}

/** @throws ForgeError `bad_request` */
function requireTracking(repository: Repository): void {
  if (!tracksTime(repository))
    throw new ForgeError({ kind: 'bad_request', what: 'time tracking is switched off in this repository' });
}

function ownUnlessManager(
  viewer: SignedIn,
  { permitted, state }: Pick<PermittedIssue, 'permitted' | 'state'>,
): { readonly accountId?: number } {
  return mayManage(permitted, state) ? {} : { accountId: viewer.accountId };
}

/**
 * Returns the times of a repository that the viewer may list: of the kinds that the viewer may not write, only the
 * viewer's own.
 *
 * @param accountId lists only the times of this account
 * @throws ForgeError `forbidden` for the times of another user, if the viewer may write neither kind
 */
function timesIn(viewer: SignedIn, permitted: PermittedRepository, accountId: number | undefined): TimesOf {
  const { id: repositoryId } = permitted.repository;
  const kinds = unitsOf(readableKinds(permitted, TIME.read));
  const managed = kinds.filter((unit) => mayManage(permitted, { isPull: unit === 'pulls' }));
  if (accountId === undefined || accountId === viewer.accountId) {
    const own = { accountId: viewer.accountId, kinds: kinds.filter((unit) => !managed.includes(unit)) };
    return { repositoryId, kinds, own };
  }
  if (managed.length === 0) throw onlyOwn();
  return { repositoryId, kinds: managed };
}

function onlyOwn(): ForgeError {
  return forbidden('only people who may write issues can list the times of others');
}

async function requireTime(
  db: Db,
  viewer: Viewer,
  of: { readonly id: number; readonly issueId: number },
): Promise<TimeRow> {
  const found = await findTime(db, viewer, of);
  if (found === undefined) throw notFound('time');
  return found;
}

async function record(
  tx: Tx,
  viewer: SignedIn,
  issue: PermittedIssue['state'],
  deleted: readonly DeletedTime[],
): Promise<void> {
  if (deleted.length === 0) throw notFound('time');
  await recordDeletion({ tx, viewer, at: currentTimeMs() }, issue, deleted);
}

/** A filter or a body names the user, so there is no address to which the request could be redirected. */
function withoutRedirect(error: unknown): never {
  throw error instanceof MovedError ? notFound('user') : error;
}
