import { defineActions } from '../../api/access/actions.ts';

/** Repositories of a team. */
export const TEAM_REPOSITORIES = defineActions('team', {
  listRepositories: { on: 'team', within: 'team', scopes: ['read:organization', 'read:repository'] },
  changeRepositories: { on: 'team', within: 'team', scopes: ['write:organization', 'write:repository'] },
});

/** Teams of a repository. */
export const REPOSITORY_TEAMS = defineActions('repository', {
  listTeams: { on: 'repository', level: 'read', scopes: ['read:repository', 'read:organization'] },
  changeTeams: { on: 'repository', level: 'admin', scopes: ['write:repository', 'write:organization'] },
});
