import { defineEvent } from '../../base/events/model.ts';

export const TEAM_CREATED = defineEvent<{ organizationId: number; teamId: number; name: string }>(
  'team.created',
);
export const TEAM_CHANGED = defineEvent<{
  organizationId: number;
  teamId: number;
  changed: readonly string[];
}>('team.changed');
export const TEAM_DELETED = defineEvent<{ organizationId: number; teamId: number; name: string }>(
  'team.deleted',
);
export const TEAM_MEMBER_ADDED = defineEvent<{ organizationId: number; teamId: number; accountId: number }>(
  'team.member-added',
  { people: ['accountId'] },
);
export const TEAM_MEMBER_REMOVED = defineEvent<{ organizationId: number; teamId: number; accountId: number }>(
  'team.member-removed',
  { people: ['accountId'] },
);
export const TEAM_REPOSITORY_ADDED = defineEvent<{ organizationId: number; teamId: number }>(
  'team.repository-added',
);
export const TEAM_REPOSITORY_REMOVED = defineEvent<{ organizationId: number; teamId: number }>(
  'team.repository-removed',
);
