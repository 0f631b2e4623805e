import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { invalid } from '../../base/core/failure.ts';
import type { Paging } from '../../base/core/paging.ts';
import { Signal } from '../../base/core/signal.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { COMMIT } from '../../code/commits/actions.ts';
import { isGranted } from '../../hosting/repositories/authorize.ts';
import type { PermittedRepository, Repository, RepositoryPath } from '../../hosting/repositories/model.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import { readableKinds, type TrackerAction, type TrackerKind } from '../../hosting/repositories/tracker.ts';
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
  requireAuthorOrWriter,
} from './access.ts';
import { ISSUE } from './actions.ts';
import type { AttachmentCollection } from './attachments/collection.ts';
import { type ReadText, TextReader } from './discussion/references/read.ts';
import { recordIssueText } from './discussion/references/record.ts';
import { editIssue, type PullReady, type PullStateChanging } from './edit.ts';
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
import { ISSUE_CREATED, ISSUE_DELETED } from './models/events.ts';
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
import { deleteIssue, findIssue, findIssuesByIds, insertIssue } from './store/issues.ts';
import { listLinks } from './store/links.ts';

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
  readonly accounts: Accounts;
  readonly teams: Teams;
  readonly addresses: Addresses;
  readonly attachmentCollection: AttachmentCollection;
}

export interface EditOptions {
  /** throws if the caller does not accept the issue as it is */
  readonly requireCurrent?: ((current: Issue) => void) | undefined;
  /** `pull`: an issue that is not a pull request counts as missing */
  readonly kind?: 'pull';
  /** runs in the transaction, after the checks and before the columns of the issue are written */
  readonly also?: (recording: Recording, found: PermittedIssue) => Promise<void>;
  /** absent: the change of an issue */
  readonly action?: TrackerAction;
}

