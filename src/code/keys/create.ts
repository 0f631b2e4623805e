import type { Database } from '../../base/database/database.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import { DeployKeys } from './deploy-keys.ts';
import { KeyOwners } from './key-owners.ts';
import type { OpenPgpEngine } from './openpgp/engine.ts';
import { OpenPgpKeys } from './openpgp-keys.ts';
import { keyPages } from './pages.ts';
import { keyRoutes } from './routes.ts';
import { SshKeys } from './ssh-keys.ts';

interface Dependencies {
  readonly database: Database;
  readonly addresses: Addresses;
  readonly openPgp: OpenPgpEngine;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
}

export function createKeys(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const sshKeys = new SshKeys(dependencies);
  const deployKeys = new DeployKeys(dependencies);
  const keyOwners = new KeyOwners(dependencies);
  const openPgpKeys = new OpenPgpKeys(dependencies);
  return {
    services: { sshKeys, deployKeys, openPgpKeys, keyOwners },
    routes: {
      api: (app: App) => keyRoutes(app, { sshKeys, deployKeys, openPgpKeys, addresses }),
      web: (app: App) => keyPages(app, { sshKeys, openPgpKeys }),
    },
  };
}
