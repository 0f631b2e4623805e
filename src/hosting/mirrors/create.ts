import type { Sealer } from '../../base/core/sealing.ts';
import type { Database } from '../../base/database/database.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { OutboundClient } from '../../base/outbound/client.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { Authentication } from '../../people/authentication/service.ts';
import type { ObjectIntake } from '../lfs/intake.ts';
import type { ObjectLinks } from '../lfs/links.ts';
import type { LargeFiles } from '../lfs/service.ts';
import type { Quota } from '../quota/service.ts';
import type { FutureOwners } from '../repositories/creation/owners.ts';
import type { Pushes } from '../repositories/refs/pushes.ts';
import type { Repositories } from '../repositories/service.ts';
import type { Wikis } from '../wikis/service.ts';
import { MirrorConversion } from './convert.ts';
import { RepositoryCopies } from './copy-repository.ts';
import { LargeFileCopies } from './large-files.ts';
import { MigrationRecords } from './migrations/records.ts';
import { MigrationRuns } from './migrations/runs.ts';
import { Migrations } from './migrations/service.ts';
import { MigrationWatch } from './migrations/watch.ts';
import { MirrorRecords } from './mirror-records.ts';
import { mirrorRoutes } from './routes.ts';
import { MirrorSync } from './sync.ts';
import { WikiCopies } from './wiki-copies.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs' | 'writes' | 'transfers'>;
  readonly jobs: Jobs;
  readonly outbound: OutboundClient;
  readonly sealer: Sealer;
  readonly addresses: Addresses;
  readonly accounts: Accounts;
  readonly authentication: Authentication;
  readonly owners: FutureOwners;
  readonly repositories: Repositories;
  readonly pushes: Pushes;
  readonly wikis: Wikis;
  readonly wikiPushes: Pushes;
  readonly objectIntake: ObjectIntake;
  readonly quota: Quota;
  readonly objectLinks: ObjectLinks;
  readonly largeFiles: LargeFiles;
}

/** Composes the copying of repositories from other servers. */
export function createMirrors(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const mirrorRecords = new MirrorRecords(dependencies);
  const largeFileCopies = new LargeFileCopies(dependencies);
  const wikiCopies = new WikiCopies(dependencies);
  const copying = { ...dependencies, largeFileCopies, wikiCopies, mirrorRecords };
  const repositoryCopies = new RepositoryCopies(copying);
  const migrationRecords = new MigrationRecords(dependencies);
  const migrationWatch = new MigrationWatch(dependencies);
  const withRecords = { ...dependencies, repositoryCopies, migrationRecords, migrationWatch };
  const migrations = new Migrations({ ...withRecords, migrationRuns: new MigrationRuns(withRecords) });
  const mirrorConversion = new MirrorConversion({ ...dependencies, mirrorRecords });
  const mirrorSync = new MirrorSync(copying);
  return {
    services: { repositoryCopies, migrations, mirrorSync, mirrorRecords },
    routes: {
      api: (app: App) => mirrorRoutes(app, { migrations, mirrorSync, mirrorConversion, addresses }),
    },
  };
}
