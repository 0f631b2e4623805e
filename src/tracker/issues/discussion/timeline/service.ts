import type { Viewer } from '../../../../api/access/viewer.ts';
import type { Page, Paging } from '../../../../base/core/paging.ts';
import type { Database } from '../../../../base/database/database.ts';
import type { RepositoryId } from '../../../../git/interface/snapshot.ts';
import type { Repository } from '../../../../hosting/repositories/model.ts';
import type { Repositories } from '../../../../hosting/repositories/service.ts';
import { isReadableTracker } from '../../../../hosting/repositories/tracker.ts';
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
  type DetailedEntry,
  findComments,
  findVisibleAccounts,
  listEntries,
  listOtherRepositories,
} from './store.ts';

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
  readonly access: IssueAccess;
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
    const db = this.#use.database.reader;
    const { permitted, state } = await this.#use.access.get(viewer, path, ISSUE.read);
    const others = await listOtherRepositories(db, state);
    const readable = await this.#readable(viewer, others);
    readable.set(permitted.repository.id, permitted.repository);
    const hiddenRepositories = others.filter((id) => !readable.has(id));
    const selection = { ...range, issueId: state.id, hiddenRepositories };
    const { items, total } = await listEntries(db, viewer, selection, paging);
    return { items: await this.#complete(viewer, permitted.repository, items, readable), total };
  }

  async #readable(viewer: Viewer, ids: readonly RepositoryId[]): Promise<Map<RepositoryId, Repository>> {
    const found =
      ids.length === 0
        ? []
        : await this.#use.repositories.lists.byIds(this.#use.database.reader, viewer, ids);
    const readable = found.filter((permitted) => isReadableTracker(viewer, permitted, ISSUE.read));
    return new Map(readable.map(({ repository }) => [repository.id, repository]));
  }

  /** Adds the records that entries refer to, with one query for each table. */
  async #complete(
    viewer: Viewer,
    repository: Repository,
    entries: readonly DetailedEntry[],
    readable: ReadonlyMap<RepositoryId, Repository>,
  ): Promise<readonly TimelineEntry[]> {
    const db = this.#use.database.reader;
    const idsOf = (...names: readonly IdName[]) => [
      ...new Set(entries.flatMap(({ details }) => names.flatMap((name) => details[name] ?? []))),
    ];
    const labels = await readLabels(db, idsOf('labelId'));
    const milestones = await readMilestones(db, idsOf('milestoneId', 'oldMilestoneId'));
    const assignees = await findVisibleAccounts(db, viewer, idsOf('accountId'));
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
        otherIssue,
        otherComment:
          otherIssue === null || other === undefined ? null : commentOf(otherIssue.repository, other),
      };
    });
  }

  async #issues(
    viewer: Viewer,
    ids: readonly number[],
    readable: ReadonlyMap<RepositoryId, Repository>,
  ): Promise<ReadonlyMap<number, Issue>> {
    const db = this.#use.database.reader;
    const placed = (await findIssuesByIds(db, viewer, ids)).flatMap((found) => {
      const repository = readable.get(found.state.repositoryId);
      return repository === undefined ? [] : [{ ...found, repository }];
    });
    return new Map((await completeIssues(db, viewer, placed)).map((issue) => [issue.id, issue]));
  }
}

/** The members of details that are ids. */
type IdName = Extract<keyof EntryDetails, `${string}Id`>;

/** No row has this id. */
const NO_ROW = 0;
