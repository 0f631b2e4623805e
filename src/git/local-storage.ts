import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { invalid } from '../base/core/failure.ts';
import { KeyedLock } from '../base/core/fairness/keyed-lock.ts';
import { FOLDER_MODE } from '../base/core/files/durable-files.ts';
import { type Log, SILENT_LOG } from '../base/core/log.ts';
import type { Stretch } from '../base/core/paging.ts';
import type { Database, Tx } from '../base/database/database.ts';
import { archive } from './archives/archive.ts';
import type { ArchiveOptions } from './archives/model.ts';
import { Engine } from './engine.ts';
import type { DeletedObjects } from './folders/deleted-objects.ts';
import { forkRepository } from './forks.ts';
import { Settling } from './fresh/settling.ts';
import { blobChangesOf } from './history/blob-history.ts';
import { changesOfCommits, filesBetween } from './history/commit-changes.ts';
import { compareBlobs } from './history/compare-blobs.ts';
import { countBetween, isAncestor, mergeBase } from './history/compare-commits.ts';
import { streamDiff } from './history/diff-text.ts';
import { countCommits, listCommits } from './history/list-commits.ts';
import type { Apart, BlobChange, ChangedFile, CommitChanges } from './history/model.ts';
import { keepObjects } from './keep-objects.ts';
import { GIT_LIMITS } from './limits.ts';
import { LocalSnapshot } from './local-snapshot.ts';
import { LocalWriteSession } from './local-write-session.ts';
import { compactRefs } from './maintenance/compact-refs.ts';
import { refreshCommitGraph } from './maintenance/indexes.ts';
import { measureObjects } from './maintenance/measure.ts';
import type { ObjectsMeasure, VerifyReport } from './maintenance/model.ts';
import { PRUNE_GRACE_MS, prune, purge } from './maintenance/prune.ts';
import { repack } from './maintenance/repack.ts';
import { sweepFolders } from './maintenance/sweep.ts';
import { verifyRepository } from './maintenance/verify.ts';
import type {
  BlobDrafts,
  Commit,
  CommitOf,
  CommitRange,
  DiffText,
  ForkOptions,
  GitStorage,
  IndexedLastCommits,
  ObjectFormat,
  ObjectSource,
  Oid,
  RefResult,
  RefUpdate,
  RepositoryId,
  Snapshot,
  WriteSession,
} from './model.ts';
import { LocalBlobDrafts } from './objects/blob-drafts.ts';
import type { TransferResources, TransferSettings } from './processes/transfer-resources.ts';
import { importHandMadeRefs } from './refs/import-refs.ts';
import { type CommitOptions, commitUpdates } from './refs/ref-commit.ts';
import { malformedRefName } from './refs/ref-names.ts';
import {
  deleteGitRepository,
  hasRef,
  insertGitRepository,
  listGitRepositories,
  lockGitRepository,
  setHeadRow,
} from './store.ts';

/**
 * Stores the git data of one machine: refs in the database, objects in bare repositories below `folder`.
 *
 * @param options.folder created if missing; used by one server process at a time
 * @param options.ownsFolder false for a command that may run beside a server: it restores no files that were hidden
 * @param options.transfers settings of fetches and pushes; by default those for this machine
 * @param options.settleMs time after which the objects of a small change become durable as files
 * @param options.pruneGraceMs minimum time for which unreachable objects are kept
 */
export function createLocalStorage(options: {
  database: Database;
  folder: string;
  ownsFolder?: boolean;
  log?: Log;
  pruneGraceMs?: number;
  settleMs?: number;
  transfers?: TransferSettings;
}): GitStorage {
  mkdirSync(options.folder, { recursive: true, mode: FOLDER_MODE });
  const engine = new Engine({
    database: options.database,
    root: resolve(options.folder),
    log: options.log ?? SILENT_LOG,
    ownsFolder: options.ownsFolder ?? true,
    ...(options.transfers === undefined ? {} : { transfers: options.transfers }),
  });
  const { pruneGraceMs = PRUNE_GRACE_MS, settleMs = GIT_LIMITS.freshSettleMs } = options;
  return new LocalStorage(engine, { pruneGraceMs, settleMs });
}

class LocalStorage implements GitStorage {
  readonly transfers: TransferResources;
  readonly #engine: Engine;
  readonly #pruneGraceMs: number;
  readonly #maintenanceLocks = new KeyedLock();
  readonly #settling: Settling;

