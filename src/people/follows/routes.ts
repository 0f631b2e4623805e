import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import { UserAnswer } from '../accounts/present.ts';
import { FOLLOW } from './actions.ts';
import type { Follows } from './service.ts';

interface Dependencies {
  readonly follows: Follows;
  readonly addresses: Addresses;
}

export function followRoutes(app: App, dependencies: Dependencies): void {
  ownRoutes(app, dependencies);
  routesOfOthers(app, dependencies);
}

function ownRoutes(app: App, { follows, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'user', addresses });

  api.list('/user/followers', FOLLOW.readOwn, {
    id: 'userCurrentListFollowers',
    summary: 'List the users who follow you, earliest first',
    answer: UserAnswer,
    handle: ({ viewer, paging }) => follows.listOwn(viewer, 'followers', paging),
  });

  api.list('/user/following', FOLLOW.readOwn, {
    id: 'userCurrentListFollowing',
    summary: 'List the accounts that you follow, earliest first',
    answer: UserAnswer,
    handle: ({ viewer, paging }) => follows.listOwn(viewer, 'following', paging),
  });

  api.get('/user/following/:username', FOLLOW.readOwn, {
    id: 'userCurrentCheckFollowing',
    summary: 'Check whether you follow an account: 204 or 404',
    handle: ({ viewer, params }) => follows.requireOwn(viewer, params.username),
  });

  api.put('/user/following/:username', FOLLOW.change, {
    id: 'userCurrentPutFollow',
    summary: 'Follow an account',
    failures: ['invalid'],
    handle: ({ viewer, params }) => follows.add(viewer, params.username),
  });

  api.delete('/user/following/:username', FOLLOW.change, {
    id: 'userCurrentDeleteFollow',
    summary: 'Stop following an account',
    failures: ['invalid'],
    handle: ({ viewer, params }) => follows.remove(viewer, params.username),
  });
}

function routesOfOthers(app: App, { follows, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'user', addresses });

  api.list('/users/:username/followers', FOLLOW.list, {
    id: 'userListFollowers',
    summary: 'List the visible users who follow an account, earliest first',
    answer: UserAnswer,
    handle: ({ viewer, params, paging }) => follows.listFollowers(viewer, params.username, paging),
  });

  api.list('/users/:username/following', FOLLOW.list, {
    id: 'userListFollowing',
    summary: 'List the visible accounts that a user follows, earliest first',
    answer: UserAnswer,
    handle: ({ viewer, params, paging }) => follows.listFollowing(viewer, params.username, paging),
  });

  api.get('/users/:username/following/:target', FOLLOW.list, {
    id: 'userCheckFollowing',
    summary: 'Check whether a user follows an account: 204 or 404',
    handle: ({ viewer, params }) => follows.require(viewer, params.username, params.target),
  });
}
