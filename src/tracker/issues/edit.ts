import { notFound } from '../../base/core/failure.ts';
import type { Signal } from '../../base/core/signal.ts';
import { type FormerValues, formerValues } from '../../base/events/model.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import { requireMilestoneOf } from '../milestones/of-issues.ts';
import type { ReadText } from './discussion/references/read.ts';
import { recordIssueText } from './discussion/references/record.ts';
import type { IssueEdit, IssueState } from './model.ts';
import type { NewEntry } from './models/entries.ts';
import { ISSUE_CHANGED, ISSUE_CLOSED, ISSUE_REOPENED, PULL_READY } from './models/events.ts';
import { isClosable, stillBlocked } from './planning/dependencies/rules.ts';
import {
  about,
  addEntries,
  announce,
  moveAssignees,
  moveIssue,
  type Recording,
  setChange,
} from './record.ts';
import { isDraft, validBody, validRef, validTitle } from './rules.ts';
import { listLinks } from './store/links.ts';

/** What a listener learns before a pull request is closed or reopened. It may throw a `ForgeError`. */
export type PullStateChanging = Signal<
  [recording: Recording, state: IssueState, change: { readonly isClosed: boolean }]
>;

/** The title of a pull request no longer says that it is a draft. */
export type PullReady = Signal<[recording: Recording, state: IssueState]>;

interface EditContext {
  readonly repositories: Repositories;
  readonly pullStateChanging: PullStateChanging;
  /** absent: the title does not change */
  readonly pullReady?: PullReady;
  readonly text: ReadText;
}

/**
 * Changes an issue, and records entries in its timeline and events. The caller has checked that the viewer may change
 * it.
 *
 * @param edit without fields that the viewer may not set
 * @param options.text what the new text refers to
 * @returns the issue after the change
 * @throws ForgeError `invalid`; `precondition_failed` for closing an issue that depends on open ones; what a listener of
 *   `pullStateChanging` throws
 */
export async function editIssue(
  recording: Recording,
  before: IssueState,
  edit: Omit<IssueEdit, 'at'>,
  { repositories, pullStateChanging, pullReady, text }: EditContext,
): Promise<IssueState> {
  const { tx } = recording;
  const after = await editedState(recording, before, edit);
  const changed = FIELDS.filter((field) => before[field] !== after[field]);
  if (changed.length > 0) {
    if (before.isPull && after.isClosed !== before.isClosed)
      await pullStateChanging.notify(recording, before, { isClosed: after.isClosed });
    if (after.isClosed && !before.isClosed) await requireClosable(recording, before, repositories);
    await moveIssue(tx, before, after);
    await addEntries(recording, after, entriesOf(before, after));
    if (becomesReady(before, after)) await pullReady?.notify(recording, after);
  }
  if (edit.assignees !== undefined) {
    const wanted = await repositories.people.requireAssignable(tx, before.repositoryId, edit.assignees);
    const ids = wanted.map(({ id }) => id);
    await moveAssignees(recording, after, setChange(await listLinks(tx, 'assignees', before.id), ids));
  }
  if (changed.includes('title') || changed.includes('body'))
    await recordIssueText(recording, after, text, repositories);
  await announceEdit(recording, before, after, changed);
  return after;
}

function becomesReady(before: IssueState, after: IssueState): boolean {
  return before.isPull && isDraft(before.title) && !isDraft(after.title);
}

/** @throws ForgeError `precondition_failed` if the issue depends on open ones */
async function requireClosable(
  { tx, viewer }: Recording,
  { id, repositoryId }: IssueState,
  repositories: Repositories,
): Promise<void> {
  const permitted = await repositories.find(tx, viewer, repositoryId);
  if (permitted === undefined) throw notFound('repository');
  if (!(await isClosable(tx, permitted.repository, id))) throw stillBlocked();
}

const FIELDS = ['title', 'body', 'ref', 'milestoneId', 'dueAt', 'isClosed'] as const;

async function editedState(
  { tx, at }: Recording,
  before: IssueState,
  { title, body, ref, milestone, dueAt, isClosed }: Omit<IssueEdit, 'at'>,
): Promise<IssueState> {
  if (milestone !== undefined && milestone !== null)
    await requireMilestoneOf(tx, before.repositoryId, milestone);
  const closes = isClosed ?? before.isClosed;
  return {
    ...before,
    title: title === undefined ? before.title : validTitle(title),
    body: body === undefined ? before.body : validBody(body),
    ref: ref === undefined ? before.ref : validRef(ref),
    milestoneId: milestone === undefined ? before.milestoneId : milestone,
    dueAt: dueAt === undefined ? before.dueAt : dueAt,
    isClosed: closes,
    closedAt: closes ? (before.closedAt ?? at) : null,
    updatedAt: at,
  };
}

/** The entries of a change. A change of the text alone has none. */
function entriesOf(before: IssueState, after: IssueState): readonly NewEntry[] {
  const entries: NewEntry[] = [];
  if (before.title !== after.title)
    entries.push({ kind: 'change_title', details: { from: before.title, to: after.title } });
  if (before.ref !== after.ref)
    entries.push({ kind: 'change_issue_ref', details: { from: before.ref, to: after.ref } });
  if (before.milestoneId !== after.milestoneId) {
    const details = { oldMilestoneId: before.milestoneId, milestoneId: after.milestoneId };
    entries.push({ kind: 'milestone', details });
  }
  if (before.dueAt !== after.dueAt) entries.push(dueDateEntry(before.dueAt, after.dueAt));
  if (before.isClosed !== after.isClosed) entries.push({ kind: after.isClosed ? 'close' : 'reopen' });
  return entries;
}

/**
 * The entry of a new due date. Its text is what clients expect: a date such as `2030-01-31`, or the new date and the
 * old one.
 */
function dueDateEntry(before: number | null, after: number | null): NewEntry {
  if (after === null) return { kind: 'removed_deadline', body: before === null ? '' : dayOf(before) };
  if (before === null) return { kind: 'added_deadline', body: dayOf(after) };
  return { kind: 'modified_deadline', body: `${dayOf(after)}|${dayOf(before)}` };
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 'yyyy-mm-dd'.length);
}

/** A former text has no bound that suits an event. */
function formerOf(before: IssueState, fields: readonly string[]): FormerValues {
  return formerValues(
    before,
    fields.filter((field) => field !== 'body'),
  );
}

async function announceEdit(
  recording: Recording,
  before: IssueState,
  after: IssueState,
  changed: readonly string[],
): Promise<void> {
  const fields = changed.filter((field) => field !== 'isClosed');
  if (fields.length > 0)
    await announce(
      recording,
      ISSUE_CHANGED,
      after,
      { ...about(after), changed: fields },
      formerOf(before, fields),
    );
  if (becomesReady(before, after)) await announce(recording, PULL_READY, after, about(after));
  if (before.isClosed === after.isClosed) return;
  await announce(recording, after.isClosed ? ISSUE_CLOSED : ISSUE_REOPENED, after, about(after));
}
