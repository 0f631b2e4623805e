import type { Database, Tx } from '../../base/database/database.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { Quota } from '../../hosting/quota/service.ts';
import { addToRepositoryCounts } from '../../hosting/repositories/writes.ts';
import type { ObjectStorage } from '../../storage/model.ts';
import { type OwnedFiles, tookTooLong } from '../../storage/owned-files/service.ts';
import { ContentReading } from '../issues/attachments/content-reading.ts';
import type { AttachmentContent } from '../issues/models/attachments.ts';
import type { ReleaseFields } from './model.ts';
import { type AssetFile, keyOf } from './models/assets.ts';
import { describeAsset, linkStagedAssets, reserveAsset } from './store/assets.ts';
import { insertReleases } from './store/releases.ts';

/** A release of another server, with assets that are staged. */
export interface ImportedRelease extends ReleaseFields {
  /** account here; null: none */
  readonly authorId: number | null;
  readonly createdAt: number;
  readonly publishedAt: number;
  /** ids of rows of assets */
  readonly assets: readonly number[];
}

/** An asset to stage. */
interface StagedAsset {
  readonly name: string;
  readonly createdAt: number;
}

interface Dependencies {
  readonly database: Database;
  readonly objects: ObjectStorage;
  readonly quota: Quota;
  readonly assetFiles: OwnedFiles<AssetFile, string>;
}

const NO_CONTENT: AttachmentContent = { type: '', sha256: '', sizeBytes: 0 };

/**
 * Stores assets of releases before their repository appears, and adds the releases in the transaction in which it does.
 * Assets of a copy that fails are deleted once their reservation ends.
 */
export class ReleaseStaging {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Stages a file.
   *
   * @param file.ownerId who needs room for it
   * @returns the id of its row, and its size
   * @throws ForgeError `too_large` if the owner has no more room; `insufficient_storage`; any error of the bytes
   */
  async addFile(
    asset: StagedAsset,
    file: { readonly ownerId: number; readonly bytes: AsyncIterable<Buffer> },
  ): Promise<{ readonly id: number; readonly sizeBytes: number }> {
    const { assetFiles, objects, quota } = this.#use;
    let content = NO_CONTENT;
    const { id } = await quota.whileArriving(
      file.ownerId,
      { kind: 'size:assets:attachments:releases', sizeBytes: 0 },
      (arriving) =>
        assetFiles.stage({
          reserve: (tx, until) => reserveAsset(tx, null, until),
          put: async (reserved) => {
            const reading = new ContentReading(file.bytes, arriving);
            await objects.put(keyOf(reserved), reading);
            content = await reading.content();
          },
        }),
    );
    await this.#describe(id, { ...asset, content, url: '' });
    return { id, sizeBytes: content.sizeBytes };
  }

  /** Stages an asset on another server. @returns the id of its row */
  async addExternal(asset: StagedAsset, url: string): Promise<number> {
    const { id } = await this.#use.assetFiles.stage({
      reserve: (tx, until) => reserveAsset(tx, null, until),
      put: async () => undefined,
    });
    await this.#describe(id, { ...asset, content: NO_CONTENT, url });
    return id;
  }

  /** @throws ForgeError `too_large` if the owner has no room for so many bytes */
  requireRoom(ownerId: number, sizeBytes: number): Promise<void> {
    return this.#use.quota.requireRoom(ownerId, { kind: 'size:assets:attachments:releases', sizeBytes });
  }

  /**
   * Adds the releases to a repository, in the transaction in which it appears.
   *
   * @throws ForgeError `busy` if a staged asset is gone
   */
  async publish(tx: Tx, repositoryId: RepositoryId, releases: readonly ImportedRelease[]): Promise<void> {
    if (releases.length === 0) return;
    const ids = await insertReleases(tx, repositoryId, releases);
    const assets = releases.flatMap(({ tag, assets }) => {
      const releaseId = ids.get(tag);
      return releaseId === undefined ? [] : assets.map((id) => ({ id, releaseId }));
    });
    if ((await linkStagedAssets(tx, repositoryId, assets)) < assets.length) throw tookTooLong('copy');
    const published = releases.filter(({ isDraft }) => !isDraft).length;
    await addToRepositoryCounts(tx, [repositoryId], { releases: published });
  }

  #describe(
    id: number,
    { name, createdAt, content, url }: StagedAsset & { content: AttachmentContent; url: string },
  ): Promise<void> {
    return this.#use.database.transaction((tx) =>
      describeAsset(tx, id, { name, at: createdAt, content, url }),
    );
  }
}
