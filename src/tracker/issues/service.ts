import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { invalid } from '../../base/core/failure.ts';
import type { Paging } from '../../base/core/paging.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import type { PermittedRepository, Repository, RepositoryPath } from '../../hosting/repositories/model.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import { assignIssueNumber } from '../../hosting/repositories/writes.ts';
import type { Addresses } from '../../http/app.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { Teams } from '../../people/teams/service.ts';
import { type LabelKey, labelIdsByName, requireOffered, withAdded } from '../labels/of-issues.ts';
import { addToLabelCounts } from '../labels/writes.ts';
import { milestoneIdsOf, requireMilestoneOf } from '../milestones/of-issues.ts';
import {
  IssueAccess,
  type IssuePath,
  mayManage,
  type PermittedIssue,
  readIssue,
  requireAuthorOrWriter,
} from './access.ts';
import { ISSUE } from './actions.ts';
import type { AttachmentCollection } from './attachments/collection.ts';
import { type ReadText, TextReader } from './discussion/references/read.ts';
import { recordIssueText } from './discussion/references/record.ts';
import { editIssue } from './edit.ts';
import { ISSUE_CREATED, ISSUE_DELETED } from './events.ts';
import { ISSUE_LIMITS } from './limits.ts';
import { listIssueIds, type OrderedSelection } from './listing/store/list.ts';
import {
  type Issue,
  type IssueEdit,
  type IssueFilter,
  type IssueSearchFilter,
  type IssueState,
  type NewIssue,
  NO_ORIGINAL_AUTHOR,
} from './model.ts';
import { closePinGap } from './planning/marks/store.ts';
import { completeIssue, completeIssues } from './read.ts';
import {
  about,
  announce,
  countComments,
  countInMilestone,
  countInRepository,
  moveAssignees,
  moveLabels,
  type Recording,
} from './record.ts';
import { timeOfChange, validBody, validRef, validTitle } from './rules.ts';
import { type FoundPage, IssueSearches, pageOf } from './search/service.ts';
import { searchIssues } from './search/store/search.ts';
import { deleteIssue, findIssuesByIds, insertIssue } from './store/issues.ts';
import { listLinks } from './store/links.ts';

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
  readonly accounts: Accounts;
  readonly teams: Teams;
  readonly addresses: Addresses;
  readonly attachmentCollection: AttachmentCollection;
}

