import type { SignedIn, Viewer } from '../../../../api/access/viewer.ts';
import { forbidden } from '../../../../base/core/failure.ts';
import type { Page, Paging } from '../../../../base/core/paging.ts';
import { currentTimeMs } from '../../../../base/core/time/clock.ts';
import type { Database, Tx } from '../../../../base/database/database.ts';
import { type IssueAccess, type IssuePath, type PermittedIssue, requireNotLocked } from '../../access.ts';
import { ISSUE } from '../../actions.ts';
import type { Subject } from '../../model.ts';
import { REACTIONS, type Reaction, type ReactionCount } from '../../models/reactions.ts';
import { about, announce } from '../../record.ts';
import { changeSubject, getSubject, type SubjectPath } from '../../subjects.ts';
import { ISSUE_REACTION_CREATED, ISSUE_REACTION_DELETED } from './events.ts';
import { countReactions, deleteReaction, insertReaction, listReactions } from './store.ts';

interface Dependencies {
  readonly database: Database;
  readonly access: IssueAccess;
}

/** Reactions of people to issues and comments. */
export class Reactions {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError as `IssueAccess.get`, and `not_found` for a comment */
  async list(viewer: Viewer, at: SubjectPath, paging: Paging): Promise<Page<Reaction>> {
    const db = this.#use.database.reader;
    const { subject } = await getSubject(db, viewer, { access: this.#use.access, at, action: ISSUE.read });
    return listReactions(db, viewer, { subject }, paging);
  }

  /**
   * Counts the reactions to an issue and to some of its comments.
   *
   * @returns by the ids of comments; 0: the issue itself
   * @throws ForgeError as `IssueAccess.get`
   */
  async counts(
    viewer: Viewer,
    path: IssuePath,
    entryIds: readonly number[],
  ): Promise<ReadonlyMap<number, readonly ReactionCount[]>> {
    const { state } = await this.#use.access.get(viewer, path, ISSUE.read);
    return countReactions(this.#use.database.reader, viewer, { issueId: state.id, entryIds });
  }

  /**
   * @returns the reaction; `isNew`: the viewer had not given it before
   * @throws ForgeError as `IssueAccess.change`; `forbidden` if the issue is locked, or for another content
   */
  add(
    viewer: SignedIn,
    at: SubjectPath,
    content: string,
  ): Promise<{ readonly reaction: Reaction; readonly isNew: boolean }> {
    return this.#change(viewer, at, content, async (tx, { state }, subject) => {
      const recording = { tx, viewer, at: currentTimeMs() };
      const given = { accountId: viewer.accountId, content };
      const isNew = await insertReaction(tx, subject, { ...given, at: recording.at });
      if (isNew)
        await announce(recording, ISSUE_REACTION_CREATED, state, {
          ...about(state),
          commentId: subject.entryId,
          content,
        });
      const { items } = await listReactions(tx, viewer, { subject, ...given }, { page: 1, limit: 1 });
      const [reaction] = items;
      if (reaction === undefined) throw new Error('a reaction was lost');
      return { reaction, isNew };
    });
  }

  /** Removes a reaction, if the viewer has given it. @throws ForgeError as `add` */
  async remove(viewer: SignedIn, at: SubjectPath, content: string): Promise<void> {
    await this.#change(viewer, at, content, async (tx, { state }, subject) => {
      const recording = { tx, viewer, at: currentTimeMs() };
      if (!(await deleteReaction(tx, subject, { accountId: viewer.accountId, content }))) return;
      await announce(recording, ISSUE_REACTION_DELETED, state, {
        ...about(state),
        commentId: subject.entryId,
        content,
      });
    });
  }

  #change<T>(
    viewer: SignedIn,
    at: SubjectPath,
    content: string,
    change: (tx: Tx, issue: PermittedIssue, subject: Subject) => Promise<T>,
  ): Promise<T> {
    const place = { access: this.#use.access, at, action: ISSUE.comment };
    return changeSubject(viewer, place, async (tx, { issue, subject }) => {
      requireNotLocked(issue.permitted, issue.state);
      requireKnown(content);
      return change(tx, issue, subject);
    });
  }
}

/** @throws ForgeError `forbidden`, as in the reference */
function requireKnown(content: string): void {
  if (!REACTIONS.includes(content)) throw forbidden(`a reaction is one of ${REACTIONS.join(', ')}`);
}
