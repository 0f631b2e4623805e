import type { SignedIn } from '../access/viewer.ts';
import type { PublicAccount } from '../accounts/model.ts';
import type { Accounts } from '../accounts/service.ts';
import { currentCaller } from '../core/caller.ts';
import { ForgeError, invalid } from '../core/failure.ts';
import { FairSlots } from '../core/fair-slots.ts';
import { LIMITS } from '../core/limits.ts';
import type { Log } from '../core/log.ts';
import { Signal } from '../core/signal.ts';
import type { Database, Tx } from '../database/database.ts';
import type { GitStorage, RepositoryId, WriteSession } from '../git/model.ts';
import { type RemoteRefs, SourceError } from '../git/remote/model.ts';
import type { ObjectIntake } from '../lfs/intake.ts';
import type { LargeFiles } from '../lfs/service.ts';
import type { OutboundClient } from '../outbound/client.ts';
import { REPOSITORY } from '../repositories/actions.ts';
import type { CreationRequest, PendingRepository } from '../repositories/creation/model.ts';
import type { FutureOwners } from '../repositories/creation/owners.ts';
import { nameInUse } from '../repositories/creation/rules.ts';
import { keepSource } from '../repositories/derived.ts';
import { DEFAULT_BRANCH, type HeldRepository } from '../repositories/model.ts';
import { type Pushes, WHY_REJECTED } from '../repositories/pushes.ts';
import type { Repositories } from '../repositories/service.ts';
import { type CopyPlan, copySource, defaultBranchOf } from './copy.ts';
import type { LargeFileCopies } from './large-files.ts';
import type { MirrorRecords } from './mirror-records.ts';
import type { Copying, WantedMigration } from './model.ts';
import { COPIED_REFS, forCaller, openSource, withoutSecrets } from './source.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: GitStorage;
  readonly outbound: OutboundClient;
  readonly accounts: Accounts;
  readonly owners: FutureOwners;
  readonly repositories: Repositories;
  readonly pushes: Pushes;
  readonly objectIntake: ObjectIntake;
  readonly largeFiles: LargeFiles;
  readonly largeFileCopies: LargeFileCopies;
  readonly mirrorRecords: MirrorRecords;
}

/** One migration that is running. */
interface Migration {
  readonly creation: CreationRequest;
  readonly wanted: WantedMigration;
  readonly signal: AbortSignal;
  readonly pending: PendingRepository;
  readonly rows: Copying['rows'];
}

/**
 * Copies repositories from other servers. A copy appears whole, with all its refs and large files, or not at all: it is
 * pending until then, and goes if the caller leaves.
 */
