import type { Database } from '../../base/database/database.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { ObjectStorage } from '../../storage/model.ts';
import { OwnedFiles } from '../../storage/owned-files/service.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Organizations } from '../organizations/service.ts';
import type { ImageEngine } from './engine.ts';
import { AvatarFiles } from './files.ts';
import { avatarRoutes } from './routes.ts';
import { Avatars } from './service.ts';
import { AVATAR_ROWS } from './store.ts';

interface Dependencies {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly objects: ObjectStorage;
  readonly imageEngine: ImageEngine;
  readonly addresses: Addresses;
  readonly accounts: Accounts;
  readonly organizations: Organizations;
}

export function createAvatars(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const storedAvatars = new OwnedFiles(dependencies, AVATAR_ROWS);
  const avatarFiles = new AvatarFiles({ ...dependencies, files: storedAvatars });
  const avatars = new Avatars({ ...dependencies, avatarFiles });
  return {
    services: { storedAvatars, avatarFiles, avatars },
    routes: { api: (app: App) => avatarRoutes(app, { avatars, addresses }) },
  };
}
