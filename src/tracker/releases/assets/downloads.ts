import type { Viewer } from '../../../api/access/viewer.ts';
import { notFound } from '../../../base/core/failure.ts';
import { isStorableText } from '../../../base/core/text/text.ts';
import type { Database } from '../../../base/database/database.ts';
import type { ArchiveLocation } from '../../../code/archives/model.ts';
import { branchRef } from '../../../git/format/ref-names.ts';
import { isGranted } from '../../../hosting/repositories/authorize.ts';
import type { RepositoryPath } from '../../../hosting/repositories/model.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import type { Addresses } from '../../../http/app.ts';
import { LateCounts } from '../../../storage/owned-files/late-counts.ts';
import type { ReleaseAccess } from '../access.ts';
import { RELEASE } from '../actions.ts';
import { tagRef } from '../model.ts';
import type { FoundAsset } from '../models/assets.ts';
import { seesDrafts } from '../rules.ts';
import { addAssetDownloads, findAssetAddress, findAssetByName } from '../store/assets.ts';
import { addArchiveDownloads, findLatestRelease, findRelease, type TagArchive } from '../store/releases.ts';
import { assetUrl } from './present.ts';

interface Dependencies {
  readonly database: Database;
  readonly releaseAccess: ReleaseAccess;
  readonly repositories: Repositories;
  readonly addresses: Addresses;
}

/** Finds assets of releases by their addresses, and counts the downloads. */
export class AssetDownloads {
  readonly #use: Dependencies;
  /** by the id of the asset */
  readonly #counts: LateCounts<number>;
  /** by the JSON of `TagArchive` */
  readonly #archiveCounts: LateCounts<string>;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.#counts = new LateCounts(dependencies.database, addAssetDownloads);
    this.#archiveCounts = new LateCounts(dependencies.database, (tx, key, count) =>
      addArchiveDownloads(tx, JSON.parse(key) as TagArchive, count),
    );
  }

  /**
   * Finds an asset by its name.
   *
   * @param of its tag, or the newest release
   * @throws ForgeError `not_found`, also for a draft that the viewer does not see
   */
  async find(
    viewer: Viewer,
    path: RepositoryPath,
    { of, name }: { readonly of: { readonly tag: string } | 'latest'; readonly name: string },
  ): Promise<FoundAsset> {
    const permitted = await this.#use.releaseAccess.get(viewer, path, RELEASE.read);
    const db = this.#use.database.reader;
    const { id } = permitted.repository;
    const isPossible = isStorableText(name) && (of === 'latest' || isStorableText(of.tag));
    const find = () => (of === 'latest' ? findLatestRelease(db, viewer, id) : findRelease(db, id, of));
    const release = isPossible ? await find() : undefined;
    if (release === undefined || (release.isDraft && !seesDrafts(viewer, permitted)))
      throw notFound('release');
    const found = await findAssetByName(db, release.id, name);
    if (found === undefined) throw notFound('asset');
    return found;
  }

  /**
   * Finds the address of an asset by its random id, because some clients seek all files at addresses of attachments.
   *
   * @returns undefined for a missing or hidden asset
   */
  async findAddress(viewer: Viewer, uuid: string): Promise<string | undefined> {
    const db = this.#use.database.reader;
    const found = await findAssetAddress(db, uuid);
    const permitted = found && (await this.#use.repositories.find(db, viewer, found.repositoryId));
    if (found === undefined || permitted === undefined) return undefined;
    const isSeen = isGranted(viewer, permitted, RELEASE.read) && permitted.repository.units.hasReleases;
    if (!isSeen || (found.isDraft && !seesDrafts(viewer, permitted))) return undefined;
    const { repository } = permitted;
    return assetUrl(
      { name: found.name, externalUrl: null },
      { repository, tag: found.tag },
      this.#use.addresses,
    );
  }

  /** Counts a download. */
  count({ asset: { id } }: Pick<FoundAsset, 'asset'>): Promise<void> {
    return this.#counts.count(id);
  }

  /** Counts the download of an archive, if it is one of a tag. */
  async countArchive({ repository, snapshot, ref, format }: ArchiveLocation): Promise<void> {
    if (format === 'bundle' || snapshot.ref(tagRef(ref)) === undefined) return;
    // A branch wins over a tag of the same name.
    if (snapshot.ref(branchRef(ref)) !== undefined) return;
    const archive: TagArchive = { repositoryId: repository.id, tag: ref, format };
    await this.#archiveCounts.count(JSON.stringify(archive));
  }
}