/** Issues of repositories. */
export class Issues {
  readonly access: IssueAccess;
  readonly texts: TextReader;
  readonly #search: IssueSearches;
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.access = new IssueAccess(dependencies);
    this.texts = new TextReader(dependencies);
    this.#search = new IssueSearches(dependencies);
  }

  /** @throws ForgeError as `IssueAccess.repository`; `not_found` for an account that the filter names */
  async list(
    viewer: Viewer,
    path: RepositoryPath,
    filter: IssueFilter,
    paging: Paging,
  ): Promise<FoundPage<Issue>> {
    const { repository } = await this.access.repository(viewer, path, ISSUE.read);
    const selection = await this.#selectionOf(viewer, repository, filter);
    const db = this.#use.database.reader;
    const { terms } = filter;
    if (selection === 'none' || terms?.length === 0) return { items: [], total: 0, isComplete: true };
    const { items, ...page } =
      terms === undefined
        ? { ...(await listIssueIds(db, selection, paging)), isComplete: true }
        : pageOf(await searchIssues(db, { ...selection, viewer, terms }), paging);
    const placed = (await findIssuesByIds(db, viewer, items)).map((issue) => ({ ...issue, repository }));
    return { ...page, items: await completeIssues(db, viewer, placed) };
  }

  /**
   * Searches all repositories in which the viewer may read issues.
   *
   * @param filter undefined: nothing matches
   * @throws ForgeError `bad_request` if there is no such owner or team
   */
  search(viewer: Viewer, filter: IssueSearchFilter | undefined, paging: Paging): Promise<FoundPage<Issue>> {
    return this.#search.search(viewer, filter, paging);
  }

  /** @throws ForgeError as `IssueAccess.get` */
  async get(viewer: Viewer, path: IssuePath): Promise<Issue> {
    return this.#complete(this.#use.database.reader, viewer, await this.access.get(viewer, path, ISSUE.read));
  }

  /** @throws ForgeError as `IssueAccess.changeIn`, and `invalid` */
  async create(viewer: SignedIn, path: RepositoryPath, wanted: NewIssue): Promise<Issue> {
    const text = await this.texts.markdown(viewer, wanted.body);
    return this.access.changeIn(viewer, path, ISSUE.create, async (tx, permitted) => {
      const recording = { tx, viewer, at: Date.now() };
      const state = await this.#insert(recording, permitted, { ...wanted, text });
      return this.#read(tx, viewer, { permitted, state });
    });
  }

  /**
   * @param requireCurrent throws if the caller does not accept the issue as it is
   * @throws ForgeError as `IssueAccess.change`; `forbidden` unless the viewer is the author or may write; `invalid`
   */
  async edit(
    viewer: SignedIn,
    path: IssuePath,
    edit: IssueEdit,
    requireCurrent: (current: Issue) => void = () => {},
  ): Promise<Issue> {
    const text = await this.texts.markdown(viewer, edit.body ?? '');
    return this.access.change(viewer, path, ISSUE.change, async (tx, found) => {
      const { permitted, state } = found;
      requireAuthorOrWriter(viewer, permitted, state);
      requireCurrent(await this.#complete(tx, viewer, found));
      const at = timeOfChange(permitted, state, edit.at);
      const allowed = mayManage(permitted) ? edit : withoutManaged(edit);
      const after = await editIssue({ tx, viewer, at }, state, allowed, {
        repositories: this.#use.repositories,
        text,
      });
      return this.#read(tx, viewer, { permitted, state: after });
    });
  }

  /**
   * Deletes an issue with its comments. Its number is not used again.
   *
   * @throws ForgeError as `IssueAccess.change`
   */
  async delete(
    viewer: SignedIn,
    path: IssuePath,
    requireCurrent: (current: Issue) => void = () => {},
  ): Promise<void> {
    await this.access.change(viewer, path, ISSUE.delete, async (tx, found) => {
      const { state } = found;
      requireCurrent(await this.#complete(tx, viewer, found));
      const recording = { tx, viewer, at: Date.now() };
      await addToLabelCounts(tx, await listLinks(tx, 'labels', state.id), -1);
      await countInMilestone(tx, state, -1);
      await countInRepository(tx, state, -1);
      await countComments(tx, state, -state.commentsCount);
      await this.#use.attachmentCollection.release(tx, { issueId: state.id });
      await deleteIssue(tx, state.id);
      if (state.pinOrder > 0) await closePinGap(tx, state);
      await announce(recording, ISSUE_DELETED, state, { ...about(state), title: state.title });
    });
  }

  async #insert(
    recording: Recording,
    permitted: PermittedRepository,
    wanted: NewIssue & { readonly text: ReadText },
  ): Promise<IssueState> {
    const { tx, viewer, at } = recording;
    const { repository } = permitted;
    const isManager = mayManage(permitted);
    const { labels, assignees, milestone, dueAt } = isManager ? wanted : UNMANAGED;
    const added = await this.#requireSubjects(tx, repository, { labels, assignees });
    if (milestone !== null) await requireMilestoneOf(tx, repository.id, milestone);
    const fields = {
      repositoryId: repository.id,
      authorId: viewer.accountId,
      title: validTitle(wanted.title),
      body: validBody(wanted.body),
      ref: validRef(wanted.ref),
      milestoneId: milestone,
      dueAt,
      isClosed: wanted.isClosed && isManager,
      number: await assignIssueNumber(tx, repository.id),
    };
    const state = newState({ ...fields, id: await insertIssue(tx, { ...fields, at }) }, at);
    await countInRepository(tx, state, 1);
    await countInMilestone(tx, state, 1);
    await recordIssueText(recording, state, wanted.text, this.#use.repositories);
    await announce(recording, ISSUE_CREATED, state, { ...about(state), title: state.title });
    await moveLabels(recording, state, { added: added.labelIds, removed: [] });
    await moveAssignees(recording, state, { added: added.assigneeIds, removed: [] });
    return state;
  }

  /** @throws ForgeError `invalid` */
  async #requireSubjects(
    tx: Tx,
    repository: Repository,
    wanted: { readonly labels: readonly LabelKey[]; readonly assignees: readonly string[] },
  ): Promise<{ readonly labelIds: readonly number[]; readonly assigneeIds: readonly number[] }> {
    const countMax = ISSUE_LIMITS.issueLinksMax;
    if (wanted.labels.length > countMax || wanted.assignees.length > countMax)
      throw invalid(`an issue has at most ${countMax} labels and ${countMax} assignees`);
    const labels = withAdded([], await requireOffered(tx, repository, wanted.labels));
    const assignees = await this.#use.repositories.people.requireAssignable(
      tx,
      repository.id,
      wanted.assignees,
    );
    return { labelIds: labels.map(({ id }) => id), assigneeIds: assignees.map(({ id }) => id) };
  }

  #complete(db: Tx | Database['reader'], viewer: Viewer, issue: PermittedIssue): Promise<Issue> {
    return completeIssue(db, viewer, { ...issue, repository: issue.permitted.repository });
  }

  async #read(
    tx: Tx,
    viewer: Viewer,
    { permitted, state }: { permitted: PermittedRepository; state: IssueState },
  ): Promise<Issue> {
    return this.#complete(tx, viewer, await readIssue(tx, viewer, permitted, state.number));
  }

  /** Returns the ids that a filter names; `none` if no issue can match it. */
  async #selectionOf(
    viewer: Viewer,
    repository: Repository,
    filter: IssueFilter,
  ): Promise<OrderedSelection | 'none'> {
    const db = this.#use.database.reader;
    const { labels, milestones, createdBy, assignedTo, mentioning, ...rest } = filter;
    const labelSets = labels.length === 0 ? [] : [...(await labelIdsByName(db, repository, labels)).values()];
    const milestoneIds = milestones.length === 0 ? null : await milestoneIdsOf(db, repository.id, milestones);
    if (labelSets.some((ids) => ids.length === 0) || milestoneIds?.length === 0) return 'none';
    const idOf = async (name: string | undefined) =>
      name === undefined ? undefined : (await this.#use.accounts.getByName(viewer, name)).id;
    return {
      ...rest,
      repositoryId: repository.id,
      labels: labelSets,
      milestones: milestoneIds,
      authorId: await idOf(createdBy),
      assigneeId: await idOf(assignedTo),
      mentionedId: await idOf(mentioning),
    };
  }
}

const UNMANAGED = { labels: [], assignees: [], milestone: null, dueAt: null };

function withoutManaged({ title, body, ref, isClosed, at }: IssueEdit): IssueEdit {
  return {
    ...(title === undefined ? {} : { title }),
    ...(body === undefined ? {} : { body }),
    ...(ref === undefined ? {} : { ref }),
    ...(isClosed === undefined ? {} : { isClosed }),
    ...(at === undefined ? {} : { at }),
  };
}

function newState(
  fields: Pick<
    IssueState,
    | 'id'
    | 'repositoryId'
    | 'number'
    | 'authorId'
    | 'title'
    | 'body'
    | 'ref'
    | 'milestoneId'
    | 'dueAt'
    | 'isClosed'
  >,
  at: number,
): IssueState {
  return {
    ...fields,
    originalAuthor: NO_ORIGINAL_AUTHOR,
    isPull: false,
    closedAt: fields.isClosed ? at : null,
    isLocked: false,
    pinOrder: 0,
    commentsCount: 0,
    createdAt: at,
    updatedAt: at,
  };
}
