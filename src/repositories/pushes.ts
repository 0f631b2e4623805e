import type { Viewer } from '../access/viewer.ts';
import { ForgeError, forbidden, notFound } from '../core/failure.ts';
import type { Tx } from '../database/database.ts';
import { insertEvent } from '../events/store.ts';
import type { GitStorage, RefRefusal, RefUpdate, RepositoryId, WriteSession } from '../git/model.ts';
import { refNameProblem } from '../git/refs/ref-names.ts';
import { REPOSITORY } from './actions.ts';
import { requireHeld } from './authorize.ts';
import type { Repository } from './model.ts';
import { findHead, hasBranches, lockWriteState, setPushed } from './store/push-state.ts';
import { findRepositoryById } from './store/records.ts';

/** What became of one ref. */
export type PushResult = { readonly ref: string } & (
  | { readonly outcome: 'moved' }
  /** `cause` is given where the ref was not at its old value, or stood in another one's way */
  | { readonly outcome: 'refused'; readonly why: string; readonly cause?: RefRefusal }
);

/** What is asked of a repository that is pushed to. */
export type Pushable = Pick<
  Repository,
  'id' | 'owner' | 'name' | 'defaultBranch' | 'archivedAt' | 'isMirror'
> & {
  /** It appears with this push: who may make it, begins it. */
  readonly isPending?: true;
};

export interface Push {
  readonly repository: Pushable;
  readonly updates: readonly RefUpdate[];
  /** all or none */
  readonly atomic: boolean;
  readonly pusher: Viewer;
  readonly via: 'push' | 'api';
  /** Rows that belong to this change and to nothing else, written in its transaction. */
  readonly alsoInTransaction?: (tx: Tx) => Promise<void>;
}

/** Told in the transaction in which refs moved; what it throws undoes the push. */
export type RefsListener = (
  tx: Tx,
  change: { repositoryId: RepositoryId; moved: readonly RefUpdate[]; pusher: Viewer },
) => Promise<void>;

export const WHY_REFUSED: Record<RefRefusal, string> = {
  stale: 'the ref has changed meanwhile: fetch first',
  'name-conflict': 'another ref is in the way of this name',
  atomic: 'atomic push failed',
};

const WHY_DEFAULT_STAYS = 'the default branch cannot be deleted';

/**
 * The one door through which every change of a ref passes, whoever asks: rules, then durable objects, then one
 * transaction that moves the refs and writes everything that follows from it.
 */
export class Pushes {
  readonly #git: GitStorage;
  readonly #listeners: RefsListener[] = [];

  constructor(dependencies: { git: GitStorage }) {
    this.#git = dependencies.git;
  }

  onRefsChanged(listener: RefsListener): void {
    this.#listeners.push(listener);
  }

  /**
   * @throws ForgeError `archived`, `forbidden` (a mirror, or without the right by now), `not_found` (deleted or hidden
   *   meanwhile): nothing has moved
   */
  async push(session: WriteSession, push: Push): Promise<readonly PushResult[]> {
    requireWritable(push.repository);
    const refused = push.updates.flatMap((update) => refusalOf(update, push.repository));
    const allowed = push.updates.filter((update) => !refused.some((refusal) => refusal.ref === update.ref));
    if (push.atomic && refused.length > 0) return [...refused, ...allowed.map(becauseAtomic)];
    // What came along with refused refs alone must not become part of the repository: anybody could fetch it by its id.
    if (allowed.length === 0) return refused;
    const results = await this.#git.commit(session, allowed, {
      atomic: push.atomic,
      inTransaction: (tx, moved) => this.#record(tx, push, moved),
    });
    const told = results.map((result): PushResult => {
      if (result.outcome === 'moved') return result;
      return { ref: result.ref, outcome: 'refused', why: WHY_REFUSED[result.why], cause: result.why };
    });
    return [...refused, ...told];
  }

  async #record(tx: Tx, push: Push, moved: readonly RefUpdate[]): Promise<void> {
    const { id } = push.repository;
    await push.alsoInTransaction?.(tx);
    const state = await lockWriteState(tx, id);
    if (state === undefined) throw notFound('repository');
    // What was true when the push began may have changed while its pack came in.
    if (push.repository.isPending !== true)
      requireHeld(push.pusher, await findRepositoryById(tx, push.pusher, id), REPOSITORY.push);
    requireWritable({ ...push.repository, archivedAt: state.archivedAt, isMirror: state.isMirror });
    if (moved.some(isBranchGone)) await refuseDefaultGone(tx, id, moved);
    if (state.isEmpty) await this.#adoptFirstBranch(tx, push, moved);
    await setPushed(tx, id, { at: Date.now(), isEmpty: !(await hasBranches(tx, id)) });
    const change = { repositoryId: id, moved, pusher: push.pusher };
    for (const listener of this.#listeners) await listener(tx, change);
    await insertEvent(tx, {
      kind: 'refs.changed',
      actorId: push.pusher.accountId,
      repositoryId: id,
      payload: { updates: moved, via: push.via },
    });
  }

  /** The first branch of an empty repository becomes its default, unless the configured one came along. */
  async #adoptFirstBranch(tx: Tx, push: Push, moved: readonly RefUpdate[]): Promise<void> {
    const branches = moved.filter((update) => update.new !== null && update.ref.startsWith('refs/heads/'));
    const [first] = branches;
    const configured = `refs/heads/${push.repository.defaultBranch}`;
    if (first === undefined || branches.some((update) => update.ref === configured)) return;
    await this.#git.setHead(push.repository.id, first.ref, tx);
  }
}

/** @throws ForgeError `archived`, `forbidden` */
export function requireWritable(repository: Pushable): void {
  if (repository.archivedAt !== null) {
    const what = `the repository ${repository.owner.name}/${repository.name} is archived and takes no changes`;
    throw new ForgeError({ kind: 'archived', what });
  }
  if (repository.isMirror)
    throw forbidden('this repository is a mirror: it takes changes from its source alone');
}

function isBranchGone(update: RefUpdate): boolean {
  return update.new === null && update.ref.startsWith('refs/heads/');
}

/** Another branch may have become the default one since the push began. */
async function refuseDefaultGone(tx: Tx, id: RepositoryId, moved: readonly RefUpdate[]): Promise<void> {
  const head = await findHead(tx, id);
  if (moved.some((update) => update.new === null && update.ref === head)) throw forbidden(WHY_DEFAULT_STAYS);
}

function refusalOf(update: RefUpdate, repository: Pushable): PushResult[] {
  const why = ruleAgainst(update, repository);
  return why === undefined ? [] : [{ ref: update.ref, outcome: 'refused', why }];
}

function ruleAgainst(update: RefUpdate, repository: Pushable): string | undefined {
  if (update.new === null && update.ref === `refs/heads/${repository.defaultBranch}`) {
    return WHY_DEFAULT_STAYS;
  }
  // Refs with names that we refuse may have come in some other way: they can still be deleted.
  return update.new === null ? undefined : refNameProblem(update.ref);
}

function becauseAtomic(update: RefUpdate): PushResult {
  return { ref: update.ref, outcome: 'refused', why: WHY_REFUSED.atomic, cause: 'atomic' };
}
