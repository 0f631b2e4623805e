import { randomUUID } from 'node:crypto';
import type { EarlierViewer, SignedIn } from '../../../api/access/viewer.ts';
import { conflict, ForgeError } from '../../../base/core/failure.ts';
import type { Sealer } from '../../../base/core/sealing.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Database, Tx } from '../../../base/database/database.ts';
import { hintAfterCommit } from '../../../base/database/hints-after-commit.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import { lockKind } from '../../../people/accounts/locks.ts';
import type { PublicAccount } from '../../../people/accounts/model.ts';
import { MIRROR_LIMITS } from '../limits.ts';
import type { Credentials, WantedMigration } from '../model.ts';
import { newProgress, type Progress, progressText } from '../progress.ts';
import { openCredentials, sealCredentials } from '../sealed-credentials.ts';
import type { MigrationFailure, RequesterPlace, Run } from './model.ts';
import { optionsText, wantedOf } from './options-text.ts';
import {
  countActive,
  deleteEndedBefore,
  deleteEndedBeyond,
  insertMigration,
  type MigrationRow,
  type Remains,
  setCanceled,
  setReleased,
  setRunning,
  setSecrets,
  startDue,
  takeOver,
} from './store.ts';
import { credentialText, earlierViewerOf } from './viewer-text.ts';

/** An attempt that a job has taken to run. */
export interface Attempt extends Run {
  readonly requester: EarlierViewer;
  /** for the log */
  readonly aim: { readonly owner: string; readonly name: string };
  /** 1 for the first attempt */
  readonly number: number;
  /** of earlier attempts */
  readonly workedMs: number;
  /** @throws SealError if its credentials cannot be decrypted */
  readonly wanted: () => WantedMigration;
}

interface Dependencies {
  readonly database: Database;
  readonly sealer: Sealer;
}

