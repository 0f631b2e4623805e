import type { SignedIn } from '../../api/access/viewer.ts';
import { invalid, isFailure } from '../../base/core/failure.ts';
import { faultPoint } from '../../base/core/faults.ts';
import { Signal } from '../../base/core/signal.ts';
import { type Clock, currentTimeMs, SYSTEM_CLOCK } from '../../base/core/time/clock.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import type { OutboundClient } from '../../base/outbound/client.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { WriteSession } from '../../git/interface/writes.ts';
import { RemoteError, type RemoteRefs } from '../../git/remote/model.ts';
import type { PublicAccount } from '../../people/accounts/model.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { ObjectIntake } from '../lfs/intake.ts';
import type { LargeFiles } from '../lfs/service.ts';
import type { CreationRequest, PendingRepository } from '../repositories/creation/model.ts';
import type { FutureOwners } from '../repositories/creation/owners.ts';
import { nameInUse } from '../repositories/creation/rules.ts';
import { DEFAULT_BRANCH } from '../repositories/model.ts';
import { type Pushes, WHY_REJECTED } from '../repositories/refs/pushes.ts';
import type { Repositories } from '../repositories/service.ts';
import { setSource } from '../repositories/writes.ts';
import { type CopyPlan, copySource, defaultBranchOf } from './copy.ts';
import type { LargeFileCopies } from './large-files.ts';
import { MIRROR_LIMITS } from './limits.ts';
import type { MirrorRecords } from './mirror-records.ts';
import type { CopiedRefs, Copying, WantedMigration } from './model.ts';
import { newProgress, type Progress } from './progress.ts';
import { COPIED_REFS, forCaller, mayPass, openSource, withoutSecrets } from './source.ts';
import type { StagedWiki, WikiCopies } from './wiki-copies.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'writes' | 'transfers'>;
  readonly outbound: OutboundClient;
  readonly accounts: Accounts;
  readonly owners: FutureOwners;
  readonly repositories: Repositories;
  readonly pushes: Pushes;
  readonly objectIntake: ObjectIntake;
  readonly largeFiles: LargeFiles;
  readonly largeFileCopies: LargeFileCopies;
  readonly mirrorRecords: MirrorRecords;
  readonly wikiCopies: WikiCopies;
}

/** A copy to make now. */
interface WantedCopy {
  readonly viewer: SignedIn;
  readonly owner: PublicAccount;
  readonly wanted: WantedMigration;
  readonly signal: AbortSignal;
  readonly progress: Progress;
  /** absent: the copy is not recorded */
  readonly record?: CopyRecord;
}

/** Hooks that record a copy. */
interface CopyRecord {
  /** in the transaction that gives the pending repository its id */
  began(tx: Tx, id: RepositoryId): Promise<void>;
  /** Checks again that the copy is still allowed. */
  authorize(): Promise<void>;
  /** at the end of the transaction in which the repository appears */
  published(tx: Tx, id: RepositoryId): Promise<void>;
}

/** A copy that is being made. */
interface Copy extends WantedCopy {
  readonly creation: CreationRequest;
  readonly pending: PendingRepository;
  readonly rows: Copying['rows'];
  readonly wiki: StagedWiki | undefined;
}

/**
 * Copies repositories from other servers. A copy appears with all its refs and large files, or not at all, because it
 * is pending until then.
 */
export class RepositoryCopies {
  /**
   * fires before a repository is copied, when its id is known, so that listeners read the data that git does not have
   */
  readonly copying = new Signal<[copying: Copying]>();
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Checks everything that does not need the source.
   *
   * @returns the owner of the copy
   * @throws ForgeError `invalid`, `conflict`, `forbidden`
   */
  async prepare(viewer: SignedIn, wanted: WantedMigration): Promise<PublicAccount> {
    const { largeFiles, repositories } = this.#use;
    if (wanted.source.largeFiles !== null && !largeFiles.isEnabled)
      throw invalid('[LFS]: this site does not use git-lfs');
    const owner = await this.findOwner(viewer, wanted.owner);
    if ((await repositories.findId({ owner: owner.name, name: wanted.name })) !== undefined)
      throw nameInUse();
    return owner;
  }

