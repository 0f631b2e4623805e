import { requireGranted } from '../../api/access/guard.ts';
import { reaches } from '../../api/access/levels.ts';
import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { type ForgeError, forbidden, MovedError, notFound } from '../../base/core/failure.ts';
import { parseId } from '../../base/core/text/ids.ts';
import type { Database, Db, Tx } from '../../base/database/database.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { PermittedRepository, RepositoryPath } from '../../hosting/repositories/model.ts';
import { requireNotArchived } from '../../hosting/repositories/refs/push-rules.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import {
  requireKind,
  requireTracker,
  type TrackerAction,
  type TrackerKind,
  unitOf,
} from '../../hosting/repositories/tracker.ts';
import { ISSUE } from './actions.ts';
import type { IssueState } from './model.ts';
import { type AuthoredIssue, findIssue } from './store/issues.ts';

/** The issue that a request names: its repository, and its number as the URL has it. */
export interface IssuePath {
  readonly repository: RepositoryPath;
  readonly number: string;
}

interface NamedIssue {
  readonly path: IssuePath;
  readonly action: TrackerAction;
}

/** What the caller wants of an issue. */
interface WantedIssue {
  readonly action: TrackerAction;
  /** `pull`: an issue that is not a pull request counts as missing */
  readonly kind?: 'pull' | undefined;
}

/** An issue that was looked up and authorized for a viewer. */
export interface PermittedIssue extends AuthoredIssue {
  readonly permitted: PermittedRepository;
}

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
}

/** Looks up the repository of an issue, and then the issue in it. Requests reach issues only through this class. */
export class IssueAccess {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError as `Repositories.get` and `requireTracker` */
  async repository(
    viewer: Viewer,
    path: RepositoryPath,
    action: TrackerAction,
  ): Promise<PermittedRepository> {
    const permitted = await this.#use.repositories.get(viewer, path, action);
    requireTracker(viewer, permitted, action);
    return permitted;
  }

  /**
   * @throws ForgeError as `repository`; `not_found` for a missing issue, and for an issue of a kind that is switched off
   *   or hidden
   */
  async get(
    viewer: Viewer,
    { repository, number }: IssuePath,
    action: TrackerAction,
    { kind }: Pick<WantedIssue, 'kind'> = {},
  ): Promise<PermittedIssue> {
    const permitted = await this.repository(viewer, repository, action);
    return requireIssue(this.#use.database.reader, viewer, permitted, { number, action, kind });
  }

  /**
   * Changes something in a repository, which is locked until the transaction ends and is not archived.
   *
   * @throws ForgeError as `repository`, and `archived`
   */
  async changeIn<T>(
    viewer: SignedIn,
    path: RepositoryPath,
    action: TrackerAction,
    change: (tx: Tx, permitted: PermittedRepository) => Promise<T>,
  ): Promise<T> {
    const { repository } = await this.repository(viewer, path, action);
    return this.#locked(viewer, repository.id, action, async (tx, permitted) => {
      requireNotArchived(permitted.repository);
      return change(tx, permitted);
    });
  }

  /**
   * Changes an issue whose repository is locked until the transaction ends and is not archived.
   *
   * @param options.even for the few changes that an archived repository allows
   * @param options.kind as in `WantedIssue`
   * @throws ForgeError as `changeIn` and `get`
   */
  async change<T>(
    viewer: SignedIn,
    { repository, number }: IssuePath,
    action: TrackerAction,
    change: (tx: Tx, issue: PermittedIssue) => Promise<T>,
    { even, kind }: { even?: 'archived' } & Pick<WantedIssue, 'kind'> = {},
  ): Promise<T> {
    const found = await this.get(viewer, { repository, number }, action, { kind });
    return this.#locked(viewer, found.permitted.repository.id, action, async (tx, permitted) => {
      if (even !== 'archived') requireNotArchived(permitted.repository);
      return change(tx, await requireIssue(tx, viewer, permitted, { number, action, kind }));
    });
  }

  /**
   * Changes an issue as `change` does, together with another issue that the request names. The repositories of both
   * issues are locked.
   *
   * @param other `isChanged`: its repository is not archived either
   * @throws ForgeError as `change`, for both
   */
  async changeWith<T>(
    viewer: SignedIn,
    { path, action }: NamedIssue,
    other: NamedIssue & { readonly isChanged: boolean },
    change: (tx: Tx, issue: PermittedIssue, other: PermittedIssue) => Promise<T>,
  ): Promise<T> {
    await this.get(viewer, path, action);
    const { permitted: seen } = await this.get(viewer, other.path, other.action).catch(withoutRedirect);
    return this.change(viewer, path, action, async (tx, issue) => {
      const permitted = await this.lock(tx, viewer, seen.repository.id, other.action);
      if (other.isChanged) requireNotArchived(permitted.repository);
      const { number } = other.path;
      return change(tx, issue, await requireIssue(tx, viewer, permitted, { number, action: other.action }));
    });
  }

  #locked<T>(
    viewer: SignedIn,
    id: RepositoryId,
    action: TrackerAction,
    change: (tx: Tx, permitted: PermittedRepository) => Promise<T>,
  ): Promise<T> {
    return this.#use.database.transaction(async (tx) => change(tx, await this.lock(tx, viewer, id, action)));
  }

  /** Locks a repository until the transaction ends. @throws ForgeError as `repository` */
  async lock(tx: Tx, viewer: Viewer, id: RepositoryId, action: TrackerAction): Promise<PermittedRepository> {
    const permitted = await this.#use.repositories.lock(tx, viewer, id, action);
    requireTracker(viewer, permitted, action);
    return permitted;
  }
}

