import { Type } from 'typebox';
import { type Operations, operationsOn } from '../../api/operations/operations.ts';
import { offsetOf, pagingOf, type Slice } from '../../base/core/paging.ts';
import type { Addresses, App } from '../../http/app.ts';
import { unlessKnown } from '../../http/conditional.ts';
import { setDetailedPagingHeaders } from '../../http/paging.ts';
import { NOT_MODIFIED } from '../../http/shapes.ts';
import { commitOptionsOf, commitsTag } from '../git-data/commit-tag.ts';
import { COMMIT } from './actions.ts';
import type { Compare } from './compare.ts';
import { COMMIT_LIMITS } from './limits.ts';
import { comparedNamesOf, splitFormat } from './model.ts';
import { commitTimesOf } from './options.ts';
import { CommitListAnswer, CompareAnswer } from './present.ts';
import { CommitListQuery, CompareQuery } from './schema.ts';
import { sendText } from './send-text.ts';
import type { Commits } from './service.ts';
import type { CommitTexts } from './texts.ts';

interface Dependencies {
  readonly commits: Commits;
  readonly compare: Compare;
  readonly commitTexts: CommitTexts;
  readonly addresses: Addresses;
}

export function commitRoutes(app: App, dependencies: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses: dependencies.addresses });
  listRoute(api, dependencies);
  compareRoute(api, dependencies);
  textRoute(app, dependencies);
}

function listRoute(api: Operations, { commits, addresses }: Dependencies): void {
  api.get('/repos/:owner/:repo/commits', COMMIT.read, {
    id: 'repoGetAllCommits',
    otherwise: NOT_MODIFIED,
    summary: 'List the commits that a branch, tag or commit reaches, newest first',
    failures: ['conflict', 'invalid'],
    query: CommitListQuery,
    answer: CommitListAnswer,
    async handle({ viewer, path: repository, query, request, reply }) {
      const { sha: from = '', path = '', not = '' } = query;
      const [paging, options] = [pagingOf(query), commitOptionsOf(query)];
      const filter = { from, not, path, times: commitTimesOf(query) };
      const page = await commits.list(viewer, repository, filter, { paging, options });
      setDetailedPagingHeaders(request, reply, addresses, { paging, total: page.total });
      const also = [paging, page.total];
      const tag = commitsTag(page.commits, options, { viewer, addresses, also });
      return unlessKnown({ request, reply }, tag, () => commits.describe(page, options));
    },
  });
}

function compareRoute(api: Operations, { commits, compare, addresses }: Dependencies): void {
  api.get('/repos/:owner/:repo/compare/*', COMMIT.read, {
    id: 'repoCompareDiff',
    otherwise: NOT_MODIFIED,
    summary: 'Compare two branches, tags or commits, also of a fork',
    failures: ['invalid'],
    query: CompareQuery,
    answer: CompareAnswer,
    async handle({ viewer, path, params, query, request, reply }) {
      const options = commitOptionsOf(query);
      const compared = await compare.find(viewer, path, comparedNamesOf(params['*']));
      const slice = sliceOf(query);
      const page = await compare.compare(viewer, compared, { slice, options });
      const also = [compared.from.oid, compared.head.oid, slice, page.total];
      const tag = commitsTag(page.commits, options, { viewer, addresses, also });
      return unlessKnown({ request, reply }, tag, async () => {
        const listed = options.hasFiles ? page.files() : [];
        const [details, files] = await Promise.all([commits.describe(page, options), listed]);
        return { commits: details, total: page.total, files };
      });
    },
  });
}

/** A comparison lists as many commits as one response may have, unless the query asks for a page. */
function sliceOf(query: { readonly page?: number; readonly limit?: number }): Slice {
  if (query.page === undefined && query.limit === undefined)
    return { limit: COMMIT_LIMITS.comparedCommitsListedMax, offset: 0 };
  const paging = pagingOf(query);
  return { limit: paging.limit, offset: offsetOf(paging) };
}

function textRoute(app: App, { commitTexts }: Dependencies): void {
  const params = { owner: Type.String(), repo: Type.String(), sha: Type.String(), diffType: Type.String() };
  app.route({
    // HEAD is stated here: Fastify's own would write the text and discard it.
    method: ['GET', 'HEAD'],
    url: '/repos/:owner/:repo/git/commits/:sha.:diffType(^diff|patch$)',
    config: { action: COMMIT.read, failures: ['invalid'] },
    schema: {
      tags: ['repository'],
      operationId: 'repoDownloadCommitDiffOrPatch',
      summary: 'Get a commit as a diff or patch',
      params: Type.Object(params),
      produces: ['text/plain'],
      response: { 200: Type.String(), ...NOT_MODIFIED },
    },
    handler: async (request, reply) => {
      const { owner, repo: name, sha, diffType } = request.params;
      const split = splitFormat(`${sha}.${diffType}`);
      if (split === undefined) throw new Error(`no format: ${diffType}`);
      const text = await commitTexts.ofCommit(request.viewer, { owner, name }, split);
      return sendText(request, reply, text);
    },
  });
}
