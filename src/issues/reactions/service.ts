import type { SignedIn, Viewer } from '../../access/viewer.ts';
import { forbidden, notFound } from '../../core/failure.ts';
import type { Page, Paging } from '../../core/paging.ts';
import type { Database, Db, Tx } from '../../database/database.ts';
import type { HeldRepository } from '../../repositories/model.ts';
import { type HeldIssue, type IssueAccess, readIssue, requireNotLocked } from '../access.ts';
import { ISSUE } from '../actions.ts';
import type { CommentPath } from '../comments/model.ts';
import { about, announce } from '../record.ts';
import { findEntry } from '../store/comments.ts';
import { deleteReaction, insertReaction, listReactions, type ReactionHome } from '../store/reactions.ts';
import { ISSUE_REACTION_CREATED, ISSUE_REACTION_DELETED } from './events.ts';
import { REACTIONS, type Reaction, type ReactionPath } from './model.ts';

/** Reactions of people to issues and comments. */
export class Reactions {
  readonly #database: Database;
  readonly #access: IssueAccess;

  constructor(dependencies: { readonly database: Database; readonly access: IssueAccess }) {
    this.#database = dependencies.database;
    this.#access = dependencies.access;
  }

  /** @throws ForgeError as `IssueAccess.get`, and `not_found` for a comment */
  async list(viewer: Viewer, { on, path }: ReactionPath, paging: Paging): Promise<Page<Reaction>> {
    const db = this.#database.reader;
    if (on === 'issue') {
      const { state } = await this.#access.get(viewer, path, ISSUE.read);
      return listReactions(db, viewer, { home: { issueId: state.id, entryId: null } }, paging);
    }
    const held = await this.#access.repository(viewer, path.repository, ISSUE.read);
    const { home } = await commentAt(db, viewer, held, path);
    return listReactions(db, viewer, { home }, paging);
  }

  /**
   * @returns the reaction; `isNew`: the viewer had not given it before
   * @throws ForgeError as `IssueAccess.change`; `forbidden` if the issue is locked, or for another content
   */
  add(
    viewer: SignedIn,
    at: ReactionPath,
    content: string,
  ): Promise<{ readonly reaction: Reaction; readonly isNew: boolean }> {
    return this.#change(viewer, at, content, async (tx, { state }, home) => {
      const recording = { tx, viewer, at: Date.now() };
      const given = { accountId: viewer.accountId, content };
      const isNew = await insertReaction(tx, home, { ...given, at: recording.at });
      if (isNew)
        await announce(recording, ISSUE_REACTION_CREATED, state, {
          ...about(state),
          commentId: home.entryId,
          content,
        });
      const { items } = await listReactions(tx, viewer, { home, ...given }, { page: 1, limit: 1 });
      const [reaction] = items;
      if (reaction === undefined) throw new Error('a reaction was lost');
      return { reaction, isNew };
    });
  }

  /** Takes a reaction back, if the viewer has given it. @throws ForgeError as `add` */
  async remove(viewer: SignedIn, at: ReactionPath, content: string): Promise<void> {
    await this.#change(viewer, at, content, async (tx, { state }, home) => {
      const recording = { tx, viewer, at: Date.now() };
      if (!(await deleteReaction(tx, home, { accountId: viewer.accountId, content }))) return;
      await announce(recording, ISSUE_REACTION_DELETED, state, {
        ...about(state),
        commentId: home.entryId,
        content,
      });
    });
  }

  #change<T>(
    viewer: SignedIn,
    { on, path }: ReactionPath,
    content: string,
    change: (tx: Tx, issue: HeldIssue, home: ReactionHome) => Promise<T>,
  ): Promise<T> {
    const checked = (tx: Tx, issue: HeldIssue, home: ReactionHome) => {
      requireNotLocked(issue.held, issue.state);
      requireKnown(content);
      return change(tx, issue, home);
    };
    if (on === 'issue')
      return this.#access.change(viewer, path, ISSUE.comment, (tx, issue) =>
        checked(tx, issue, { issueId: issue.state.id, entryId: null }),
      );
    return this.#access.changeIn(viewer, path.repository, ISSUE.comment, async (tx, held) => {
      const { issue, home } = await commentAt(tx, viewer, held, path);
      return checked(tx, issue, home);
    });
  }
}

/** @throws ForgeError `not_found` */
async function commentAt(
  db: Db,
  viewer: Viewer,
  held: HeldRepository,
  { id }: CommentPath,
): Promise<{ readonly issue: HeldIssue; readonly home: ReactionHome }> {
  const entry = await findEntry(db, viewer, held.repository.id, id);
  if (entry?.kind !== 'comment') throw notFound('comment');
  const issue = await readIssue(db, viewer, held, entry.number);
  return { issue, home: { issueId: issue.state.id, entryId: id } };
}

/** @throws ForgeError `forbidden`, as in the reference */
function requireKnown(content: string): void {
  if (!REACTIONS.includes(content)) throw forbidden(`a reaction is one of ${REACTIONS.join(', ')}`);
}
