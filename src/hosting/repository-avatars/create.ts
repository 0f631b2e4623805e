import type { Database } from '../../base/database/database.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { AvatarFiles } from '../../people/avatars/files.ts';
import type { Repositories } from '../repositories/service.ts';
import { repositoryAvatarRoutes } from './routes.ts';
import { RepositoryAvatars } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly addresses: Addresses;
  readonly repositories: Repositories;
  readonly avatarFiles: AvatarFiles;
}

export function createRepositoryAvatars(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const repositoryAvatars = new RepositoryAvatars(dependencies);
  return {
    services: { repositoryAvatars },
    routes: { api: (app: App) => repositoryAvatarRoutes(app, { repositoryAvatars, addresses }) },
  };
}
