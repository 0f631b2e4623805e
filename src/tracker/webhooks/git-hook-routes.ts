import type { SignedIn } from '../../api/access/viewer.ts';
import { operationsOn } from '../../api/operations/operations.ts';
import { notFound } from '../../base/core/failure.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import { WEBHOOK } from './actions.ts';
import { GitHookAnswer } from './present.ts';
import { EditGitHookBody } from './schema.ts';

const GIT_HOOKS_URL = '/repos/:owner/:repo/hooks/git';
const GIT_HOOK_URL = `${GIT_HOOKS_URL}/:hook` as const;

interface Dependencies {
  readonly repositories: Repositories;
  readonly addresses: Addresses;
}

/** This server runs no program of its users, so there are no git hooks. */
export function gitHookRoutes(app: App, { repositories, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });
  const reject = async (
    viewer: SignedIn,
    path: RepositoryPath,
    action: 'read' | 'change',
  ): Promise<never> => {
    await repositories.get(viewer, path, WEBHOOK[action]);
    throw notFound('git hook', {
      say: 'git hooks are off, because this server runs no programs of its users: use webhooks',
    });
  };

  api.wholeList(GIT_HOOKS_URL, WEBHOOK.read, {
    id: 'repoListGitHooks',
    summary: 'Always 404: this server has no git hooks, use webhooks',
    answer: GitHookAnswer,
    handle: ({ viewer, path }) => reject(viewer, path, 'read'),
  });

  api.get(GIT_HOOK_URL, WEBHOOK.read, {
    id: 'repoGetGitHook',
    summary: 'Always 404: this server has no git hooks, use webhooks',
    answer: GitHookAnswer,
    handle: ({ viewer, path }) => reject(viewer, path, 'read'),
  });

  api.patch(GIT_HOOK_URL, WEBHOOK.change, {
    id: 'repoEditGitHook',
    summary: 'Always 404: this server has no git hooks, use webhooks',
    body: EditGitHookBody,
    answer: GitHookAnswer,
    handle: ({ viewer, path }) => reject(viewer, path, 'change'),
  });

  api.delete(GIT_HOOK_URL, WEBHOOK.change, {
    id: 'repoDeleteGitHook',
    summary: 'Always 404: this server has no git hooks, use webhooks',
    handle: ({ viewer, path }) => reject(viewer, path, 'change'),
  });
}
