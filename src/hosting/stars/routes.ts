import { type Operations, operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import { UserAnswer } from '../../people/accounts/present.ts';
import { ACCOUNT_REPOSITORIES } from '../repositories/actions.ts';
import { RepositoryAnswer } from '../repositories/present.ts';
import { STAR, WATCH } from './actions.ts';
import type { Marks } from './marks.ts';
import { WatchAnswer } from './present.ts';

const STAR_URL = '/user/starred/:owner/:repo';
const SUBSCRIPTION_URL = '/repos/:owner/:repo/subscription';

interface Dependencies {
  readonly stars: Marks;
  readonly watching: Marks;
  readonly addresses: Addresses;
}

export function starRoutes(app: App, { stars, watching, addresses }: Dependencies): void {
  ownStarRoutes(operationsOn(app, { tag: 'user', addresses }), stars);
  ownWatchRoutes(operationsOn(app, { tag: 'repository', addresses }), watching);
  markLists(app, addresses, {
    kind: 'star',
    marks: stars,
    own: {
      id: 'userCurrentListStarred',
      url: '/user/starred',
      summary: 'List the repositories that you have starred, latest first',
    },
    of: {
      id: 'userListStarred',
      url: '/users/:username/starred',
      summary: 'List the visible repositories that a user has starred',
    },
    people: {
      id: 'repoListStargazers',
      url: '/repos/:owner/:repo/stargazers',
      summary: 'List the users who have starred a repository',
    },
  });
  markLists(app, addresses, {
    kind: 'watch',
    marks: watching,
    own: {
      id: 'userCurrentListSubscriptions',
      url: '/user/subscriptions',
      summary: 'List the repositories that you watch, latest first',
    },
    of: {
      id: 'userListSubscriptions',
      url: '/users/:username/subscriptions',
      summary: 'List the visible repositories that a user watches',
    },
    people: {
      id: 'repoListSubscribers',
      url: '/repos/:owner/:repo/subscribers',
      summary: 'List the users who watch a repository',
    },
  });
}

function ownStarRoutes(api: Operations, stars: Marks): void {
  api.get(STAR_URL, STAR.read, {
    id: 'userCurrentCheckStarring',
    summary: 'Check whether you have starred a repository: 204 or 404',
    handle: ({ viewer, path }) => stars.require(viewer, path),
  });

  api.put(STAR_URL, STAR.change, {
    id: 'userCurrentPutStar',
    summary: 'Star a repository',
    failures: ['invalid'],
    handle: ({ viewer, path }) => stars.add(viewer, path),
  });

  api.delete(STAR_URL, STAR.change, {
    id: 'userCurrentDeleteStar',
    summary: 'Unstar a repository',
    handle: ({ viewer, path }) => stars.remove(viewer, path),
  });
}

function ownWatchRoutes(api: Operations, watching: Marks): void {
  api.get(SUBSCRIPTION_URL, WATCH.read, {
    id: 'userCurrentCheckSubscription',
    summary: 'Check whether you watch a repository: 404 if not',
    answer: WatchAnswer,
    handle: ({ viewer, path }) => watching.require(viewer, path),
  });

  api.put(SUBSCRIPTION_URL, WATCH.change, {
    id: 'userCurrentPutSubscription',
    summary: 'Watch a repository',
    failures: ['invalid'],
    answer: WatchAnswer,
    handle: ({ viewer, path }) => watching.add(viewer, path),
  });

  api.delete(SUBSCRIPTION_URL, WATCH.change, {
    id: 'userCurrentDeleteSubscription',
    summary: 'Stop watching a repository',
    handle: ({ viewer, path }) => watching.remove(viewer, path),
  });
}

interface MarkLists {
  readonly kind: 'star' | 'watch';
  readonly marks: Marks;
  readonly own: { readonly id: string; readonly url: string; readonly summary: string };
  readonly of: { readonly id: string; readonly url: `/users/:username/${string}`; readonly summary: string };
  readonly people: {
    readonly id: string;
    readonly url: `/repos/:owner/:repo/${string}`;
    readonly summary: string;
  };
}

/** Adds the lists of one kind of mark. */
function markLists(app: App, addresses: Addresses, { kind, marks, own, of, people }: MarkLists): void {
  const userApi = operationsOn(app, { tag: 'user', addresses });
  const api = operationsOn(app, { tag: 'repository', addresses });

  userApi.list(own.url, ACCOUNT_REPOSITORIES.listRepositories, {
    id: own.id,
    summary: own.summary,
    answer: RepositoryAnswer,
    handle: ({ viewer, paging }) => marks.listOwn(viewer, paging),
  });

  userApi.list(of.url, ACCOUNT_REPOSITORIES.listRepositoriesOf, {
    id: of.id,
    summary: of.summary,
    answer: RepositoryAnswer,
    handle: ({ viewer, params, paging }) => marks.listOf(viewer, params.username, paging),
  });

  api.list(people.url, kind === 'star' ? STAR.list : WATCH.list, {
    id: people.id,
    summary: people.summary,
    answer: UserAnswer,
    handle: ({ viewer, path, paging }) => marks.listPeople(viewer, path, paging),
  });
}
