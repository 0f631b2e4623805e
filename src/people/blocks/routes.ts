import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import { BLOCK } from './actions.ts';
import { BlockedUserAnswer } from './present.ts';
import type { Blocks } from './service.ts';

interface Dependencies {
  readonly blocks: Blocks;
  readonly addresses: Addresses;
}

export function blockRoutes(app: App, dependencies: Dependencies): void {
  userRoutes(app, dependencies);
  organizationRoutes(app, dependencies);
}

function userRoutes(app: App, { blocks, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'user', addresses });

  api.list('/user/list_blocked', BLOCK.read, {
    id: 'userListBlockedUsers',
    summary: 'List the users whom you have blocked, earliest first',
    failures: ['invalid'],
    answer: BlockedUserAnswer,
    handle: ({ viewer, paging }) => blocks.list(viewer, paging),
  });

  api.put('/user/block/:username', BLOCK.change, {
    id: 'userBlockUser',
    summary: 'Block a user, who can then change nothing in your repositories',
    failures: ['invalid'],
    handle: ({ viewer, params }) => blocks.add(viewer, params.username),
  });

  api.put('/user/unblock/:username', BLOCK.change, {
    id: 'userUnblockUser',
    summary: 'Stop blocking a user, which restores nothing',
    failures: ['invalid'],
    handle: ({ viewer, params }) => blocks.remove(viewer, params.username),
  });
}

function organizationRoutes(app: App, { blocks, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'organization', addresses });

  api.list('/orgs/:org/list_blocked', BLOCK.readOf, {
    id: 'orgListBlockedUsers',
    summary: 'List the users whom an organization has blocked, earliest first',
    answer: BlockedUserAnswer,
    handle: ({ viewer, params, paging }) => blocks.listOf(viewer, params.org, paging),
  });

  api.put('/orgs/:org/block/:username', BLOCK.changeOf, {
    id: 'orgBlockUser',
    summary: 'Block a user, who can then change nothing in the repositories of the organization',
    failures: ['invalid'],
    handle: ({ viewer, params }) => blocks.addOf(viewer, params.org, params.username),
  });

  api.put('/orgs/:org/unblock/:username', BLOCK.changeOf, {
    id: 'orgUnblockUser',
    summary: 'Stop blocking a user, which restores nothing',
    failures: ['invalid'],
    handle: ({ viewer, params }) => blocks.removeOf(viewer, params.org, params.username),
  });
}
