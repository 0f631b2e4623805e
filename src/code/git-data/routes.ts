import { operationsOn } from '../../api/operations/operations.ts';
import { ForgeError } from '../../base/core/failure.ts';
import type { Addresses, App } from '../../http/app.ts';
import { strongTag, unlessKnown } from '../../http/conditional.ts';
import { NOT_MODIFIED } from '../../http/shapes.ts';
import { GIT_DATA } from './actions.ts';
import type { OpenRepository } from './commit-reader.ts';
import { commitOptionsOf, commitsTag } from './commit-tag.ts';
import { GIT_DATA_LIMITS } from './limits.ts';
import type { TreeOptions } from './model.ts';
import { BlobAnswer, BlobsAnswer, CommitWithTreeAnswer, TreeAnswer } from './present.ts';
import { BlobsQuery, CommitQuery, TreeQuery } from './schema.ts';
import type { GitData } from './service.ts';

interface Dependencies {
  readonly gitData: GitData;
  readonly addresses: Addresses;
}

export function gitDataRoutes(app: App, { gitData, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });

  const tagOf = ({ repository }: OpenRepository, shown: unknown) =>
    strongTag([repository.owner.name, repository.name, addresses.baseUrl, shown]);

  api.get('/repos/:owner/:repo/git/blobs/:sha', GIT_DATA.read, {
    id: 'GetBlob',
    otherwise: NOT_MODIFIED,
    summary: 'Get a blob by its id',
    answer: BlobAnswer,
    async handle(call) {
      const opened = await gitData.open(call.viewer, call.path);
      const { sha } = call.params;
      return unlessKnown(call, tagOf(opened, sha), () => gitData.blob(opened, sha));
    },
  });

  api.get('/repos/:owner/:repo/git/blobs', GIT_DATA.read, {
    id: 'GetBlobs',
    otherwise: NOT_MODIFIED,
    summary: 'Get several blobs by their ids',
    failures: ['bad_request'],
    query: BlobsQuery,
    answer: BlobsAnswer,
    async handle(call) {
      const opened = await gitData.open(call.viewer, call.path);
      const shas = shasOf(call.query.shas);
      return unlessKnown(call, tagOf(opened, shas), () => gitData.blobs(opened, shas));
    },
  });

  api.get('/repos/:owner/:repo/git/trees/:sha', GIT_DATA.read, {
    id: 'GetTree',
    otherwise: NOT_MODIFIED,
    summary: 'List the entries of a tree, by its id or by a branch, tag or commit',
    query: TreeQuery,
    answer: TreeAnswer,
    async handle(call) {
      const found = await gitData.findTree(call.viewer, call.path, call.params.sha);
      const options = treeOptions(call.query);
      return unlessKnown(call, tagOf(found, [found.oid, options]), () => gitData.tree(found, options));
    },
  });

  api.get('/repos/:owner/:repo/git/commits/:sha', GIT_DATA.read, {
    id: 'repoGetSingleCommit',
    otherwise: NOT_MODIFIED,
    summary: 'Get a commit by its id, or by a branch or tag',
    failures: ['invalid'],
    query: CommitQuery,
    answer: CommitWithTreeAnswer,
    async handle(call) {
      const { viewer } = call;
      const options = commitOptionsOf(call.query);
      const found = await gitData.findCommit(viewer, call.path, call.params.sha, options);
      const tag = commitsTag([found.known], options, { viewer, addresses });
      return unlessKnown(call, tag, () => gitData.describe(found, options));
    },
  });
}

/** Further ids than one response has room for are left out. */
function shasOf(text = ''): readonly string[] {
  const shas = text.split(',').filter((sha) => sha !== '');
  if (shas.length === 0) throw new ForgeError({ kind: 'bad_request', what: 'shas not provided' });
  return shas.slice(0, GIT_DATA_LIMITS.blobsListedMax);
}

function treeOptions(query: {
  readonly recursive?: boolean;
  readonly page?: number;
  readonly per_page?: number;
}): TreeOptions {
  const { recursive = false, page = 1, per_page: perPage = 0 } = query;
  const most = GIT_DATA_LIMITS.treesPerPageDefault;
  return {
    isRecursive: recursive,
    page: Math.max(page, 1),
    perPage: perPage <= 0 ? most : Math.min(perPage, most),
  };
}
