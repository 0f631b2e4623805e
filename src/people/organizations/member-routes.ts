import { type Operations, operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import { NO_CONTENT, noBody } from '../../http/shapes.ts';
import { UserAnswer } from '../accounts/present.ts';
import { ORGANIZATION } from './actions.ts';
import type { Organizations } from './service.ts';

interface Dependencies {
  readonly organizations: Organizations;
  readonly addresses: Addresses;
}

export function memberRoutes(app: App, dependencies: Dependencies): void {
  const api = operationsOn(app, { tag: 'organization', addresses: dependencies.addresses });
  memberListRoutes(api, dependencies);
  membershipRoutes(api, dependencies);
  publicMembershipRoutes(api, dependencies);
}

function memberListRoutes(api: Operations, { organizations: { members } }: Dependencies): void {
  api.list('/orgs/:org/members', ORGANIZATION.listMembers, {
    id: 'orgListMembers',
    summary: 'List members: all of them if you are a member, otherwise the public ones',
    answer: UserAnswer,
    handle: ({ viewer, params, paging }) => members.list(viewer, params.org, paging),
  });

  api.list('/orgs/:org/public_members', ORGANIZATION.listMembers, {
    id: 'orgListPublicMembers',
    summary: 'List the members whose membership is public',
    answer: UserAnswer,
    handle: ({ viewer, params, paging }) => members.listPublic(viewer, params.org, paging),
  });
}

function membershipRoutes(api: Operations, { organizations, addresses }: Dependencies): void {
  const { members } = organizations;

  api.get('/orgs/:org/members/:username', ORGANIZATION.listMembers, {
    id: 'orgIsMember',
    summary:
      'Check whether a user is a member: 204 or 404. If you are not a member, redirects to the public members',
    otherwise: { ...NO_CONTENT, 303: noBody('Check whether the membership is public') },
    async handle({ viewer, params: { org, username }, reply }) {
      if ((await members.requireMember(viewer, org, username)) === 'member') return undefined;
      const path = `/orgs/${encodeURIComponent(org)}/public_members/${encodeURIComponent(username)}`;
      return reply.code(303).header('location', `${addresses.apiRoot}${path}`).send();
    },
  });

  api.delete('/orgs/:org/members/:username', ORGANIZATION.removeMember, {
    id: 'orgDeleteMember',
    summary: 'Remove a user from the organization and all its teams',
    failures: ['invalid'],
    handle: ({ viewer, params }) => members.remove(viewer, params.org, params.username),
  });
}

function publicMembershipRoutes(api: Operations, { organizations: { members } }: Dependencies): void {
  api.get('/orgs/:org/public_members/:username', ORGANIZATION.listMembers, {
    id: 'orgIsPublicMember',
    summary: 'Check whether a user is a public member: 204 or 404',
    handle: ({ viewer, params }) => members.requirePublicMember(viewer, params.org, params.username),
  });

  api.put('/orgs/:org/public_members/:username', ORGANIZATION.showOwnMembership, {
    id: 'orgPublicizeMember',
    summary: 'Make your own membership public',
    handle: ({ viewer, params }) => members.show(viewer, params.org, params.username, true),
  });

  api.delete('/orgs/:org/public_members/:username', ORGANIZATION.showOwnMembership, {
    id: 'orgConcealMember',
    summary: 'Hide your own membership from everyone but members',
    handle: ({ viewer, params }) => members.show(viewer, params.org, params.username, false),
  });
}
