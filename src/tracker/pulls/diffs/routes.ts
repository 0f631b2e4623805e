import { Type } from 'typebox';
import { type Operations, operationsOn } from '../../../api/operations/operations.ts';
import { pagingOf } from '../../../base/core/paging.ts';
import { CommitListAnswer } from '../../../code/commits/present.ts';
import { sendText } from '../../../code/commits/send-text.ts';
import { commitOptionsOf, commitsTag } from '../../../code/git-data/commit-tag.ts';
import type { Addresses, App } from '../../../http/app.ts';
import { unlessKnown } from '../../../http/conditional.ts';
import { setDetailedPagingHeaders } from '../../../http/paging.ts';
import { NOT_MODIFIED } from '../../../http/shapes.ts';
import { PULL } from '../actions.ts';
import { PullAnswer } from '../present.ts';
import { PULL_URL } from '../urls.ts';
import type { PullsOfCommits } from './of-commits.ts';
import { fileFilterOf } from './options.ts';
import { ChangedFilesAnswer, filesTag } from './present.ts';
import { PullCommitsQuery, PullFilesQuery, PullTextQuery } from './schema.ts';
import type { PullDiffs } from './service.ts';

interface Dependencies {
  readonly pullDiffs: PullDiffs;
  readonly pullsOfCommits: PullsOfCommits;
  readonly addresses: Addresses;
}

export function pullDiffRoutes(app: App, dependencies: Dependencies): void {
  const { pullsOfCommits, addresses } = dependencies;
  const api = operationsOn(app, { tag: 'repository', addresses });
  commitsRoute(api, dependencies);
  filesRoute(api, dependencies);
  textRoute(app, dependencies);

  api.get('/repos/:owner/:repo/commits/:sha/pull', PULL.read, {
    id: 'repoGetCommitPullRequest',
    isTagged: true,
    summary: 'Get the merged pull request that brought a commit',
    answer: PullAnswer,
    handle: ({ viewer, path, params }) => pullsOfCommits.get(viewer, path, params.sha),
  });
}

function commitsRoute(api: Operations, { pullDiffs, addresses }: Dependencies): void {
  api.get(`${PULL_URL}/commits`, PULL.read, {
    id: 'repoGetPullRequestCommits',
    otherwise: NOT_MODIFIED,
    summary: 'List the commits of a pull request, newest first',
    failures: ['invalid'],
    query: PullCommitsQuery,
    answer: CommitListAnswer,
    async handle({ viewer, path: repository, params: { number }, query, request, reply }) {
      const [paging, options] = [pagingOf(query), commitOptionsOf(query)];
      const pull = await pullDiffs.open(viewer, { repository, number });
      const page = await pullDiffs.commits(viewer, pull, { paging, options });
      setDetailedPagingHeaders(request, reply, addresses, { paging, total: page.total });
      const also = [paging, page.total];
      const tag = commitsTag(page.commits, options, { viewer, addresses, also });
      return unlessKnown({ request, reply }, tag, () => pullDiffs.describe(page, options));
    },
  });
}

function filesRoute(api: Operations, { pullDiffs, addresses }: Dependencies): void {
  api.get(`${PULL_URL}/files`, PULL.read, {
    id: 'repoGetPullRequestFiles',
    otherwise: NOT_MODIFIED,
    summary: 'List the files that a pull request changes',
    failures: ['invalid'],
    query: PullFilesQuery,
    answer: ChangedFilesAnswer,
    async handle({ viewer, path: repository, params: { number }, query, request, reply }) {
      const [paging, filter] = [pagingOf(query), fileFilterOf(query)];
      const pull = await pullDiffs.open(viewer, { repository, number });
      return unlessKnown({ request, reply }, filesTag(pull, { filter, paging }, addresses), async () => {
        const { items, total } = await pullDiffs.files(pull, filter, paging);
        setDetailedPagingHeaders(request, reply, addresses, { paging, total });
        return { pull, files: items };
      });
    },
  });
}

function textRoute(app: App, { pullDiffs }: Dependencies): void {
  const params = {
    owner: Type.String(),
    repo: Type.String(),
    number: Type.String(),
    diffType: Type.String(),
  };
  app.route({
    // HEAD is stated here: Fastify's own would write the text and discard it.
    method: ['GET', 'HEAD'],
    url: `${PULL_URL}.:diffType(^diff|patch$)`,
    config: { action: PULL.read, failures: ['invalid'] },
    schema: {
      tags: ['repository'],
      operationId: 'repoDownloadPullDiffOrPatch',
      summary: 'Get a pull request as a diff or patch',
      params: Type.Object(params),
      querystring: Type.Object(PullTextQuery),
      produces: ['text/plain'],
      response: { 200: Type.String(), ...NOT_MODIFIED },
    },
    handler: async (request, reply) => {
      const { owner, repo: name, number, diffType } = request.params;
      const format = diffType === 'patch' ? 'patch' : 'diff';
      const path = { repository: { owner, name }, number };
      const { binary = false } = request.query;
      return sendText(request, reply, await pullDiffs.text(request.viewer, path, { format, binary }));
    },
  });
}
