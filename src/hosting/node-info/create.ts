import type { Database } from '../../base/database/database.ts';
import type { Addresses, App } from '../../http/app.ts';
import { nodeInfoRoutes } from './routes.ts';
import { NodeInfo } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly addresses: Addresses;
  /** of this server */
  readonly version: string;
}

export function createNodeInfo({ database, addresses, version }: Dependencies) {
  const nodeInfo = new NodeInfo({ database });
  return { routes: { api: (app: App) => nodeInfoRoutes(app, { nodeInfo, version, addresses }) } };
}
