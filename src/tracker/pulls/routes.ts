import { operationsOn } from '../../api/operations/operations.ts';
import { preconditionsOn } from '../../api/operations/preconditions.ts';
import type { Addresses, App } from '../../http/app.ts';
import { PULL } from './actions.ts';
import { newPullOf, pullEditOf, pullFilterOf } from './options.ts';
import { PullAnswer } from './present.ts';
import { CreatePullBody, EditPullBody, PullQuery } from './schema.ts';
import type { Pulls } from './service.ts';
import { PULL_URL, PULLS_URL } from './urls.ts';

interface Dependencies {
  readonly pulls: Pulls;
  readonly addresses: Addresses;
}

export function pullRoutes(app: App, { pulls, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });
  const { required } = preconditionsOn(PullAnswer, addresses);

  api.list(PULLS_URL, PULL.read, {
    id: 'repoListPullRequests',
    isTagged: true,
    summary: 'List the pull requests of a repository',
    failures: ['bad_request'],
    query: PullQuery,
    answer: PullAnswer,
    handle: ({ viewer, path, query, paging }) => pulls.list(viewer, path, pullFilterOf(query), paging),
  });

  api.post(PULLS_URL, PULL.create, {
    id: 'repoCreatePullRequest',
    summary: 'Open a pull request',
    failures: ['archived', 'conflict', 'invalid', 'too_large'],
    body: CreatePullBody,
    status: 201,
    answer: PullAnswer,
    handle: ({ viewer, path, body }) => pulls.create(viewer, path, newPullOf(body)),
  });

  api.wholeList(`${PULLS_URL}/pinned`, PULL.read, {
    id: 'repoListPinnedPullRequests',
    isTagged: true,
    summary: 'List the pinned pull requests of a repository',
    answer: PullAnswer,
    handle: ({ viewer, path }) => pulls.listPinned(viewer, path),
  });

  // The Go client leaves the slashes in the name of the head as they are.
  api.get(`${PULLS_URL}/:base/*`, PULL.read, {
    id: 'repoGetPullRequestByBaseHead',
    isTagged: true,
    summary: 'Get the newest pull request between two branches',
    answer: PullAnswer,
    handle: ({ viewer, path, params }) =>
      pulls.getBetween(viewer, path, { base: params.base, head: params['*'] }),
  });

  api.get(PULL_URL, PULL.read, {
    id: 'repoGetPullRequest',
    isTagged: true,
    summary: 'Get a pull request',
    answer: PullAnswer,
    handle: ({ viewer, path, params }) => pulls.get(viewer, { repository: path, number: params.number }),
  });

  api.patch(PULL_URL, PULL.change, {
    id: 'repoEditPullRequest',
    summary: 'Change, close or reopen a pull request',
    failures: ['archived', 'conflict', 'invalid', 'precondition_failed'],
    body: EditPullBody,
    status: 201,
    answer: PullAnswer,
    handle: ({ viewer, path, params, body, request }) =>
      pulls.edit(viewer, { repository: path, number: params.number }, pullEditOf(body), required(request)),
  });

  api.get(`${PULL_URL}/merge`, PULL.read, {
    id: 'repoPullRequestIsMerged',
    summary: 'Check whether a pull request is merged',
    handle: ({ viewer, path, params }) =>
      pulls.requireMerged(viewer, { repository: path, number: params.number }),
  });
}
