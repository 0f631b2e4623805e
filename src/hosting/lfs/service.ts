import { isSignedIn, type TransferOperation, type Viewer } from '../../api/access/viewer.ts';
import { notFound } from '../../base/core/failure.ts';
import { FairSlots } from '../../base/core/fairness/fair-slots.ts';
import { CORE_LIMITS } from '../../base/core/limits.ts';
import type { Database } from '../../base/database/database.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { TransferToken, TransferTokens } from '../../people/authentication/transfer-tokens.ts';
import { STORAGE_LIMITS } from '../../storage/limits.ts';
import type { ObjectRange, ObjectReading, ObjectStorage } from '../../storage/model.ts';
import type { Quota } from '../quota/service.ts';
import { requirePermitted } from '../repositories/authorize.ts';
import { getForGit } from '../repositories/git-clients.ts';
import type { Repository, RepositoryPath } from '../repositories/model.ts';
import type { Pushes } from '../repositories/refs/pushes.ts';
import type { Repositories } from '../repositories/service.ts';
import { LFS } from './actions.ts';
import { answerBatch } from './batch.ts';
import { requireBound } from './bound.ts';
import type { ObjectIntake } from './intake.ts';
import { LFS_LIMITS } from './limits.ts';
import {
  type BatchAnswer,
  type BatchRequest,
  bytesOf,
  keyOf,
  type LfsObject,
  type LfsSettings,
  type NamedObject,
  requireObject,
} from './model.ts';
import type { ResumableUploads } from './resumable.ts';
import { findLinked } from './store/objects.ts';

interface Dependencies {
  readonly database: Database;
  readonly objects: ObjectStorage;
  readonly repositories: Repositories;
  readonly pushes: Pushes;
  readonly transferTokens: TransferTokens;
  readonly intake: ObjectIntake;
  readonly resumableUploads: ResumableUploads;
  readonly quota: Quota;
  readonly lfsSettings: LfsSettings;
}

export interface AnsweredBatch {
  readonly repository: Repository;
  readonly answers: readonly BatchAnswer[];
  /** object id -> address in the object store, for each object that the client gets from there */
  readonly urls: ReadonlyMap<string, string>;
  /** whether the client can continue interrupted uploads */
  readonly isResumable: boolean;
  /** for the transfers of the batch; undefined if they need no credential */
  readonly token: TransferToken | undefined;
}

