import { actorKindOf, SYSTEM, type Viewer } from '../../../api/access/viewer.ts';
import { notFound } from '../../../base/core/failure.ts';
import type { Tx } from '../../../base/database/database.ts';
import { insertEvent } from '../../../base/events/store.ts';
import type { RefUpdate } from '../../../git/interface/refs.ts';
import { REPOSITORY } from '../actions.ts';
import { requirePermitted } from '../authorize.ts';
import { REFS_CHANGED } from '../events.ts';
import { lockWriteState, setPushed } from '../store/push-state.ts';
import { findRepositoryById } from '../store/records.ts';
import { type Pushable, type PushFacts, type PushOrigin, sourceOf } from './push-rules.ts';

/** Who writes objects without a ref, and where. */
export interface ObjectsWriter extends PushFacts {
  readonly pusher: Viewer;
}

/** The facts about a git repository as they are in the transaction that moves its refs. */
export type PushedFacts = Pushable & { readonly isEmpty: boolean };

/** What a push has brought. */
export interface Pushed {
  readonly moved: readonly RefUpdate[];
  /** of new objects */
  readonly newBytes: number;
}

/** What a push reads and writes besides refs and objects, all of it in the transaction that moves the refs. */
export interface PushedRows {
  /**
   * Authorizes a push for the second time, on rows that stay locked until the transaction ends.
   *
   * @returns the facts as they are now, for the rules
   * @throws ForgeError `not_found`, `forbidden`
   */
  authorizeAgain(tx: Tx, writer: ObjectsWriter): Promise<PushedFacts>;
  /** Records that refs have moved. */
  recordPush(tx: Tx, writer: ObjectsWriter, pushed: Pushed): Promise<void>;
  /** Inserts the event of the push. */
  announce(tx: Tx, writer: ObjectsWriter, moved: readonly RefUpdate[]): Promise<void>;
}

/** The rows of repositories. */
export const REPOSITORY_ROWS: PushedRows = {
  authorizeAgain,
  recordPush: (tx, { repository }, { newBytes }) => setPushed(tx, repository.id, newBytes),
  announce: (tx, { repository, origin, pusher }, moved) =>
    insertEvent(tx, REFS_CHANGED, {
      actorId: pusher.accountId,
      repositoryId: repository.id,
      actorKind: origin.kind === 'mirror' ? 'mirror' : actorKindOf(pusher),
      payload: { updates: moved, ...sourceOf(origin) },
    }),
};

/**
 * Authorizes a push for the second time, on rows that stay locked until the transaction ends.
 *
 * Every change of refs is authorized exactly twice. The service that receives the request authorizes it when it looks
 * the repository up, before it reads a pack or a file. This function does so again because the permission may have been
 * taken away while the body arrived. Code in between reuses the first result and asks no one.
 *
 * @returns the facts as they are now, for the rules
 * @throws ForgeError as `requirePermitted`
 */
async function authorizeAgain(tx: Tx, { repository, origin, pusher }: ObjectsWriter): Promise<PushedFacts> {
  const { id } = repository;
  // The request that creates a repository was authorized to create it. This transaction has inserted its row.
  if (origin.kind === 'creation') return { ...repository, isEmpty: true };
  const state = await lockWriteState(tx, id);
  if (state === undefined) throw notFound('repository');
  if (origin.kind === 'mirror') return { ...repository, ...state };
  // The repository may be hidden from those who maintain a branch. Another check decides about the branch.
  const writer = isByMaintainer(origin) ? SYSTEM : pusher;
  return requirePermitted(writer, await findRepositoryById(tx, writer, id), REPOSITORY.push).repository;
}

export function isByMaintainer(origin: PushOrigin): boolean {
  return (origin.kind === 'push' || origin.kind === 'api') && origin.maintains === true;
}
