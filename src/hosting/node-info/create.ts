import type { Database } from '../../base/database/database.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { SignUp } from '../../people/sign-up/service.ts';
import { nodeInfoRoutes } from './routes.ts';
import { NodeInfo } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly addresses: Addresses;
  readonly signUp: SignUp;
  /** of this server */
  readonly version: string;
}

export function createNodeInfo({ database, addresses, version, signUp }: Dependencies) {
  const nodeInfo = new NodeInfo({ database });
  return { routes: { api: (app: App) => nodeInfoRoutes(app, { nodeInfo, signUp, version, addresses }) } };
}
