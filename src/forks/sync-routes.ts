import type { SignedIn, Viewer } from '../access/viewer.ts';
import { ForgeError } from '../core/failure.ts';
import type { App } from '../http/app.ts';
import { NO_CONTENT, reference } from '../http/shapes.ts';
import { REPOSITORY } from '../repositories/actions.ts';
import type { RepositoryPath } from '../repositories/model.ts';
import { RepositoryParams } from '../repositories/schema.ts';
import { FORK } from './actions.ts';
import { canFollow } from './model.ts';
import { presentSyncForkInfo } from './present.ts';
import { ForkBranchParams, MergeUpstreamBody, MergeUpstreamSchema, SyncForkInfoSchema } from './schema.ts';
import type { ForkSync } from './sync.ts';

const tags = ['repository'];
const DEFAULT_BRANCH = '';

/** A branch of a fork follows its parent: in the words of both dialects of the interface. */
export function syncRoutes(app: App, { forkSync }: { forkSync: ForkSync }): void {
  app.post(
    '/repos/:owner/:repo/merge-upstream',
    {
      config: { action: FORK.syncFork },
      schema: {
        tags,
        summary: 'Bring a branch of a fork to where its parent has it, by fast-forward alone',
        params: RepositoryParams,
        body: MergeUpstreamBody,
        response: { 200: reference(MergeUpstreamSchema) },
      },
    },
    async (request) => {
      const { owner, repo } = request.params;
      const branch = request.body.branch ?? DEFAULT_BRANCH;
      const viewer = request.viewer as SignedIn;
      const was = await forkSync.follow(viewer, { owner, name: repo }, branch);
      if (was.behind > 0 && was.ahead > 0) {
        throw refused(`the branch ${was.branch} has commits of its own: it cannot be fast-forwarded`);
      }
      return { merge_type: canFollow(was) ? ('fast-forward' as const) : ('up-to-date' as const) };
    },
  );

  syncForkRoutes(app, forkSync);
}

function syncForkRoutes(app: App, forkSync: ForkSync): void {
  const info = async (viewer: Viewer, path: RepositoryPath, branch: string) =>
    presentSyncForkInfo(await forkSync.compare(viewer, path, branch));
  const sync = async (viewer: Viewer, path: RepositoryPath, branch: string) => {
    const was = await forkSync.follow(viewer as SignedIn, path, branch);
    if (!canFollow(was)) throw refused(`the branch ${was.branch} cannot be synced`);
  };

  for (const [url, params] of [
    ['/repos/:owner/:repo/sync_fork', RepositoryParams],
    ['/repos/:owner/:repo/sync_fork/:branch', ForkBranchParams],
  ] as const) {
    app.get(
      url,
      {
        config: { action: REPOSITORY.fetch },
        schema: {
          tags,
          summary: 'Tell whether a branch of a fork can follow its parent',
          params,
          response: { 200: reference(SyncForkInfoSchema) },
        },
      },
      (request) => {
        const { owner, repo, ...rest } = request.params;
        return info(request.viewer, { owner, name: repo }, branchIn(rest));
      },
    );

    app.post(
      url,
      {
        config: { action: FORK.syncFork },
        schema: {
          tags,
          summary: 'Bring a branch of a fork to where its parent has it',
          params,
          response: NO_CONTENT,
        },
      },
      async (request, reply) => {
        const { owner, repo, ...rest } = request.params;
        await sync(request.viewer, { owner, name: repo }, branchIn(rest));
        return reply.code(204).send();
      },
    );
  }
}

function branchIn(rest: { branch?: string }): string {
  return rest.branch ?? DEFAULT_BRANCH;
}

function refused(what: string): ForgeError {
  return new ForgeError({ kind: 'bad_request', what });
}
