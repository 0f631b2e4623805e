import { asIs } from '../../api/operations/answers.ts';
import type { Operations } from '../../api/operations/operations.ts';
import { ForgeError } from '../../base/core/failure.ts';
import { REPOSITORY } from '../repositories/actions.ts';
import { FORK } from './actions.ts';
import { canFollow } from './model.ts';
import { SyncForkInfoAnswer } from './present.ts';
import { MergeUpstreamBody, MergeUpstreamSchema } from './schema.ts';
import type { ForkSync } from './sync.ts';

const DEFAULT_BRANCH = '';
const MergeUpstreamAnswer = asIs(MergeUpstreamSchema);

/** Fast-forwards of a fork's branch to its parent, as both dialects of the API express them. */
export function syncRoutes(api: Operations, { forkSync }: { forkSync: ForkSync }): void {
  api.post('/repos/:owner/:repo/merge-upstream', FORK.syncFork, {
    id: 'repoMergeUpstream',
    summary: "Fast-forward a branch of a fork to its parent's branch",
    failures: ['archived', 'bad_request'],
    body: MergeUpstreamBody,
    answer: MergeUpstreamAnswer,
    async handle({ viewer, path, body }) {
      const was = await forkSync.follow(viewer, path, body.branch ?? DEFAULT_BRANCH);
      if (was.behind > 0 && was.ahead > 0) {
        throw rejected(`the branch ${was.branch} has commits of its own: it cannot be fast-forwarded`);
      }
      return { merge_type: canFollow(was) ? ('fast-forward' as const) : ('up-to-date' as const) };
    },
  });

  const routes = [
    ['/repos/:owner/:repo/sync_fork', 'repoSyncForkDefault'],
    ['/repos/:owner/:repo/sync_fork/:branch', 'repoSyncForkBranch'],
  ] as const;
  for (const [url, id] of routes) {
    api.get(url, REPOSITORY.fetch, {
      id: `${id}Info`,
      summary: 'Check whether a branch of a fork can be fast-forwarded to its parent',
      failures: ['bad_request'],
      answer: SyncForkInfoAnswer,
      handle: ({ viewer, path, params }) => forkSync.compare(viewer, path, branchIn(params)),
    });

    api.post(url, FORK.syncFork, {
      id,
      summary: "Fast-forward a branch of a fork to its parent's branch",
      failures: ['archived', 'bad_request'],
      async handle({ viewer, path, params }) {
        const was = await forkSync.follow(viewer, path, branchIn(params));
        if (!canFollow(was)) throw rejected(`the branch ${was.branch} cannot be synced`);
      },
    });
  }
}

function branchIn(params: object): string {
  return 'branch' in params ? String(params.branch) : DEFAULT_BRANCH;
}

function rejected(what: string): ForgeError {
  return new ForgeError({ kind: 'bad_request', what });
}
