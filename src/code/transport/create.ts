import type { Database } from '../../base/database/database.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { PushToCreate } from '../../hosting/repositories/creation/push-to-create.ts';
import type { Pushes } from '../../hosting/repositories/refs/pushes.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Wikis } from '../../hosting/wikis/service.ts';
import type { App } from '../../http/app.ts';
import { transportRoutes } from './routes.ts';
import { Transport } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs' | 'writes' | 'transfers'>;
  readonly version: string;
  readonly pushes: Pushes;
  readonly wikis: Wikis;
  readonly wikiPushes: Pushes;
  readonly repositories: Repositories;
  readonly pushToCreate: PushToCreate;
}

export function createTransport(dependencies: Dependencies) {
  const { version } = dependencies;
  const transport = new Transport(dependencies);
  return {
    services: { transport },
    routes: { git: (app: App) => transportRoutes(app, { transport, version }) },
  };
}
