import type { Repositories } from '../../hosting/repositories/service.ts';
import type { App } from '../../http/app.ts';
import { signingRoutes } from './routes.ts';
import type { CommitSigning } from './service.ts';

export function createSigning(dependencies: {
  readonly signing: CommitSigning;
  readonly repositories: Repositories;
}) {
  return { routes: { api: (app: App) => signingRoutes(app, dependencies) } };
}
