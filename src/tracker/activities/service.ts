import type { Viewer } from '../../api/access/viewer.ts';
import { offsetOf, type Page, type Paging } from '../../base/core/paging.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database } from '../../base/database/database.ts';
import type { PermittedRepository, Repository, RepositoryPath } from '../../hosting/repositories/model.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import { isActivityVisible } from '../../hosting/stars/activity.ts';
import type { Account } from '../../people/accounts/model.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import { findVisibleAccounts } from '../../people/accounts/visible.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import type { Teams } from '../../people/teams/service.ts';
import type { Comments } from '../issues/discussion/comments/service.ts';
import type { Comment } from '../issues/models/comments.ts';
import { ACTIVITY } from './actions.ts';
import { ACTIVITY_LIMITS } from './limits.ts';
import type { Activity, Contributions, Day, Feed, OpType } from './model.ts';
import { withPushPath } from './pushed-commits.ts';
import { type ActivityRow, countContributions, listActivityIds, readActivities } from './store/lists.ts';

interface Dependencies {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly organizations: Organizations;
  readonly teams: Teams;
  readonly repositories: Repositories;
  readonly comments: Comments;
}

/** The part of a feed that a request asks for. */
interface Wanted {
  /** undefined: all days */
  readonly day?: Day | undefined;
  readonly paging: Paging;
}

const NOTHING: Page<Activity> = { items: [], total: 0 };

/** What accounts have done, as far as each viewer may see it now. `ActivityRecorder` writes it. */
export class Activities {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError as `Repositories.get` */
  async ofRepository(viewer: Viewer, path: RepositoryPath, wanted: Wanted): Promise<Page<Activity>> {
    const { repository } = await this.#use.repositories.get(viewer, path, ACTIVITY.listIn);
    return this.in(viewer, repository, wanted);
  }

  /** Lists the feed of a repository that was looked up for the viewer. */
  in(viewer: Viewer, { id }: Pick<Repository, 'id'>, wanted: Wanted): Promise<Page<Activity>> {
    return this.#list(viewer, { of: 'repository', id }, wanted);
  }

  /** @throws ForgeError as `Organizations.get` */
  async ofOrganization(viewer: Viewer, name: string, wanted: Wanted): Promise<Page<Activity>> {
    const { organization } = await this.#use.organizations.get(viewer, name, ACTIVITY.listOfOrganization);
    return this.#list(viewer, { of: 'owner', id: organization.id }, wanted);
  }

  /** @throws ForgeError as `Teams.get` */
  async ofTeam(viewer: Viewer, id: number, wanted: Wanted): Promise<Page<Activity>> {
    const { team } = await this.#use.teams.get(viewer, id, ACTIVITY.listOfTeam);
    return this.#list(viewer, { of: 'team', id, organizationId: team.organizationId }, wanted);
  }

  /**
   * Lists what a user did, and what happened in the repositories that the user watches; nothing if the user hides their
   * activity.
   *
   * @param wanted.onlyPerformed without what others did
   * @throws ForgeError as `Accounts.getByName`
   */
  async ofUser(
    viewer: Viewer,
    name: string,
    { onlyPerformed, ...wanted }: Wanted & { readonly onlyPerformed: boolean },
  ): Promise<Page<Activity>> {
    const account = await this.#use.accounts.getByName(viewer, name);
    return this.ofAccount(viewer, account, { ...wanted, onlyPerformed });
  }

  /** Lists the feed of an account that was looked up for the viewer. An organization has the feed of its repositories. */
  async ofAccount(
    viewer: Viewer,
    account: Account,
    { onlyPerformed, ...wanted }: Wanted & { readonly onlyPerformed: boolean },
  ): Promise<Page<Activity>> {
    if (!isActivityVisible(viewer, account)) return NOTHING;
    const { id, kind } = account;
    if (kind === 'organization' && !onlyPerformed) return this.#list(viewer, { of: 'owner', id }, wanted);
    return this.#list(viewer, { of: onlyPerformed ? 'performer' : 'reader', id }, wanted);
  }

