import type { Sealer } from '../../base/core/sealing.ts';
import type { Database } from '../../base/database/database.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { OutboundClient } from '../../base/outbound/client.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { ObjectLinks } from '../lfs/links.ts';
import type { LargeFiles } from '../lfs/service.ts';
import type { Repositories } from '../repositories/service.ts';
import { LargeFilePushes } from './large-files.ts';
import { PushMirrorRecords } from './records.ts';
import { pushMirrorRoutes } from './routes.ts';
import { PushMirrors } from './service.ts';
import { PushMirrorSync } from './sync.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs' | 'transfers'>;
  readonly jobs: Jobs;
  readonly outbound: OutboundClient;
  readonly sealer: Sealer;
  readonly addresses: Addresses;
  readonly repositories: Repositories;
  readonly objectLinks: ObjectLinks;
  readonly largeFiles: LargeFiles;
}

export function createPushMirrors(dependencies: Dependencies) {
  const { addresses } = dependencies;
  const pushMirrorRecords = new PushMirrorRecords(dependencies);
  const largeFilePushes = new LargeFilePushes(dependencies);
  const pushMirrorSync = new PushMirrorSync({ ...dependencies, pushMirrorRecords, largeFilePushes });
  const pushMirrors = new PushMirrors({ ...dependencies, pushMirrorRecords, pushMirrorSync });
  return {
    services: { pushMirrors, pushMirrorSync },
    routes: { api: (app: App) => pushMirrorRoutes(app, { pushMirrors, addresses }) },
  };
}
