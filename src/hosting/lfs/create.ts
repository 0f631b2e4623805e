import type { Database } from '../../base/database/database.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { TransferTokens } from '../../people/authentication/transfer-tokens.ts';
import type { ObjectStorage } from '../../storage/model.ts';
import type { Pushes } from '../repositories/refs/pushes.ts';
import type { Repositories } from '../repositories/service.ts';
import { takeLfsBodies } from './bodies.ts';
import { ObjectCollection } from './collection.ts';
import { ObjectIntake } from './intake.ts';
import { ObjectLinks } from './links.ts';
import { lockRoutes } from './lock-routes.ts';
import { FileLocks } from './locks.ts';
import type { LfsSettings } from './model.ts';
import { ResumableUploads } from './resumable.ts';
import { resumableRoutes } from './resumable-routes.ts';
import { disabledRoutes, lfsRoutes } from './routes.ts';
import { LargeFiles } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly objects: ObjectStorage;
  readonly addresses: Addresses;
  readonly transferTokens: TransferTokens;
  readonly pushes: Pushes;
  readonly repositories: Repositories;
  readonly lfsSettings: LfsSettings;
}

export function createLfs(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const intake = new ObjectIntake(dependencies);
  const largeFiles = new LargeFiles({ ...dependencies, intake });
  const resumableUploads = new ResumableUploads({ ...dependencies, intake });
  const objectCollection = new ObjectCollection({ ...dependencies, resumable: resumableUploads });
  const objectLinks = new ObjectLinks(dependencies);
  const fileLocks = new FileLocks(dependencies);
  const lfs = (app: App) => {
    if (!dependencies.lfsSettings.isEnabled) return disabledRoutes(app);
    takeLfsBodies(app);
    lfsRoutes(app, { files: largeFiles, addresses });
    resumableRoutes(app, { files: largeFiles, resumable: resumableUploads });
    lockRoutes(app, fileLocks);
  };
  return {
    services: {
      largeFiles,
      resumableUploads,
      objectIntake: intake,
      objectCollection,
      objectLinks,
      fileLocks,
    },
    routes: { lfs },
  };
}
