import type { Addresses, App } from '../../http/app.ts';
import type { Repositories } from '../repositories/service.ts';
import { searchRoutes } from './routes.ts';

export function createSearch(dependencies: { repositories: Repositories; addresses: Addresses }) {
  return { routes: { api: (app: App) => searchRoutes(app, dependencies) } };
}
