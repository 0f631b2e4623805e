import type { Addresses, App } from '../../http/app.ts';
import { templateRoutes } from './routes.ts';
import { Templates } from './service.ts';

export function createTemplates({ addresses }: { addresses: Addresses }) {
  const templates = new Templates();
  return {
    services: { templates },
    routes: { api: (app: App) => templateRoutes(app, { templates, addresses }) },
  };
}
