import type { Database } from '../../base/database/database.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Repositories } from '../repositories/service.ts';
import type { SiteRules } from '../repositories/site-rules.ts';
import { flagRoutes } from './routes.ts';
import { Flags } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly addresses: Addresses;
  readonly repositories: Repositories;
  readonly siteRules: SiteRules;
}

export function createFlags(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const flags = new Flags(dependencies);
  return { services: { flags }, routes: { api: (app: App) => flagRoutes(app, { flags, addresses }) } };
}
