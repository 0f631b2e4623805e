import { operationsOn } from '../access/operations.ts';
import { LIMITS } from '../core/limits.ts';
import type { Addresses, App } from '../http/app.ts';
import { GIT_DATA } from './actions.ts';
import type { TreeOptions } from './model.ts';
import { BlobAnswer, CommitAnswer, TreeAnswer } from './present.ts';
import { CommitQuery, TreeQuery } from './schema.ts';
import type { GitData } from './service.ts';

interface Dependencies {
  readonly gitData: GitData;
  readonly addresses: Addresses;
}

export function gitDataRoutes(app: App, { gitData, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });

  api.get('/repos/:owner/:repo/git/blobs/:sha', GIT_DATA.read, {
    id: 'GetBlob',
    summary: 'Get a blob by its id',
    answer: BlobAnswer,
    handle: ({ viewer, path, params }) => gitData.blob(viewer, path, params.sha),
  });

  api.get('/repos/:owner/:repo/git/trees/:sha', GIT_DATA.read, {
    id: 'GetTree',
    summary: 'List the entries of a tree, by its id or by a branch, tag or commit',
    query: TreeQuery,
    answer: TreeAnswer,
    handle: ({ viewer, path, params, query }) => gitData.tree(viewer, path, params.sha, treeOptions(query)),
  });

  api.get('/repos/:owner/:repo/git/commits/:sha', GIT_DATA.read, {
    id: 'repoGetSingleCommit',
    summary: 'Get a commit by its id, or by a branch or tag',
    failures: ['invalid'],
    query: CommitQuery,
    answer: CommitAnswer,
    handle: ({ viewer, path, params, query: { stat = true, files = true, verification = true } }) =>
      gitData.commit(viewer, path, params.sha, {
        hasStats: stat,
        hasFiles: files,
        hasVerification: verification,
      }),
  });
}

function treeOptions(query: {
  readonly recursive?: boolean;
  readonly page?: number;
  readonly per_page?: number;
}): TreeOptions {
  const { recursive = false, page = 1, per_page: perPage = 0 } = query;
  const most = LIMITS.treesPerPageDefault;
  return {
    isRecursive: recursive,
    page: Math.max(page, 1),
    perPage: perPage <= 0 ? most : Math.min(perPage, most),
  };
}