  /**
   * Counts what a user did in the last year; nothing if the user hides their activity.
   *
   * @throws ForgeError as `Accounts.getByName`
   */
  async heatmap(viewer: Viewer, name: string): Promise<readonly Contributions[]> {
    const account = await this.#use.accounts.getByName(viewer, name);
    if (!isActivityVisible(viewer, account)) return [];
    const { id, kind } = account;
    const feed = { of: kind === 'organization' ? 'owner' : 'performer', id } as const;
    const since = currentTimeMs() - ACTIVITY_LIMITS.heatmapMs;
    return countContributions(this.#use.database.reader, viewer, feed, since);
  }

  async #list(viewer: Viewer, feed: Feed, { day, paging }: Wanted): Promise<Page<Activity>> {
    const { reader } = this.#use.database;
    const ids = await listActivityIds(reader, viewer, { feed, day });
    const offset = offsetOf(paging);
    const rows = await readActivities(reader, ids.slice(offset, offset + paging.limit));
    return { items: await this.#complete(viewer, feed, rows), total: ids.length };
  }

  /** Adds what other features know, with a fixed number of queries. */
  async #complete(viewer: Viewer, feed: Feed, rows: readonly ActivityRow[]): Promise<readonly Activity[]> {
    if (rows.length === 0) return [];
    const { database, repositories, comments } = this.#use;
    const ids = new Set(rows.map(({ repositoryId }) => repositoryId));
    const found = await repositories.lists.byIds(database.reader, viewer, [...ids]);
    const permitted = new Map(found.map((each) => [each.repository.id, each]));
    const entryIds = rows.flatMap(({ entryId }) => entryId ?? []);
    const commentOf = await comments.byIds(database.reader, viewer, entryIds);
    const formerIds = rows.flatMap(({ formerOwnerId }) => formerOwnerId ?? []);
    const formerOwners = await findVisibleAccounts(database.reader, viewer, formerIds);
    return rows.flatMap((row) => {
      const repository = permitted.get(row.repositoryId);
      if (repository === undefined) return [];
      const comment = row.entryId === null ? null : (commentOf(repository.repository, row.entryId) ?? null);
      const showsFormerOwner = row.formerOwnerId !== null && formerOwners.has(row.formerOwnerId);
      return [activityOf(row, { repository, comment, feedOf: feedOf(feed, row), showsFormerOwner })];
    });
  }
}

/** The account that receives a feed; of a repository, the actor. */
function feedOf(feed: Feed, { actor }: ActivityRow): number {
  if (feed.of === 'repository') return actor.id;
  return feed.of === 'team' ? feed.organizationId : feed.id;
}

function activityOf(
  { entryId: _, lineComment, repositoryId: __, formerOwnerId: ___, ...row }: ActivityRow,
  {
    showsFormerOwner,
    ...also
  }: {
    readonly repository: PermittedRepository;
    readonly comment: Comment | null;
    readonly feedOf: number;
    readonly showsFormerOwner: boolean;
  },
): Activity {
  const text = also.comment?.body ?? lineComment ?? textWithoutComment(row);
  const content =
    row.issue === null || row.content !== ''
      ? contentOf(row, also.repository, { showsFormerOwner })
      : `${row.issue.number}|${shortened(text)}`;
  return { ...row, ...also, content };
}

const HAS_COMPARISON: ReadonlySet<OpType> = new Set(['commit_repo', 'mirror_sync_push']);

/** Names of former owners are in transfers, and in the addresses of earlier pushes. */
function contentOf(
  { opType, content }: Pick<ActivityRow, 'opType' | 'content'>,
  { repository: { owner, name } }: PermittedRepository,
  { showsFormerOwner }: { readonly showsFormerOwner: boolean },
): string {
  if (opType === 'transfer_repo' && !showsFormerOwner) return content.slice(content.indexOf('/') + 1);
  return HAS_COMPARISON.has(opType)
    ? withPushPath(content, [owner.name, name].map(encodeURIComponent).join('/'))
    : content;
}

const WITHOUT_TEXT: ReadonlySet<string> = new Set([
  'close_issue',
  'reopen_issue',
  'close_pull_request',
  'reopen_pull_request',
]);

function textWithoutComment({ opType, issue }: Pick<ActivityRow, 'opType' | 'issue'>): string {
  return WITHOUT_TEXT.has(opType) ? '' : (issue?.title ?? '');
}

/** Cuts a text. Titles are shorter. */
function shortened(text: string): string {
  const { textCharsMax } = ACTIVITY_LIMITS;
  return text.length <= textCharsMax ? text : `${text.slice(0, textCharsMax - 1).toWellFormed()}…`;
}
