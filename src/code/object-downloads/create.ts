import type { LfsSettings } from '../../hosting/lfs/model.ts';
import type { App } from '../../http/app.ts';
import type { ObjectStorage } from '../../storage/model.ts';
import type { SignedAddresses } from '../../storage/signed-addresses.ts';
import { FileSender } from './file-sender.ts';
import { objectDownloadRoutes } from './routes.ts';
import { ObjectDownloads } from './service.ts';

interface Dependencies {
  readonly objects: ObjectStorage;
  readonly signedAddresses: SignedAddresses;
  readonly lfsSettings: LfsSettings;
}

export function createObjectDownloads(dependencies: Dependencies) {
  const objectDownloads = new ObjectDownloads(dependencies);
  const fileSender = new FileSender({ ...dependencies, objectDownloads });
  return {
    services: { fileSender },
    routes: { web: (app: App) => objectDownloadRoutes(app, objectDownloads) },
  };
}
