import type { Sealer } from '../../base/core/sealing.ts';
import type { Database } from '../../base/database/database.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { Mailer } from '../../base/mail/mailer.ts';
import type { OutboundClient } from '../../base/outbound/client.ts';
import type { CommitReader } from '../../code/git-data/commit-reader.ts';
import type { Statuses } from '../../code/statuses/service.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import type { Comments } from '../issues/discussion/comments/service.ts';
import type { Issues } from '../issues/service.ts';
import type { Reviews } from '../pulls/reviews/service.ts';
import type { Pulls } from '../pulls/service.ts';
import type { Releases } from '../releases/service.ts';
import { DefaultHooks } from './default-hooks.ts';
import { ShareTurns } from './delivering/share-turns.ts';
import { HookWaking } from './delivering/waking.ts';
import { gitHookRoutes } from './git-hook-routes.ts';
import { PushedCommits } from './payloads/pushed-commits.ts';
import { webhookRoutes } from './routes.ts';
import { HookSealer } from './secrets.ts';
import { Webhooks } from './service.ts';
import { StopNotices } from './stops/notify.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs' | 'history'>;
  readonly jobs: Jobs;
  readonly outbound: OutboundClient;
  readonly mailer: Mailer;
  readonly sealer: Sealer;
  readonly addresses: Addresses;
  readonly accounts: Accounts;
  readonly organizations: Organizations;
  readonly repositories: Repositories;
  readonly commitReader: CommitReader;
  readonly statuses: Statuses;
  readonly issues: Issues;
  readonly comments: Comments;
  readonly pulls: Pulls;
  readonly reviews: Reviews;
  readonly releases: Releases;
}

/** Composes webhooks. */
export function createWebhooks(dependencies: Dependencies) {
  const { repositories, addresses } = dependencies;
  const hookSealer = new HookSealer(dependencies);
  const pushedCommits = new PushedCommits(dependencies);
  const stopNotices = new StopNotices(dependencies);
  const shareTurns = new ShareTurns({ ...dependencies, hookSealer, pushedCommits, stopNotices });
  const webhooks = new Webhooks({ ...dependencies, hookSealer, shareTurns });
  return {
    services: {
      webhooks,
      webhookTurns: shareTurns,
      webhookWaking: new HookWaking({ ...dependencies, shareTurns }),
      defaultHooks: new DefaultHooks({ hookSealer }),
    },
    routes: {
      api(app: App) {
        webhookRoutes(app, { ...dependencies, webhooks });
        gitHookRoutes(app, { repositories, addresses });
      },
    },
  };
}
