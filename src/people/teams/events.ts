import { defineEvent } from '../../base/events/model.ts';

export const TEAM_CREATED = defineEvent<{ organizationId: number; teamId: number; name: string }>(
  'team.created',
  { audit: { target: 'team', id: 'teamId', name: 'name' } },
);
export const TEAM_CHANGED = defineEvent<{
  organizationId: number;
  teamId: number;
  changed: readonly string[];
}>('team.changed', { audit: { target: 'team', id: 'teamId' } });
export const TEAM_DELETED = defineEvent<{ organizationId: number; teamId: number; name: string }>(
  'team.deleted',
  { audit: { target: 'team', id: 'teamId', name: 'name' } },
);
export const TEAM_MEMBER_ADDED = defineEvent<{ organizationId: number; teamId: number; accountId: number }>(
  'team.member-added',
  { people: ['accountId'], audit: { target: 'team', id: 'teamId' } },
);
export const TEAM_MEMBER_REMOVED = defineEvent<{ organizationId: number; teamId: number; accountId: number }>(
  'team.member-removed',
  { people: ['accountId'], audit: { target: 'team', id: 'teamId' } },
);
export const TEAM_REPOSITORY_ADDED = defineEvent<{ organizationId: number; teamId: number }>(
  'team.repository-added',
  { audit: { target: 'team', id: 'teamId' } },
);
export const TEAM_REPOSITORY_REMOVED = defineEvent<{ organizationId: number; teamId: number }>(
  'team.repository-removed',
  { audit: { target: 'team', id: 'teamId' } },
);
