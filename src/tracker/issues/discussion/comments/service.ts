import type { SignedIn, Viewer } from '../../../../api/access/viewer.ts';
import { invalid, notFound } from '../../../../base/core/failure.ts';
import type { Page, Paging } from '../../../../base/core/paging.ts';
import { currentTimeMs } from '../../../../base/core/time/clock.ts';
import type { Database, Db, Tx } from '../../../../base/database/database.ts';
import type { Repository, RepositoryPath } from '../../../../hosting/repositories/model.ts';
import type { Repositories } from '../../../../hosting/repositories/service.ts';
import { readableKinds, requireKind } from '../../../../hosting/repositories/tracker.ts';
import {
  type IssueAccess,
  type IssuePath,
  type PermittedIssue,
  readIssue,
  requireAuthorOrWriter,
  requireNotLocked,
} from '../../access.ts';
import { ISSUE } from '../../actions.ts';
import type { AttachmentCollection } from '../../attachments/collection.ts';
import type { IssueState } from '../../model.ts';
import {
  ISSUE_COMMENT_CHANGED,
  ISSUE_COMMENT_CREATED,
  ISSUE_COMMENT_DELETED,
} from '../../models/comment-events.ts';
import type { Comment, CommentPath, CommentRange, CommentText } from '../../models/comments.ts';
import { about, addEntries, announce, moveIssue } from '../../record.ts';
import { timeOfChange, validBody } from '../../rules.ts';
import {
  type CommentEntry,
  deleteEntry,
  findEntries,
  findEntry,
  listComments,
  setComment,
} from '../../store/comments.ts';
import type { TextReader } from '../references/read.ts';
import { recordCommentText } from '../references/record.ts';
import { completeComment, readComments } from './read.ts';

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
  readonly access: IssueAccess;
  readonly texts: TextReader;
  readonly attachmentCollection: AttachmentCollection;
}

/** Comments of issues. Other entries of a timeline share the sequence of ids; the methods return undefined for them. */
export class Comments {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError as `IssueAccess.get` */
  async list(viewer: Viewer, path: IssuePath, range: CommentRange, paging: Paging): Promise<Page<Comment>> {
    const { permitted, state } = await this.#use.access.get(viewer, path, ISSUE.read);
    return this.#page(viewer, permitted.repository, { ...range, of: { issueId: state.id } }, paging);
  }

  /** @throws ForgeError as `IssueAccess.repository` */
  async listOfRepository(
    viewer: Viewer,
    path: RepositoryPath,
    range: CommentRange,
    paging: Paging,
  ): Promise<Page<Comment>> {
    const permitted = await this.#use.access.repository(viewer, path, ISSUE.read);
    const { repository } = permitted;
    const of = { repositoryId: repository.id, kinds: readableKinds(permitted, ISSUE.read) };
    return this.#page(viewer, repository, { ...range, of }, paging);
  }

  /** @throws ForgeError as `IssueAccess.repository`, and `not_found` */
  async get(viewer: Viewer, path: CommentPath): Promise<Comment | undefined> {
    const permitted = await this.#use.access.repository(viewer, path.repository, ISSUE.read);
    const { repository } = permitted;
    const db = this.#use.database.reader;
    const entry = await requireEntry(db, viewer, repository, path);
    requireKind(viewer, permitted, { action: ISSUE.read, what: 'comment' }, entry);
    return entry.kind === 'comment' ? completeComment(db, repository, entry) : undefined;
  }

  /**
   * Reads comments and texts of reviews by their ids, without checking who may read them.
   *
   * @returns a function that returns one of them, placed in the repository of its issue
   */
  async byIds(
    db: Db,
    viewer: Viewer,
    ids: readonly number[],
  ): Promise<(repository: Repository, id: number) => Comment | undefined> {
    const entries = await findEntries(db, viewer, ids);
    const byId = new Map(entries.map((entry) => [entry.id, entry]));
    const commentOf = await readComments(db, entries);
    return (repository, id) => {
      const entry = byId.get(id);
      return entry && commentOf(repository, entry);
    };
  }

