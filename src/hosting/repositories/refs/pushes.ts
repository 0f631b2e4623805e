import { requireGranted } from '../../../api/access/guard.ts';
import type { Viewer } from '../../../api/access/viewer.ts';
import { ForgeError, notFound } from '../../../base/core/failure.ts';
import { Signal } from '../../../base/core/signal.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import type { Oid } from '../../../git/format/model.ts';
import { BRANCHES, branchNameOf, branchRef } from '../../../git/format/ref-names.ts';
import type { RefRejection, RefResult, RefUpdate } from '../../../git/interface/refs.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import type { FollowingRef, WriteSession } from '../../../git/interface/writes.ts';
import { REPOSITORY } from '../actions.ts';
import { lockWriteState } from '../store/push-state.ts';
import {
  type Examination,
  FIRST_RULES,
  type Pushable,
  type PushFacts,
  type PushOrigin,
  type PushRule,
} from './push-rules.ts';
import { isByMaintainer, type ObjectsWriter, type PushedRows, REPOSITORY_ROWS } from './pushed-rows.ts';

/** What happened to one ref. */
export type PushResult = { readonly ref: string } & (
  | { readonly outcome: 'moved' }
  /** A rule denied the update. */
  | { readonly outcome: 'denied'; readonly denial: ForgeError }
  /** The refs of the repository, or of this push, do not permit the update. */
  | { readonly outcome: 'rejected'; readonly cause: RefRejection }
);

export interface Push extends ObjectsWriter {
  readonly updates: readonly RefUpdate[];
  /** all or none */
  readonly atomic: boolean;
  /** refs of the server itself that come with this push; the session has their commits, with their whole histories */
  readonly ownRefs?: readonly FollowingRef[];
  /** Writes rows that belong to this push alone, in its transaction. */
  readonly alsoInTransaction?: (tx: Tx) => Promise<void>;
  /** Writes rows and events of this push alone, after the rules have decided on the rows as they were. */
  readonly afterRules?: (tx: Tx) => Promise<void>;
}

export interface RefsChange {
  readonly repositoryId: RepositoryId;
  readonly moved: readonly RefUpdate[];
  readonly pusher: Viewer;
  readonly origin: PushOrigin;
}

/** Returns refs of the server that follow a change of refs in its transaction. May write rows of its feature. */
type Follower = (tx: Tx, change: RefsChange) => Promise<readonly FollowingRef[]>;

/** Finds the branches of a repository that a user may write because of pull requests. `names`: looks only at these */
type Maintained = (
  db: Db,
  pusher: Viewer,
  branches: { readonly repositoryId: RepositoryId; readonly names: readonly string[] | undefined },
) => Promise<ReadonlySet<string>>;

/** Refs of the server to move, which no client can write. */
interface OwnRefsMove extends Omit<ObjectsWriter, 'origin'> {
  /** commits of the session or the repository to which the refs may point */
  readonly tips: readonly Oid[];
  /** updates for which a client has sent the objects: the rules that read objects decide about them */
  readonly examined?: readonly RefUpdate[];
  /** also of an archived repository, or a mirror */
  readonly inAnyState?: true;
  /** Writes rows and decides which refs move, in the transaction. The repository is locked. */
  decide(tx: Tx): Promise<readonly FollowingRef[]>;
}

/** Work of a listener that it has prepared before the transaction. */
type PreparedWork = (tx: Tx, change: RefsChange) => Promise<void>;

/** A push right before its transaction. */
export interface Moving {
  readonly origin: PushOrigin;
  readonly pusher: Viewer;
  later(work: PreparedWork): void;
}

export const WHY_REJECTED: Record<RefRejection, string> = {
  stale: 'the ref has changed meanwhile: fetch first',
  'name-conflict': 'another ref is in the way of this name',
  atomic: 'atomic push failed',
};

interface Dependencies {
  readonly git: Pick<GitStorage, 'refs' | 'writes'>;
  /** the rows that belong to what is pushed to; absent: the rows of repositories */
  readonly rows?: PushedRows;
}

/**
 * The only path for ref changes, from any origin: rules, then durable objects, then one transaction that moves the
 * refs and writes everything that follows from it. Repositories have one instance, and their wikis another one, with
 * rules, listeners and rows of its own.
 */
export class Pushes {
  /**
   * before the transaction; the session has all objects, and rules may still reject the push. A listener may add work
   * for the transaction, which runs after `refsChanged` and must not throw
   */
  readonly refsMoving = new Signal<[session: WriteSession, updates: readonly RefUpdate[], moving: Moving]>();
  /** in the transaction that moves the refs */
  readonly refsChanged = new Signal<[tx: Tx, change: RefsChange]>();
  /** in the transaction that keeps objects which no ref reaches yet */
  readonly objectsStored = new Signal<[tx: Tx, id: RepositoryId]>();
  readonly #use: Dependencies;
  readonly #rows: PushedRows;