  constructor(engine: Engine, { pruneGraceMs, settleMs }: { pruneGraceMs: number; settleMs: number }) {
    this.#engine = engine;
    this.transfers = engine.transfers;
    this.#pruneGraceMs = pruneGraceMs;
    this.#settling = new Settling(engine, settleMs);
  }

  async create(
    id: RepositoryId,
    options: { head: string; objectFormat: ObjectFormat },
    tx: Tx,
  ): Promise<void> {
    requireHeadName(options.head);
    await insertGitRepository(tx, id, options);
  }

  fork<T>(
    parent: RepositoryId,
    options: ForkOptions,
    inTransaction: (tx: Tx, create: (tx: Tx, id: RepositoryId) => Promise<void>) => Promise<T>,
  ): Promise<T> {
    return forkRepository(this.#engine, parent, options, inTransaction);
  }

  countBetween(base: CommitOf, head: CommitOf): Promise<Apart> {
    return countBetween(this.#engine, base, head);
  }

  changesOf(
    snapshot: Snapshot,
    commits: readonly Commit[],
    options: { countsLines: boolean },
  ): Promise<ReadonlyMap<Oid, CommitChanges>> {
    return changesOfCommits(this.#engine, snapshot, commits, options);
  }

  filesBetween(from: CommitOf, to: CommitOf): Promise<readonly ChangedFile[]> {
    return filesBetween(this.#engine, from, to);
  }

  blobChangesOf(
    snapshot: Snapshot,
    commits: readonly Oid[],
    path: string,
  ): Promise<ReadonlyMap<Oid, BlobChange>> {
    return blobChangesOf(this.#engine, snapshot, commits, path);
  }

  compareBlobs(snapshot: Snapshot, blobs: { readonly from: Oid; readonly to: Oid }): Promise<string> {
    return compareBlobs(this.#engine, snapshot, blobs);
  }

  mergeBase(one: CommitOf, other: CommitOf): Promise<Oid | undefined> {
    return mergeBase(this.#engine, one, other);
  }

  listCommits(range: CommitRange, stretch: Stretch): Promise<readonly Oid[]> {
    return listCommits(this.#engine, range, stretch);
  }

  countCommits(range: CommitRange): Promise<number> {
    return countCommits(this.#engine, range);
  }

  streamDiff(text: DiffText, signal: AbortSignal): Promise<AsyncIterable<Buffer>> {
    return streamDiff(this.#engine, text, signal);
  }

  async *archive(commit: CommitOf, options: ArchiveOptions): AsyncGenerator<Buffer> {
    // The refs, too: git can write the tags of the commit into files that ask for them (export-subst).
    const { gitDir } = await this.mirror(commit.snapshot);
    yield* archive(gitDir, commit, options);
  }

  isAncestor(ancestor: CommitOf, descendant: CommitOf): Promise<boolean> {
    return isAncestor(this.#engine, ancestor, descendant);
  }

  async findLastCommits(
    source: ObjectSource,
    wanted: { commit: Oid; folder: string; names: readonly string[] },
    signal?: AbortSignal,
  ): Promise<IndexedLastCommits | undefined> {
    const { id, objectFormat: format } = source;
    // The index has files of its own, so the objects need not be files.
    const repository = { id, format, folder: await this.#engine.placedFolder(id) };
    return this.#engine.changes.find(repository, wanted, signal);
  }

  async indexChanges(
    of: Snapshot,
    tips: readonly Oid[],
    signal: AbortSignal,
  ): Promise<'complete' | 'more' | 'full'> {
    const { id, objectFormat: format } = of;
    const folder = await this.#engine.madeFolder(id, format);
    const prepareGit = async () => this.#engine.fresh.writeOut(id, folder);
    const from = { location: { gitDir: folder.path }, objects: { reader: of.objects, prepareGit } };
    return this.#engine.changes.build({ id, format, folder }, from, tips, signal);
  }

  async remove(id: RepositoryId, tx: Tx): Promise<void> {
    await deleteGitRepository(tx, id);
  }

  open(id: RepositoryId): Promise<Snapshot> {
    return this.#engine.open(id);
  }

  async write(id: RepositoryId): Promise<WriteSession> {
    const current = await this.#engine.versions.current(id);
    const base = new LocalSnapshot(id, current, this.#engine.reader(id, current.format));
    return new LocalWriteSession(this.#engine, base, current);
  }

  draftBlobs(id: RepositoryId, format: ObjectFormat): BlobDrafts {
    const folder = () => this.#engine.ensureFolder(id, format);
    const { liveFolders, transfers } = this.#engine;
    return new LocalBlobDrafts({ format, folder, space: transfers.packs, live: liveFolders });
  }

  async setHead(id: RepositoryId, head: string, tx: Tx): Promise<void> {
    requireHeadName(head);
    const row = await lockGitRepository(tx, id);
    if (row !== undefined) await setHeadRow(tx, id, head, row.gen + 1);
  }

  async switchHead(id: RepositoryId, head: string, tx: Tx): Promise<boolean> {
    if (malformedRefName(head) !== undefined) return false;
    const row = await lockGitRepository(tx, id);
    if (row === undefined || row.head === head || !(await hasRef(tx, id, head))) return false;
    await setHeadRow(tx, id, head, row.gen + 1);
    return true;
  }

  async commit(
    session: WriteSession,
    updates: readonly RefUpdate[],
    options: CommitOptions,
  ): Promise<readonly RefResult[]> {
    if (!(session instanceof LocalWriteSession)) throw new Error('the session belongs to another storage');
    return session
      .during(() => commitUpdates(this.#engine, session, updates, options))
      .finally(() => this.#settling.plan());
  }

  async keep(session: WriteSession, inTransaction: (tx: Tx) => Promise<void>): Promise<boolean> {
    if (!(session instanceof LocalWriteSession)) throw new Error('the session belongs to another storage');
    return session
      .during(() => keepObjects(this.#engine, session, inTransaction))
      .finally(() => this.#settling.plan());
  }

  async objectsFolder(snapshot: Snapshot): Promise<{ readonly gitDir: string }> {
    const { path } = await this.#engine.ensureFolder(snapshot.id, snapshot.objectFormat);
    return { gitDir: path };
  }

  async mirror(snapshot: Snapshot): Promise<{ readonly gitDir: string }> {
    const { id } = snapshot;
    const folder = await this.#engine.ensureFolder(id, snapshot.objectFormat);
    await this.#engine.mirror.bringTo(id, folder, snapshot.version, async () => {
      const current = await this.#engine.versions.current(id);
      // What the refs name must be files before the mirror names it.
      await this.#engine.fresh.writeOut(id, folder);
      return current;
    });
    return { gitDir: folder.path };
  }

  async maintain(id: RepositoryId, job: 'repack' | 'prune' | 'commit-graph'): Promise<'done' | 'lost-race'> {
    // One job at a time, because each removes packs that another would read.
    return this.#maintenanceLocks.run(`${id}`, () => this.#maintain(id, job));
  }

  async #maintain(id: RepositoryId, job: 'repack' | 'prune' | 'commit-graph'): Promise<'done' | 'lost-race'> {
    if (job === 'repack') return repack(this.#engine, id);
    if (job === 'prune') return prune(this.#engine, id, this.#pruneGraceMs);
    return refreshCommitGraph(this.#engine, id);
  }

  async purge(id: RepositoryId): Promise<DeletedObjects | 'lost-race'> {
    return this.#maintenanceLocks.run(`${id}`, () => purge(this.#engine, id));
  }

  compactRefs(id: RepositoryId): Promise<boolean> {
    return compactRefs(this.#engine.database, id);
  }

  async measure(id: RepositoryId): Promise<ObjectsMeasure> {
    await this.#engine.moveStaged(id);
    await this.#engine.settle(id);
    return measureObjects(this.#engine.folder(id));
  }

  async settle(): Promise<void> {
    await this.#settling.run();
  }

  async sweep(graceMs: number): Promise<number> {
    await this.#settling.run();
    return sweepFolders(this.#engine, graceMs);
  }

  verify(id: RepositoryId): Promise<VerifyReport> {
    return verifyRepository(this.#engine, id);
  }

  async importRefs(id: RepositoryId): Promise<readonly RefUpdate[]> {
    const taken = await importHandMadeRefs(this.#engine, id);
    // Updates the mirror, so that the imported refs no longer count as changed by hand.
    const snapshot = await this.open(id);
    await this.mirror(snapshot);
    return taken;
  }

  list(): Promise<readonly RepositoryId[]> {
    return listGitRepositories(this.#engine.database.reader);
  }

  async close(): Promise<void> {
    await this.#settling.close();
    this.#engine.pool.close();
    await this.#engine.changes.close();
    await this.#engine.meterThread.close();
  }
}

/** Rejects a name that cannot be a line of git's HEAD file. */
function requireHeadName(head: string): void {
  const problem = malformedRefName(head);
  if (problem !== undefined || !head.startsWith('refs/'))
    throw invalid(problem ?? 'HEAD must point to a ref, such as refs/heads/main');
}
