import type { Tx } from '../../base/database/database.ts';
import type { Engine } from '../engine.ts';
import type { ObjectFormat } from '../format/model.ts';
import type { PlannedMoves } from '../fresh/planned-moves.ts';
import type { RefResult, RefUpdate } from '../interface/refs.ts';
import type { RepositoryId } from '../interface/snapshot.ts';
import type { BlobDrafts, CommitOptions, ForkOptions, WriteSession, Writes } from '../interface/writes.ts';
import { LocalBlobDrafts } from '../objects/blob-drafts.ts';
import { type ForkNeeds, forkRepository } from './fork.ts';
import { LocalWriteSession, type SessionNeeds } from './local-write-session.ts';
import { type CommitNeeds, commitUpdates } from './ref-commit.ts';
import { storeObjects } from './store-objects.ts';

type Needs = SessionNeeds & CommitNeeds & ForkNeeds & Pick<Engine, 'storedWithoutRef' | 'snapshotOf'>;

/** Writes objects into the folders of repositories, and rows into the database. */
export class LocalWrites implements Writes {
  readonly #engine: Needs;
  readonly #moves: PlannedMoves;

  constructor(engine: Needs, moves: PlannedMoves) {
    this.#engine = engine;
    this.#moves = moves;
  }

  async begin(id: RepositoryId): Promise<WriteSession> {
    const current = await this.#engine.versions.current(id);
    return new LocalWriteSession(this.#engine, this.#engine.snapshotOf(id, current), current);
  }

  draftBlobs(id: RepositoryId, format: ObjectFormat): BlobDrafts {
    const folder = () => this.#engine.completeFolder(id, format);
    const { liveFolders, transfers } = this.#engine;
    return new LocalBlobDrafts({ format, folder, space: transfers.packs, live: liveFolders });
  }

  commit(
    session: WriteSession,
    updates: readonly RefUpdate[],
    options: CommitOptions,
  ): Promise<readonly RefResult[]> {
    return this.#during(session, (local) => commitUpdates(this.#engine, local, updates, options));
  }

  storeObjects(session: WriteSession, inTransaction: (tx: Tx) => Promise<void>): Promise<boolean> {
    return this.#during(session, (local) => storeObjects(this.#engine, local, inTransaction));
  }

  /** Disposal of the session waits for the work, after which there may be fresh objects. */
  async #during<T>(session: WriteSession, work: (local: LocalWriteSession) => Promise<T>): Promise<T> {
    if (!(session instanceof LocalWriteSession)) throw new Error('the session belongs to another storage');
    return session.during(() => work(session)).finally(() => this.#moves.plan());
  }

  fork<T>(
    parent: RepositoryId,
    options: ForkOptions,
    inTransaction: (tx: Tx, create: (tx: Tx, id: RepositoryId) => Promise<void>) => Promise<T>,
  ): Promise<T> {
    return forkRepository(this.#engine, parent, options, inTransaction);
  }
}