export class Migrations {
  /** before a repository is copied, when its id is known: listeners read what the git data does not have */
  readonly copying = new Signal<[copying: Copying]>();
  readonly #use: Dependencies;
  readonly #slots = new FairSlots({
    what: 'migrations',
    unitsMax: LIMITS.migrationsAtOnceMax,
    unitsPerCallerMax: LIMITS.migrationsPerCallerMax,
    unitsForSignedIn: 0,
    queueMax: LIMITS.migrationQueueMax,
    queuePerCallerMax: LIMITS.migrationQueuePerCallerMax,
    waitMs: LIMITS.migrationQueueWaitMs,
  });

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Copies a repository.
   *
   * @throws ForgeError `invalid` (the owner or the source is not usable, with the reason), `conflict`, `forbidden`,
   *   `too_large`, `busy`: nothing is left of it
   */
  async migrate(viewer: SignedIn, wanted: WantedMigration, log: Log): Promise<HeldRepository> {
    const { largeFiles, repositories } = this.#use;
    if (wanted.source.largeFiles !== null && !largeFiles.isEnabled)
      throw invalid('[LFS]: this site does not use git-lfs');
    const owner = await this.#findOwner(viewer, wanted.owner);
    if ((await repositories.findId({ owner: owner.name, name: wanted.name })) !== undefined)
      throw nameInUse();
    const id = await this.#slots.run(async () => {
      const { left } = currentCaller();
      const deadline = AbortSignal.timeout(LIMITS.migrationMs);
      const signal = left === undefined ? deadline : AbortSignal.any([left, deadline]);
      try {
        return await this.#copy(viewer, owner, { wanted, signal }, log);
      } catch (thrown) {
        const error = withoutSecrets(thrown, wanted.source.credentials);
        log.warn({ err: error }, 'a repository was not migrated');
        left?.throwIfAborted();
        throw forCaller(
          signal.aborted ? new SourceError('the copy takes too long', { cause: error }) : error,
        );
      }
    });
    return repositories.getById(viewer, id, REPOSITORY.read);
  }

  /** An unknown owner is a mistake in the body, not in the address. */
  async #findOwner(viewer: SignedIn, owner: WantedMigration['owner']): Promise<PublicAccount> {
    try {
      if (owner === null) return await this.#use.owners.get(viewer, viewer.name);
      const name = 'name' in owner ? owner.name : (await this.#use.accounts.get(owner.id)).name;
      return await this.#use.owners.get(viewer, name);
    } catch (error) {
      if (error instanceof ForgeError && error.failure.kind === 'not_found')
        throw invalid('the owner does not exist', { cause: error });
      throw error;
    }
  }

  async #copy(
    viewer: SignedIn,
    owner: PublicAccount,
    { wanted, signal }: Pick<Migration, 'wanted' | 'signal'>,
    log: Log,
  ): Promise<RepositoryId> {
    const { database, git, outbound, repositories } = this.#use;
    const remote = await openSource(outbound, wanted.source, signal);
    const listed = await remote.listRefs(COPIED_REFS);
    const creation = { viewer, owner, wanted: newRepositoryOf(wanted, listed) };
    await using pending = await repositories.creation.begin(creation);
    const { id } = pending.repository;
    const copying: Copying = { id, wanted, signal, rows: [], notTaken: [] };
    await this.copying.notify(copying);
    if (copying.notTaken.length > 0)
      log.warn({ notTaken: copying.notTaken }, 'a migration leaves something out');
    const migration = { creation, wanted, signal, pending, rows: copying.rows };
    if (listed.refs.size === 0) {
      signal.throwIfAborted();
      await database.transaction((tx) => this.#publishRows(tx, migration));
      return id;
    }
    await copySource(git, {
      id,
      remote,
      prunes: false,
      listed,
      move: (session, plan) => this.#publish(session, plan, migration),
    });
    return id;
  }

  async #publish(session: WriteSession, { updates }: CopyPlan, migration: Migration): Promise<void> {
    const { largeFileCopies, objectIntake, pushes } = this.#use;
    const { pending, wanted, creation, signal } = migration;
    const { repository } = pending;
    const { id } = repository;
    const about = { id, ownerId: creation.owner.id, source: wanted.source, signal };
    const objects = await largeFileCopies.stage(session, updates, about);
    signal.throwIfAborted();
    const results = await pushes.push(session, {
      repository,
      origin: { kind: 'creation', via: 'api' },
      pusher: creation.viewer,
      updates,
      atomic: true,
      alsoInTransaction: async (tx) => {
        await this.#publishRows(tx, migration);
        await objectIntake.adopt(tx, repository, objects);
      },
    });
    for (const result of results) {
      if (result.outcome === 'denied') throw result.denial;
      if (result.outcome === 'rejected') throw invalid(`${result.ref}: ${WHY_REJECTED[result.cause]}`);
    }
  }

  async #publishRows(tx: Tx, { pending, wanted, rows }: Migration): Promise<void> {
    const { id } = pending.repository;
    const { source, mirror } = wanted;
    const followed = mirror === null ? null : { intervalMs: mirror.intervalMs, updatedAt: Date.now() };
    // Issues may be many, so they come before the events.
    await pending.publish(tx, async (tx) => {
      await keepSource(tx, id, { originalUrl: source.url.href, mirror: followed });
      if (mirror !== null) await this.#use.mirrorRecords.add(tx, id, { source, ...mirror });
      for (const write of rows) await write(tx);
    });
  }
}

function newRepositoryOf(wanted: WantedMigration, listed: RemoteRefs): CreationRequest['wanted'] {
  return {
    name: wanted.name,
    description: wanted.description,
    isPrivate: wanted.isPrivate,
    isTemplate: false,
    defaultBranch: defaultBranchOf(listed) ?? DEFAULT_BRANCH,
    objectFormat: listed.objectFormat,
    trustModel: 'default',
  };
}
