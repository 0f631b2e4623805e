import { type SignedIn, SYSTEM } from '../../api/access/viewer.ts';
import { ForgeError } from '../../base/core/failure.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { defineJob } from '../../base/jobs/model.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { OutboundClient } from '../../base/outbound/client.ts';
import { branchRef } from '../../git/format/ref-names.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { WriteSession } from '../../git/interface/writes.ts';
import { RemoteError } from '../../git/remote/model.ts';
import type { ObjectIntake } from '../lfs/intake.ts';
import type { Repository, RepositoryPath } from '../repositories/model.ts';
import { type Pushes, WHY_REJECTED } from '../repositories/refs/pushes.ts';
import type { Repositories } from '../repositories/service.ts';
import { MIRROR } from './actions.ts';
import { type CopyPlan, copySource } from './copy.ts';
import type { LargeFileCopies } from './large-files.ts';
import { MIRROR_LIMITS } from './limits.ts';
import type { MirrorRecords } from './mirror-records.ts';
import type { Due, Mirror } from './model.ts';
import { openSource, withoutSecrets } from './source.ts';
import { OwnerTurns } from './turns.ts';
import type { WikiCopies } from './wiki-copies.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs' | 'writes' | 'transfers'>;
  readonly jobs: Jobs;
  readonly outbound: OutboundClient;
  readonly repositories: Repositories;
  readonly pushes: Pushes;
  readonly objectIntake: ObjectIntake;
  readonly largeFileCopies: LargeFileCopies;
  readonly mirrorRecords: MirrorRecords;
  readonly wikiCopies: WikiCopies;
}

const SYNC = defineJob<{ ownerId: number }>('mirrors.sync');

/** One update of a mirror. */
interface Update {
  readonly mirror: Mirror;
  readonly due: Due;
  readonly signal: AbortSignal;
}

/** Updates mirrors from their sources. */
export class MirrorSync {
  readonly #use: Dependencies;
  readonly #turns: OwnerTurns;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    const { mirrorRecords } = dependencies;
    this.#turns = new OwnerTurns(dependencies, {
      kind: SYNC,
      lookingName: 'mirrors.due',
      atOnceMax: MIRROR_LIMITS.mirrorSyncsAtOnceMax,
      patienceMs: MIRROR_LIMITS.mirrorPatienceMs,
      whatFailed: 'a mirror was not updated',
      listDueOwners: () => mirrorRecords.listDueOwners(),
      findDue: (ownerId) => mirrorRecords.findDue(ownerId),
      update: (due, signal) => this.#update(due, signal),
      fail: (due, why) => mirrorRecords.fail(due, why),
    });
  }

  /**
   * Requests an update, which begins soon.
   *
   * @throws ForgeError as `Repositories.get`, `bad_request` for a repository that is not a mirror
   */
  async request(viewer: SignedIn, path: RepositoryPath): Promise<void> {
    const { database, repositories, mirrorRecords } = this.#use;
    const { repository } = await repositories.get(viewer, path, MIRROR.sync);
    const isMirror = await database.transaction(async (tx) => {
      if (!(await mirrorRecords.request(tx, repository.id))) return false;
      await this.#turns.enqueue(tx, repository.owner.id);
      return true;
    });
    if (!isMirror)
      throw new ForgeError({ kind: 'bad_request', what: 'this repository is not a pull mirror' });
  }

  async #update(due: Due, signal: AbortSignal): Promise<void> {
    const mirror = await this.#use.mirrorRecords.find(due.id);
    if (mirror === undefined) return;
    try {
      await this.#copy({ mirror, due, signal });
    } catch (error) {
      throw withoutSecrets(error, mirror.source.credentials);
    }
  }

  async #copy(update: Update): Promise<void> {
    const { git, outbound } = this.#use;
    const { mirror, signal } = update;
    const { repositoryId: id, prunes, source } = mirror;
    // The address is checked again with each connection.
    const remote = await openSource(outbound, source, signal);
    await copySource(git, {
      id,
      remote,
      prunes,
      move: (session, plan) => this.#move(session, plan, update),
    });
    const permitted = await this.#use.repositories.find(this.#use.database.reader, SYSTEM, id);
    if (permitted !== undefined) await this.#use.wikiCopies.update(permitted.repository, mirror, signal);
  }

  async #move(
    session: WriteSession,
    { updates, defaultBranch }: CopyPlan,
    { mirror, due, signal }: Update,
  ): Promise<void> {
    const { repositoryId: id } = mirror;
    const { database, largeFileCopies, objectIntake, pushes, repositories } = this.#use;
    const permitted = await repositories.find(database.reader, SYSTEM, id);
    if (permitted === undefined) return;
    const { repository } = permitted;
    const about = { id, ownerId: repository.owner.id, source: mirror.source, signal };
    const objects = await largeFileCopies.stage(session, updates, about);
    signal.throwIfAborted();
    const inTransaction = async (tx: Tx) => {
      await objectIntake.adopt(tx, repository, objects);
      if (defaultBranch !== null) await this.#follow(tx, repository, defaultBranch);
      await this.#use.mirrorRecords.succeed(tx, due, mirror);
    };
    const results = await pushes.push(session, {
      // The old default branch may be deleted if the source has another one.
      repository: { ...repository, defaultBranch: defaultBranch ?? repository.defaultBranch },
      origin: { kind: 'mirror' },
      pusher: SYSTEM,
      updates,
      atomic: false,
      alsoInTransaction: inTransaction,
    });
    if (!results.some(({ outcome }) => outcome === 'moved')) await database.transaction(inTransaction);
    for (const result of results) {
      if (result.outcome === 'rejected')
        throw new RemoteError(`${result.ref}: ${WHY_REJECTED[result.cause]}`);
    }
  }

  async #follow(tx: Tx, { id }: Pick<Repository, 'id'>, branch: string): Promise<void> {
    const { git, repositories } = this.#use;
    if (await git.refs.switchHead(id, branchRef(branch), tx))
      await repositories.settings.defaultBranchChanged.notify(tx, id);
  }
}
