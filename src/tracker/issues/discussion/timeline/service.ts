import type { Viewer } from '../../../../api/access/viewer.ts';
import type { Page, Paging } from '../../../../base/core/paging.ts';
import type { Database } from '../../../../base/database/database.ts';
import type { PermittedRepository, Repository } from '../../../../hosting/repositories/model.ts';
import type { Repositories } from '../../../../hosting/repositories/service.ts';
import { isReadableKind, unitOf } from '../../../../hosting/repositories/tracker.ts';
import { findVisibleAccounts } from '../../../../people/accounts/visible.ts';
import type { Team } from '../../../../people/teams/model.ts';
import type { Teams } from '../../../../people/teams/service.ts';
import { readLabels } from '../../../labels/of-issues.ts';
import { readMilestones } from '../../../milestones/of-issues.ts';
import type { IssueAccess, IssuePath } from '../../access.ts';
import { ISSUE } from '../../actions.ts';
import type { Issue } from '../../model.ts';
import type { CommentRange } from '../../models/comments.ts';
import type { EntryDetails } from '../../models/entries.ts';
import type { TimelineEntry } from '../../models/timeline.ts';
import { completeIssues } from '../../read.ts';
import { findIssuesByIds } from '../../store/issues.ts';
import { readComments } from '../comments/read.ts';
import {
  countEntriesBefore,
  type DetailedEntry,
  findComments,
  listEntries,
  listOthers,
  type OtherIssues,
} from './store.ts';

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
  readonly access: IssueAccess;
  readonly teams: Teams;
}

/** Timelines of issues. */
export class Timelines {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Lists the entries of an issue, without those about issues that the viewer may not read.
   *
   * @throws ForgeError as `IssueAccess.get`
   */
  async list(
    viewer: Viewer,
    path: IssuePath,
    range: CommentRange,
    paging: Paging,
  ): Promise<Page<TimelineEntry>> {
    const { permitted, issueId, hidden, readable } = await this.#open(viewer, path);
    const db = this.#use.database.reader;
    const { items, total } = await listEntries(db, viewer, { ...range, issueId, hidden }, paging);
    return { items: await this.#complete(viewer, permitted.repository, items, readable), total };
  }

  /**
   * Finds the page of the whole list that has an entry.
   *
   * @param limit entries of a page
   * @returns its number, from 1; of an entry that the viewer does not see, the page where it would be
   * @throws ForgeError as `list`
   */
  async pageWith(
    viewer: Viewer,
    path: IssuePath,
    { entryId, limit }: { readonly entryId: number; readonly limit: number },
  ): Promise<number> {
    const { issueId, hidden } = await this.#open(viewer, path);
    const selection = { issueId, hidden, since: undefined, before: undefined };
    const before = await countEntriesBefore(this.#use.database.reader, selection, entryId);
    return Math.floor(before / limit) + 1;
  }

  async #open(viewer: Viewer, path: IssuePath) {
    const { permitted, state } = await this.#use.access.get(viewer, path, ISSUE.read);
    const others = await listOthers(this.#use.database.reader, state);
    const readable = await this.#readable(viewer, others, permitted);
    const hidden = others.filter((other) => !readable.has(keyOf(other)));
    return { permitted, issueId: state.id, readable, hidden };
  }

  /** Returns the repositories of the kinds of issues that the viewer may read. */
  async #readable(
    viewer: Viewer,
    others: readonly OtherIssues[],
    own: PermittedRepository,
  ): Promise<Readable> {
    const ids = [...new Set(others.map(({ repositoryId }) => repositoryId))].filter(
      (id) => id !== own.repository.id,
    );
    const { lists } = this.#use.repositories;
    const found = ids.length === 0 ? [] : await lists.byIds(this.#use.database.reader, viewer, ids);
    const byId = new Map([own, ...found].map((permitted) => [permitted.repository.id, permitted]));
    return new Map(
      others.flatMap((other) => {
        const permitted = byId.get(other.repositoryId);
        if (permitted === undefined || !isReadableKind(viewer, permitted, ISSUE.read, other)) return [];
        return [[keyOf(other), permitted.repository] as const];
      }),
    );
  }

  /** Adds the records that entries refer to, with one query for each table. */
  async #complete(
    viewer: Viewer,
    repository: Repository,
    entries: readonly DetailedEntry[],
    readable: Readable,
  ): Promise<readonly TimelineEntry[]> {
    const db = this.#use.database.reader;
    const idsOf = (...names: readonly IdName[]) => [
      ...new Set(entries.flatMap(({ details }) => names.flatMap((name) => details[name] ?? []))),
    ];
    const labels = await readLabels(db, idsOf('labelId'));
    const milestones = await readMilestones(db, idsOf('milestoneId', 'oldMilestoneId'));
    const assignees = await findVisibleAccounts(db, viewer, idsOf('accountId'));
    const teams = await this.#teams(repository, idsOf('teamId'));
    const issues = await this.#issues(viewer, idsOf('otherIssueId'), readable);
    const others = await findComments(db, viewer, idsOf('otherEntryId'));
    const commentOf = await readComments(db, [...entries, ...others]);
    return entries.map((entry) => {
      const { details } = entry;
      const otherIssue = issues.get(details.otherIssueId ?? NO_ROW) ?? null;
      const other = others.find(({ id }) => id === details.otherEntryId);
      return {
        ...commentOf(repository, entry),
        kind: entry.kind,
        details,
        label: labels.get(details.labelId ?? NO_ROW)?.(repository) ?? null,
        milestone: milestones.get(details.milestoneId ?? NO_ROW) ?? null,
        oldMilestone: milestones.get(details.oldMilestoneId ?? NO_ROW) ?? null,
        assignee: assignees.get(details.accountId ?? NO_ROW) ?? null,
        assigneeTeam: teams.get(details.teamId ?? NO_ROW) ?? null,
        otherIssue,
        otherComment:
          otherIssue === null || other === undefined ? null : commentOf(otherIssue.repository, other),
      };
    });
  }

  async #teams({ owner }: Repository, ids: readonly number[]): Promise<ReadonlyMap<number, Team>> {
    const found = await this.#use.teams.repositories.listById(this.#use.database.reader, owner.id, ids);
    return new Map(found.map((team) => [team.id, team]));
  }

  async #issues(
    viewer: Viewer,
    ids: readonly number[],
    readable: Readable,
  ): Promise<ReadonlyMap<number, Issue>> {
    const db = this.#use.database.reader;
    const placed = (await findIssuesByIds(db, viewer, ids)).flatMap((found) => {
      const repository = readable.get(keyOf(found.state));
      return repository === undefined ? [] : [{ ...found, repository }];
    });
    return new Map((await completeIssues(db, viewer, placed)).map((issue) => [issue.id, issue]));
  }
}

/** Repositories by the kind of issues that the viewer may read in them: see `keyOf`. */
type Readable = ReadonlyMap<string, Repository>;

function keyOf({ repositoryId, isPull }: OtherIssues): string {
  return `${repositoryId} ${unitOf({ isPull })}`;
}

/** The members of details that are ids. */
type IdName = Extract<keyof EntryDetails, `${string}Id`>;

/** No row has this id. */
const NO_ROW = 0;
