import type { Database } from '../../base/database/database.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { FileSender } from '../../code/object-downloads/file-sender.ts';
import type { Protections } from '../../code/protection/service.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { Quota } from '../../hosting/quota/service.ts';
import type { QuotaUsage } from '../../hosting/quota/usage.ts';
import type { Pushes } from '../../hosting/repositories/refs/pushes.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { ObjectStorage } from '../../storage/model.ts';
import { OwnedFiles } from '../../storage/owned-files/service.ts';
import { ReleaseAccess } from './access.ts';
import { AssetCollection } from './assets/collection.ts';
import { assetDownloadRoutes } from './assets/download-routes.ts';
import { AssetDownloads } from './assets/downloads.ts';
import { AssetIntake } from './assets/intake.ts';
import { assetRoutes } from './assets/routes.ts';
import { ReleaseAssets } from './assets/service.ts';
import { ReleaseChanges } from './changes.ts';
import { releaseRoutes } from './routes.ts';
import { Releases } from './service.ts';
import { ReleaseStaging } from './staging.ts';
import { ASSET_ROWS, sumOfAssets } from './store/assets.ts';
import { ASSETS_OF_OWNER } from './store/counted-assets.ts';
import { ReleaseTags } from './tags.ts';

interface Given {
  readonly database: Database;
  readonly addresses: Addresses;
  readonly repositories: Repositories;
  readonly git: Pick<GitStorage, 'writes'>;
  readonly pushes: Pushes;
  readonly protections: Protections;
  readonly jobs: Jobs;
  readonly objects: ObjectStorage;
  readonly fileSender: FileSender;
  readonly quota: Quota;
  readonly quotaUsage: QuotaUsage;
}

export function createReleases(given: Given) {
  const { addresses } = given;
  given.quota.count('size:assets:attachments:releases', sumOfAssets);
  given.quotaUsage.addAttachments(ASSETS_OF_OWNER);
  const assetFiles = new OwnedFiles(given, ASSET_ROWS);
  const assetCollection = new AssetCollection({ assetFiles });
  const releaseAccess = new ReleaseAccess(given.repositories);
  const releases = new Releases({ ...given, releaseAccess });
  const releaseTags = new ReleaseTags(given);
  const parts = { ...given, releaseAccess, releases, releaseTags, assetCollection, assetFiles };
  const releaseChanges = new ReleaseChanges(parts);
  const assets = new ReleaseAssets(parts);
  const assetIntake = new AssetIntake(parts);
  const releaseDownloads = new AssetDownloads(parts);
  return {
    services: {
      releases,
      releaseChanges,
      releaseAssets: assets,
      releaseAssetIntake: assetIntake,
      releaseTags,
      releaseDownloads,
      releaseStaging: new ReleaseStaging(parts),
      releaseAssetCollection: assetCollection,
      releaseAssetFiles: assetFiles,
    },
    routes: {
      api: (app: App) => {
        releaseRoutes(app, { releases, releaseChanges, addresses });
        assetRoutes(app, { assets, assetIntake, addresses });
      },
      web: (app: App) => assetDownloadRoutes(app, { ...given, releaseDownloads }),
    },
  };
}