  /**
   * Finds an account that the viewer may create repositories for. An unknown owner is a mistake in the body, not in the
   * address.
   *
   * @throws ForgeError `invalid`, `forbidden`
   */
  async findOwner(viewer: SignedIn, owner: WantedMigration['owner']): Promise<PublicAccount> {
    try {
      if (owner === null) return await this.#use.owners.get(viewer, viewer.name);
      const name = 'name' in owner ? owner.name : (await this.#use.accounts.get(owner.id)).name;
      return await this.#use.owners.get(viewer, name);
    } catch (error) {
      if (isFailure(error, 'not_found')) throw invalid('the owner does not exist', { cause: error });
      throw error;
    }
  }

  /**
   * Makes a copy without a record, for work that is repeated if it ends early. Tries again after a temporary failure.
   *
   * @returns the progress of the copy
   * @throws ForgeError `invalid` (the owner or the source is not usable, with the reason), `conflict`, `forbidden`,
   *   `too_large`, `busy`; nothing of the copy remains
   */
  async copyNow(
    viewer: SignedIn,
    wanted: WantedMigration,
    { clock = SYSTEM_CLOCK }: { readonly clock?: Clock } = {},
  ): Promise<Progress> {
    const owner = await this.prepare(viewer, wanted);
    const signal = AbortSignal.timeout(MIRROR_LIMITS.migrationMs);
    for (let attempt = 1; ; attempt += 1) {
      const progress = newProgress();
      try {
        await this.copy({ viewer, owner, wanted, signal, progress });
        return progress;
      } catch (thrown) {
        const cause = withoutSecrets(thrown, wanted.source.credentials);
        if (signal.aborted) throw forCaller(tookTooLong(cause));
        if (!mayPass(cause) || attempt === MIRROR_LIMITS.migrationAttemptsMax) throw forCaller(cause);
        await clock.wait(migrationRetryMs(attempt), signal);
      }
    }
  }

  /**
   * Makes a copy.
   *
   * @throws RemoteError, OutboundError, ForgeError; the reason of the signal; the errors of the record; nothing of the
   *   copy remains
   */
  async copy(copy: WantedCopy): Promise<RepositoryId> {
    const { git, outbound, repositories } = this.#use;
    const { viewer, owner, wanted, signal, progress, record } = copy;
    progress.phase = 'refs';
    const remote = await openSource(outbound, wanted.source, signal);
    const listed = await remote.listRefs(COPIED_REFS);
    progress.refs = listed.refs.size;
    const creation = { viewer, owner, wanted: newRepositoryOf(wanted, listed) };
    await using pending = await repositories.creation.begin(creation, record?.began);
    faultPoint('after-migration-begin');
    const { id } = pending.repository;
    const { objectFormat } = listed;
    const lists = { wantedHeads: new Map(), rows: [] };
    const copying: Copying = { id, ownerId: owner.id, objectFormat, wanted, signal, ...lists, progress };
    await this.copying.notify(copying);
    const { rows, wantedHeads } = copying;
    await using wiki = wanted.hasWiki ? await this.#use.wikiCopies.stage({ ...copying, owner }) : undefined;
    const begun = { ...copy, creation, pending, rows, wiki };
    if (listed.refs.size === 0) await this.#publishEmpty(begun);
    else
      await copySource(git, {
        id,
        remote,
        prunes: false,
        listed,
        wantedHeads,
        progress,
        move: (session, plan) => this.#publish(session, plan, begun),
      });
    return id;
  }

  async #publishEmpty(copy: Copy): Promise<void> {
    await requireAllowed(copy);
    await this.#use.database.transaction((tx) => this.#publishRows(tx, copy, new Map()));
  }

  async #publish(session: WriteSession, { updates, presentHeads }: CopyPlan, copy: Copy): Promise<void> {
    const { largeFileCopies, objectIntake, pushes } = this.#use;
    const { pending, wanted, creation, signal, progress } = copy;
    const { repository } = pending;
    const about = { id: repository.id, ownerId: creation.owner.id, source: wanted.source, signal, progress };
    const heads = presentHeads.map(({ ref, commit }) => ({ ref, old: null, new: commit }));
    const created = [...updates, ...heads];
    const objects = await largeFileCopies.stage(session, created, about);
    const copied = new Map(created.flatMap(({ ref, new: oid }) => (oid ? [[ref, oid]] : [])));
    await requireAllowed(copy);
    const results = await pushes.push(session, {
      repository,
      origin: { kind: 'creation', via: 'api' },
      pusher: creation.viewer,
      updates,
      ownRefs: presentHeads,
      atomic: true,
      alsoInTransaction: async (tx) => {
        await this.#publishRows(tx, copy, copied);
        await objectIntake.adopt(tx, repository, objects);
      },
    });
    for (const result of results) {
      if (result.outcome === 'denied') throw result.denial;
      if (result.outcome === 'rejected') throw invalid(`${result.ref}: ${WHY_REJECTED[result.cause]}`);
    }
  }

  async #publishRows(
    tx: Tx,
    { pending, viewer, owner, wanted, rows, wiki, record }: Copy,
    copied: CopiedRefs,
  ): Promise<void> {
    const { id } = pending.repository;
    const { source, mirror } = wanted;
    const followed = mirror === null ? null : { intervalMs: mirror.intervalMs, updatedAt: currentTimeMs() };
    // There may be many issues, so their rows are written before the events.
    await pending.publish(tx, async (tx) => {
      await this.#use.owners.requireStill(tx, viewer, owner);
      await setSource(tx, id, { originalUrl: source.url.href, mirror: followed });
      if (mirror !== null) await this.#use.mirrorRecords.add(tx, id, { source, ...mirror });
      await wiki?.adopt(tx, id);
      for (const write of rows) await write(tx, copied);
      await record?.published(tx, id);
    });
  }
}

/** The last check before a copy appears. */
async function requireAllowed({ signal, progress, record }: Copy): Promise<void> {
  signal.throwIfAborted();
  progress.phase = 'publishing';
  await record?.authorize();
}

/** Returns the delay before the next attempt, which triples after each attempt. */
export function migrationRetryMs(attempts: number): number {
  return MIRROR_LIMITS.migrationRetryMs * 3 ** (attempts - 1);
}

export function tookTooLong(cause: unknown): RemoteError {
  return new RemoteError('the copy takes too long', { cause });
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
