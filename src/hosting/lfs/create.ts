import type { Database } from '../../base/database/database.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { TransferTokens } from '../../people/authentication/transfer-tokens.ts';
import type { ObjectStorage } from '../../storage/model.ts';
import { OwnedFiles } from '../../storage/owned-files/service.ts';
import type { Quota } from '../quota/service.ts';
import type { Pushes } from '../repositories/refs/pushes.ts';
import type { Repositories } from '../repositories/service.ts';
import { acceptLfsBodies } from './bodies.ts';
import { ObjectIntake } from './intake.ts';
import { ObjectLinks } from './links.ts';
import { lockRoutes } from './lock-routes.ts';
import { FileLocks } from './locks.ts';
import type { LfsSettings } from './model.ts';
import { ResumableUploads } from './resumable.ts';
import { resumableRoutes } from './resumable-routes.ts';
import { disabledRoutes, lfsRoutes } from './routes.ts';
import { LargeFiles } from './service.ts';
import { OBJECT_ROWS } from './store/object-rows.ts';
import { sumOfObjects } from './store/objects.ts';
import { sumOfUploads, UPLOAD_ROWS } from './store/uploads.ts';

interface Dependencies {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly objects: ObjectStorage;
  readonly addresses: Addresses;
  readonly transferTokens: TransferTokens;
  readonly pushes: Pushes;
  readonly repositories: Repositories;
  readonly quota: Quota;
  readonly lfsSettings: LfsSettings;
}

export function createLfs(dependencies: Dependencies) {
  const { addresses } = dependencies;
  dependencies.quota.count('size:git:lfs', sumOfObjects, sumOfUploads);
  const objectFiles = new OwnedFiles(dependencies, OBJECT_ROWS);
  const uploadFiles = new OwnedFiles(dependencies, UPLOAD_ROWS);
  const intake = new ObjectIntake({ ...dependencies, objectFiles });
  const resumableUploads = new ResumableUploads({ ...dependencies, intake, uploadFiles });
  const largeFiles = new LargeFiles({ ...dependencies, intake, resumableUploads });
  const objectLinks = new ObjectLinks({ ...dependencies, objectFiles });
  const fileLocks = new FileLocks(dependencies);
  const lfs = (app: App) => {
    if (!dependencies.lfsSettings.isEnabled) return disabledRoutes(app);
    acceptLfsBodies(app);
    lfsRoutes(app, { files: largeFiles, addresses });
    resumableRoutes(app, { files: largeFiles, resumable: resumableUploads });
    lockRoutes(app, fileLocks);
  };
  return {
    services: {
      largeFiles,
      resumableUploads,
      objectIntake: intake,
      objectFiles,
      uploadFiles,
      objectLinks,
      fileLocks,
    },
    routes: { lfs },
  };
}
