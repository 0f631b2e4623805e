import type { SignedIn, Viewer } from '../../../api/access/viewer.ts';
import { invalid, notFound } from '../../../base/core/failure.ts';
import { parseId } from '../../../base/core/text/ids.ts';
import type { Database, Db, Tx } from '../../../base/database/database.ts';
import type { RepositoryPath } from '../../../hosting/repositories/model.ts';
import { validName } from '../../issues/attachments/rules.ts';
import { type ReleaseAccess, requireStored } from '../access.ts';
import { RELEASE } from '../actions.ts';
import type { Release, StoredRelease } from '../model.ts';
import type { Asset } from '../models/assets.ts';
import { recordAssets } from '../record.ts';
import type { Releases } from '../service.ts';
import { findAsset, setAsset } from '../store/assets.ts';
import type { AssetCollection } from './collection.ts';
import type { PlacedAsset } from './present.ts';
import { requireFreeName, validExternalUrl } from './rules.ts';

/** The asset that a request names, with its id as the URL has it. */
export interface AssetPath {
  readonly path: RepositoryPath;
  readonly releaseId: number;
  readonly id: string;
}

/** An edit of an asset. Empty texts change nothing. */
export interface AssetEdit {
  readonly name: string;
  /** only of an asset on another server */
  readonly url: string;
}

interface Dependencies {
  readonly database: Database;
  readonly releaseAccess: ReleaseAccess;
  readonly releases: Releases;
  readonly assetCollection: AssetCollection;
}

/** Assets of releases. */
export class ReleaseAssets {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError as `Releases.get` */
  async list(viewer: Viewer, path: RepositoryPath, releaseId: number): Promise<readonly PlacedAsset[]> {
    const release = await this.#use.releases.get(viewer, path, releaseId);
    return release.assets.map((asset) => ({ asset, release }));
  }

  /** @throws ForgeError as `Releases.get`, and `not_found` */
  async get(viewer: Viewer, { path, releaseId, id }: AssetPath): Promise<PlacedAsset> {
    const release = await this.#use.releases.get(viewer, path, releaseId);
    return { asset: await requireAsset(this.#use.database.reader, release, id), release };
  }

  /**
   * Renames an asset, or gives an asset on another server another address.
   *
   * @param requireCurrent throws if the caller does not accept the asset as it is
   * @param urlOf returns the address of an asset, which an edit may repeat
   * @throws ForgeError as `ReleaseAccess.open`; `not_found`; `invalid`; `conflict` for a name in use
   */
  edit(
    viewer: SignedIn,
    at: AssetPath,
    edit: AssetEdit,
    {
      requireCurrent,
      urlOf,
    }: { requireCurrent: (current: PlacedAsset) => void; urlOf: (asset: PlacedAsset) => string },
  ): Promise<PlacedAsset> {
    return this.#change(viewer, at, requireCurrent, async (tx, current, stored) => {
      const { asset, release } = current;
      const name = edit.name === '' ? asset.name : validName(edit.name);
      const externalUrl = editedUrl(asset, edit.url, urlOf(current));
      if (name === asset.name && externalUrl === asset.externalUrl) return current;
      if (name !== asset.name) await requireFreeName(tx, stored.id, name);
      await setAsset(tx, asset.id, { name, externalUrl });
      await recordAssets({ tx, actor: viewer }, stored);
      return { asset: { ...asset, name, externalUrl }, release };
    });
  }

  /** @throws ForgeError as `edit` */
  async delete(
    viewer: SignedIn,
    at: AssetPath,
    requireCurrent: (current: PlacedAsset) => void,
  ): Promise<void> {
    await this.#change(viewer, at, requireCurrent, async (tx, { asset }, stored) => {
      await this.#use.assetCollection.release(tx, { id: asset.id });
      await recordAssets({ tx, actor: viewer }, stored);
    });
  }

  async #change<T>(
    viewer: SignedIn,
    { path, releaseId, id }: AssetPath,
    requireCurrent: (current: PlacedAsset) => void,
    change: (tx: Tx, current: PlacedAsset, release: StoredRelease) => Promise<T>,
  ): Promise<T> {
    const { repository } = await this.#use.releaseAccess.open(viewer, path, RELEASE.change);
    return this.#use.database.transaction(async (tx) => {
      await this.#use.releaseAccess.lock(tx, viewer, repository.id, RELEASE.change);
      const release = await requireStored(tx, repository.id, { id: releaseId });
      const asset = await requireAsset(tx, release, id);
      const current = { asset, release: { repository, tag: release.tag } };
      requireCurrent(current);
      return change(tx, current, release);
    });
  }
}

/** @throws ForgeError `not_found` if the release has no such asset */
async function requireAsset(db: Db, release: Pick<Release, 'id'>, text: string): Promise<Asset> {
  const id = parseId(text);
  const found = id === undefined ? undefined : await findAsset(db, release.id, id);
  if (found === undefined) throw notFound('asset');
  return found;
}

/** @throws ForgeError `invalid` */
function editedUrl({ externalUrl }: Asset, wanted: string, current: string): string | null {
  if (wanted === '' || wanted === current) return externalUrl;
  if (externalUrl === null) throw invalid('browser_download_url cannot change: the file is on this server');
  return validExternalUrl(wanted);
}