/** Transfers large files for git-lfs. */
export class LargeFiles {
  readonly #use: Dependencies;
  readonly #uploads = transferSlots(
    'uploads',
    LFS_LIMITS.lfsUploadsAtOnceMax,
    LFS_LIMITS.lfsUploadsPerCallerMax,
  );
  readonly #downloads = transferSlots(
    'downloads',
    LFS_LIMITS.lfsDownloadsAtOnceMax,
    LFS_LIMITS.lfsDownloadsPerCallerMax,
  );

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** Whether clients may use git-lfs. If not, new files are stored in their commits. */
  get isEnabled(): boolean {
    return this.#use.lfsSettings.isEnabled;
  }

  /** Slots that uploads of all forms share. */
  get uploads(): FairSlots {
    return this.#uploads;
  }

  /** Slots that downloads through this server share. */
  get downloads(): FairSlots {
    return this.#downloads;
  }

  /**
   * Looks up a repository to download from.
   *
   * @throws ForgeError `unauthenticated` for a caller who is not signed in, whether the repository is hidden or missing;
   *   `not_found`, `forbidden`
   */
  async openForDownload(viewer: Viewer, path: RepositoryPath): Promise<Repository> {
    const permitted = await getForGit(this.#use.repositories, viewer, path, LFS.download);
    requireBound(viewer, permitted.repository.id, 'download');
    return permitted.repository;
  }

  /**
   * Looks up a repository to upload to.
   *
   * @throws ForgeError as `openForDownload`, and `archived`, and `forbidden` for a mirror
   */
  async openForUpload(
    viewer: Viewer,
    path: RepositoryPath,
  ): Promise<{ viewer: Viewer; repository: Repository }> {
    const permitted = await getForGit(this.#use.repositories, viewer, path, LFS.download);
    const { repository } = permitted;
    this.#use.pushes.requireOpen({ repository, origin: { kind: 'push' } });
    requirePermitted(viewer, permitted, LFS.upload);
    requireBound(viewer, repository.id, 'upload');
    return { viewer, repository };
  }

  /** Looks up a repository. @throws ForgeError as `openForDownload` or `openForUpload` */
  async openFor(viewer: Viewer, path: RepositoryPath, operation: TransferOperation): Promise<Repository> {
    if (operation === 'download') return this.openForDownload(viewer, path);
    return (await this.openForUpload(viewer, path)).repository;
  }

  /**
   * Returns what the client has to do with each object, whether it transfers them over HTTP or SSH.
   *
   * @throws ForgeError as `openForUpload` or `openForDownload`, and `too_large`
   */
  async answer(
    viewer: Viewer,
    path: RepositoryPath,
    { operation, objects }: Pick<BatchRequest, 'operation' | 'objects'>,
  ): Promise<{ readonly repository: Repository; readonly answers: readonly BatchAnswer[] }> {
    const repository = await this.openFor(viewer, path, operation);
    const answers = await answerBatch(this.#use, { viewer, repository, operation, objects });
    return { repository, answers };
  }

  /** As `answer`, with all that a client needs to transfer the objects over HTTP. */
  async batch(viewer: Viewer, path: RepositoryPath, request: BatchRequest): Promise<AnsweredBatch> {
    const { operation } = request;
    const { repository, answers } = await this.answer(viewer, path, request);
    const isResumable = operation === 'upload' && request.canResume && isSignedIn(viewer);
    const token = this.#tokenFor(viewer, repository.id, operation);
    return { repository, answers, urls: await this.#addressesOf(answers), isResumable, token };
  }

  async #addressesOf(answers: readonly BatchAnswer[]): Promise<ReadonlyMap<string, string>> {
    const found = await Promise.all(
      answers.map(async (answer) => {
        const url =
          answer.kind === 'download' ? await this.addressOf(answer.object, answer.oid, 'GET') : null;
        return url === null ? [] : [[answer.oid, url] as const];
      }),
    );
    return new Map(found.flat());
  }

  #tokenFor(
    viewer: Viewer,
    repositoryId: RepositoryId,
    operation: TransferOperation,
  ): TransferToken | undefined {
    return this.#use.transferTokens.issue(viewer, { repositoryId, operation });
  }

  /**
   * Looks up a repository for a client that has signed in over SSH.
   *
   * @throws ForgeError as `openForDownload` or `openForUpload`; `not_found` if git-lfs is disabled
   */
  async openOverSsh(viewer: Viewer, path: RepositoryPath, operation: TransferOperation): Promise<Repository> {
    if (!this.isEnabled) throw notFound('git-lfs on this server');
    return this.openFor(viewer, path, operation);
  }

  /**
   * Returns a token with which a client that has signed in over SSH transfers large files over HTTP.
   *
   * @throws ForgeError as `openOverSsh`
   */
  async authenticate(
    viewer: Viewer,
    path: RepositoryPath,
    operation: TransferOperation,
  ): Promise<{ readonly repository: Repository; readonly token: TransferToken }> {
    const repository = await this.openOverSsh(viewer, path, operation);
    const bound = { repositoryId: repository.id, operation, isWhole: true };
    const token = this.#use.transferTokens.issue(viewer, bound);
    if (token === undefined) throw new Error('a client without a credential has signed in over SSH');
    return { repository, token };
  }

  /**
   * Returns an address from which the client can download an object from the object store; null if the server sends it.
   */
  async addressOf(object: LfsObject, fileName: string, method: 'GET' | 'HEAD'): Promise<string | null> {
    if (!this.#use.lfsSettings.servesDirect) return null;
    const lifetimeMs = STORAGE_LIMITS.signedAddressMs;
    return this.#use.objects.signedUrl(keyOf(object), { method, lifetimeMs, fileName });
  }

  /**
   * Finds an object that belongs to a repository, which the caller may read.
   *
   * @throws ForgeError `invalid` for a malformed id
   */
  async find(repositoryId: RepositoryId, oid: string): Promise<LfsObject | undefined> {
    requireObject({ oid, sizeBytes: 0 });
    return findLinked(this.#use.database.reader, repositoryId, oid);
  }

  /** @throws ForgeError as `find`, and `not_found` */
  async get(repositoryId: RepositoryId, oid: string): Promise<LfsObject> {
    const object = await this.find(repositoryId, oid);
    if (object === undefined) throw notFound('object');
    return object;
  }

  /**
   * Opens an object, or a range of it.
   *
   * @throws ForgeError `not_found` if its bytes are missing
   */
  async open(object: LfsObject, range: ObjectRange | undefined): Promise<ObjectReading> {
    const reading = await this.#use.objects.get(keyOf(object), range);
    if (reading.sizeBytes === object.sizeBytes) return reading;
    reading.body.destroy();
    throw new Error(
      `the stored object ${object.oid} has ${reading.sizeBytes} bytes instead of ${object.sizeBytes}`,
    );
  }

  /**
   * Stores an upload in a repository that `openForUpload` returned.
   *
   * @throws ForgeError as `ObjectIntake.receive`
   */
  async receive(
    to: { viewer: Viewer; repository: Repository },
    object: NamedObject,
    body: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    this.#use.intake.requireAllowed(object);
    const upload = { ...to, object };
    const { intake, quota, resumableUploads } = this.#use;
    const receive = () => intake.receive(upload, body, (tx) => resumableUploads.replace(tx, upload));
    await this.#uploads.run(() => quota.whileArriving(upload.repository.owner.id, bytesOf(upload), receive));
  }

  /**
   * Checks that an object has arrived.
   *
   * @throws ForgeError `invalid` for a malformed object; `not_found` if it is missing or has another size
   */
  async verify(repositoryId: RepositoryId, object: NamedObject): Promise<void> {
    requireObject(object);
    const found = await this.get(repositoryId, object.oid);
    if (found.sizeBytes !== object.sizeBytes) throw notFound('object');
  }
}

function transferSlots(what: string, unitsMax: number, unitsPerCallerMax: number): FairSlots {
  return new FairSlots({
    what: `${what} of large files`,
    unitsMax,
    unitsPerCallerMax,
    unitsForSignedIn: Math.floor(unitsMax / 4),
    queueMax: CORE_LIMITS.gitQueueMax,
    queuePerCallerMax: CORE_LIMITS.gitQueuePerCallerMax,
    waitMs: CORE_LIMITS.gitQueueWaitMs,
  });
}
