import { ANONYMOUS, type SignedIn } from '../access/viewer.ts';
import { type Caller, runFor } from '../core/caller.ts';
import { ForgeError } from '../core/failure.ts';
import { LIMITS } from '../core/limits.ts';
import type { Database, Tx } from '../database/database.ts';
import type { GitStorage, RepositoryId, WriteSession } from '../git/model.ts';
import { SourceError } from '../git/remote/model.ts';
import { defineJob, type JobRun } from '../jobs/model.ts';
import type { Jobs } from '../jobs/service.ts';
import type { ObjectLinks } from '../lfs/links.ts';
import type { OutboundClient } from '../outbound/client.ts';
import type { Repository, RepositoryPath } from '../repositories/model.ts';
import { type Pushes, WHY_REJECTED } from '../repositories/pushes.ts';
import type { Repositories } from '../repositories/service.ts';
import { MIRROR } from './actions.ts';
import { type CopyPlan, copySource } from './copy.ts';
import type { LargeFileCopies } from './large-files.ts';
import type { MirrorRecords } from './mirror-records.ts';
import type { Mirror } from './model.ts';
import { failureOfSource, openSource, rootOf } from './source.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: GitStorage;
  readonly jobs: Jobs;
  readonly outbound: OutboundClient;
  readonly repositories: Repositories;
  readonly pushes: Pushes;
  readonly objectLinks: ObjectLinks;
  readonly largeFileCopies: LargeFileCopies;
  readonly mirrorRecords: MirrorRecords;
}

const SYNC = defineJob<{ repositoryId: RepositoryId }>('mirrors.sync');

/** Brings mirrors up to date with their sources, as jobs. */
export class MirrorSync {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    const { jobs, mirrorRecords } = dependencies;
    const options = { atOnceMax: LIMITS.mirrorSyncsAtOnceMax };
    jobs.register(SYNC, ({ repositoryId }, run) => this.sync(repositoryId, run), options);
    jobs.schedule('mirrors.due', LIMITS.mirrorsLookedForEveryMs, () =>
      mirrorRecords.takeDue((tx, id) => this.#enqueue(tx, id)),
    );
  }

  /**
   * Requests an update, which begins soon.
   *
   * @throws ForgeError as `Repositories.get`, `bad_request` for a repository that is not a mirror
   */
  async request(viewer: SignedIn, path: RepositoryPath): Promise<void> {
    const { database, repositories, mirrorRecords } = this.#use;
    const { repository } = await repositories.get(viewer, path, MIRROR.sync);
    if (!repository.isMirror || !(await mirrorRecords.has(repository.id)))
      throw new ForgeError({ kind: 'bad_request', what: 'this repository is not a pull mirror' });
    await database.transaction((tx) => this.#enqueue(tx, repository.id));
  }

  #enqueue(tx: Tx, id: RepositoryId): Promise<void> {
    return this.#use.jobs.enqueue(tx, SYNC, { key: `${id}`, payload: { repositoryId: id } });
  }

  /**
   * Brings one mirror up to date. A failure of the source is recorded, and the next update comes by itself.
   *
   * @throws any other error; the reason of the signal
   */
  async sync(id: RepositoryId, { signal, log }: Pick<JobRun, 'signal' | 'log'>): Promise<void> {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(LIMITS.migrationMs)]);
    try {
      const mirror = await this.#use.mirrorRecords.find(id);
      if (mirror !== undefined) await runFor(callerOf(limited), () => this.#copy(mirror, limited));
    } catch (error) {
      signal.throwIfAborted();
      if (isGone(error)) return;
      const why = limited.aborted ? 'the update takes too long' : failureOfSource(error);
      if (why === undefined) throw error;
      log.warn({ err: error, repository: id }, 'a mirror was not updated');
      await this.#use.mirrorRecords.fail(id, why);
    }
  }

  async #copy(mirror: Mirror, signal: AbortSignal): Promise<void> {
    const { git, outbound } = this.#use;
    const { repositoryId: id, prunes, source } = mirror;
    // The address is checked again with each connection.
    const remote = await openSource(outbound, source, signal);
    await copySource(git, {
      id,
      remote,
      prunes,
      move: (session, plan) => this.#move(session, plan, { mirror, signal }),
    });
  }

  async #move(
    session: WriteSession,
    { updates, defaultBranch }: CopyPlan,
    { mirror, signal }: { mirror: Mirror; signal: AbortSignal },
  ): Promise<void> {
    const { repositoryId: id } = mirror;
    const { database, largeFileCopies, objectLinks, pushes, repositories } = this.#use;
    const held = await repositories.find(database.reader, ANONYMOUS, id);
    if (held === undefined) return;
    const { repository } = held;
    const about = { id, ownerId: repository.owner.id, source: mirror.source, signal };
    const objects = await largeFileCopies.stage(session, updates, about);
    signal.throwIfAborted();
    const inTransaction = async (tx: Tx) => {
      await objectLinks.adopt(tx, id, objects);
      if (defaultBranch !== null) await this.#follow(tx, repository, defaultBranch);
      await this.#use.mirrorRecords.succeed(tx, mirror);
    };
    const results = await pushes.push(session, {
      // The old default branch may go, if the source has another one.
      repository: { ...repository, defaultBranch: defaultBranch ?? repository.defaultBranch },
      origin: { kind: 'mirror' },
      pusher: ANONYMOUS,
      updates,
      atomic: false,
      alsoInTransaction: inTransaction,
    });
    if (!results.some(({ outcome }) => outcome === 'moved')) await database.transaction(inTransaction);
    for (const result of results) {
      if (result.outcome === 'rejected')
        throw new SourceError(`${result.ref}: ${WHY_REJECTED[result.cause]}`);
    }
  }

  async #follow(tx: Tx, { id }: Pick<Repository, 'id'>, branch: string): Promise<void> {
    const { git, repositories } = this.#use;
    if (await git.switchHead(id, `refs/heads/${branch}`, tx))
      await repositories.settings.defaultBranchChanged.notify(tx, id);
  }
}

/** All updates of mirrors share one part of each resource, as one account does. */
function callerOf(left: AbortSignal): Caller {
  return { share: 'mirrors', lane: 'mirrors', isAnonymous: false, isServer: false, left };
}

/** The repository was deleted meanwhile. */
function isGone(error: unknown): boolean {
  const cause = rootOf(error);
  return cause instanceof ForgeError && cause.failure.kind === 'not_found';
}
