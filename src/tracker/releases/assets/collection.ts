import type { Tx } from '../../../base/database/database.ts';
import type { OwnedFiles } from '../../../storage/owned-files/service.ts';
import type { AssetFile } from '../models/assets.ts';
import { type DetachedAssets, detachAssets } from '../store/assets.ts';

interface Dependencies {
  readonly assetFiles: OwnedFiles<AssetFile, string>;
}

/** Deletes the files of assets that lose their release. */
export class AssetCollection {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** Schedules deletion of an asset's file, or of all files of a deleted release or repository. */
  async release(tx: Tx, from: DetachedAssets): Promise<void> {
    if (await detachAssets(tx, from)) await this.#use.assetFiles.requestCollection(tx);
  }
}