  /** in the order in which they decide: the first denial wins */
  #rules = FIRST_RULES;
  readonly #followers: Follower[] = [];
  #maintained: Maintained = async () => new Set();

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.#rows = dependencies.rows ?? REPOSITORY_ROWS;
  }

  /** Adds the rules of a feature. They decide after the rules before them, so slow rules come last. */
  addRules(...rules: readonly PushRule[]): void {
    this.#rules = [...this.#rules, ...rules];
  }

  /** Adds a feature whose refs follow those of clients. */
  addFollower(follower: Follower): void {
    this.#followers.push(follower);
  }

  /** Lets a feature say which branches people may write who may not write their repository. */
  findMaintainedWith(find: Maintained): void {
    this.#maintained = find;
  }

  /**
   * Returns the refs that the pusher may update without permission to write the repository.
   *
   * @param refs only these; undefined: all
   */
  async findMaintained(
    db: Db,
    pusher: Viewer,
    { repositoryId, refs }: { readonly repositoryId: RepositoryId; readonly refs?: readonly string[] },
  ): Promise<ReadonlySet<string>> {
    const names = refs?.flatMap((ref) => branchNameOf(ref) ?? []);
    if (names?.length === 0) return new Set();
    const found = await this.#maintained(db, pusher, { repositoryId, names });
    return new Set([...found].map(branchRef));
  }

  /** Returns why this origin may not push to the repository at all; undefined if it may. */
  denialOf(push: PushFacts): ForgeError | undefined {
    for (const rule of this.#rules) {
      const denial = rule.scope === 'push' ? rule.deny(push) : undefined;
      if (denial !== undefined) return denial;
    }
    return undefined;
  }

  /** @throws ForgeError `archived`, `forbidden` (a mirror) */
  requireOpen(push: PushFacts): void {
    const denial = this.denialOf(push);
    if (denial !== undefined) throw denial;
  }

  /**
   * Moves refs. Without `atomic`, each update succeeds or fails by itself.
   *
   * @throws ForgeError `archived`, `forbidden` (a mirror, or the permission is gone by now), `not_found` (deleted or
   *   hidden meanwhile): no ref has moved
   */
  async push(session: WriteSession, push: Push): Promise<readonly PushResult[]> {
    this.requireOpen(push);
    const deniedAtOnce = this.#deniedUpdates(push);
    const examinations = await this.#examine(session, push, without(push.updates, deniedAtOnce));
    const denied = [...deniedAtOnce, ...examinations.flatMap(({ denials }) => deniedBy(denials))];
    const allowed = without(push.updates, denied);
    if (push.atomic && denied.length > 0) return [...denied, ...allowed.map(rejectedAsAtomic)];
    // Objects that arrive only with denied refs must not enter the repository: anyone could fetch them by id.
    if (allowed.length === 0) return denied;
    const prepared: PreparedWork[] = [];
    const { origin, pusher } = push;
    const later = (work: PreparedWork) => prepared.push(work);
    await this.refsMoving.notify(session, allowed, { origin, pusher, later });
    const results = await this.#use.git.writes.commit(session, allowed, {
      atomic: push.atomic,
      tips: push.ownRefs?.flatMap(({ commit }) => commit ?? []),
      inTransaction: (tx, moved) => this.#record(tx, { ...push, session }, moved, { examinations, prepared }),
    });
    return [...denied, ...results.map(toPushResult)];
  }

  /**
   * Stores the objects of a session without moving a ref.
   *
   * @returns false if the session is older than a prune: then nothing is written
   * @throws ForgeError as `push`
   */
  async store(session: WriteSession, writer: ObjectsWriter): Promise<boolean> {
    this.requireOpen(writer);
    return this.#use.git.writes.storeObjects(session, async (tx) => {
      const { isEmpty: _, ...repository } = await this.#rows.authorizeAgain(tx, writer);
      this.requireOpen({ repository, origin: writer.origin });
      await this.objectsStored.notify(tx, repository.id);
    });
  }

  /**
   * Moves refs of the server itself. The caller has authorized the work for which it does so.
   *
   * @throws ForgeError `archived`, `forbidden` (a mirror), `not_found`; the denial of an examined update; any error of
   *   `decide`: nothing is written
   */
  async moveOwnRefs(
    session: WriteSession,
    { decide, tips, examined = [], inAnyState, ...writer }: OwnRefsMove,
  ): Promise<void> {
    const { repository, pusher } = writer;
    const origin = { kind: 'api' } as const;
    const requireOpen = (facts: Pushable) => {
      if (inAnyState !== true) this.requireOpen({ repository: facts, origin });
    };
    requireOpen(repository);
    const examinations = await this.#examine(session, { repository, pusher, origin }, examined);
    for (const { denials } of examinations) for (const denial of denials.values()) throw denial;
    await this.#use.git.writes.commit(session, [], {
      atomic: true,
      tips,
      inTransaction: async (tx) => {
        const state = await lockWriteState(tx, repository.id);
        if (state === undefined) throw notFound('repository');
        requireOpen({ ...repository, ...state });
        await requireUnchanged(tx, examinations);
        const following = await decide(tx);
        const moved = following.map(({ ref, commit }) => ({ ref, old: null, new: commit }));
        await this.refsChanged.notify(tx, { repositoryId: repository.id, moved, pusher, origin });
        return following;
      },
    });
  }

  /** Runs the rules that read rows and objects, one after the other, each on the updates that are left. */
  async #examine(
    session: WriteSession,
    push: ObjectsWriter,
    updates: readonly RefUpdate[],
  ): Promise<readonly Examination[]> {
    const examinations: Examination[] = [];
    let left = updates;
    for (const rule of this.#rules) {
      if (rule.scope !== 'examination' || left.length === 0) continue;
      const examination = await rule.examine({ ...push, session, updates: left });
      examinations.push(examination);
      left = left.filter(({ ref }) => !examination.denials.has(ref));
    }
    return examinations;
  }

  #deniedUpdates(push: Push): readonly PushResult[] {
    return push.updates.flatMap((update): PushResult[] => {
      const denial = this.#denialOfUpdate(push, update, this.#rules);
      return denial === undefined ? [] : [{ ref: update.ref, outcome: 'denied', denial }];
    });
  }

  #denialOfUpdate(push: PushFacts, update: RefUpdate, rules: readonly PushRule[]): ForgeError | undefined {
    for (const rule of rules) {
      const denial = rule.scope === 'update' ? rule.deny(push, update) : undefined;
      if (denial !== undefined) return denial;
    }
    return undefined;
  }

  async #record(
    tx: Tx,
    push: Push & { readonly session: WriteSession },
    moved: readonly RefUpdate[],
    { examinations, prepared }: { examinations: readonly Examination[]; prepared: readonly PreparedWork[] },
  ): Promise<readonly FollowingRef[]> {
    const { id } = push.repository;
    await push.alsoInTransaction?.(tx);
    const { isEmpty, ...repository } = await this.#rows.authorizeAgain(tx, push);
    if (isByMaintainer(push.origin)) await this.#requireMaintained(tx, push, moved);
    this.#recheckRules({ repository, origin: push.origin }, moved);
    await requireUnchanged(tx, examinations);
    if (isEmpty) await this.#adoptFirstBranch(tx, repository, moved);
    await this.#rows.recordPush(tx, push, { moved, newBytes: push.session.newBytes });
    const change = { repositoryId: id, moved, pusher: push.pusher, origin: push.origin };
    await this.refsChanged.notify(tx, change);
    const following: FollowingRef[] = [...(push.ownRefs ?? [])];
    for (const follow of this.#followers) following.push(...(await follow(tx, change)));
    for (const work of prepared) await work(tx, change);
    await push.afterRules?.(tx);
    await this.#rows.announce(tx, push, moved);
    return following;
  }

  /** @throws ForgeError `forbidden` unless pull requests still let the pusher write all branches */
  async #requireMaintained(
    tx: Tx,
    { pusher, repository: { id: repositoryId } }: Push,
    moved: readonly RefUpdate[],
  ): Promise<void> {
    const refs = moved.map(({ ref }) => ref);
    const found = await this.findMaintained(tx, pusher, { repositoryId, refs });
    if (!refs.every((ref) => found.has(ref))) requireGranted('forbidden', REPOSITORY.push);
  }

  /** @throws ForgeError the first denial, which undoes the push */
  #recheckRules(push: PushFacts, moved: readonly RefUpdate[]): void {
    this.requireOpen(push);
    const rules = this.#rules.filter(({ isRechecked }) => isRechecked);
    for (const update of moved) {
      const denial = this.#denialOfUpdate(push, update, rules);
      if (denial !== undefined) throw denial;
    }
  }

  /** Makes the first branch of an empty repository its default, unless the push has the configured one. */
  async #adoptFirstBranch(tx: Tx, repository: Pushable, moved: readonly RefUpdate[]): Promise<void> {
    const branches = moved.filter((update) => update.new !== null && update.ref.startsWith(BRANCHES));
    const [first] = branches;
    const configured = branchRef(repository.defaultBranch);
    if (first === undefined || branches.some((update) => update.ref === configured)) return;
    await this.#use.git.refs.setHead(repository.id, first.ref, tx);
  }
}

function without(updates: readonly RefUpdate[], denied: readonly PushResult[]): readonly RefUpdate[] {
  const refs = new Set(denied.map(({ ref }) => ref));
  return updates.filter(({ ref }) => !refs.has(ref));
}

function deniedBy(denials: ReadonlyMap<string, ForgeError>): readonly PushResult[] {
  return [...denials].map(([ref, denial]) => ({ ref, outcome: 'denied', denial }));
}

/** @throws ForgeError `busy` if a rule that was examined has changed while the push was on its way */
async function requireUnchanged(tx: Tx, examinations: readonly Examination[]): Promise<void> {
  for (const examination of examinations) {
    if (await examination.stillHolds(tx)) continue;
    const what = 'the protection of these refs has changed meanwhile: try again';
    throw new ForgeError({ kind: 'busy', what, retryAfterSeconds: 1 });
  }
}

function toPushResult(result: RefResult): PushResult {
  if (result.outcome === 'moved') return result;
  return { ref: result.ref, outcome: 'rejected', cause: result.why };
}

function rejectedAsAtomic({ ref }: RefUpdate): PushResult {
  return { ref, outcome: 'rejected', cause: 'atomic' };
}