/** Records migrations. Until a migration ends, its row also has its credentials, encrypted. */
export class MigrationRecords {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * @returns its id
   * @throws ForgeError `busy` if too many migrations wait, `conflict` if the same migration is under way
   */
  async add(
    tx: Tx,
    { viewer, owner, wanted }: { viewer: SignedIn; owner: PublicAccount; wanted: WantedMigration },
  ): Promise<number> {
    const { accountId: requesterId } = viewer;
    await lockKind(tx, requesterId);
    requireRoom(await countActive(tx, { requesterId, ownerId: owner.id, name: wanted.name }));
    await deleteEndedBeyond(tx, requesterId, MIRROR_LIMITS.migrationsKeptPerCallerMax);
    const { credentials, url } = wanted.source;
    const now = currentTimeMs();
    const id = await insertMigration(tx, {
      requester_id: requesterId,
      credential: credentialText(viewer),
      owner_id: owner.id,
      owner_name: owner.name,
      name: wanted.name,
      address: url.href,
      options: optionsText(wanted),
      secrets: null,
      state: 'waiting',
      slot: null,
      run: null,
      attempts: 0,
      due_at: now,
      progress: progressText(newProgress()),
      worked_ms: 0,
      pending_id: null,
      repository_id: null,
      failure: null,
      requested_at: now,
      begun_at: null,
      ended_at: null,
    });
    const secrets = sealCredentials(this.#use.sealer, credentials, purposeOf(id));
    if (secrets !== null) await setSecrets(tx, id, secrets);
    return id;
  }

  #credentialsOf({ id, secrets }: MigrationRow): Credentials | null {
    return openCredentials(this.#use.sealer, secrets, purposeOf(id));
  }

  /** Takes the migration of a requester that is due the longest. */
  async startAttempt(place: RequesterPlace): Promise<Attempt | undefined> {
    const attempt = { run: randomUUID(), now: currentTimeMs() };
    const row = await this.#use.database.transaction((tx) => startDue(tx, place, attempt));
    if (row === undefined) return undefined;
    return {
      id: row.id,
      run: attempt.run,
      requester: earlierViewerOf(row.requester_id, row.credential),
      aim: { owner: row.owner_name, name: row.name },
      number: row.attempts,
      workedMs: row.worked_ms,
      wanted: () => wantedOf({ ...row, credentials: this.#credentialsOf(row) }),
    };
  }

  /** @returns whether the attempt still runs */
  recordProgress(run: Run, at: { readonly progress: string; readonly workedMs: number }): Promise<boolean> {
    const change = { progress: at.progress, worked_ms: at.workedMs };
    return this.#use.database.transaction((tx) => setRunning(tx, run, change));
  }

  /** Records which pending repository an attempt fills. @returns whether the attempt still runs */
  recordPending(tx: Tx, run: Run, pendingId: RepositoryId): Promise<boolean> {
    return setRunning(tx, run, { pending_id: pendingId });
  }

  /**
   * Records the end of a migration, in the transaction in which the copy appears.
   *
   * @returns whether the attempt still ran
   */
  async succeed(tx: Tx, run: Run, repositoryId: RepositoryId, progress: Progress): Promise<boolean> {
    hintAfterCommit(tx, 'migrations');
    return setRunning(tx, run, {
      ...ENDED,
      state: 'done',
      repository_id: repositoryId,
      failure: null,
      progress: progressText(progress),
      ended_at: currentTimeMs(),
    });
  }

  /** Ends a migration whose attempt has failed. @returns whether the attempt still ran */
  async fail(run: Run, at: AttemptEnd): Promise<boolean> {
    return this.#end(run, { ...ENDED, ...endOf(at), state: 'failed', ended_at: currentTimeMs() });
  }

  /** Schedules the next attempt of a migration after a failed one. @returns whether the attempt still ran */
  async retry(run: Run, at: AttemptEnd, delayMs: number): Promise<boolean> {
    return this.#end(run, { ...STOPPED, ...endOf(at), state: 'waiting', due_at: currentTimeMs() + delayMs });
  }

  /** Postpones a migration because the server stops, without counting the attempt. */
  async postpone(run: Run, attempts: number): Promise<void> {
    await this.#end(run, { ...STOPPED, state: 'waiting', attempts, due_at: currentTimeMs() });
  }

  /** Takes over the remains of an attempt that lost its job. @returns undefined if there are none */
  takeOver(run: Run): Promise<Remains | undefined> {
    return this.#use.database.transaction((tx) => {
      hintAfterCommit(tx, 'migrations');
      return takeOver(tx, run, randomUUID());
    });
  }

  /** Makes a migration due again after its last attempt was taken over and removed. */
  async revive(run: Run): Promise<void> {
    await this.#end(run, { ...STOPPED, state: 'waiting', due_at: currentTimeMs() });
  }

  #end(run: Run, change: Parameters<typeof setRunning>[2]): Promise<boolean> {
    return this.#use.database.transaction(async (tx) => {
      const isRunning = await setRunning(tx, run, change);
      // A canceled migration has ended already, and now nothing is left of it.
      if (!isRunning) await setReleased(tx, run);
      hintAfterCommit(tx, 'migrations');
      return isRunning;
    });
  }

  /** @returns whether there was a migration of this requester that had not ended */
  cancel(migration: { readonly id: number; readonly requesterId: number }): Promise<boolean> {
    return this.#use.database.transaction(async (tx) => {
      hintAfterCommit(tx, 'migrations');
      return setCanceled(tx, migration, currentTimeMs());
    });
  }

  /** Deletes records that are too old. `add` limits their number. */
  async sweep(): Promise<void> {
    const since = currentTimeMs() - MIRROR_LIMITS.migrationKeptMs;
    await this.#use.database.transaction((tx) => deleteEndedBefore(tx, since));
  }
}

/** How an attempt has ended. */
interface AttemptEnd {
  readonly failure: MigrationFailure;
  readonly progress: Progress;
  /** of all attempts */
  readonly workedMs: number;
}

const STOPPED = { slot: null, run: null, pending_id: null };
const ENDED = { ...STOPPED, secrets: null };

function endOf({ failure, progress, workedMs }: AttemptEnd) {
  return { failure: JSON.stringify(failure), progress: progressText(progress), worked_ms: workedMs };
}

function requireRoom({ all, own, same }: Awaited<ReturnType<typeof countActive>>): void {
  if (same > 0) throw conflict('a migration to this repository is under way: see your migrations');
  const isFull = all >= MIRROR_LIMITS.migrationsAtOnceMax + MIRROR_LIMITS.migrationQueueMax;
  const isOwnFull = own >= MIRROR_LIMITS.migrationsPerCallerMax + MIRROR_LIMITS.migrationQueuePerCallerMax;
  if (isFull || isOwnFull)
    throw new ForgeError({
      kind: 'busy',
      what: 'too many migrations at once: try again in a few seconds',
      retryAfterSeconds: 5,
    });
}

/** The purpose names the row, so no other row can use the encrypted credentials. */
function purposeOf(id: number): string {
  return `migration ${id}`;
}
