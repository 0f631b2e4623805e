import type { App } from '../../http/app.ts';
import type { ObjectStorage } from '../../storage/model.ts';
import type { SignedAddresses } from '../../storage/signed-addresses.ts';
import { objectDownloadRoutes } from './routes.ts';
import { ObjectDownloads } from './service.ts';

interface Dependencies {
  readonly objects: ObjectStorage;
  readonly signedAddresses: SignedAddresses;
}

export function createObjectDownloads(dependencies: Dependencies) {
  const objectDownloads = new ObjectDownloads(dependencies);
  return {
    services: { objectDownloads },
    routes: { web: (app: App) => objectDownloadRoutes(app, objectDownloads) },
  };
}