/** Issues of repositories, and what pull requests have in common with them. */
export class Issues {
  readonly access: IssueAccess;
  readonly texts: TextReader;
  /** A pull request is about to be closed or reopened, but not deleted. */
  readonly pullStateChanging: PullStateChanging = new Signal();
  readonly pullReady: PullReady = new Signal();
  /** in the transaction that deletes a pull request */
  readonly pullDeleting = new Signal<[tx: Tx, state: IssueState]>();
  readonly #search: IssueSearches;
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.access = new IssueAccess(dependencies);
    this.texts = new TextReader(dependencies);
    this.#search = new IssueSearches(dependencies);
  }

  /**
   * Lists issues and pull requests of a repository, without those of a kind that is switched off or hidden.
   *
   * @throws ForgeError as `IssueAccess.repository`; `not_found` for an account that the filter names, and if the filter
   *   names a kind that is switched off or hidden
   */
  async list(
    viewer: Viewer,
    path: RepositoryPath,
    filter: IssueFilter,
    paging: Paging,
    action: TrackerAction = ISSUE.read,
  ): Promise<FoundPage<Issue>> {
    const permitted = await this.access.repository(viewer, path, action);
    const { repository } = permitted;
    const type = readableKinds(permitted, action, filter.type);
    const selection = await this.#selectionOf(viewer, repository, { ...filter, type });
    const db = this.#use.database.reader;
    const { terms } = filter;
    const isCodeReadable = isGranted(viewer, permitted, COMMIT.read);
    if (selection === 'none' || terms?.length === 0) return { items: [], total: 0, isComplete: true };
    const { items, ...page } =
      terms === undefined
        ? { ...(await listIssueIds(db, selection, paging)), isComplete: true }
        : pageOf(await searchIssues(db, { ...selection, viewer, terms, isCodeReadable }), paging);
    const placed = (await findIssuesByIds(db, viewer, items)).map((issue) => ({ ...issue, repository }));
    return { ...page, items: await completeIssues(db, viewer, placed) };
  }

  /**
   * Searches all repositories in which the viewer may read issues or pull requests.
   *
   * @throws ForgeError `bad_request` if there is no such owner or team
   */
  search(viewer: Viewer, filter: IssueSearchFilter, paging: Paging): Promise<FoundPage<Issue>> {
    return this.#search.search(viewer, filter, paging);
  }

  /** @throws ForgeError as `IssueAccess.get` */
  async get(viewer: Viewer, path: IssuePath): Promise<Issue> {
    return (await this.open(viewer, path)).issue;
  }

  /** As `get`, with the repository as the viewer may use it. */
  async open(
    viewer: Viewer,
    path: IssuePath,
  ): Promise<{ readonly issue: Issue; readonly permitted: PermittedRepository }> {
    const found = await this.access.get(viewer, path, ISSUE.read);
    const issue = await this.#complete(this.#use.database.reader, viewer, found);
    return { issue, permitted: found.permitted };
  }

  /** @throws ForgeError as `IssueAccess.changeIn`, and `invalid` */
  async create(viewer: SignedIn, path: RepositoryPath, wanted: NewIssue): Promise<Issue> {
    const text = await this.texts.issue(viewer, wanted);
    return this.access.changeIn(viewer, path, ISSUE.create, async (tx, permitted) => {
      const recording = { tx, viewer, at: currentTimeMs() };
      const state = await this.insert(recording, permitted, { ...wanted, text }, { isPull: false });
      return this.#read(tx, viewer, { permitted, state });
    });
  }

  /**
   * @throws ForgeError as `IssueAccess.change`; `forbidden` unless the viewer is the author or may write; as `editIssue`
   */
  async edit(
    viewer: SignedIn,
    path: IssuePath,
    edit: IssueEdit,
    { requireCurrent, kind, also, action = ISSUE.change }: EditOptions = {},
  ): Promise<Issue> {
    const text = await this.texts.issue(viewer, edit);
    const change = async (tx: Tx, found: PermittedIssue) => {
      const { permitted, state } = found;
      requireAuthorOrWriter(viewer, permitted, state, action);
      requireCurrent?.(await this.#complete(tx, viewer, found));
      const recording = { tx, viewer, at: timeOfChange(permitted, state, edit.at) };
      await also?.(recording, found);
      const allowed = mayManage(permitted, state) ? edit : withoutManaged(edit);
      const { repositories } = this.#use;
      const { pullStateChanging, pullReady } = this;
      const context = { repositories, pullStateChanging, pullReady, text };
      const after = await editIssue(recording, state, allowed, context);
      return this.#read(tx, viewer, { permitted, state: after });
    };
    return this.access.change(viewer, path, action, change, { kind });
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
      const recording = { tx, viewer, at: currentTimeMs() };
      await addToLabelCounts(tx, await listLinks(tx, 'labels', state.id), -1);
      await countInMilestone(tx, state, -1);
      await countInRepository(tx, state, -1);
      await countComments(tx, state, -state.commentsCount);
      await this.#use.attachmentCollection.release(tx, { issueId: state.id });
      if (state.isPull) await this.pullDeleting.notify(tx, state);
      await deleteIssue(tx, state.id);
      if (state.pinOrder > 0) await closePinGap(tx, state);
      await announce(recording, ISSUE_DELETED, state, { ...about(state), title: state.title });
    });
  }

  /**
   * Inserts an issue or a pull request. The caller has authorized the viewer, and adds the row of a pull request.
   *
   * @param wanted.text what the text refers to
   * @throws ForgeError `invalid`; `not_found` for a missing milestone of a pull request
   */
  async insert(
    recording: Recording,
    permitted: PermittedRepository,
    wanted: NewIssue & { readonly text: ReadText },
    { isPull }: TrackerKind,
  ): Promise<IssueState> {
    const { tx, viewer, at } = recording;
    const { repository } = permitted;
    const isManager = mayManage(permitted, { isPull });
    // Readers who open a pull request set these fields, too, as in the reference.
    const { labels, assignees, milestone, dueAt } = isPull || isManager ? wanted : UNMANAGED;
    const added = await this.#requireSubjects(tx, repository, { labels, assignees });
    // A new pull request answers 404 here, as in the reference.
    const otherwise = isPull ? 'not_found' : 'invalid';
    if (milestone !== null) await requireMilestoneOf(tx, repository.id, milestone, { otherwise });
    const fields = {
      repositoryId: repository.id,
      authorId: viewer.accountId,
      title: validTitle(wanted.title),
      body: validBody(wanted.body),
      ref: validRef(wanted.ref),
      milestoneId: milestone,
      dueAt,
      isPull,
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
    const found = await findIssue(tx, viewer, state.repositoryId, state.number);
    if (found === undefined) throw new Error('an issue was lost');
    return this.#complete(tx, viewer, { ...found, permitted });
  }

  /** Returns the ids that a filter names; `none` if no issue can match it. */
  async #selectionOf(
    viewer: Viewer,
    repository: Repository,
    filter: IssueFilter,
  ): Promise<OrderedSelection | 'none'> {
    const db = this.#use.database.reader;
    const {
      labels,
      labelIds = [],
      milestones,
      milestoneId,
      createdBy,
      createdById,
      assignedTo,
      mentioning,
      pulls,
      ...rest
    } = filter;
    const named = labels.length === 0 ? [] : [...(await labelIdsByName(db, repository, labels)).values()];
    const labelSets = [...named, ...labelIds.map((id) => [id])];
    const ofTitles = milestones.length === 0 ? null : await milestoneIdsOf(db, repository.id, milestones);
    const milestoneIds = withMilestone(ofTitles, milestoneId);
    if (labelSets.some((ids) => ids.length === 0) || milestoneIds?.length === 0) return 'none';
    const idOf = async (name: string | undefined) =>
      name === undefined ? undefined : (await this.#use.accounts.getByName(viewer, name)).id;
    return {
      ...rest,
      repositoryId: repository.id,
      pulls: pulls?.base === undefined && pulls?.head === undefined ? undefined : pulls,
      labels: labelSets,
      milestones: milestoneIds,
      authorId: createdById ?? (await idOf(createdBy)),
      assigneeId: await idOf(assignedTo),
      mentionedId: await idOf(mentioning),
    };
  }
}

function withMilestone(ids: readonly number[] | null, id: number | undefined): readonly number[] | null {
  if (id === undefined) return ids;
  return ids === null || ids.includes(id) ? [id] : [];
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
    | 'isPull'
    | 'isClosed'
  >,
  at: number,
): IssueState {
  return {
    ...fields,
    originalAuthor: NO_ORIGINAL_AUTHOR,
    closedAt: fields.isClosed ? at : null,
    isLocked: false,
    pinOrder: 0,
    commentsCount: 0,
    createdAt: at,
    updatedAt: at,
  };
}