  /** @throws ForgeError as `IssueAccess.change`; `forbidden` if the issue is locked; `invalid` */
  async create(viewer: SignedIn, path: IssuePath, { body, at: stated }: CommentText): Promise<Comment> {
    const text = await this.#use.texts.markdown(viewer, body);
    return this.#use.access.change(viewer, path, ISSUE.comment, async (tx, { permitted, state }) => {
      requireNotLocked(permitted, state);
      const recording = { tx, viewer, at: timeOfChange(permitted, state, stated) };
      const [id = 0] = await addEntries(recording, state, [{ kind: 'comment', body: validText(body) }]);
      await moveIssue(tx, state, counting(state, 1, recording.at));
      await recordCommentText(
        recording,
        { issue: state, comment: { id, body } },
        text,
        this.#use.repositories,
      );
      await announce(recording, ISSUE_COMMENT_CREATED, state, { ...about(state), commentId: id });
      return completeComment(
        tx,
        permitted.repository,
        await requireEntry(tx, viewer, permitted.repository, { id }),
      );
    });
  }

  /**
   * @param requireCurrent throws if the caller does not accept the comment as it is
   * @throws ForgeError as `IssueAccess.changeIn`; `not_found`; `forbidden` unless the viewer is its author or may
   *   write; `invalid`
   */
  async edit(
    viewer: SignedIn,
    path: CommentPath,
    { body, at: stated }: CommentText,
    requireCurrent: (current: Comment) => void,
  ): Promise<Comment | undefined> {
    const text = await this.#use.texts.markdown(viewer, body);
    return this.#change(viewer, path, requireCurrent, async (tx, { permitted, state }, entry) => {
      const at = timeOfChange(permitted, state, stated);
      const recording = { tx, viewer, at };
      await setComment(tx, entry.id, validText(body), at);
      await moveIssue(tx, state, counting(state, 0, at));
      const comment = { id: entry.id, body };
      await recordCommentText(recording, { issue: state, comment }, text, this.#use.repositories);
      const payload = { ...about(state), commentId: entry.id };
      await announce(recording, ISSUE_COMMENT_CHANGED, state, payload);
      return completeComment(
        tx,
        permitted.repository,
        await requireEntry(tx, viewer, permitted.repository, entry),
      );
    });
  }

  /** @throws ForgeError as `edit` */
  async delete(
    viewer: SignedIn,
    path: CommentPath,
    requireCurrent: (current: Comment) => void,
  ): Promise<void> {
    await this.#change(viewer, path, requireCurrent, async (tx, { state }, entry) => {
      const at = currentTimeMs();
      await this.#use.attachmentCollection.release(tx, { entryId: entry.id });
      await deleteEntry(tx, entry.id);
      await moveIssue(tx, state, counting(state, -1, at));
      const payload = { ...about(state), commentId: entry.id };
      await announce({ tx, viewer, at }, ISSUE_COMMENT_DELETED, state, payload);
    });
  }

  async #page(
    viewer: Viewer,
    repository: Repository,
    list: Parameters<typeof listComments>[2],
    paging: Paging,
  ): Promise<Page<Comment>> {
    const db = this.#use.database.reader;
    const { items, total } = await listComments(db, viewer, list, paging);
    const commentOf = await readComments(db, items);
    return { items: items.map((entry) => commentOf(repository, entry)), total };
  }

  #change<T>(
    viewer: SignedIn,
    path: CommentPath,
    requireCurrent: (current: Comment) => void,
    change: (tx: Tx, issue: PermittedIssue, entry: CommentEntry) => Promise<T>,
  ): Promise<T | undefined> {
    const action = ISSUE.changeComment;
    return this.#use.access.changeIn(viewer, path.repository, action, async (tx, permitted) => {
      const entry = await requireEntry(tx, viewer, permitted.repository, path);
      requireKind(viewer, permitted, { action, what: 'comment' }, entry);
      if (entry.kind !== 'comment') return undefined;
      requireAuthorOrWriter(viewer, permitted, entry, action);
      requireCurrent(await completeComment(tx, permitted.repository, entry));
      const issue = await readIssue(tx, viewer, permitted, { number: entry.number, action });
      return change(tx, issue, entry);
    });
  }
}

/** @throws ForgeError `not_found` if the repository, or the issue that the path names, has no such entry */
async function requireEntry(
  db: Db,
  viewer: Viewer,
  repository: Repository,
  { id, number }: { readonly id: number; readonly number?: string | number },
): Promise<CommentEntry> {
  const found = await findEntry(db, viewer, repository.id, id);
  if (found === undefined || (number !== undefined && String(found.number) !== String(number)))
    throw notFound('comment');
  return found;
}

/** @throws ForgeError `invalid` */
function validText(body: string): string {
  if (body.trim() === '') throw invalid('[Body]: Required: a comment has a text');
  return validBody(body);
}

function counting(state: IssueState, by: 1 | 0 | -1, at: number): IssueState {
  return { ...state, commentsCount: state.commentsCount + by, updatedAt: at };
}