/** Replaces a redirect: the body names the repository, so the redirect would send the client to a wrong address. */
function withoutRedirect(error: unknown): never {
  throw error instanceof MovedError ? notFound('issue') : error;
}

/**
 * Reads an issue of a repository that was looked up for the viewer, and authorizes the action on its kind.
 *
 * @param wanted.number as the URL has it
 * @throws ForgeError as `IssueAccess.get`
 */
export async function requireIssue(
  db: Db,
  viewer: Viewer,
  permitted: PermittedRepository,
  { number: text, ...wanted }: WantedIssue & { readonly number: string },
): Promise<PermittedIssue> {
  const number = parseId(text);
  if (number === undefined) throw missing(wanted);
  return readIssue(db, viewer, permitted, { ...wanted, number });
}

/** @see requireIssue */
export async function readIssue(
  db: Db,
  viewer: Viewer,
  permitted: PermittedRepository,
  { number, ...wanted }: WantedIssue & { readonly number: number },
): Promise<PermittedIssue> {
  const found = await findIssue(db, viewer, permitted.repository.id, number);
  if (found === undefined || (wanted.kind === 'pull' && !found.state.isPull)) throw missing(wanted);
  requireKind(viewer, permitted, { action: wanted.action, what: nounOf(wanted) }, found.state);
  return { ...found, permitted };
}

function missing(wanted: WantedIssue): ForgeError {
  return notFound(nounOf(wanted));
}

function nounOf({ kind }: WantedIssue): string {
  return kind === 'pull' ? 'pull request' : 'issue';
}

/** Whether the viewer may write the issues of a repository, or its pull requests. */
export function mayManage({ units }: PermittedRepository, kind: TrackerKind): boolean {
  return reaches(units[unitOf(kind)], 'write');
}

/**
 * Requires that the viewer is the author of an issue or a comment, or may write issues of its kind.
 *
 * @throws ForgeError `forbidden`, with the reason of the action
 */
export function requireAuthorOrWriter(
  viewer: SignedIn,
  permitted: PermittedRepository,
  written: TrackerKind & { readonly authorId: number | null },
  action: TrackerAction = ISSUE.change,
): void {
  if (written.authorId === viewer.accountId || mayManage(permitted, written)) return;
  requireGranted('forbidden', action);
}

/** @throws ForgeError `forbidden` if the issue is locked and the viewer may not write issues */
export function requireNotLocked(permitted: PermittedRepository, state: IssueState): void {
  if (state.isLocked && !mayManage(permitted, state))
    throw forbidden('the issue is locked: only people who may write can comment');
}
