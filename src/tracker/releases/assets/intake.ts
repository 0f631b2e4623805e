import type { SignedIn } from '../../../api/access/viewer.ts';
import { FairSlots } from '../../../base/core/fairness/fair-slots.ts';
import { CORE_LIMITS } from '../../../base/core/limits.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Database, Tx } from '../../../base/database/database.ts';
import type { ArrivingBytes } from '../../../hosting/quota/model.ts';
import type { Quota } from '../../../hosting/quota/service.ts';
import type { Repository, RepositoryPath } from '../../../hosting/repositories/model.ts';
import type { ObjectStorage } from '../../../storage/model.ts';
import type { OwnedFiles } from '../../../storage/owned-files/service.ts';
import { ContentReading } from '../../issues/attachments/content-reading.ts';
import { validName } from '../../issues/attachments/rules.ts';
import type { AttachmentContent } from '../../issues/models/attachments.ts';
import { type ReleaseAccess, requireStored } from '../access.ts';
import { RELEASE } from '../actions.ts';
import { RELEASE_LIMITS } from '../limits.ts';
import type { StoredRelease } from '../model.ts';
import { type AssetFile, keyOf } from '../models/assets.ts';
import { recordAssets } from '../record.ts';
import { findAsset, insertExternalAsset, linkAsset, reserveAsset } from '../store/assets.ts';
import type { PlacedAsset } from './present.ts';
import { nameInUrl, requireRoomFor, validExternalUrl } from './rules.ts';

/** of its bytes, for the quota of the owner */
const KIND = 'size:assets:attachments:releases';

/** An asset that is being added to a release. */
export interface Arrival {
  readonly viewer: SignedIn;
  readonly repository: Repository;
  readonly releaseId: number;
  /** of the file, as far as its size is known */
  readonly bytesMin: number;
}

interface Dependencies {
  readonly database: Database;
  readonly objects: ObjectStorage;
  readonly releaseAccess: ReleaseAccess;
  readonly quota: Quota;
  readonly assetFiles: OwnedFiles<AssetFile, string>;
}

/** Adds assets to releases: files that clients upload, and addresses on other servers. */
export class AssetIntake {
  readonly #use: Dependencies;
  readonly #slots = new FairSlots({
    what: 'uploads of release assets',
    unitsMax: RELEASE_LIMITS.releaseUploadsAtOnceMax,
    unitsPerCallerMax: RELEASE_LIMITS.releaseUploadsPerCallerMax,
    unitsForSignedIn: 0,
    queueMax: CORE_LIMITS.gitQueueMax,
    queuePerCallerMax: CORE_LIMITS.gitQueuePerCallerMax,
    waitMs: CORE_LIMITS.gitQueueWaitMs,
  });

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Checks that an asset may be added, before its bytes are read. A form may have a file, which needs room, or an address.
   *
   * @param bytesMin as `Arrival.bytesMin`
   * @throws ForgeError as `ReleaseAccess.open`; `not_found`
   */
  async begin(
    viewer: SignedIn,
    path: RepositoryPath,
    { id, bytesMin }: { readonly id: number; readonly bytesMin: number },
  ): Promise<Arrival> {
    const { repository } = await this.#use.releaseAccess.open(viewer, path, RELEASE.change);
    const release = await requireStored(this.#use.database.reader, repository.id, { id });
    return { viewer, repository, releaseId: release.id, bytesMin };
  }

  /**
   * Stores a file. It and its row are durable when this returns.
   *
   * @throws ForgeError as `begin`, because the rights may have changed during the upload; `invalid` for its name, or too
   *   many assets; `conflict` for a name in use; `too_large` as soon as the owner has no more room; `busy`;
   *   `insufficient_storage`; any error of its bytes
   */
  async receive(
    arrival: Arrival,
    file: { readonly name: string; readonly bytes: AsyncIterable<Buffer> },
  ): Promise<PlacedAsset> {
    const name = validName(file.name);
    const { viewer, repository, releaseId } = arrival;
    const { assetFiles, objects, quota, database } = this.#use;
    // Before the bytes arrive, so that no client sends a large file for nothing.
    await requireRoomFor(database.reader, releaseId, name);
    const store = (arriving: ArrivingBytes) =>
      assetFiles.store({
        reserve: (tx, until) => reserveAsset(tx, viewer.accountId, until),
        put: async (reserved) => {
          const reading = new ContentReading(file.bytes, arriving);
          await objects.put(keyOf(reserved), reading);
          return reading.content();
        },
        authorize: (tx, content) => this.#authorizeAgain(tx, arrival, { name, content }),
        link: async (tx, { file: { id }, content, rights: release }) => {
          const at = currentTimeMs();
          const place = { releaseId, repositoryId: repository.id, name, content, at };
          if (!(await linkAsset(tx, id, place))) return undefined;
          const asset = await findAsset(tx, releaseId, id);
          await recordAssets({ tx, actor: viewer }, release);
          return asset && { asset, release: { repository, tag: release.tag } };
        },
      });
    const room = { kind: KIND, sizeBytes: arrival.bytesMin } as const;
    return this.#slots.run(() => quota.whileArriving(repository.owner.id, room, store));
  }

  /**
   * Adds an asset on another server.
   *
   * @param wanted.name '' for the last part of the address
   * @throws ForgeError as `receive`
   */
  async link(
    arrival: Arrival,
    wanted: { readonly name: string; readonly url: string },
  ): Promise<PlacedAsset> {
    const url = validExternalUrl(wanted.url);
    const name = validName(wanted.name === '' ? nameInUrl(url) : wanted.name);
    const { viewer, repository, releaseId } = arrival;
    return this.#use.database.transaction(async (tx) => {
      await this.#use.releaseAccess.lock(tx, viewer, repository.id, RELEASE.change);
      const release = await requireStored(tx, repository.id, { id: releaseId });
      await requireRoomFor(tx, releaseId, name);
      const about = { releaseId, repositoryId: repository.id, accountId: viewer.accountId };
      const asset = await insertExternalAsset(tx, { ...about, name, url, at: currentTimeMs() });
      await recordAssets({ tx, actor: viewer }, release);
      return { asset, release: { repository, tag: release.tag } };
    });
  }

  async #authorizeAgain(
    tx: Tx,
    { viewer, repository, releaseId }: Arrival,
    { name, content }: { readonly name: string; readonly content: AttachmentContent },
  ): Promise<StoredRelease> {
    const more = { kind: KIND, sizeBytes: content.sizeBytes } as const;
    await this.#use.quota.lockRoomIn(tx, repository, more, (tx) =>
      this.#use.releaseAccess.lock(tx, viewer, repository.id, RELEASE.change),
    );
    const release = await requireStored(tx, repository.id, { id: releaseId });
    await requireRoomFor(tx, releaseId, name);
    return release;
  }
}
