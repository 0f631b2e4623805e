import type { Database } from '../../base/database/database.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { ObjectStorage } from '../../storage/model.ts';
import type { ArchiveSettings } from './model.ts';
import { archiveRoutes } from './routes.ts';
import { Archives } from './service.ts';
import { StoredArchives } from './stored.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs' | 'transfers'>;
  readonly jobs: Jobs;
  readonly objects: ObjectStorage;
  readonly addresses: Addresses;
  readonly archiveSettings: ArchiveSettings;
  readonly repositories: Repositories;
}

export function createArchives(dependencies: Dependencies) {
  const { storedBytesMax, servesDirect } = dependencies.archiveSettings;
  const storedArchives = new StoredArchives({ ...dependencies, bytesMax: storedBytesMax });
  const archives = new Archives({ ...dependencies, stored: storedArchives });
  return {
    services: { archives, storedArchives },
    routes: { api: (app: App) => archiveRoutes(app, { ...dependencies, archives, servesDirect }) },
  };
}
